#!/usr/bin/env python3
"""Multi-head attention in plain NumPy loops: writes tests/golden/attention_golden.json.

One query, one head, one key at a time, straight from Vaswani et al. (2017), sections 3.2.1 and 3.2.2, in double precision.
Weights are [out, in]; every number of the inputs has three decimals, so that the file holds them exactly.

usage: make_attention_golden.py [OUTPUT]
"""
import json
import math
import pathlib
import sys

import numpy as np

KINDS = ["scaled_dot", "per_head"]  # the kinds that compute this function


def attend_head(q, keys, values, scale, visible):
    """Output and weights of one query in one head; zeros if it sees no key."""
    scores = [scale * float(np.dot(q, key)) for key in keys[:visible]]
    weights = np.zeros(len(keys))
    if scores:
        largest = max(scores)
        exps = [math.exp(score - largest) for score in scores]
        weights[:visible] = [e / math.fsum(exps) for e in exps]
    output = np.zeros(values.shape[1])
    for weight, value in zip(weights, values):
        output = output + weight * value
    return output, weights


def attention(case):
    """The output for every query row."""
    w = {name: np.array(value) for name, value in case["weights"].items()}
    queries, memory = np.array(case["queries"]), np.array(case["memory"]).reshape(-1, case["d_model"])
    d_k, d_v, heads = case["d_k"], case["d_v"], case["heads"]
    result, q_start, k_start = [], 0, 0
    for q_length, k_length in zip(case["q_lengths"], case["k_lengths"]):
        rows = memory[k_start:k_start + k_length]
        for i in range(q_length):
            concatenated = []
            for h in range(heads):
                w_q, w_k = w["w_q"][h * d_k:(h + 1) * d_k], w["w_k"][h * d_k:(h + 1) * d_k]
                w_v = w["w_v"][h * d_v:(h + 1) * d_v]
                q = w_q @ queries[q_start + i] + w["b_q"][h * d_k:(h + 1) * d_k]
                keys = np.array([w_k @ row + w["b_k"][h * d_k:(h + 1) * d_k] for row in rows]).reshape(-1, d_k)
                values = np.array([w_v @ row + w["b_v"][h * d_v:(h + 1) * d_v] for row in rows]).reshape(-1, d_v)
                visible = min(i + 1, k_length) if case["causal"] else k_length
                output, _ = attend_head(q, keys, values, case["scale"], visible)
                concatenated.extend(output)
            result.append((w["w_o"] @ np.array(concatenated) + w["b_o"]).tolist())
        q_start, k_start = q_start + q_length, k_start + k_length
    return result


def make_case(name, dims, q_lengths, k_lengths, causal, scale, seed):
    d_model, heads, d_k, d_v = dims
    random = np.random.default_rng(seed)

    def matrix(*shape):
        return np.round(random.normal(size=shape), 3).tolist()

    own_memory = k_lengths is None
    queries = matrix(sum(q_lengths), d_model)
    case = {
        "name": name, "kinds": KINDS, "d_model": d_model, "heads": heads, "d_k": d_k, "d_v": d_v, "causal": causal,
        "scale": 1 / math.sqrt(d_k) if scale is None else scale, "q_lengths": q_lengths,
        "k_lengths": q_lengths if own_memory else k_lengths, "queries": queries,
        "memory": queries if own_memory else matrix(sum(k_lengths), d_model),
        "weights": {
            "w_q": matrix(heads * d_k, d_model), "w_k": matrix(heads * d_k, d_model), "w_v": matrix(heads * d_v, d_model),
            "w_o": matrix(d_model, heads * d_v), "b_q": matrix(heads * d_k), "b_k": matrix(heads * d_k),
            "b_v": matrix(heads * d_v), "b_o": matrix(d_model),
        },
    }
    case["expected"] = attention(case)
    return case


def main():
    root = pathlib.Path(__file__).parents[2]
    output = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/golden/attention_golden.json"
    cases = [
        make_case("self, heads * d_k = d_model", (4, 2, 2, 2), [3, 2], None, False, None, 1),
        make_case("causal, values wider than keys", (5, 3, 2, 4), [4, 1], None, True, None, 2),
        make_case("cross, values narrower than keys, one sequence without keys", (4, 3, 3, 1), [2, 2, 3], [4, 0, 1],
                  False, None, 3),
        make_case("scale of its own", (3, 2, 4, 2), [4], None, False, 0.9, 4),
    ]
    lines = ",\n".join(" " + json.dumps(case) for case in cases)
    output.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
