#!/usr/bin/env python3
"""Writes tests/golden/significance_golden.json: what sacreBLEU 2.6.0's paired bootstrap says of three systems.

"refs" and "systems" (the first is the baseline) are lines; "resamples" are index lists. For each other system there are
sacreBLEU's score, p, mean and ci: "given" on these resamples with its statistics in double precision, "given_float32"
with the single precision it uses, "own" on 10,000 resamples of its own. "student_t" has [p, df, t] by mpmath.
Usage: make_significance_golden.py [OUTPUT]
"""

import json
import pathlib
import random
import sys

import mpmath
import numpy
from sacrebleu import significance
from sacrebleu.metrics import BLEU

SENTENCES, RESAMPLES, OWN_RESAMPLES = 60, 100, 10_000
WORDS = "the a cat dog man woman sees likes small red house runs sleeps in on near two three , quickly green tree".split()
SYSTEMS = {"baseline": 0.25, "near": 0.24, "worse": 0.45}  # share of words that are not the reference's
STUDENT_T = [(p, df) for p in (0.6, 0.9, 0.975, 0.995, 0.9999) for df in (1, 1.5, 2, 3, 4.7, 10, 29, 199.5, 5000)]


class Numpy:
    """numpy as sacreBLEU sees it, with resamples that are given and statistics of the type that is given."""

    def __init__(self, indices, dtype):
        self.indices, self.dtype = indices, dtype
        self.random = self

    def default_rng(self, _seed):
        return self

    def choice(self, sentences, size, replace):
        assert size == self.indices.shape and sentences == size[1] and replace
        return self.indices

    def array(self, values, dtype=None):
        return numpy.array(values, dtype=self.dtype if dtype == "float32" else dtype)

    def __getattr__(self, name):
        return getattr(numpy, name)


def translate(rng, reference, errors):
    words = [rng.choice(WORDS) if rng.random() < errors else word for word in reference.split()]
    return " ".join(words[: len(words) - (rng.random() < errors)])


def paired_bootstrap(systems, refs, resamples, numpy_seen):
    metric = BLEU(references=[refs])
    stats = metric._extract_corpus_statistics(systems["baseline"], None)
    baseline = {"BLEU": (stats, significance.Result(metric._aggregate_and_compute(stats).score))}
    significance.np = numpy_seen
    try:
        rows = {}
        for name in list(systems)[1:]:
            _, results = significance._paired_bs_test(baseline, name, systems[name], None, {"BLEU": metric}, resamples, seed=12345)
            result = results["BLEU"]
            rows[name] = {"score": float(result.score), "p": result.p_value, "mean": float(result.mean), "ci": float(result.ci)}
        return rows
    finally:
        significance.np = numpy


def student_t_quantile(p, df):
    """By bisection, with 30 digits."""
    low, high, outside = mpmath.mpf(0), mpmath.mpf(10) ** 5, 2 * (1 - mpmath.mpf(p))
    for _ in range(100):
        t = (low + high) / 2
        tails = mpmath.betainc(mpmath.mpf(df) / 2, 0.5, 0, df / (df + t**2), regularized=True)
        low, high = (t, high) if tails > outside else (low, t)
    return float(high)


def main():
    output = pathlib.Path(__file__).parents[2] / "tests/golden/significance_golden.json"
    rng = random.Random(8)
    mpmath.mp.dps = 30
    refs = [" ".join(rng.choices(WORDS, k=rng.randint(4, 12))) for _ in range(SENTENCES)]
    systems = {name: [translate(rng, ref, errors) for ref in refs] for name, errors in SYSTEMS.items()}
    indices = numpy.array([[rng.randrange(SENTENCES) for _ in range(SENTENCES)] for _ in range(RESAMPLES)])
    golden = {
        "refs": refs,
        "systems": systems,
        "given": paired_bootstrap(systems, refs, RESAMPLES, Numpy(indices, "float64")),
        "given_float32": paired_bootstrap(systems, refs, RESAMPLES, Numpy(indices, "float32")),
        "own": paired_bootstrap(systems, refs, OWN_RESAMPLES, numpy),
        "student_t": [[p, df, student_t_quantile(p, df)] for p, df in STUDENT_T],
        "resamples": indices.tolist(),
    }
    text = json.dumps(golden, separators=(",", ":"), ensure_ascii=False)
    pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else output).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
