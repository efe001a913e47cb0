"""Clauses: from a description to tokens in both languages, with the German word order.

German fields, in order: front | finite verb | subject, pronouns, time, frequency, dative, accusative, manner, nicht,
places, predicate | particle, participle or infinitive; in a subordinate clause the finite verb comes last.
"""

from dataclasses import dataclass, field

from . import lexicon, phrases, verbal, verbs
from .draft import Token
from .phrases import NounPhrase, Use


@dataclass
class Adjunct:
    """A preposition with its phrase. place: after the objects; otherwise where times go."""
    preposition: str
    phrase: NounPhrase
    motion: bool = False
    place: bool = True

    def use(self):
        if self.preposition in lexicon.TWO_WAY:
            if self.phrase.kind == "name":
                return Use("dat", "preposition", self.preposition)
            case, other = ("acc", "dat") if self.motion else ("dat", "acc")
            return Use(case, "preposition", self.preposition, ("two_way_preposition", other))
        case = lexicon.FIXED_CASE[self.preposition][1]
        return Use(case, "preposition", self.preposition, ("preposition_case", "dat" if case == "acc" else "acc"))


@dataclass
class Clause:
    """tense: present, past, perfect, or a key of verbs.MODALS with `base` present or past; voice by `passive`.

    front: "", "time" or "place" (that element stands first). elided: no subject (second part of a coordination).
    """
    verb: object
    subject: NounPhrase
    tense: str = "present"
    base: str = "present"
    passive: bool = False
    negated: bool = False
    dative: NounPhrase = None
    accusative: NounPhrase = None
    adjuncts: list = field(default_factory=list)
    time: object = None            # a row of lexicon.TIMES
    frequency: str = ""
    manner: str = ""
    predicate: tuple = ()          # (adjective, very)
    front: str = ""
    elided: bool = False


@dataclass
class Rendered:
    """The tokens of a clause, and its fields for those who need a part of it."""
    en: list
    de: list
    fields: object


def render(draft, clause, order="main", relative=None):
    """order: main, inverted (the front is taken by something outside) or sub.

    relative: (English tokens, German tokens, role) for the missing phrase of a relative clause; the role is subject,
    object or other. The tokens come first in both languages.
    """
    fields = _Fields(draft, clause, "sub" if order == "sub" else "main", relative)
    en, de = {"main": fields.main, "inverted": fields.inverted, "sub": fields.subordinate}[order]()
    fields.register(order, de)
    return Rendered(en, de, fields)


class _Fields:
    """The fields of one clause in both languages."""

    def __init__(self, draft, clause, order, relative):
        self.draft, self.clause, self.order, self.relative = draft, clause, order, relative
        self.not_link = draft.link() if clause.negated else None
        self.negator = None
        self.subject_en, self.subject_de = [], []
        if not (clause.elided or (relative and relative[2] == "subject")):
            self.subject_en, self.subject_de = phrases.render(draft, clause.subject, Use("nom", "subject"))
        self.verbal = verbal.build(draft, clause, self.not_link, order)
        self._objects()
        self._adverbials()

    def _objects(self):
        c, d = self.clause, self.draft
        wrong = ("object_case", "nom" if c.accusative and c.accusative.slot == "m" and d.rng.chance(0.5) else "dat")
        if c.accusative and c.negated and c.accusative.det in ("a", "none") and c.accusative.kind == "noun":
            c.accusative.negated, c.accusative.label = True, self.not_link
        self.dat_en, self.dat_de = phrases.render(d, c.dative, Use("dat", "object", "", ("object_case", "acc"))) \
            if c.dative else ([], [])
        self.acc_en, self.acc_de = phrases.render(d, c.accusative, Use("acc", "object", "", wrong)) \
            if c.accusative else ([], [])
        self.places = [(a, phrases.render(d, a.phrase, a.use())) for a in c.adjuncts if a.place]
        self.times = [phrases.render(d, a.phrase, a.use()) for a in c.adjuncts if not a.place]

    def _adverbials(self):
        c, d = self.clause, self.draft
        if c.time:
            self.times.append(_time(d, c.time))
        self.freq = _word_pair(d, c.frequency, lexicon.FREQUENCIES)
        self.manner = _word_pair(d, c.manner, lexicon.MANNERS)
        self.pred_en, self.pred_de = [], []
        if c.predicate:
            adjective, very = c.predicate
            if very:
                en, de = _word_pair(d, "very", {"very": "sehr"})
                self.pred_en, self.pred_de = en, de
            link = d.link()
            self.pred_en = self.pred_en + [Token(adjective.en, link)]
            self.pred_de = self.pred_de + [Token(adjective.de, link)]

    def _middle(self, front):
        """German mid-field without the subject; `front` names the element that stands before the verb."""
        c, de = self.clause, []
        pronoun = c.accusative and c.accusative.kind == "pronoun"
        dat_pronoun = c.dative and c.dative.kind == "pronoun"
        if pronoun:
            de += self.acc_de
        if dat_pronoun:
            de += self.dat_de
        if front != "time":
            for _, tokens in self.times:
                de += tokens
        de += self.freq[1]
        if not dat_pronoun:
            de += self.dat_de
        if not pronoun:
            de += self.acc_de
        de += self.manner[1]
        if c.negated and not (c.accusative and c.accusative.negated):
            self.negator = Token("nicht", self.not_link)
            de.append(self.negator)
        for _, (_, tokens) in self.places[front == "place":]:
            de += tokens
        return de + self.pred_de

    def _english(self, front):
        """English after the subject: verb, objects, places, manner, times."""
        v, c = self.verbal, self.clause
        pronoun = c.accusative and c.accusative.kind == "pronoun"
        objects = self.acc_en + self.dat_en if pronoun else self.dat_en + self.acc_en
        if pronoun and self.dat_en:
            to = Token("to", *self.dat_en[0].links)
            objects = self.acc_en + [to] + self.dat_en
        en = list(v.en_finite)
        frequency = self.freq[0]
        if frequency and c.verb is not verbs.BE and c.tense != "perfect":
            en = frequency + en
        else:
            en += frequency
        en += v.en_rest
        en += objects + v.en_late if pronoun else v.en_late + objects
        en += self.pred_en
        places = [tokens for _, (tokens, _) in self.places][front == "place":]
        if c.adjuncts and c.adjuncts[0].preposition in ("with", "without"):
            places.reverse()        # English: to Paris with Anna; German: mit Anna nach Paris
        for tokens in places:
            en += tokens
        en += self.manner[0]
        if front != "time":
            for tokens, _ in self.times:
                en += tokens
        return en

    def main(self):
        front = self.clause.front
        v = self.verbal
        middle = self._middle(front)
        right = v.nonfinite
        self.core = middle + right
        if not front:
            return self.subject_en + self._english(""), self.subject_de + [v.finite] + middle + right
        first_en, first_de = self.times[0] if front == "time" else self.places[0][1]
        self.core = self.subject_de + self.core
        en = first_en + self.subject_en + self._english(front)
        return en, first_de + [v.finite] + self.subject_de + middle + right

    def inverted(self):
        """The German main clause whose front is taken by something outside (a subordinate clause)."""
        v = self.verbal
        middle = self._middle("")
        self.core = self.subject_de + middle + v.nonfinite
        return self.subject_en + self._english(""), [v.finite] + self.core

    def subordinate(self):
        v = self.verbal
        middle = self._middle("")
        self.core = middle + v.nonfinite
        en, de = self.subject_en + self._english(""), self.subject_de + self.core + [v.finite]
        if self.relative:
            en, de = self.relative[0] + en, self.relative[1] + de
        return en, de

    def register(self, order, de):
        """Contrasts and annotations that need the finished word order."""
        d, c, v = self.draft, self.clause, self.verbal
        words = [t for t in self.core if t.text != phrases.COMMA]
        last = v.finite if self.order == "sub" or not words else words[-1]
        kind = "relative" if self.relative else "elided" if c.elided else order
        d.clauses.append((kind, de[0], v.finite, last))
        if kind == "main" and c.front:
            d.site("fronted_adverbial", (("after", v.finite, self.subject_de[-1]),), "finite verb after the subject")
        elif kind == "main" and words:
            last = self.core[-1]
            edits = (("after", v.finite, last),)
            if last.text == c.verb.particle:
                edits = (("replace", last, last.text + v.finite.text), ("delete", v.finite))
            d.site("verb_second", edits, "finite verb at the end")
        elif self.order == "sub":
            d.tag("verb_final")
            edits = self.finite_moved()
            if edits:
                d.site("verb_final", edits, "finite verb too early")
        self._nicht(kind)
        self._dependencies()
        subject_first = self.order == "sub" or order == "main" and not c.front
        verbal.register(d, c, v, self.order, subject_first, bool(self.dat_de or self.acc_de))

    def finite_moved(self):
        """The edits that put the verb of a subordinate clause after its subject; none where that is not wrong enough.

        German may put a mere adverbial after the final verb, so then the verb goes before the subject.
        """
        c, v = self.clause, self.verbal
        fixed = self.dat_de or self.acc_de or self.pred_de or v.nonfinite or c.negated or c.frequency or c.manner
        if fixed:
            return (("after", v.finite, (self.subject_de or self.relative[1])[-1]),)
        return (("before", v.finite, self.subject_de[0]),) if self.subject_de else ()

    def _dependencies(self):
        d, c, v = self.draft, self.clause, self.verbal
        if self.relative and self.relative[2] == "subject":
            heads_en, heads_de = self.relative[0][:1], self.relative[1][:1]
        else:
            heads_en, heads_de = c.subject.en_heads, c.subject.de_heads
        for head in heads_en:
            d.depend("subject-verb", "source", v.en_finite[0], head)
        for head in heads_de:
            d.depend("subject-verb", "target", v.finite, head)

    def _nicht(self, kind):
        c, d, v = self.clause, self.draft, self.verbal
        if not c.negated:
            return
        if not self.negator:
            det = self.acc_de[0]
            edit = ("replace", det, det.text[1:]) if c.accusative.det == "a" else ("delete", det)
            d.site("negation_kein", (edit,), "negation missing")
        elif self.order == "main" and v.nonfinite and d.rng.chance(0.5):
            d.site("negation_nicht", (("after", self.negator, v.nonfinite[-1]),), "nicht at the end")
        elif kind == "main" and not c.front and d.rng.chance(0.5):
            d.site("negation_nicht", (("before", self.negator, v.finite),), "nicht before the finite verb")
        else:
            d.site("negation_nicht", (("delete", self.negator),), "nicht missing")


def _time(draft, row):
    english, german, _ = row
    rng, links, values = draft.rng, {}, {}
    count = str(13 + rng.below(87))
    values["COUNT"] = values["YEAR"] = values["CLOCK"] = (count, count)
    if any(word == "YEAR" for word, _ in english):
        values["YEAR"] = (str(1930 + rng.below(95)),) * 2
    if any(word == "CLOCK" for word, _ in english):
        values["CLOCK"] = (str(1 + rng.below(12)),) * 2
    for _, mark in english + german:
        links.setdefault(mark, draft.link())
    en = [Token(values.get(word, (word,))[0], links[mark]) for word, mark in english]
    de = []
    for word, mark in german:
        token = Token(values.get(word, (word,))[0], links[mark])
        de.append(token)
        if word in values:
            wrong = phrases.other_digits(rng, token.text)
            draft.site("numbers", (("replace", token, wrong),), f"{token.text} -> {wrong}")
    return en, de


def _word_pair(draft, word, table):
    if not word:
        return [], []
    link = draft.link()
    return [Token(word, link)], [Token(table[word], link)]
