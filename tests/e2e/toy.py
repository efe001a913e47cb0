"""What the tests of the built binary share: a toy corpus, a configuration that trains on it within seconds, and readers of what a run leaves."""
import hashlib
import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import tempfile
import time
import unittest

BINARY = os.environ["MHA_TRAIN"]
SOURCE = pathlib.Path(os.environ["MHA_SOURCE_DIR"])
CASES = SOURCE / "tests/cases"
TIMEOUT = 120
os.environ["OMP_WAIT_POLICY"] = "passive"  # threads that wait leave the processor to other tests
WORDS = [a + b for a in "bdkmt" for b in ("a", "e", "i", "o")]


def write_lines(path, lines):
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return str(path)


def write_split(folder, name, pairs, seed, words=(1, 6), vocabulary=WORDS):
    """A split whose target is its source read backwards; its section of the configuration."""
    numbers = random.Random(seed)
    sources = [[numbers.choice(vocabulary) for _ in range(numbers.randint(*words))] for _ in range(pairs)]
    return {"source": write_lines(folder / f"{name}.src", map(" ".join, sources)),
            "target": write_lines(folder / f"{name}.trg", (" ".join(reversed(words)) for words in sources))}


def write_corpus(folder):
    folder.mkdir(parents=True, exist_ok=True)
    return {"train": write_split(folder, "train", 120, 1), "valid": write_split(folder, "valid", 10, 2), "test": write_split(folder, "test", 12, 3)}


def set_key(config, path, value):
    *sections, key = path.split(".")
    for section in sections:
        config = config.setdefault(section, {})
    config[key] = value


def configuration(data, /, **changes):
    """One layer a side, width 16, a few sentences a batch, one thread. `changes`: dotted keys with `__` for the dot."""
    config = {
        "seed": 7, "threads": 1, "device": "cpu",
        "data": {**data, "max_tokens": 64, "max_source_length": 40, "max_target_length": 40},
        "vocab": {"type": "bpe", "size": 50},
        "model": {"encoder_layers": 1, "decoder_layers": 1, "d_model": 16, "d_ff": 32, "dropout": 0.1},
        "attention": {"num_heads": 2},
        "optimizer": {"lr": 1e-2, "warmup_updates": 5},
        "train": {"max_update": 30, "validate_interval_updates": 10, "log_interval": 1, "precision": "fp32"},
        "decode": {"beam": 2},
    }
    for path, value in changes.items():
        set_key(config, path.replace("__", "."), value)
    return config


def run(*arguments, code=0, **options):
    """Runs the binary and checks the exit code. Text in and out unless `text` says otherwise."""
    options = {"capture_output": True, "text": True, "timeout": TIMEOUT, **options}
    done = subprocess.run([BINARY, *map(str, arguments)], **options)
    assert done.returncode == code, f"{arguments}: exit code {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}"
    return done


def limit_file_size(size):
    """For a child: files larger than this fail to grow (EFBIG) as on a full disk."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


class started(subprocess.Popen):
    """A running binary, killed at the end of the `with` if it still runs. Its messages go to the file `log`."""

    def __init__(self, *arguments, **options):
        self.log = tempfile.TemporaryFile()
        super().__init__([BINARY, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=self.log, **options)

    def messages(self):
        return os.pread(self.log.fileno(), 1 << 20, 0).decode()

    def __exit__(self, *exception):
        self.kill()
        self.log.close()
        super().__exit__(*exception)


def wait_until(process, holds, what):
    """Waits until `holds()`; an error if the process ends before."""
    deadline = time.monotonic() + TIMEOUT
    while not holds():
        assert process.poll() is None, f"ended before {what}: {process.messages()}"
        assert time.monotonic() < deadline, f"no {what}: {process.messages()}"
        time.sleep(0.002)


def last_update(run_dir):
    """The last update that the events tell of, 0 before the first."""
    file = run_dir / "events.jsonl"
    lines = file.read_bytes().split(b"\n")[:-1] if file.exists() else []
    numbers = [json.loads(line).get("num_updates", 0) for line in lines if b'"event":"train"' in line]
    return numbers[-1] if numbers else 0


def wait_for_update(process, run_dir, number):
    wait_until(process, lambda: last_update(run_dir) >= number, f"update {number}")


def parse(text):
    """Strict JSON: no NaN, no Infinity."""
    def refuse(word):
        raise AssertionError(f"{word} is not JSON")
    return json.loads(text, parse_constant=refuse)


def report(run_dir):
    return parse((run_dir / "report.json").read_text(encoding="utf-8"))


def events(run_dir, kind):
    lines = (run_dir / "events.jsonl").read_text(encoding="utf-8").splitlines()
    return [event for event in map(parse, lines) if event["event"] == kind]


def losses(run_dir):
    """Training loss by update; needs log_interval 1."""
    return [(event["num_updates"], event["loss"]) for event in events(run_dir, "train")]


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def hashes(folder):
    """Hash and time of change of every file below a folder."""
    return {path.relative_to(folder): (sha256(path), path.stat().st_mtime_ns) for path in sorted(folder.rglob("*")) if path.is_file()}


class ToyTest(unittest.TestCase):
    """A class of tests with one corpus in a folder of its own, `root`."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="mha toy ")
        cls.addClassCleanup(folder.cleanup)
        cls.root = pathlib.Path(folder.name)
        cls.data = write_corpus(cls.root / "corpus")

    @classmethod
    def config(cls, name, **changes):
        """Writes NAME.json; its path."""
        path = cls.root / f"{name}.json"
        path.write_text(json.dumps(configuration(cls.data, **changes)), encoding="utf-8")
        return path

    @classmethod
    def train(cls, name, *arguments, code=0, **changes):
        """Trains NAME.json, made from `changes`, in the folder NAME; the folder and the finished process."""
        run_dir = cls.root / name
        done = run("--config", cls.config(name, **changes), "--run-dir", run_dir, *arguments, code=code)
        return run_dir, done
