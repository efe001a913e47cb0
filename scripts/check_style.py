#!/usr/bin/env python3
"""Checks what a compiler does not: file and line lengths, markers of unfinished work, machine paths, `#pragma once`, stray whitespace.

usage: check_style.py [ROOT]      exit code 1 and one line per violation on stderr
"""
import pathlib
import re
import sys

MAX_LINES = 400
MAX_COLUMNS = 120
CPP = {".h", ".cc", ".inc", ".def"}
CODE = CPP | {".py", ".sh", ".cmake"}
TEXT = CODE | {".md", ".json", ".txt", ".html"}
# Inputs that tests read as they are, and what is generated or downloaded.
SKIP = {"tests/cases", "tests/golden", "data/grammar", "data/downloads"}
FOLDERS = ["src", "tests", "bench", "scripts", "cmake", "configs", "data", "docs", ".ci"]
# Spelt in two pieces so that this file passes its own check.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
MACHINE_PATH = re.compile(r"(?<![\w.~$}/-])/(ho" r"me|ro" r"ot|Use" r"rs|wo" r"rk)/\w")


def text_files(root):
    """Every text file of the project, below the known folders or at the top."""
    yield from sorted(p for p in root.iterdir() if p.is_file() and p.suffix in TEXT)
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            where = path.relative_to(root).as_posix()
            if path.is_file() and (path.suffix in TEXT or folder == ".ci") and not any(where.startswith(skip + "/") for skip in SKIP):
                yield path


def line_violations(path, lines):
    """(line number, message) for what is wrong with single lines."""
    for number, line in enumerate(lines, 1):
        if UNFINISHED.search(line):
            yield number, "a marker of unfinished work; finish it or file it"
        if MACHINE_PATH.search(line):
            yield number, "an absolute path of one machine"
        if path.suffix in CPP and len(line) > MAX_COLUMNS:
            yield number, f"{len(line)} columns; at most {MAX_COLUMNS}"
        if path.suffix in CODE and line != line.rstrip():
            yield number, "whitespace at the end of the line"
        if path.suffix in CPP | {".py"} and "\t" in line:
            yield number, "a tab"


def violations(root):
    for path in text_files(root):
        where = path.relative_to(root).as_posix()
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            yield f"{where}: not UTF-8: {error}"
            continue
        lines = text.splitlines()
        for number, message in line_violations(path, lines):
            yield f"{where}:{number}: {message}"
        if path.suffix in CODE and len(lines) > MAX_LINES:
            yield f"{where}: {len(lines)} lines; at most {MAX_LINES}, split it"
        if path.suffix == ".h" and "#pragma once" not in text:
            yield f"{where}: no #pragma once"
        if path.suffix in CODE and text and not text.endswith("\n"):
            yield f"{where}: no newline at the end"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    found = list(violations(root.resolve()))
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
