"""Cuts a parallel corpus into SentencePiece BPE pieces (joint vocabulary), or takes it as cut already. Runs in the base environment."""
import collections
import gzip
import json
import pathlib
import sys

import sentencepiece

SPECIALS = 4  # padding, unknown, BOS, EOS


def read(path):
    data = pathlib.Path(path).read_bytes()
    text = (gzip.decompress(data) if path.endswith(".gz") else data).decode("utf-8")
    return [" ".join(line.split()) for line in text.rstrip("\n").split("\n")]


def learn(lines, size, folder):
    """As mha-train makes its vocabularies: BPE, text not normalised."""
    text = folder / "text"
    text.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(text), model_prefix=str(folder / "bpe"), model_type="bpe", vocab_size=size, character_coverage=1.0,
        normalization_rule_name="identity", hard_vocab_limit=False, pad_id=0, unk_id=1, bos_id=2, eos_id=3, minloglevel=1)
    text.unlink()
    return sentencepiece.SentencePieceProcessor(model_file=str(folder / "bpe.model"))


def pairs(files, cut, longest):
    """Pairs of lists of pieces; without those with an empty or too long side."""
    sides = [[cut(line) for line in read(path)] for path in files]
    if len(sides[0]) != len(sides[1]):
        sys.exit(f"error: {files[0]} has {len(sides[0])} lines, {files[1]} {len(sides[1])}")
    return [pair for pair in zip(*sides) if all(0 < len(side) <= longest for side in pair)]


def frequent(pairs_of_pieces, most):
    counts = collections.Counter(piece for pair in pairs_of_pieces for side in pair for piece in side)
    return [piece for piece, _ in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))][:most]


def write(folder, split, kept):
    for side, suffix in enumerate(("src", "trg")):
        text = "".join(" ".join(pair[side]) + "\n" for pair in kept)
        (folder / f"{split}.{suffix}").write_text(text, encoding="utf-8")


def main(request):
    folder = pathlib.Path(request["out"])
    if request["segmented"]:
        cut, pieces = str.split, None
    else:
        model = learn([line for path in request["train"] for line in read(path)], request["vocabulary"], folder)

        def cut(line):
            return model.encode(line, out_type=str)

        pieces = [model.id_to_piece(i) for i in range(SPECIALS, model.get_piece_size())]

    train = pairs(request["train"], cut, request["longest"])
    test = pairs(request["test"], cut, request["longest"])[:request["test_sentences"]]
    pieces = pieces or frequent(train, request["vocabulary"] - SPECIALS)
    write(folder, "train", train)
    write(folder, "test", test)
    (folder / "pieces.txt").write_text("".join(piece + "\n" for piece in pieces), encoding="utf-8")
    facts = {"name": request["name"], "train_pairs": len(train), "test_sentences": len(test), "pieces": len(pieces)}
    for split, kept in (("train", train), ("test", test)):
        for side, word in enumerate(("source", "target")):
            facts[f"{split}_{word}_pieces"] = sum(len(pair[side]) for pair in kept)
    (folder / "facts.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")))
