"""Choosing noun phrases, relative clauses and adjuncts that make sense."""

from dataclasses import dataclass, replace

from . import clauses, lexicon, morphology, phrases
from .clauses import Adjunct, Clause
from .draft import Impossible, Token
from .phrases import NounPhrase

_SINGULAR = {"the": 50, "a": 24, "this": 9, "name": 6}
_PLURAL = {"the": 42, "none": 15, "this": 9, "many": 7, "some": 7, "number": 24}
_DEFINITE = {"the": 80, "this": 20}
_POSSESSIVE = {"he": "his", "she": "her", "it": "its", "they": "their"}
_FIRST = frozenset("big small beautiful friendly clever proud curious expensive heavy".split())
_SECOND = frozenset("young old new red green blue black white".split())
_GROUP = {word: group for group in ("red green blue black white", "young old new", "big small", "expensive cheap",
                                    "hot cold fresh") for word in group.split()}
ONE_EACH = ("mother", "father")      # nobody has several
_OWNED = frozenset("portable clothes owned relative pet".split())


@dataclass(frozen=True)
class Want:
    """What a noun phrase should be like.

    binder: the phrase that "his" and the like may refer to; no_it: nothing that a later "it" could mean;
    names: person names allowed; rich: chance weights for adjectives and postmodifiers, 0 to 2.
    """
    tags: str
    plural: object = None
    definite: bool = False
    binder: object = None
    no_it: bool = False
    names: bool = True
    subject: bool = False
    rich: int = 1
    base: str = "present"
    depth: int = 1


def noun_phrase(d, want):
    rng = d.rng
    persons = "person" in want.tags.split()
    if persons and want.names and rng.chance(0.2):
        return title(d) if rng.chance(0.35) else name(d)
    if want.subject and want.rich == 2 and rng.chance(0.08) or not want.subject and want.rich and rng.chance(0.04):
        return pair(d, want)
    noun = d.unused(lexicon.nouns_with(want.tags))
    if noun is None:
        raise Impossible
    if want.plural is None:
        plural = rng.chance(0.33)
        if want.no_it and noun.pronoun == "it":
            plural = True
    else:
        plural = want.plural
    if noun.de_plural == "-" and plural:
        raise Impossible
    np = NounPhrase("noun", plural, noun, adjectives=adjectives(d, noun, want.rich))
    _determine(d, np, want)
    if want.rich == 2 and np.det not in ("none", "every", "no"):
        np.post = _post(d, np, want)
    elif want.rich == 1 and np.det in ("the", "this", "a", "number"):
        if rng.chance(0.25 if want.subject else 0.1):
            np.post = _relative(d, np, want)
        elif rng.chance(0.06) and np.det == "the" and not want.no_it:
            np.post = _genitive(d, np)
    return np


def _determine(d, np, want):
    rng, noun = d.rng, np.noun
    if "family" in noun.tags:
        np.det = "number" if np.plural and not want.definite and rng.chance(0.3) else \
            "name" if not np.plural and not want.definite and rng.chance(0.2) else "the"
    elif want.definite:
        np.det = rng.weighted(_DEFINITE)
    elif noun.kind == "drink":
        np.det = rng.weighted({"the": 50, "none": 50})
    else:
        table = dict(_PLURAL if np.plural else _SINGULAR)
        if not noun.tags & _OWNED:
            table.pop("name", None)
        if want.subject:
            table["no"] = 9
            if not np.plural:
                table["every"] = 5
        np.det = rng.weighted(table)
    if want.binder and rng.chance(0.3) and _may_own(want.binder, noun, np.plural):
        np.det, np.antecedent = _POSSESSIVE[want.binder.pronoun], want.binder
    if np.det == "number":
        digits = str(13 + rng.below(87))
        np.number = rng.pick(list(lexicon.NUMBER_WORDS.items())) if rng.chance(0.6) else (digits, digits)
    elif np.det == "name":
        np.name = d.unused(lexicon.MALE + lexicon.FEMALE)


def _may_own(binder, noun, plural):
    if plural and noun.en in ONE_EACH:
        return False
    if not binder.pronoun or not noun.tags & _OWNED:
        return False
    return binder.is_person or "parent" in noun.tags


def adjectives(d, noun, rich):
    rng = d.rng
    if not noun.adjectives or not rng.chance((0.18, 0.28, 0.34)[rich]):
        return ()
    first = rng.pick(noun.adjectives)
    if rng.chance(0.1):
        second = rng.pick(noun.adjectives)
        if first.en in _FIRST and second.en in _SECOND:
            return (first, False), (second, False)
    return ((first, first.graded and rng.chance(0.12)),)


def predicate(d, np):
    """An adjective for "np is ...", none that np has already or that contradicts one."""
    noun = np.head_noun or lexicon.nouns_with("he")[0]
    while np.kind == "pronoun":
        np = np.antecedent
    said = {_GROUP.get(a.en, a.en) for part in (np, *np.parts) for a, _ in part.adjectives}
    fitting = [a for a in noun.adjectives if _GROUP.get(a.en, a.en) not in said]
    if not fitting:
        raise Impossible
    adjective = d.rng.pick(fitting)
    return adjective, adjective.graded and d.rng.chance(0.2)


def name(d):
    female = d.rng.chance(0.5)
    return NounPhrase("name", name=d.unused(lexicon.FEMALE if female else lexicon.MALE), female=female)


def title(d):
    return NounPhrase("title", name=d.unused(lexicon.SURNAMES), female=d.rng.chance(0.4))


def pair(d, want):
    plain = replace(want, rich=0, subject=False, names=False, plural=None if want.plural is None else want.plural)
    if "person" in want.tags.split() and d.rng.chance(0.4):
        first, second = name(d), name(d)
    else:
        tags = d.rng.pick(want.tags.split())
        first, second = (noun_phrase(d, replace(plain, tags=tags, definite=True, binder=None)) for _ in range(2))
    return NounPhrase("pair", parts=(first, second))


def _post(d, np, want):
    noun, rng = np.noun, d.rng
    if rng.chance(0.54 if want.subject else 0.2):
        return _relative(d, np, want)
    if want.no_it or np.det not in ("the", "this", "number"):
        return ()
    if noun.tags & frozenset("portable clothes owned pet".split()) and rng.chance(0.4):
        return _genitive(d, np)
    if noun.kind in ("furniture", "vehicle", "person") and want.subject and rng.chance(0.14):
        tags, preposition = rng.pick((("beside", "next to"), ("beside", "in front of"), ("beside", "behind")))
        inner = noun_phrase(d, Want(tags, rich=0, definite=True, names=False, plural=opposite(d, np)))
        return ("place", preposition, inner)
    return ()


def _genitive(d, np):
    if not np.noun.tags & frozenset("portable clothes owned pet".split()):
        return ()
    inner = noun_phrase(d, Want("person", rich=0, definite=True, names=False, plural=opposite(d, np)))
    return ("genitive", inner)


def opposite(d, np):
    """Mostly the other number than that of the phrase, so that it can attract the verb."""
    other = np.slot != "p"
    return other if d.rng.chance(0.65) else not other


def _relative(d, np, want):
    from . import derive       # a clause holds phrases and a phrase may hold a clause
    return ("relative", derive.relative(d, np, want))


def place(d, table, motion=False, definite=False):
    """An adjunct of place. table: {(preposition, noun tags): weight}."""
    preposition, tags = d.rng.weighted(table)
    plural = d.rng.chance(0.12) if preposition not in ("around", "through") else False
    np = noun_phrase(d, Want(tags, plural=plural, definite=definite or d.rng.chance(0.7), names=False, rich=0))
    return Adjunct(preposition, np, motion)


def company(d, preposition, binder, no_it=False):
    np = noun_phrase(d, Want("person", binder=binder, no_it=no_it, rich=0))
    return Adjunct(preposition, np)


def occasion(d, tense):
    """During, after, before an event; because of, despite the weather."""
    table = {"because of": 3, "despite": 3, "during": 3}
    if tense != "perfect":
        table.update({"after": 3, "before": 2})
    preposition = d.rng.weighted(table)
    tags = {"because of": "cause", "despite": "cause", "before": "after"}.get(preposition, preposition)
    noun = d.unused(lexicon.nouns_with(tags))
    if noun is None:
        raise Impossible
    np = NounPhrase("noun", False, noun, det="the" if d.rng.chance(0.8) else "this", adjectives=adjectives(d, noun, 0))
    return Adjunct(preposition, np, place=False)


@dataclass
class Relative:
    """A relative clause. role: subject, object, dative, preposition or whose (then clause.subject is the owned)."""
    role: str
    clause: Clause
    depth: int
    preposition: str = ""

    @property
    def numbers(self):
        c = self.clause
        found = [] if self.role == "subject" else [c.subject]
        found += [np for np in (c.dative, c.accusative) if np] + [a.phrase for a in c.adjuncts]
        return [np.slot == "p" for np in found]

    def render(self, draft, head):
        person = head.noun.kind == "person"
        case = {"subject": "nom", "object": "acc", "whose": "gen"}.get(self.role, "dat")
        word = {"subject": "who" if person else "that", "object": "whom" if person else "that", "whose": "whose",
                "dative": "whom"}.get(self.role, "whom" if person else "which")
        link = draft.link()
        pronoun_en = Token(word, link)
        pronoun = Token(morphology.RELATIVE[case][head.slot], link)
        en, de = [pronoun_en], [pronoun]
        if self.preposition:
            link = draft.link()
            en.insert(0, Token(self.preposition, link))
            de.insert(0, Token(phrases.preposition_of(self.preposition), link))
        draft.depend("relative-antecedent", "source", head.en_heads[0], pronoun_en)
        draft.depend("relative-antecedent", "target", head.de_heads[0], pronoun)
        draft.phrases.append(([pronoun], pronoun, case, head.slot, "relative"))
        _wrong_pronoun(draft, pronoun, case)
        role = self.role if self.role in ("subject", "object") else "other"
        rendered = clauses.render(draft, self.clause, "sub", (en, de, role))
        if self.depth > 1:
            draft.tag("nested_clauses")
            edits = rendered.fields.finite_moved()
            if edits:
                draft.site("nested_clauses", edits, "finite verb of the inner clause too early")
        comma = phrases.COMMA
        return rendered.en, [Token(comma)] + rendered.de + [Token(comma)]


def _wrong_pronoun(draft, pronoun, case):
    forms = sorted(set(morphology.RELATIVE[case].values()) - {pronoun.text})
    wrong = draft.rng.pick(forms)
    draft.site("relative_clause", (("replace", pronoun, wrong),), f"{pronoun.text} -> {wrong}")
