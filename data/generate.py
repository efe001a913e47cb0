#!/usr/bin/env python3
"""Write the English-German grammar corpus (see data/README.md).

A complete output of the same request is left alone. Exit status: 0 done, 1 --check found a difference, 2 wrong usage.
"""

import argparse
import gc
import sys
from pathlib import Path

from grammar_corpus import writer

HERE = Path(__file__).resolve().parent


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=HERE / "grammar", help="output folder (default: data/grammar)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--train", type=int, default=40000, help="number of training pairs")
    parser.add_argument("--valid", type=int, default=1000)
    parser.add_argument("--test", type=int, default=1000)
    parser.add_argument("--annotate-train", action="store_true", help="also write train.annotations.jsonl")
    parser.add_argument("--check", type=Path, metavar="SHA256SUMS", help="fail when the files differ from these sums")
    options = parser.parse_args(arguments)
    for split, limit in (("train", 500000), ("valid", 20000), ("test", 20000)):
        if not 0 <= getattr(options, split) <= limit:
            parser.error(f"--{split} must be between 0 and {limit}")
    if options.check and not options.check.is_file():
        parser.error(f"--check: no such file: {options.check}")
    return options


def main(arguments=None):
    options = parse(arguments)
    sizes = {"train": options.train, "valid": options.valid, "test": options.test}
    wanted = writer.request(options.seed, sizes, options.annotate_train)
    if writer.is_complete(options.out, wanted):
        print(f"{options.out}: complete already, nothing changed")
    else:
        gc.disable()    # drafts hold no cycles worth collecting; this halves the time
        manifest = writer.write(options.out, wanted)
        gc.enable()
        for name, entry in manifest["files"].items():
            print(f"{options.out / name}: {entry['lines']} lines")
    problems = writer.check_sums(options.out, options.check) if options.check else []
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
