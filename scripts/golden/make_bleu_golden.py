#!/usr/bin/env python3
"""Writes tests/golden/bleu_golden.jsonl: what sacreBLEU 2.6.0 says of random and adversarial lines.

Rows: {"kind": "tokens", "in", "lowercase", "out": {tokeniser: tokens}}, {"kind": "corpus", "hyp", "refs", "bleu": [...],
"chrf": [...]} with one entry for each combination of options, and {"kind": "sentence", "hyp", "refs", "bleu", "chrf"}.
Usage: make_bleu_golden.py [OUTPUT]
"""

import json
import pathlib
import random
import sys

import sacrebleu
from bleu_text import random_corpus, random_line
from sacrebleu.metrics import BLEU, CHRF

TOKENIZERS = ["13a", "none", "char", "zh", "intl"]
SMOOTHINGS = [("exp", None), ("floor", None), ("floor", 0.5), ("add-k", None), ("add-k", 0.25), ("none", None)]
SPECIAL_LINES = [
    "", " ", "-", "a-\nb", "a\nb", "end-\n", "&amp;lt;&lt;amp;", "<skip<skipped>ped>", "a.b,c", "..,,..", "1.,.1", "1.", ".1",
    "«»", "a’s", "ΑΣ-\n", "\u03a3", "\u03a3\u03a3", "a\u03a3\u0345", "a\u0345\u03a3b", "a\u03a3\u0345b", "\u0130", "I\u0307",
]  # fmt: skip
# Short sentences: identical, disjoint, empty, repeated words, references of several lengths.
SPECIAL_CORPORA = [
    (["a b c"], [["a b c"]]),
    (["a b c d"], [["a b c d"]]),
    (["a b c d"], [["e f g h"]]),
    ([""], [["a b"]]),
    (["a b"], [[""]]),
    (["", ""], [["", ""]]),
    (["the the the the the"], [["the cat the"], ["the the on"]]),
    (["a b c d e f"], [["a b c"], ["a b c d e f g h i"]]),
    (["a b c d", "a"], [["a b", "a b c d e"], ["a b c d e f", "b"]]),
]


def call(metric, hyps, refs):
    score = metric.corpus_score(hyps, refs)
    return score, str(metric.get_signature())


def bleu_entry(hyps, refs, options):
    metric = BLEU(**{"force": True, **options})
    score, signature = call(metric, hyps, refs)
    entry = {**{k: v for k, v in options.items() if v is not None}, "score": score.score}
    if options["smooth_method"] == "exp":
        entry |= {"precisions": score.precisions, "bp": score.bp, "hyp_len": score.sys_len, "ref_len": score.ref_len,
                  "line": score.format(signature=signature)}
    return entry


def chrf_entry(hyps, refs, options):
    score, signature = call(CHRF(**options), hyps, refs)
    return {**options, "score": score.score, "line": score.format(signature=signature)}


def corpus_row(rng, hyps, refs, all_options):
    bleu, chrf = [], []
    for tokenize in TOKENIZERS:
        for lowercase in (False, True):
            for method, value in SMOOTHINGS if all_options else SMOOTHINGS[:1]:
                options = {"tokenize": tokenize, "lowercase": lowercase, "smooth_method": method, "smooth_value": value,
                           "effective_order": rng.random() < 0.5, "max_ngram_order": rng.choice([4, 4, 4, 1, 2, 6])}
                bleu.append(bleu_entry(hyps, refs, options))
    for word_order in (0, 2):
        for lowercase in (False, True):
            chrf.append(chrf_entry(hyps, refs, {"word_order": word_order, "lowercase": lowercase}))
    chrf.append(chrf_entry(hyps, refs, {"char_order": 4, "word_order": 1, "beta": 3, "lowercase": False}))
    return {"kind": "corpus", "hyp": hyps, "refs": refs, "bleu": bleu, "chrf": chrf}


def sentence_row(hyp, refs):
    """One line by sentence_score, with the settings of sacreBLEU's --sentence-level."""
    bleu, chrf = BLEU(effective_order=True), CHRF(word_order=2)
    return {"kind": "sentence", "hyp": hyp, "refs": refs, "bleu": bleu.sentence_score(hyp, refs).score,
            "chrf": chrf.sentence_score(hyp, refs).score}


def token_row(line, lowercase):
    out = {}
    for name in TOKENIZERS:
        metric = BLEU(tokenize=name, lowercase=lowercase)
        out[name] = metric._preprocess_segment(line).split()
    return {"kind": "tokens", "in": line, "lowercase": lowercase, "out": out}


def main():
    assert sacrebleu.__version__ == "2.6.0", sacrebleu.__version__
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    output = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/golden/bleu_golden.jsonl"
    rng = random.Random(20240229)
    rows = [token_row(line, lowercase) for line in SPECIAL_LINES for lowercase in (False, True)]
    rows += [token_row(random_line(rng, 10), rng.random() < 0.4) for _ in range(250)]
    rows += [corpus_row(rng, hyps, refs, True) for hyps, refs in SPECIAL_CORPORA]
    rows += [corpus_row(rng, *random_corpus(rng, 3 + 4 * i, 1 + i % 3), i < 3) for i in range(9)]
    for _ in range(100):
        hyps, refs = random_corpus(rng, 1, rng.randint(1, 3))
        rows.append(sentence_row(hyps[0], [stream[0] for stream in refs]))
    with open(output, "w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=True, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
