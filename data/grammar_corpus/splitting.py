"""Drawing distinct sentences for the splits without leakage between them."""

import random
import re

from . import annotation, templates
from .draft import Draft, Impossible, Random

SPLITS = ("test", "valid", "train")     # the order of drawing: the test set does not depend on the size of the others
SHORTEST, LONGEST = 4, 30               # tokens of either side, marks included


def normalised(text):
    """The sentence without case and punctuation."""
    return " ".join(re.findall(r"[^\W_]+", text.lower()))


def neighbours(text):
    """The sentence with each of its words blanked: two sentences one word apart have one of these in common."""
    words = normalised(text).split()
    return [" ".join(words[:i] + ["_"] + words[i + 1:]) for i in range(len(words))]


def stream(seed, name):
    return Random(random.Random(f"{seed}/{name}"))


class Splitter:
    """Draws splits one after the other.

    No source and no target sentence comes twice, in a split or across them, case and punctuation aside; and no training
    source is one substituted word away from a validation or test source. `rejected` counts what was thrown away.
    """

    def __init__(self, seed):
        self._seed = seed
        self._sources, self._targets, self._blanked = set(), set(), set()
        self.rejected = {"repeated": 0, "near_test": 0, "length": 0}

    def draw(self, split, count):
        """Yields `count` sentences."""
        rng = stream(self._seed, split)
        held_out = split != "train"
        while count:
            draft = Draft(rng)
            try:
                en, de = templates.sentence(draft)
            except Impossible:
                continue
            if not (SHORTEST <= len(en) and SHORTEST <= len(de) and max(len(en), len(de)) <= LONGEST):
                self.rejected["length"] += 1
                continue
            sentence = annotation.Sentence(draft, en, de)
            source, target = normalised(sentence.source), normalised(sentence.target)
            if source in self._sources or target in self._targets:
                self.rejected["repeated"] += 1
                continue
            blanked = neighbours(sentence.source)
            if not held_out and not self._blanked.isdisjoint(blanked):
                self.rejected["near_test"] += 1
                continue
            if held_out:
                self._blanked.update(blanked)
            self._sources.add(source)
            self._targets.add(target)
            count -= 1
            yield sentence
