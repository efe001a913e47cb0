"""From a draft to raw text and its annotation; contrasts are applied to the token list before it is written out."""

from . import phrases
from .draft import Token

FORMAT_VERSION = 1


def tidy(tokens):
    """Drop commas that close a clause where another mark follows."""
    kept = []
    for token, following in zip(tokens, tokens[1:] + [None]):
        if token.text == phrases.COMMA and following is not None and following.text in (phrases.COMMA, "."):
            continue
        kept.append(token)
    return kept


def words(tokens):
    """The texts, with a capital at the start of every sentence."""
    texts, start = [], True
    for token in tokens:
        texts.append(token.text[0].upper() + token.text[1:] if start else token.text)
        start = token.text == "."
    return texts


def raw(texts):
    """Plain text: marks and 's are attached to the word before them."""
    out = []
    for text in texts:
        if text in (",", ".", "'s") and out:
            out[-1] += text
        else:
            out.append(text)
    return " ".join(out)


def edited(tokens, edits):
    """The token list after the edits of a contrast."""
    result = list(tokens)
    for edit in edits:
        at = next(i for i, t in enumerate(result) if t is edit[1])
        if edit[0] == "delete":
            del result[at]
        elif edit[0] == "replace":
            result[at] = Token(edit[2])
        else:
            token = result.pop(at)
            anchor = next(i for i, t in enumerate(result) if t is edit[2])
            result.insert(anchor + (edit[0] == "after"), token)
    return result


class Sentence:
    """A finished pair. `annotation()` is costly and only made for the splits that have one."""
    __slots__ = ("draft", "_en", "_de", "source", "target")

    def __init__(self, draft, en, de):
        self.draft, self._en, self._de = draft, en, de
        self.source = raw(words(tidy(en)))
        self.target = raw(words(tidy(de)))

    @property
    def phenomena(self):
        return sorted(self.draft.sites)

    def annotation(self, rng):
        en, de = tidy(self._en), tidy(self._de)
        source_at = {id(t): i for i, t in enumerate(en)}
        target_at = {id(t): i for i, t in enumerate(de)}
        sides = {"source": source_at, "target": target_at}
        by_link = {}
        for i, token in enumerate(de):
            for link in token.links:
                by_link.setdefault(link, []).append(i)
        alignment = sorted({(i, j) for i, token in enumerate(en) for link in token.links
                            for j in by_link.get(link, ())})
        return {
            "phenomena": self.phenomena,
            "source_tokens": words(en),
            "target_tokens": words(de),
            "alignment": alignment,
            "dependencies": [{"type": kind, "side": side, "head": sides[side][id(head)],
                              "dependent": sides[side][id(dep)]}
                             for kind, side, head, dep in self.draft.dependencies],
            "noun_phrases": [{"tokens": [target_at[id(t)] for t in tokens], "head": target_at[id(head)], "case": case,
                              "gender": slot, "role": role} for tokens, head, case, slot, role in self.draft.phrases],
            "clauses": [{"type": kind, "start": target_at[id(first)], "finite": target_at[id(finite)],
                         "end": target_at[id(last)]} for kind, first, finite, last in self.draft.clauses],
            "contrasts": self._contrasts(rng)}

    def _contrasts(self, rng):
        """One contrast for each phenomenon, at a place chosen by rng; none that reads like the right sentence."""
        found = []
        for phenomenon in sorted(self.draft.sites):
            options = list(self.draft.sites[phenomenon])
            while options:
                edits, note = options.pop(rng.below(len(options)))
                wrong = raw(words(tidy(edited(self._de, edits))))
                if wrong != self.target:
                    found.append({"phenomenon": phenomenon, "target": wrong, "note": note})
                    break
        return found
