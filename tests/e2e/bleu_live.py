#!/usr/bin/env python3
"""Scores fresh random lines, and real ones, with `mha-train bleu` and with sacreBLEU itself; every score must agree to 1e-9.

usage: bleu_live.py [MHA_TRAIN [SEED [ROUNDS]]]      without a path the tool is taken from the variable MHA_TRAIN
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts/golden"))

from bleu_text import random_corpus, vary  # noqa: E402
from sacrebleu.metrics import BLEU, CHRF  # noqa: E402

TOLERANCE = 1e-9
REAL_ROUNDS = 3  # of the same thousand sentences, changed and scored differently
SMOOTHINGS = [("exp", None), ("floor", None), ("floor", 0.3), ("add-k", None), ("add-k", 0.5), ("none", None)]


class Mismatch(Exception):
    """The tool and sacreBLEU disagree."""


def run_tool(tool, folder, refs, options):
    """The JSON values that the tool prints, one a line at sentence level."""
    command = [tool, "bleu", *refs, "-i", "hyp", "--json", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8")
    if done.returncode != 0:
        raise Mismatch(f"{command} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def compare(ours, score, signature, what):
    """Score to 1e-9; the other keys as in sacreBLEU's own JSON, which rounds the score."""
    if abs(ours["score"] - score.score) > TOLERANCE:
        raise Mismatch(f"{what}: score {ours['score']!r}, sacreBLEU {score.score!r}")
    theirs = json.loads(score.format(signature=str(signature), is_json=True))
    rest = {key: value for key, value in ours.items() if key != "implementation"}
    if list(rest) != list(theirs) or {**rest, "score": 0} != {**theirs, "score": 0}:
        raise Mismatch(f"{what}: {ours}, sacreBLEU {theirs}")


def check_corpus(tool, folder, rng, hyps, refs):
    """Corpus scores of all metrics and sentence BLEU, with options drawn at random. Returns how many were compared."""
    tokenize = rng.choice(["13a", "none", "char", "zh", "intl"])
    method, value = rng.choice(SMOOTHINGS)
    lowercase, effective = rng.random() < 0.5, rng.random() < 0.3
    names = [f"ref{i}" for i in range(len(refs))]
    for name, lines in zip(["hyp", *names], [hyps, *refs]):
        (folder / name).write_bytes("".join(line + "\n" for line in lines).encode())

    options = ["--tokenize", tokenize, "--smooth-method", method]
    options += ["--smooth-value", str(value)] if value is not None else []
    options += ["--lowercase"] if lowercase else []
    corpus_options = options + (["--effective-order"] if effective else [])
    bleu = BLEU(tokenize=tokenize, lowercase=lowercase, smooth_method=method, smooth_value=value,
                effective_order=effective, force=True)
    metrics = [bleu, CHRF(lowercase=lowercase), CHRF(word_order=2, lowercase=lowercase)]
    printed = json.loads(run_tool(tool, folder, names, ["--metrics", "bleu,chrf,chrf++", *corpus_options]))
    for ours, metric in zip(printed, metrics, strict=True):
        compare(ours, metric.corpus_score(hyps, refs), metric.get_signature(), " ".join(corpus_options))

    bleu.effective_order = True
    printed = run_tool(tool, folder, names, ["--sentence-level", *options]).splitlines()
    for ours, hyp, *sentence_refs in zip(printed, hyps, *refs, strict=True):
        score = bleu.sentence_score(hyp, sentence_refs)
        compare(json.loads(ours), score, bleu.get_signature(), f"{hyp!r} against {sentence_refs!r} {options}")
    return len(metrics) + len(hyps)


def without_marks(streams):
    """A mark at the start of a file is taken off by our reader, as a carriage return at a line's end is; see tests/cases/bleu."""
    return [[line.removeprefix("\ufeff") for line in lines] for lines in streams]


def check_refusals(tool, folder):
    """Unequal line counts end with exit code 2, both counts and the names of the files, and no score."""
    (folder / "hyp").write_text("a\nb\n")
    (folder / "ref0").write_text("a\nb\nc\n")
    done = subprocess.run([tool, "bleu", "ref0", "-i", "hyp"], cwd=folder, capture_output=True, encoding="utf-8")
    missing = [part for part in ("hyp", "ref0", "2 lines", "3 lines") if part not in done.stderr]
    if done.returncode != 2 or done.stdout or missing:
        raise Mismatch(f"unequal line counts: exit code {done.returncode}, {done.stdout!r}, {done.stderr!r}")


def check_stdin(tool, folder):
    """Without -i the hypotheses come from standard input."""
    (folder / "ref0").write_text("a b c d\n")
    command = [tool, "bleu", "ref0", "--width", "1"]
    printed = subprocess.run(command, cwd=folder, input="a b c d\n", capture_output=True, encoding="utf-8").stdout
    expected = "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 100.0 100.0/100.0/100.0/100.0"
    if not printed.startswith(expected + " (BP = 1.000"):
        raise Mismatch(f"standard input: {printed!r}")


def main():
    arguments = sys.argv[1:]
    tool = str(pathlib.Path(arguments[0] if arguments else os.environ["MHA_TRAIN"]).resolve())
    seed = int(arguments[1]) if len(arguments) > 1 else 1
    rounds = int(arguments[2]) if len(arguments) > 2 else 40
    rng = random.Random(seed)
    compared = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_refusals(tool, folder)
        check_stdin(tool, folder)
        sentences = (ROOT / "data/grammar/test.de").read_text(encoding="utf-8").splitlines()
        for _ in range(REAL_ROUNDS):
            hyps, *refs = without_marks([[vary(rng, line) for line in sentences], sentences])
            compared += check_corpus(tool, folder, rng, hyps, refs)
        for _ in range(rounds):
            hyps, refs = random_corpus(rng, rng.randint(1, 30), rng.randint(1, 3))
            hyps, *refs = without_marks([hyps, *refs])
            compared += check_corpus(tool, folder, rng, hyps, refs)
    print(f"{compared} scores of {rounds + REAL_ROUNDS} corpora agree with sacreBLEU (seed {seed})")


if __name__ == "__main__":
    try:
        main()
    except Mismatch as mismatch:
        sys.exit(f"bleu_live: {mismatch}")
