"""What the adapters share."""
import dataclasses
import json
import pathlib
import re

from ..process import Failed, Run, reason_in, run_to_end
from ..progress import Clock, Means

LOOPS = pathlib.Path(__file__).parent.parent / "loops"


@dataclasses.dataclass(frozen=True)
class Place:
    """What a program is measured on, and the folder that it may write to."""
    corpus: object
    job: object
    folder: pathlib.Path

    def log(self, name):
        return self.folder / f"{name}.log"


@dataclasses.dataclass(frozen=True)
class Training:
    speed: object  # progress.Speed
    peak_bytes: int


@dataclasses.dataclass(frozen=True)
class Decoding:
    """`pieces`: of all translations, EOS not counted."""
    sentences: int
    seconds: float
    pieces: int
    peak_bytes: int


class Peer:
    """A program. `packages` and `without_dependencies`: see Environments.peer. `differs`: what it does unlike the others."""
    name = label = ""
    precision = "fp32"
    packages = ()
    without_dependencies = ()
    shown_versions = ()
    environment_name = ""
    trains = decodes = True
    sums = Means
    differs = ""

    def install(self, environments):
        self.environment = environments.peer(self.environment_name or self.name, self.packages, self.without_dependencies)

    def versions(self):
        return self.environment.versions(self.shown_versions)

    def prepare(self, place):
        """Brings the data into the program's own form; not timed."""

    def train_command(self, place):
        raise NotImplementedError

    def progress(self, line):
        """(number of updates, target tokens as `sums` takes them), or None for lines that are not of progress."""
        raise NotImplementedError

    def train(self, place, plan):
        """Trains until the plan's clock has run out."""
        place.folder.mkdir(parents=True, exist_ok=True)
        self.prepare(place)
        clock, sums = Clock(plan), self.sums()

        def on_line(seconds, text):
            found = self.progress(text)
            return found is not None and clock.add(sums.add(seconds, *found))

        outcome = Run(self.train_command(place), place.log("train"), time_limit(plan), on_line)()
        return self.training(clock, outcome, place)

    def training(self, clock, outcome, place):
        speed = clock.speed()
        if outcome.code is not None:
            raise Failed(f"ended with exit code {outcome.code}: {reason_in(outcome.lines)} ({place.log('train').name})")
        if speed is None:
            raise Failed(f"too slow: no two points of progress after the warm-up within {outcome.seconds:.0f} s ({place.log('train').name})")
        return Training(speed, outcome.peak_bytes)

    def decode_ready(self, place):
        """Makes the model that is to translate; not timed."""

    def decode(self, place, beam, length):
        """Translates the test sentences. `length`: pieces that every translation is forced to have, EOS not counted."""
        raise NotImplementedError

    def run(self, place, name, command):
        return run_to_end(command, place.log(name))


def time_limit(plan):
    """Seconds after which a training is stopped even if it has not made its updates: start, warm-up and measurement."""
    return 120 + plan.warmup_seconds + 3 * plan.seconds


def write_json(path, value):
    """As configuration; JSON is YAML too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
    return path


def search(pattern, lines, what):
    """The last match among lines."""
    for line in reversed(lines):
        if found := re.search(pattern, line):
            return found
    raise Failed(f"did not say {what}")
