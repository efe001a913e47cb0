"""Choosing whole clauses: verb, tense, negation, objects and adverbials that go together."""

from dataclasses import dataclass, replace

from . import choose, lexicon, verbs
from .choose import Want
from .clauses import Adjunct, Clause
from .draft import Impossible
from .phrases import NounPhrase

_FRAMES = {"trans": 32, "passive": 25, "dative": 9, "give": 10, "local": 12, "plain": 8, "motion": 8, "jump": 3,
           "out": 3, "city": 3, "city-goal": 4, "put": 9, "copula": 9, "thing-local": 6}
_INSIDE = {("in", "inside"): 5, ("next to", "beside"): 2, ("behind", "beside"): 2, ("in front of", "beside"): 2,
           ("under", "shade"): 1}
_SITTING = {("on", "surface"): 6, ("next to", "glass"): 2, ("under", "shade"): 3, ("in", "inside"): 2}
_LYING = {("on", "surface"): 5, ("under", "surface"): 2, ("in", "container"): 2, ("next to", "surface glass"): 1}
_STANDING = {("next to", "surface glass"): 3, ("in front of", "glass"): 1, ("in", "room"): 2}
_PARKED = {("next to", "beside"): 2, ("behind", "beside"): 2, ("in front of", "beside"): 2}
# With verbs of motion only what is clear in English too ("runs behind the house" may tell the place or the aim).
_GOING = {("into", "inside"): 6, ("to", "goal"): 5, ("through", "through"): 3}
_RUNNING = {("into", "inside"): 5, ("to", "goal"): 3, ("through", "through"): 4, ("around", "around"): 3}
_JUMPING = {("onto", "surface"): 4, ("into", "container"): 1}
_LAYING = {("on", "surface"): 5, ("in", "container"): 3, ("under", "surface"): 2, ("next to", "surface glass"): 2}
_PLACING = {("on", "surface"): 4, ("next to", "surface glass"): 3, ("behind", "glass"): 1, ("under", "surface"): 2}
_LEAVING = {("out of", "out"): 1}
_FROM = frozenset(("buy", "steal"))
_FOR = frozenset("buy repair paint wash write open collect".split())
_ANYWHERE = frozenset("see hear find read write eat repair watch".split())


@dataclass(frozen=True)
class Setting:
    """Where a clause stands.

    base: present or past; rich: 2 in a main clause, 1 in a subordinate, 0 in a relative one; subject: given from
    outside; simple: only simple tenses; no_it: hold nothing that a later "it" could mean; timed: told to happen at,
    before or during something.
    """
    base: str = "present"
    rich: int = 2
    depth: int = 1
    subject: NounPhrase = None
    simple: bool = False
    no_it: bool = False
    adverbial: bool = True
    timed: bool = False
    frames: tuple = ()


_ANIMAL = ("copula", "trans", "local", "plain", "dative", "motion")
_PERSON = tuple(f for f in _FRAMES if f not in ("passive", "jump", "thing-local"))


def clause(d, setting):
    table = _FRAMES if not setting.frames else {f: _FRAMES[f] for f in setting.frames}
    if setting.timed:
        table = {f: w for f, w in table.items() if f != "copula"}
    if setting.subject is not None:
        allowed = _PERSON if setting.subject.is_person else \
            _ANIMAL if setting.subject.head_noun.kind == "animal" else ("copula",)
        table = {f: w for f, w in table.items() if f in allowed}
    if not table:
        raise Impossible
    frame = d.rng.weighted(table)
    c = _BUILDERS.get(frame, _with_verb)(d, setting, frame)
    _tense(d, c, setting)
    _negate(d, c, setting)
    _adverbials(d, c, setting, frame)
    return c


def subject(d, tags, setting):
    if setting.subject is not None:
        return setting.subject
    return choose.noun_phrase(d, Want(tags, subject=True, rich=setting.rich, no_it=setting.no_it, base=setting.base,
                                      depth=setting.depth))


def _verb(d, frame, setting):
    options = verbs.verbs_with(frame)
    if setting.subject is not None:
        kind = "person" if setting.subject.is_person else "animal"
        options = [v for v in options if kind in v.subjects.split()]
    for _ in range(20):
        verb = d.rng.pick(options)
        if setting.base == "past" and "nopast" in verb.flags or setting.timed and "state" in verb.flags:
            continue
        if (verb.en, verb.infinitive) not in d.used:
            d.used.add((verb.en, verb.infinitive))
            return verb
    raise Impossible


def _object(d, tags, setting, binder=None):
    return choose.noun_phrase(d, Want(tags, binder=binder, no_it=setting.no_it, rich=min(setting.rich, 1),
                                      base=setting.base, depth=setting.depth))


def _with_verb(d, setting, frame):
    verb = _verb(d, frame, setting)
    c = Clause(verb, subject(d, verb.subjects, setting))
    binder = c.subject
    if frame == "trans":
        animal = not c.subject.is_person
        if animal and verb.en == "eat":
            c.accusative = choose.noun_phrase(d, Want("food", rich=0, no_it=setting.no_it))
        else:
            c.accusative = _object(d, verb.objects, setting, binder)
        extra = not setting.no_it and not c.accusative.post
        if verb.en in _FROM and d.rng.chance(0.25) and extra:
            c.adjuncts.append(choose.company(d, "from", binder))
        elif verb.en in _FOR and d.rng.chance(0.2) and extra:
            c.adjuncts.append(choose.company(d, "for", binder))
    elif frame == "dative":
        c.dative = _object(d, verb.objects, setting, binder)
    elif frame == "give":
        c.dative = choose.noun_phrase(d, Want("person", binder=binder, rich=0, no_it=setting.no_it))
        c.accusative = _object(d, verb.objects, replace(setting, rich=min(setting.rich, 1)), binder)
    elif frame == "local":
        _local(d, c)
    elif frame in ("motion", "jump", "out"):
        table = {"motion": _GOING if verb.en == "go" else _RUNNING, "jump": _JUMPING, "out": _LEAVING}[frame]
        c.adjuncts.append(choose.place(d, table, motion=True))
        if frame == "motion" and d.rng.chance(0.2) and c.subject.is_person:
            c.adjuncts.insert(0, choose.company(d, d.rng.pick(("with", "without")), binder))
    elif frame in ("city", "city-goal"):
        city = NounPhrase("name", name=d.unused(lexicon.CITIES))
        c.adjuncts.append(Adjunct("in" if frame == "city" else "to/city", city))
        if d.rng.chance(0.4):
            c.adjuncts.insert(0, choose.company(d, d.rng.pick(("with", "without")), binder))
    elif frame == "put":
        c.accusative = _object(d, verb.objects, replace(setting, rich=0), binder)
        c.adjuncts.append(choose.place(d, _LAYING if verb.en == "put" else _PLACING, motion=True))
    elif frame == "thing-local":
        parked = c.subject.head_noun.kind == "vehicle"
        c.adjuncts.append(choose.place(d, _LYING if verb.en == "lie" else _PARKED if parked else _STANDING))
    return c


def _local(d, c):
    verb = c.verb
    if "with" in verb.frames and d.rng.chance(0.35) and c.subject.is_person:
        c.adjuncts.append(choose.company(d, d.rng.pick(("with", "with", "without")), c.subject))
    elif verb.en in ("wait", "work") and d.rng.chance(0.3) and c.subject.is_person:
        c.adjuncts.append(choose.company(d, "for", c.subject) if verb.en == "work" else choose.place(d, _INSIDE))
    if len(c.adjuncts) == 0 and d.rng.chance(0.75) or c.verb.en == "sit" and not c.adjuncts:
        table = _SITTING if verb.en == "sit" else _INSIDE
        c.adjuncts.append(choose.place(d, table))


def _passive(d, setting, frame):
    verb = d.rng.pick([v for v in verbs.verbs_with("trans") if "passive" in v.flags])
    if (verb.en, verb.infinitive) in d.used:
        raise Impossible
    d.used.add((verb.en, verb.infinitive))
    np = choose.noun_phrase(d, Want(verb.objects, subject=True, rich=setting.rich, no_it=setting.no_it,
                                    base=setting.base, depth=setting.depth))
    c = Clause(verb, np, passive=True)
    if d.rng.chance(0.6):
        c.adjuncts.append(choose.company(d, "by", None, no_it=setting.no_it))
    return c


def _copula(d, setting, frame):
    tags = d.rng.pick(("person", "person", "animal", "portable owned clothes furniture", "place"))
    np = subject(d, tags, setting)
    return Clause(verbs.BE, np, predicate=choose.predicate(d, np))


_BUILDERS = {"passive": _passive, "copula": _copula}


def _tense(d, c, setting):
    flags, rng = c.verb.flags, d.rng
    c.base = setting.base
    animate = c.subject.is_person or c.subject.head_noun.kind == "animal"
    if setting.base == "past":
        c.tense = "past"
        if not setting.simple and not c.passive and animate and "nomodal" not in flags and c.verb is not verbs.BE \
                and rng.chance(0.18):
            c.tense = rng.pick(("can",) if "chance" in flags else ("can", "must", "want"))
        return
    table = {"present": 50 if not setting.simple else 1}
    if not setting.simple and not c.passive and c.verb is not verbs.BE:
        if "noperf" not in flags:
            table["perfect"] = 60
        if "nomodal" not in flags:
            table["will"] = 6
            if animate:
                table["can"] = 12
            if animate and "chance" not in flags:
                table["want"] = 11
                if c.subject.is_person:
                    table.update({"must": 11, "should": 8, "may": 6})
    c.tense = rng.weighted(table)


def definite(np):
    return np is None or np.kind in ("name", "title", "pronoun") or np.kind == "noun" and np.det in (
        "the", "this", "his", "her", "its", "their", "name")


def _may_negate(c):
    if c.tense == "must" or not (definite(c.subject) or c.subject.kind == "noun" and c.subject.det == "number"):
        return False
    if _indefinite(c.accusative):
        return not c.dative or definite(c.dative)
    return definite(c.accusative) and definite(c.dative) and all(
        a.phrase.kind != "pair" and definite(a.phrase) for a in c.adjuncts)


def _indefinite(np):
    """Whether "not" and this object make a German kein."""
    return np is not None and np.kind == "noun" and np.det in ("a", "none")


def _negate(d, c, setting):
    np = c.accusative
    plain = np is not None and np.kind == "noun" and np.det in ("the", "this", "a", "none") and not np.post \
        and "family" not in np.noun.tags and "state" not in c.verb.flags
    rate = (0.1, 0.26, 0.3)[setting.rich] + (0.32 if plain else 0)
    if setting.timed or not d.rng.chance(rate) or not _may_negate(c):
        return
    c.negated = True
    if plain and not c.passive and d.rng.chance(0.75):
        np.det = "none" if np.plural or np.noun.kind == "drink" else "a"


def _adverbials(d, c, setting, frame):
    rng = d.rng
    if not setting.adverbial or setting.timed or setting.rich == 0:
        return
    objects = [np for np in (c.accusative, c.dative, *(a.phrase for a in c.adjuncts)) if np]
    # An adverbial after a relative clause would seem to belong to that.
    open_ended = any(np.post and np.post[0] == "relative" for np in objects)
    nicht = c.negated and not _indefinite(c.accusative)
    if frame == "trans" and c.verb.en in _ANYWHERE and not setting.no_it and rng.chance(0.3) and not nicht \
            and not c.accusative.post:
        c.adjuncts.append(choose.place(d, {("in", "inside"): 1}))
    key = {"present": "present", "past": "past", "perfect": "perfect", "will": "future"}.get(c.tense, "modal")
    if c.base == "past":
        key = "past"
    if c.passive:
        key = c.tense
    can_front = setting.rich == 2 and c.subject.kind != "pronoun"
    timed = rng.chance(0.5 if setting.rich == 2 else 0.12) and (can_front or not (nicht or open_ended))
    if timed and c.verb is not verbs.BE and "state" not in c.verb.flags:
        if rng.chance(0.4) and not setting.no_it:
            c.adjuncts.append(choose.occasion(d, c.tense))
        else:
            unfit = "every" if c.subject.det == "no" else ""
            c.time = rng.pick([row for row in lexicon.TIMES if key in row[2] and row[0][0][0] != unfit])
        if can_front and (nicht or open_ended or rng.chance(0.5)):
            c.front = "time"
    elif not c.negated and "state" not in c.verb.flags and not c.passive and c.tense in ("present", "past") \
            and rng.chance(0.16):
        c.frequency = rng.pick(list(lexicon.FREQUENCIES))
    elif "manner" in c.verb.flags and not c.negated and not c.adjuncts and not open_ended and rng.chance(0.3):
        c.manner = rng.pick(list(lexicon.MANNERS))
    elif can_front and frame == "local" and c.adjuncts and c.adjuncts[0].preposition in lexicon.TWO_WAY \
            and not nicht and rng.chance(0.5):
        c.front = "place"


def relative(d, head, want):
    """A relative clause about the noun of `head`."""
    noun, rng = head.noun, d.rng
    stand_in = NounPhrase("noun", head.plural, noun)
    roles = {"subject": 6}
    if noun.kind == "person":
        roles.update({"object": 4, "dative": 2, "preposition": 2, "whose": 2})
    elif "inside" in noun.tags:
        roles = {"preposition": 4, "object": 2}
    elif noun.kind == "animal":
        roles["object"] = 4
    else:
        roles = {"object": 5, "subject": 1}
    role = rng.weighted(roles)
    setting = Setting(want.base, rich=0, simple=rng.chance(0.8), no_it=want.no_it)
    if role == "subject":
        c = _relative_subject(d, head, stand_in, setting)
    else:
        c = _RELATIVES[role](d, head, setting)
    c.negated = False
    preposition = ""
    if role == "preposition":
        preposition = "with" if noun.kind == "person" else "in"
    return choose.Relative(role, c, want.depth, preposition)


def _relative_subject(d, head, stand_in, setting):
    noun = head.noun
    if noun.kind in ("person", "animal"):
        frame = d.rng.weighted({"trans": 6, "local": 3, "copula": 2})
        if frame == "copula":
            c = Clause(verbs.BE, stand_in, predicate=choose.predicate(d, head))
        else:
            c = Clause(_verb(d, frame, replace(setting, subject=stand_in)), stand_in)
            if frame == "trans":
                c.accusative = choose.noun_phrase(d, Want(c.verb.objects, rich=0, no_it=setting.no_it, binder=head,
                                                          plural=None if setting.no_it else choose.opposite(d, head)
                                                          if "drink" != c.verb.objects else False))
            elif not setting.no_it:
                table = _SITTING if c.verb.en == "sit" else _INSIDE
                c.adjuncts.append(choose.place(d, table))
    elif noun.adjectives:
        c = Clause(verbs.BE, stand_in, predicate=choose.predicate(d, head))
    else:
        raise Impossible
    _tense(d, c, setting)
    return c


def _fitting(d, frame, noun, setting):
    for _ in range(20):
        verb = _verb(d, frame, setting)
        if noun.tags & set(verb.objects.split()):
            return verb
    raise Impossible


def _person(d, head, setting):
    return choose.noun_phrase(d, Want("person", rich=0, no_it=setting.no_it, definite=d.rng.chance(0.7),
                                      plural=None if setting.no_it else choose.opposite(d, head)))


def _relative_object(d, head, setting):
    c = Clause(_fitting(d, "trans", head.noun, setting), _person(d, head, setting))
    _tense(d, c, setting)
    return c


def _relative_dative(d, head, setting):
    c = Clause(_fitting(d, "dative", head.noun, setting), _person(d, head, setting))
    _tense(d, c, setting)
    return c


def _relative_preposition(d, head, setting):
    verb = _verb(d, "with" if head.noun.kind == "person" else "local", setting)
    c = Clause(verb, _person(d, head, setting))
    _tense(d, c, setting)
    return c


def _relative_whose(d, head, setting):
    tags = "pet relative owned" if not setting.no_it else "relative"
    noun = d.unused(lexicon.nouns_with(tags))
    if noun is None or not noun.adjectives:
        raise Impossible
    plural = noun.en not in choose.ONE_EACH and (setting.no_it or choose.opposite(d, head))
    owned = NounPhrase("noun", plural, noun,
                       adjectives=choose.adjectives(d, noun, 0))
    c = Clause(verbs.BE, owned, predicate=choose.predicate(d, owned))
    _tense(d, c, setting)
    return c


_RELATIVES = {"object": _relative_object, "dative": _relative_dative, "preposition": _relative_preposition,
              "whose": _relative_whose}
