"""Python environments of the peers: torch once, in `base`; each peer's own packages on top of it."""
import hashlib
import json
import pathlib
import re
import subprocess
import sys

from .process import Command, Failed, run_to_end

NUMPY = "numpy==1.26.4"  # the last version that all peers run with


def torch_choice(setup_script):
    """Version and index of the torch wheel for processors: those of scripts/setup.sh."""
    text = setup_script.read_text(encoding="utf-8")
    return tuple(re.search(rf"^{name}=(\S+)$", text, re.MULTILINE)[1] for name in ("torch_version", "torch_cpu_index"))


class Environment:
    """A virtual environment."""

    def __init__(self, folder):
        self.folder = folder
        self.python = folder / "bin/python"

    def site_packages(self):
        return self.folder / f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"

    def versions(self, packages):
        """Installed versions by package."""
        code = "import importlib.metadata as m, json, sys; print(json.dumps({p: m.version(p) for p in sys.argv[1:]}))"
        return json.loads(subprocess.run([self.python, "-c", code, *packages], check=True, capture_output=True, text=True).stdout)


class Environments:
    """Those below one folder. An environment is made again when what it is to hold changes."""

    def __init__(self, root, project, say=print):
        self.root, self.project, self.say = root, project, say

    def base(self):
        version, index = torch_choice(self.project / "scripts/setup.sh")
        torch = f"torch=={version}+cpu"
        return self.ready("base", [[NUMPY, "sentencepiece==0.2.0"], [torch]], parent=None, retry={torch: ["--extra-index-url", index]})

    def peer(self, name, packages, without_dependencies=()):
        """`without_dependencies`: packages whose own requirements cannot be met (old torch); what they need is in `packages`."""
        steps = [step for step in (list(packages), ["--no-deps", *without_dependencies] if without_dependencies else []) if step]
        return self.ready(name, steps, parent=self.base())

    def ready(self, name, steps, parent, retry=None):
        """`steps`: arguments of one pip command each. `retry`: more arguments by last argument, if the first try fails."""
        environment = Environment(self.root / name)
        stamp = environment.folder / "bench-stamp"
        wanted = hashlib.sha256(json.dumps([steps, str(parent and parent.folder), sys.version]).encode()).hexdigest()
        if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
            return environment
        self.say(f"installing {name}: " + " ".join(word for step in steps for word in step if not word.startswith("-")))
        run_to_end(Command([sys.executable, "-m", "venv", "--clear", environment.folder]), self.root / "logs" / f"install-{name}-0.log")
        if parent:
            # Read at start-up: adds the parent's packages behind the environment's own, for Python and for pip.
            (environment.site_packages() / "base.pth").write_text(f"{parent.site_packages().resolve()}\n", encoding="utf-8")
        for number, step in enumerate(steps, 1):
            self.pip(environment, step, self.root / "logs" / f"install-{name}-{number}.log", (retry or {}).get(step[-1]))
        stamp.write_text(wanted, encoding="utf-8")
        return environment

    @staticmethod
    def pip(environment, arguments, log, more):
        install = [environment.python, "-m", "pip", "install", "--disable-pip-version-check", "--progress-bar", "off", *arguments]
        try:
            run_to_end(Command(install), log, limit_seconds=1800)
        except Failed:
            if not more:
                raise
            run_to_end(Command([*install, *more]), log, limit_seconds=1800)
