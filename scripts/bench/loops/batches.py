"""Batches for the loops written here: similar lengths together, sentences times the longest side within max_tokens, as in fairseq."""
import random

PAD, UNKNOWN, BOS, EOS = range(4)


def read_ids(path, pieces):
    with open(path, encoding="utf-8", newline="\n") as lines:
        return [[pieces.get(piece, UNKNOWN) for piece in line.split()] + [EOS] for line in lines]


def read_pairs(data):
    """Size of the vocabulary and pairs of ids, each ending in EOS. `data`: folder of a segmented corpus."""
    with open(f"{data}/pieces.txt", encoding="utf-8", newline="\n") as lines:
        pieces = {line.rstrip("\n"): i for i, line in enumerate(lines, 4)}
    return 4 + len(pieces), list(zip(read_ids(f"{data}/train.src", pieces), read_ids(f"{data}/train.trg", pieces)))


def longest(pair):
    return max(len(pair[0]), len(pair[1]))


def cut(pairs, max_tokens):
    """Lists of pairs, in the order given, each as long as max_tokens lets it be."""
    batch, width = [], 0
    for pair in pairs:
        width = max(width, longest(pair))
        if batch and width * (len(batch) + 1) > max_tokens:
            yield batch
            batch, width = [], longest(pair)
        batch.append(pair)
    if batch:
        yield batch


def endless(pairs, max_tokens, seed=1):
    """Batches, epoch after epoch, in a new order each time."""
    numbers = random.Random(seed)
    while True:
        order = sorted(pairs, key=lambda pair: (longest(pair), numbers.random()))
        batches = list(cut(order, max_tokens))
        numbers.shuffle(batches)
        yield from batches


def padded(sequences):
    """Lists of equal length, filled with PAD."""
    width = max(map(len, sequences))
    return [sequence + [PAD] * (width - len(sequence)) for sequence in sequences]
