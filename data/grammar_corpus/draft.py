"""The sentence under construction: tokens, links between them, dependencies and places where it can be made wrong."""


class Token:
    """A word or mark. Tokens of the two languages that share a link are aligned."""
    __slots__ = ("text", "links")

    def __init__(self, text, *links):
        self.text = text
        self.links = links


class Random:
    """Choices over a stream of random(), the only call whose values Python keeps stable over its versions."""

    def __init__(self, stream):
        self._next = stream.random

    def chance(self, probability):
        return self._next() < probability

    def below(self, n):
        return int(self._next() * n)

    def pick(self, items):
        return items[int(self._next() * len(items))]

    def weighted(self, table):
        """A key of {key: weight}."""
        at = self._next() * sum(table.values())
        for key, weight in table.items():
            at -= weight
            if at < 0:
                return key
        return key


class Draft:
    """Collects what the two token lists do not say themselves.

    dependencies: (type, side, head token, dependent token)
    sites: phenomenon -> list of (edits, note); an edit is ("replace", token, text), ("delete", token) or
           ("after"/"before", token, anchor), which moves the token.
    phrases: noun phrases as (tokens, head, case, slot, role); clauses: (type, first, finite, last), all target tokens.
    """

    def __init__(self, rng):
        self.rng = rng
        self.dependencies = []
        self.sites = {}
        self.phrases = []
        self.clauses = []
        self.things = []      # the singular phrases that "it" could mean
        self.used = set()     # nouns and names in the sentence; none comes twice
        self._links = 0

    def link(self):
        self._links += 1
        return self._links

    def tag(self, phenomenon):
        self.sites.setdefault(phenomenon, [])

    def site(self, phenomenon, edits, note):
        self.sites.setdefault(phenomenon, []).append((edits, note))

    def depend(self, kind, side, head, dependent):
        self.dependencies.append((kind, side, head, dependent))

    def unused(self, items):
        """One of the items that the sentence does not hold yet; marks it as used. None if there is no such item."""
        for _ in range(30):
            item = self.rng.pick(items)
            if item not in self.used:
                self.used.add(item)
                return item
        return None


class Impossible(Exception):
    """The choices so far allow no sensible sentence; the derivation is started afresh."""
