"""Translates a file of pieces with a CTranslate2 model in its fastest mode for processors. Runs in the environment of the peer `ctranslate2`."""
import argparse
import json
import time

import ctranslate2


def main():
    parser = argparse.ArgumentParser()
    for name in ("model", "source", "output", "compute-type"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("beam", "length", "max-tokens"):
        parser.add_argument(f"--{name}", type=int, required=True)
    options = parser.parse_args()
    with open(options.source, encoding="utf-8", newline="\n") as lines:
        source = [line.split() for line in lines]
    translator = ctranslate2.Translator(options.model, device="cpu", compute_type=options.compute_type, inter_threads=2, intra_threads=1)
    search = {"beam_size": options.beam, "length_penalty": 1.0, "min_decoding_length": options.length,
              "max_decoding_length": options.length, "batch_type": "tokens", "max_batch_size": options.max_tokens}
    translator.translate_batch(source[:20], **search)  # the first batch packs the weights
    begin = time.perf_counter()
    results = translator.translate_batch(source, **search)
    seconds = time.perf_counter() - begin
    with open(options.output, "w", encoding="utf-8") as output:
        output.writelines(" ".join(result.hypotheses[0]) + "\n" for result in results)
    print(json.dumps({"sentences": len(source), "seconds": seconds, "pieces": sum(len(result.hypotheses[0]) for result in results)}))


if __name__ == "__main__":
    main()
