#!/usr/bin/env python3
"""Check a generated grammar corpus with tables and rules of its own (data/grammar_check), line by line.

Usage: check.py [DIR]   (default: data/grammar). Prints every problem; exit status 1 if there is one.
"""

import hashlib
import json
import re
import sys
from collections import Counter
from pathlib import Path

from grammar_check import pairs, rules

SPLITS = ("train", "valid", "test")
CONTRASTS_PER_PHENOMENON = 100


def lines(path):
    text = path.read_bytes().decode("utf-8")
    if "\r" in text or text and not text.endswith("\n"):
        raise ValueError(f"{path}: not plain lines ended by LF")
    return text.splitlines()


def attach(tokens):
    """The raw line that belongs to a token list."""
    return re.sub(r" ([.,]|'s\b)", r"\1", " ".join(tokens))


def check_entry(entry, source, target):
    """All problems of one annotated pair."""
    found = list(pairs.raw_pair(source, target))
    if attach(entry["source_tokens"]) != source or attach(entry["target_tokens"]) != target:
        return found + ["the tokens are not those of the line"]
    for rule in (rules.problems, pairs.source_agreement, pairs.alignment):
        found += rule(entry)
    return found + list(pairs.contrasts(entry, target))


def check_split(folder, split, report):
    source, target = (lines(folder / f"{split}.{side}") for side in ("en", "de"))
    if len(source) != len(target):
        report(f"{split}: {len(source)} English and {len(target)} German lines")
    notes = folder / f"{split}.annotations.jsonl"
    entries = [json.loads(line) for line in lines(notes)] if notes.exists() else []
    if entries and len(entries) != len(source):
        report(f"{split}: {len(entries)} annotations for {len(source)} lines")
    for number, pair in enumerate(zip(source, target)):
        problems = check_entry(entries[number], *pair) if entries else pairs.raw_pair(*pair)
        for problem in problems:
            report(f"{split}:{number + 1}: {problem}: {pair[1]}")
    return source, target, Counter(c["phenomenon"] for e in entries for c in e["contrasts"])


def key(text):
    return re.sub(r"[\W_]+", " ", text.lower()).strip()


def check_leakage(texts, report):
    """No sentence twice, in one split or in two, case and punctuation aside."""
    for side in (0, 1):
        seen = {}
        for split in SPLITS:
            for number, text in enumerate(texts[split][side]):
                other = seen.setdefault(key(text), (split, number))
                if other != (split, number):
                    report(f"{split}:{number + 1}: also in {other[0]}:{other[1] + 1}: {text}")


def check_manifest(folder, report):
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    for name, entry in manifest["files"].items():
        if hashlib.sha256((folder / name).read_bytes()).hexdigest() != entry["sha256"]:
            report(f"{name}: sha256 differs from the manifest")


def check(folder, report, contrasts=CONTRASTS_PER_PHENOMENON):
    """Reports every problem through `report`; returns the number of pairs."""
    check_manifest(folder, report)
    texts = {}
    for split in SPLITS:
        source, target, counts = check_split(folder, split, report)
        texts[split] = (source, target)
        if split != "train":
            for phenomenon, count in counts.items():
                if count < contrasts:
                    report(f"{split}: only {count} contrasts of {phenomenon}")
    check_leakage(texts, report)
    return sum(len(source) for source, _ in texts.values())


def main(arguments):
    folder = Path(arguments[0]) if arguments else Path(__file__).resolve().parent / "grammar"
    if not (folder / "manifest.json").is_file():
        print(f"error: {folder}: no manifest.json; run data/generate.py first", file=sys.stderr)
        return 2
    problems = []
    count = check(folder, problems.append)
    for problem in problems[:200]:
        print(problem)
    print(f"{count} pairs checked, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
