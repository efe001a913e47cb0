#!/usr/bin/env python3
"""Checks the direction of includes under src/: a folder sees itself and the lines below its own, never its neighbours or what is above.

usage: check_layers.py [ROOT]      exit code 1 and one line per violation on stderr
"""
import pathlib
import re
import sys

# Highest first; folders of one line do not see each other.
LAYERS = [
    ["app"],
    ["train", "eval", "analysis", "sweep"],
    ["decode", "dist"],
    ["data", "model", "report", "cost"],
    ["ops"],
    ["metrics", "config"],
    ["base"],
]
LEVEL = {folder: len(LAYERS) - i for i, line in enumerate(LAYERS) for folder in line}
# These build and test in seconds, without LibTorch.
TORCH_FREE = {"base", "config", "metrics", "report", "cost", "data", "sweep", "analysis"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]')
TORCH = re.compile(r"(torch|ATen|c10)/")


def includes(path):
    """(line number, included name) of every include of a file."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found.group(1)


def layer_violation(folder, name):
    """Why src/`folder` must not include `name`, or None."""
    if name.startswith(".") or "/../" in name:
        return "include by path from src"
    target = name.split("/")[0]
    if "/" not in name or target not in LEVEL or target == folder:
        return None
    if LEVEL[target] == LEVEL[folder]:
        return f"{folder} and {target} are neighbours, which do not see each other"
    return f"{target} is above {folder}" if LEVEL[target] > LEVEL[folder] else None


def violations(root):
    sources = [p for top in ("src", "tests", "bench") for p in sorted((root / top).rglob("*")) if p.suffix in (".h", ".cc", ".inc", ".def")]
    for path in sources:
        parts = path.relative_to(root).parts
        folder = parts[1] if parts[0] == "src" and len(parts) > 2 else None
        where = path.relative_to(root)
        if folder is not None and folder not in LEVEL:
            yield f"{where}: src/{folder} has no place in the list of layers (scripts/check_layers.py)"
            continue
        for number, name in includes(path):
            if path.suffix == ".h" and name == "torch/torch.h":
                yield f"{where}:{number}: a header includes torch/torch.h (18 s a file); include what is used"
            if folder is None:
                continue
            why = layer_violation(folder, name)
            if why:
                yield f"{where}:{number}: includes {name}: {why}"
            if folder in TORCH_FREE and TORCH.match(name):
                yield f"{where}:{number}: includes {name}: {folder} is free of Torch"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    found = list(violations(root))
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
