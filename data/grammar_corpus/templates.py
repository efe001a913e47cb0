"""Whole sentences: how clauses are put together. Every template returns (English tokens, German tokens)."""

from dataclasses import replace

from . import choose, clauses, derive, lexicon, verbs
from .choose import Want
from .clauses import Clause
from .derive import Setting
from .draft import Impossible, Token
from .phrases import COMMA, NounPhrase

# english: (german, wrong german) by tense of the sentence.
_CONJUNCTIONS = {
    "present": {"because": ("weil", "obwohl"), "although": ("obwohl", "weil"), "if": ("wenn", "obwohl"),
                "when": ("wenn", "bevor"), "while": ("während", "weil"), "before": ("bevor", "weil")},
    "past": {"because": ("weil", "obwohl"), "although": ("obwohl", "weil"), "when": ("als", "weil"),
             "while": ("während", "bevor"), "before": ("bevor", "als")}}
_LASTING = ("local",)
_TIMED = ("while", "before", "when", "if")


def _base(d):
    return "present" if d.rng.chance(0.6) else "past"


def _stop(d):
    link = d.link()
    return [Token(".", link)], [Token(".", link)]


def _join(*pairs):
    en, de = [], []
    for part_en, part_de in pairs:
        en += part_en
        de += part_de
    return en, de


def _main(d, clause, order="main"):
    rendered = clauses.render(d, clause, order)
    return rendered.en, rendered.de


def subordinate(d, words, clause, depth=1):
    """A clause with a conjunction. words: (english, german, wrong german). German with both commas."""
    english, german, wrong = words
    link = d.link()
    en, de = Token(english, link), Token(german, link)
    d.site("subordinate_clause", (("replace", de, wrong),), f"{german} -> {wrong}")
    rendered = clauses.render(d, clause, "sub")
    if depth > 1:
        d.site("nested_clauses", rendered.fields.finite_moved(), "finite verb of the inner clause too early")
    return [en] + rendered.en, [Token(COMMA), de] + rendered.de + [Token(COMMA)]


def _conjunction(d, base):
    english = d.rng.pick(list(_CONJUNCTIONS[base]))
    return (english, *_CONJUNCTIONS[base][english])


def _pronoun(d, np):
    """A phrase with the pronoun for np; None if it has none that fits or if another phrase could be meant by it."""
    if np.pronoun == "it" and any(other is not np for other in d.things) or not np.pronoun or np.kind == "noun" and np.det in ("every", "no", "many", "some"):
        return None
    return NounPhrase("pronoun", np.plural or np.kind == "pair", antecedent=np)


def _weather(d, base):
    verb = d.rng.pick(verbs.verbs_with("weather"))
    return Clause(verb, NounPhrase("expletive"), tense=base, base=base)


def _second(d, first, setting, english="because"):
    """A clause that goes with `first`, often about its subject."""
    pronoun = _pronoun(d, first.subject)
    if english in ("because", "if", "when") and d.rng.chance(0.07):
        return _weather(d, setting.base)
    setting = replace(setting, timed=setting.timed or english in _TIMED,
                      simple=setting.simple or english in _TIMED)
    frames = _LASTING if english == "while" else ()
    if pronoun and (first.subject.is_person or english != "while") and d.rng.chance(0.55):
        return derive.clause(d, replace(setting, subject=pronoun, frames=frames, simple=True))
    return derive.clause(d, replace(setting, frames=frames))


def simple(d):
    clause = derive.clause(d, Setting(_base(d)))
    return _join(_main(d, clause), _stop(d))


def adverbial(d):
    base = _base(d)
    words = _conjunction(d, base)
    first = derive.clause(d, Setting(base, rich=1, simple=words[0] in _TIMED, timed=words[0] in _TIMED,
                                     adverbial=words[0] not in _TIMED))
    main = _main(d, first)
    second = _second(d, first, Setting(base, rich=1, depth=2), words[0])
    return _join(main, subordinate(d, words, second), _stop(d))


def fronted(d):
    base = _base(d)
    words = _conjunction(d, base)
    first = derive.clause(d, Setting(base, rich=1, simple=True, depth=2, frames=_LASTING if words[0] == "while" else (),
                                     timed=words[0] in _TIMED))
    if words[0] in ("because", "if", "when") and d.rng.chance(0.1):
        first = _weather(d, base)
    en, de = subordinate(d, words, first)
    setting = Setting(base, rich=1, timed=words[0] in _TIMED)
    if first.subject.kind == "expletive":
        second = derive.clause(d, setting)
    else:
        second = _second(d, first, setting, "while" if words[0] == "while" else "")
    rendered = clauses.render(d, second, "inverted")
    fields = rendered.fields
    edit = ("after", fields.verbal.finite, fields.subject_de[-1])
    d.site("fronted_adverbial", (edit,), "finite verb after the subject")
    return _join((en + [Token(COMMA, d.link())], de[1:]), (rendered.en, rendered.de), _stop(d))


def _reporting(d, base, rich):
    """The clause that a that-clause hangs on, and the conjunction."""
    frame = "that" if d.rng.chance(0.75) else "whether"
    verb = d.unused(verbs.verbs_with(frame))
    if verb is None:
        raise Impossible
    subject = choose.noun_phrase(d, Want("person", subject=True, rich=rich, base=base, depth=2 if rich < 2 else 1))
    clause = Clause(verb, subject, tense=base, base=base)
    if base == "present" and verb.en in ("say", "ask") and d.rng.chance(0.25):
        clause.tense = "perfect"
    words = ("that", "dass", "ob") if frame == "that" else ("whether", "ob", "dass")
    if verb.en == "know" and d.rng.chance(0.35) and derive.definite(subject):
        clause.negated = True
        words = ("whether", "ob", "dass")
    return clause, words


def complement(d):
    base = _base(d)
    outer, words = _reporting(d, base, 2 if d.rng.chance(0.4) else 1)
    main = _main(d, outer)
    if d.rng.chance(0.25):
        middle, inner_words = _reporting(d, base, 0)
        part = subordinate(d, words, middle)
        inner = derive.clause(d, Setting(base, rich=0))
        return _join(main, part, subordinate(d, inner_words, inner, 2), _stop(d))
    inner = derive.clause(d, Setting(base, rich=2 if d.rng.chance(0.65) else 1, depth=2, adverbial=False))
    part = subordinate(d, words, inner)
    if d.rng.chance(0.2):
        pronoun = _pronoun(d, inner.subject)
        if pronoun:
            reason = derive.clause(d, Setting(base, rich=0, subject=pronoun, simple=True))
            conjunction = ("because", "weil", "obwohl") if d.rng.chance(0.6) else ("although", "obwohl", "weil")
            return _join(main, part, subordinate(d, conjunction, reason, 2), _stop(d))
    return _join(main, part, _stop(d))


def _and(d):
    link = d.link()
    conjunction = Token("und", link)
    d.site("coordination", (("replace", conjunction, "oder"),), "und -> oder")
    return [Token("and", link)], [conjunction]


def _but(d):
    link = d.link()
    comma, conjunction = d.link(), Token("aber", link)
    d.site("coordination", (("replace", conjunction, "oder"),), "aber -> oder")
    return [Token(COMMA, comma), Token("but", link)], [Token(COMMA, comma), conjunction]


def two_clauses(d):
    base = _base(d)
    setting = Setting(base, rich=1)
    first = derive.clause(d, setting)
    main = _main(d, first)
    second = _second(d, first, setting, "")
    return _join(main, _and(d) if d.rng.chance(0.55) else _but(d), _main(d, second), _stop(d))


def two_predicates(d):
    base = _base(d)
    first = derive.clause(d, Setting(base, rich=1, simple=True, adverbial=False,
                                     frames=("trans", "dative", "local", "plain", "motion", "put", "give")))
    if first.subject.kind == "noun" and first.subject.det in ("no",) or first.tense not in ("present", "past") \
            or any(np and np.post for np in (first.accusative, first.dative)):
        raise Impossible
    main = _main(d, first)
    second = derive.clause(d, Setting(base, rich=0, simple=True, subject=first.subject,
                                      frames=("trans", "dative", "plain", "local", "motion")))
    second.elided = True
    return _join(main, _and(d), _main(d, second), _stop(d))


def _found(d, base, tags):
    """A clause whose object is the only thing that "it" can mean, with the object."""
    options = [v for v in verbs.verbs_with("trans") if set(v.objects.split()) & tags and "person" in v.subjects.split()
               and not (base == "past" and "nopast" in v.flags) and v.en != "paint"]
    verb = d.rng.pick(options)
    fitting = [n for n in lexicon.nouns_with(verb.objects) if n.tags & tags and n.kind not in ("person", "drink")]
    subject = choose.noun_phrase(d, Want("person", subject=True, no_it=True, rich=1, base=base))
    noun = d.unused(fitting)
    if noun is None or subject.kind == "noun" and subject.det == "no":
        raise Impossible
    thing = NounPhrase("noun", False, noun, det=d.rng.weighted({"the": 4, "a": 4, "this": 1}),
                       adjectives=choose.adjectives(d, noun, 1))
    clause = Clause(verb, subject, accusative=thing, tense=base, base=base)
    if base == "present" and "noperf" not in verb.flags and d.rng.chance(0.3):
        clause.tense = "perfect"
    elif "state" not in verb.flags and d.rng.chance(0.3):
        clause.time = d.rng.pick([row for row in lexicon.TIMES if base in row[2]])
        clause.front = "time" if d.rng.chance(0.5) else ""
    d.used.add((verb.en, verb.infinitive))
    return clause, thing


_THINGS = frozenset("portable food clothes owned pet visit device".split())


def thing_is(d):
    """She found a lamp. It is old."""
    base = _base(d)
    first, thing = _found(d, base, _THINGS)
    main = _main(d, first)
    second = Clause(verbs.BE, _pronoun(d, thing), tense=base, base=base, predicate=choose.predicate(d, thing))
    second.negated = d.rng.chance(0.15)
    style = d.rng.below(4)
    if style == 0:
        words = d.rng.pick((("because", "weil", "obwohl"), ("although", "obwohl", "weil")))
        return _join(main, subordinate(d, words, second), _stop(d))
    link = _stop(d) if style < 3 else _but(d)
    return _join(main, link, _main(d, second), _stop(d))


_GONE = frozenset("eat sell throw".split())


def thing_again(d):
    """She found a lamp and repaired it.  When she finds a lamp, she repairs it."""
    base = _base(d)
    first, thing = _found(d, base, _THINGS)
    first.tense, first.time, first.front = base, None, ""
    if first.verb.en in _GONE:
        raise Impossible
    options = [v for v in verbs.verbs_with("trans") if set(v.objects.split()) & thing.noun.tags
               and "person" in v.subjects.split() and (v.en, v.infinitive) not in d.used
               and not (base == "past" and "nopast" in v.flags)]
    if not options:
        raise Impossible
    verb = d.rng.pick(options)
    pronoun = _pronoun(d, first.subject)
    style = d.rng.below(4)
    again = Clause(verb, pronoun, tense=base, base=base, accusative=_pronoun(d, thing))
    if style == 0 and pronoun:
        words = ("when", *_CONJUNCTIONS[base]["when"])
        en, de = subordinate(d, words, first)
        rendered = clauses.render(d, again, "inverted")
        return _join((en + [Token(COMMA, d.link())], de[1:]), (rendered.en, rendered.de), _stop(d))
    main = _main(d, first)
    if style == 1 and pronoun:
        return _join(main, _stop(d), _main(d, again), _stop(d))
    if style == 2:
        again.subject = choose.noun_phrase(d, Want("person", subject=True, no_it=True, rich=0, base=base))
        again.negated = d.rng.chance(0.4) and derive.definite(again.subject)
        return _join(main, _but(d), _main(d, again), _stop(d))
    again.subject, again.elided = first.subject, True
    return _join(main, _and(d), _main(d, again), _stop(d))


def animal_does(d):
    """The cat sleeps because it is tired."""
    base = _base(d)
    noun = d.unused(lexicon.nouns_with("animal"))
    np = NounPhrase("noun", False, noun, det=d.rng.weighted({"the": 5, "a": 1, "this": 2}),
                    adjectives=choose.adjectives(d, noun, 1))
    first = derive.clause(d, Setting(base, rich=1, subject=np, no_it=True, simple=True, adverbial=False,
                                     frames=("plain", "trans", "dative")))
    main = _main(d, first)
    words = _conjunction(d, base)
    second = derive.clause(d, Setting(base, rich=0, subject=_pronoun(d, np), simple=True,
                                      frames=("local",) if words[0] == "while" else ("plain", "copula", "local")))
    return _join(main, subordinate(d, words, second), _stop(d))


def whole_and_part(d):
    """They visited the museum. Its garden is old.  The school and its library are famous."""
    base = _base(d)
    noun = d.unused(lexicon.nouns_with("whole"))
    whole = NounPhrase("noun", False, noun, det=d.rng.weighted({"the": 5, "this": 2}),
                       adjectives=choose.adjectives(d, noun, 1))
    part = NounPhrase("noun", False, d.unused(lexicon.nouns_with("part")), det="its", antecedent=whole)
    part.adjectives = choose.adjectives(d, part.noun, 0)
    if d.rng.chance(0.3):
        both = NounPhrase("pair", parts=(whole, part))
        adjective, very = choose.predicate(d, both)
        if adjective not in part.noun.adjectives:
            raise Impossible
        clause = Clause(verbs.BE, both, tense=base, base=base, predicate=(adjective, very))
        return _join(_main(d, clause), _stop(d))
    verb = d.rng.pick([v for v in verbs.verbs_with("trans") if v.en in ("visit", "see", "paint")])
    if verb.en == "visit" and "visit" not in noun.tags:
        raise Impossible
    subject = choose.noun_phrase(d, Want("person", subject=True, no_it=True, rich=0, base=base))
    main = _main(d, Clause(verb, subject, tense=base, base=base, accusative=whole))
    second = Clause(verbs.BE, part, tense=base, base=base, predicate=choose.predicate(d, part))
    if d.rng.chance(0.5):
        return _join(main, subordinate(d, ("because", "weil", "obwohl"), second), _stop(d))
    return _join(main, _stop(d), _main(d, second), _stop(d))


TEMPLATES = {simple: 33, adverbial: 9, fronted: 7, complement: 22, two_clauses: 8, two_predicates: 7, thing_is: 8,
             thing_again: 8, animal_does: 4, whole_and_part: 4}


def sentence(d):
    return d.rng.weighted(TEMPLATES)(d)
