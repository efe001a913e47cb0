"""Checks that the Python environment running this is complete: every pinned package is there in its version with all its files
(an interrupted installation leaves some out), and torch of the wanted kind can be loaded.

usage: check_environment.py REQUIREMENTS TORCH_VERSION cpu|cuda|external
  cuda: torch must have CUDA; cpu: any build will do; external: torch is not looked at
"""
import importlib.metadata
import os
import re
import sys


def package_problems(name, version):
    """What is wrong with one installed package; version None accepts every one."""
    try:
        found = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return [f"{name} is not installed"]
    if version and found.version != version:
        return [f"{name} is {found.version}, not {version}"]
    if not found.files:
        return [f"{name} is only partly installed"]
    missing = [f for f in found.files if not f.name.endswith(".pyc") and not os.path.exists(f.locate())]
    return [f"{name} is only partly installed: {missing[0]} is missing"] if missing else []


def torch_problems(version, kind):
    problems = package_problems("torch", None)
    if problems:
        return problems
    try:
        import torch
    except Exception as error:  # a library that does not load says so in many ways
        return [f"torch cannot be loaded: {error}"]
    if torch.__version__.split("+")[0] != version:
        return [f"torch is {torch.__version__}, not {version}"]
    if kind == "cuda" and torch.version.cuda is None:
        return [f"torch {torch.__version__} is a build without CUDA"]
    return []


def main():
    requirements, torch_version, kind = sys.argv[1:]
    problems = []
    with open(requirements, encoding="utf-8") as lines:
        for line in lines:
            pin = re.fullmatch(r"([\w.-]+)==(\S+)", line.split("#")[0].strip())
            if pin:
                problems += package_problems(*pin.groups())
    if kind != "external":
        problems += torch_problems(torch_version, kind)
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return 1 if problems else 0


sys.exit(main())
