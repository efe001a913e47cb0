#!/usr/bin/env python3
"""Measures mha-train beside other translation toolkits on this machine, and writes docs/benchmarks.md and docs/benchmarks.json.

Every program is installed in an environment of its own below --env-dir, gets the same segmented data and the same shape, and takes
its turn in every round. One that cannot be installed or run is reported with the reason; the others go on. Needs a quiet machine:
other busy programs slow the compared ones differently. A round takes about (--seconds + 20 s) for each program and job, and one to
three minutes for decoding.
"""
import argparse
import datetime
import json
import pathlib
import signal
import sys

from bench import corpus, machine, page
from bench.environments import Environments
from bench.jobs import JOBS
from bench.peers import programs
from bench.peers.peer import Place, write_json
from bench.process import Failed
from bench.progress import Plan
from bench.results import Results

PROJECT = pathlib.Path(__file__).resolve().parent.parent
GRAMMAR = PROJECT / "data/grammar"
BEAMS = (1, 5)
SHORT_SECONDS, REPEATS = 2.0, 3  # decoding


def parse(argv):
    parser = argparse.ArgumentParser(prog="bench_peers.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = list(programs(pathlib.Path(), [], 0))
    add = parser.add_argument
    add("--jobs", default="tiny,base", help=f"of {', '.join(JOBS)}; decoding is measured with tiny (default: %(default)s)")
    add("--peers", default=",".join(names), help="programs that take part (default: all, %(default)s)")
    add("--parts", default="train,decode", help="train, decode or both (default: %(default)s)")
    add("--rounds", type=int, default=3, help="how often every program takes its turn (default: %(default)s)")
    add("--seconds", type=float, default=40, help="length of one measurement of training, without warm-up (default: %(default)s)")
    add("--mha-train", type=pathlib.Path, default=PROJECT / "build/bin/mha-train", help="the binary (default: build/bin/mha-train)")
    add("--set", action="append", default=[], metavar="KEY=VALUE", help="more settings for mha-train; they are written down")
    add("--env-dir", type=pathlib.Path, default=PROJECT / "build/peers", help="folder of environments, data and logs (default: build/peers)")
    add("--data", type=pathlib.Path, nargs=2, metavar=("SOURCE", "TARGET"), help="training pairs, plain or .gz (default: the embedded corpus)")
    add("--test-data", type=pathlib.Path, nargs=2, metavar=("SOURCE", "TARGET"), help="sentences to translate and their references")
    add("--data-name", default="", help="what the page calls the data given with --data")
    add("--segmented", action="store_true", help="the data is cut into pieces already, separated by spaces")
    add("--vocabulary", type=int, default=8000, help="pieces, special symbols counted, as far as the text has so many (default: %(default)s)")
    add("--test-sentences", type=int, default=1000, help="sentences to translate (default: %(default)s)")
    add("--decode-updates", type=int, default=600, help="updates that mha-train makes for the weights of decoding (default: %(default)s)")
    add("--out", type=pathlib.Path, default=PROJECT / "docs", help="folder of benchmarks.md and benchmarks.json (default: docs)")
    add("--install-only", action="store_true", help="make the environments and stop")
    options = parser.parse_args(argv)
    for key, known in (("jobs", list(JOBS)), ("peers", names), ("parts", ["train", "decode"])):
        setattr(options, key, [word for word in getattr(options, key).split(",") if word])
        if unknown := set(getattr(options, key)) - set(known):
            parser.error(f"--{key}: no {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    if bool(options.data) != bool(options.test_data):
        parser.error("--data and --test-data go together")
    return options


def say(text):
    print(f"{datetime.datetime.now():%H:%M:%S} {text}", flush=True)


def without_paths(error):
    """The reason without where the project lies on this machine."""
    return str(error).replace(f"{PROJECT}/", "")


def load_data(options, environments):
    if options.data:
        name = options.data_name or options.data[0].name
        train, test = options.data, options.test_data
    else:
        name = "the embedded corpus (data/README.md)"
        train, test = ([GRAMMAR / f"{split}.{language}" for language in ("en", "de")] for split in ("train", "test"))
    settings = {"segmented": options.segmented, "vocabulary": options.vocabulary, "longest": 100, "test_sentences": options.test_sentences}
    return corpus.prepare(name, train, test, settings, environments.base(), options.env_dir / "data")


class Benchmark:
    """All rounds of all programs that take part."""

    def __init__(self, options, taking_part, data, results):
        self.options, self.programs, self.data, self.results = options, taking_part, data, results

    def place(self, name, job):
        return Place(self.data, JOBS[job], self.options.env_dir / "work" / name / job)

    def attempt(self, name, where, action):
        """What `action` returns; None, and the program is out of this part from now on, if it fails."""
        if any(failure["program"] == name and failure["where"] == where for failure in self.results.failures):
            return None
        try:
            return action()
        except (Failed, OSError, ValueError) as error:
            self.results.fail(name, where, without_paths(error))
            say(f"{name}, {where}: {error}")
            return None

    def train(self, number, job, plan):
        for name, program in self.programs.items():
            if not program.trains:
                continue
            done = self.attempt(name, f"training {job}", lambda: program.train(self.place(name, job), plan))
            if done:
                speed = done.speed
                self.results.add(kind="train", job=job, program=name, round=number, seconds=speed.seconds, updates=speed.updates,
                                 target_tokens=speed.target_tokens, tokens_per_second=speed.tokens_per_second, peak_bytes=done.peak_bytes)
                say(f"round {number}, {job}, {name}: {speed.tokens_per_second:,.0f} target tokens/s over {speed.updates} updates, "
                    f"{done.peak_bytes / 1e9:.2f} GB")

    def decode(self, number, beam):
        for name, program in self.programs.items():
            if not program.decodes:
                continue
            place = self.place(name, "tiny")
            place.folder.mkdir(parents=True, exist_ok=True)
            ready = self.attempt(name, "decoding", lambda: program.decode_ready(place) or True)
            done = ready and self.attempt(name, "decoding", lambda: self.decode_steadily(program, place, beam))
            if done:
                self.results.add(kind="decode", beam=beam, job="tiny", program=name, round=number, sentences=done.sentences, seconds=done.seconds,
                                 sentences_per_second=done.sentences / done.seconds, pieces_per_sentence=done.pieces / done.sentences,
                                 peak_bytes=done.peak_bytes)
                say(f"round {number}, beam {beam}, {name}: {done.sentences / done.seconds:,.0f} sentences/s")

    def decode_steadily(self, program, place, beam):
        """Of several tries the one with the median time, if one takes so little that its start or a hiccup would show."""
        tries = [program.decode(place, beam, self.data.forced_length())]
        while tries[0].seconds < SHORT_SECONDS and len(tries) < REPEATS:
            tries.append(program.decode(place, beam, self.data.forced_length()))
        return sorted(tries, key=lambda done: done.seconds)[len(tries) // 2]

    def run(self, plan, write):
        """`write`: called after every round, so that an interrupted benchmark leaves what it has."""
        for number in range(1, self.options.rounds + 1):
            for job in self.options.jobs if "train" in self.options.parts else []:
                self.train(number, job, plan)
            for beam in BEAMS if "decode" in self.options.parts else []:
                self.decode(number, beam)
            write(number)


def install(every, environments, results):
    """Those that could be installed."""
    installed = {}
    for name, program in every.items():
        try:
            program.install(environments)
            installed[name] = program
        except (Failed, OSError) as error:
            results.fail(name, "installing", without_paths(error))
            say(f"{name}: {error}")
    return installed


def write(options, results, facts):
    write_json(options.out / "benchmarks.json", {
        "format": "mha-train/benchmarks", "format_version": 1, **facts, "measurements": results.records, "failures": results.failures})
    (options.out / "benchmarks.md").write_text(page.page(results, facts), encoding="utf-8")


def main(argv):
    options = parse(argv)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # as an exception, so that the program being measured is ended too
    every = programs(options.mha_train.resolve(), options.set, options.decode_updates)
    chosen = {name: every[name] for name in every if name in options.peers}
    options.env_dir = options.env_dir.resolve()
    environments = Environments(options.env_dir, PROJECT, say)
    results = Results(chosen)
    installed = install(chosen, environments, results)
    if options.install_only:
        return 1 if results.failures else 0
    data = load_data(options, environments)
    say(data.describe())
    plan = Plan(seconds=options.seconds)
    facts = {"date": datetime.date.today().isoformat(), "machine": machine.describe(), "corpus": data.describe(), "jobs": options.jobs,
             "beams": list(BEAMS), "rounds": options.rounds, "load": machine.busy(),
             "plan": {"warmup_updates": plan.warmup_updates, "warmup_seconds": plan.warmup_seconds, "seconds": plan.seconds},
             "decoding": {"sentences": data.test_sentences(), "updates": options.decode_updates, "max_tokens": JOBS["tiny"].max_tokens,
                          "length": data.forced_length(), "short": SHORT_SECONDS, "repeats": REPEATS},
             "settings": options.set, "versions": {name: program.versions() for name, program in installed.items()}}
    say(f"load of the machine: {facts['load']:.2f} of its cores")
    Benchmark(options, installed, data, results).run(plan, lambda rounds: write(options, results, {**facts, "rounds": rounds}))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failed as error:
        sys.exit(f"error: {error}")
