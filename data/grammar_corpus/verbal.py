"""The verb forms of a clause in both languages, and the ways in which they can go wrong."""

from dataclasses import dataclass, field

from . import verbs
from .draft import Token


@dataclass
class Verbal:
    """en_finite stands before "often", en_rest after it; en_late is an English particle (switch it ON).

    nonfinite: what stands at the end of a German clause (particle, participle, infinitive).
    other: the German finite form of the other number; plain_past: the present form if the finite one is past.
    """
    en_finite: list = field(default_factory=list)
    en_rest: list = field(default_factory=list)
    en_late: list = field(default_factory=list)
    finite: Token = None
    nonfinite: list = field(default_factory=list)
    other: str = ""
    present: str = ""


def build(draft, clause, not_link, order):
    """The verb forms. order: main or sub (where a particle joins the finite verb)."""
    verb, plural = clause.verb, clause.subject.slot == "p"
    main_link = draft.link()
    v = Verbal()
    if clause.tense in verbs.MODALS:
        _modal(draft, clause, v, (main_link, not_link, plural))
    elif clause.tense == "perfect":
        _compound(draft, v, ("has", "have"), verbs.AUXILIARIES[verb.auxiliary], plural)
        _english_not(v, not_link)
        v.en_rest.append(Token(verb.en_participle, main_link))
        v.nonfinite.append(Token(verb.participle, main_link))
    elif clause.passive:
        english = ("was", "were") if clause.tense == "past" else ("is", "are")
        _compound(draft, v, english, verbs.PASSIVE[clause.tense], plural)
        if clause.tense == "past":
            v.present = verbs.PASSIVE["present"][plural]
        _english_not(v, not_link)
        v.en_rest.append(Token(verb.en_participle, main_link))
        v.nonfinite.append(Token(verb.participle, main_link))
    else:
        _simple(clause, v, (main_link, not_link, plural), order)
    if verb.en_preposition:
        v.en_rest.append(Token(verb.en_preposition, main_link))
    if verb.en_particle:
        v.en_late.append(Token(verb.en_particle, main_link))
        draft.depend("verb-particle", "source", (v.en_rest or v.en_finite)[-1], v.en_late[0])
    if clause.verb.particle and order == "main" and v.nonfinite and v.nonfinite[0].text == clause.verb.particle:
        draft.depend("verb-particle", "target", v.finite, v.nonfinite[0])
    return v


def _compound(draft, v, english, german, plural):
    link = draft.link()
    v.en_finite = [Token(english[plural], link)]
    v.finite = Token(german[plural], link)
    v.other = german[not plural]


def _english_not(v, not_link):
    if not_link:
        v.en_rest.append(Token("not", not_link))


def _modal(draft, clause, v, context):
    main_link, not_link, plural = context
    verb, link = clause.verb, draft.link()
    present, past, sg, pl, de_past = verbs.MODALS[clause.tense]
    if clause.base == "past":
        english, german = past, (de_past, de_past + "n")
        v.present = pl if plural else sg
    else:
        english = "want to" if plural and clause.tense == "want" else present
        german = (sg, pl)
    first, *others = english.split()
    if clause.tense == "want" and not_link:
        do = "did" if clause.base == "past" else "do" if plural else "does"
        v.en_finite = [Token(do, link)]
        v.en_rest = [Token("not", not_link), Token("want", link), Token("to", link)]
    elif first == "can" and not_link:
        v.en_finite = [Token("cannot", link, not_link)]
    else:
        v.en_finite = [Token(first, link)]
        _english_not(v, not_link)
        v.en_rest += [Token(word, link) for word in others]
    v.en_rest.append(Token(verb.en, main_link))
    v.finite = Token(german[plural], link)
    v.other = german[not plural]
    v.nonfinite.append(Token(verb.infinitive, main_link))


def _simple(clause, v, context, order):
    main_link, not_link, plural = context
    verb, past = clause.verb, clause.tense == "past"
    if verb is verbs.BE:
        v.en_finite = [Token(("were" if plural else "was") if past else ("are" if plural else "is"), main_link)]
        _english_not(v, not_link)
    elif not_link:
        v.en_finite = [Token("did" if past else "do" if plural else "does", main_link)]
        v.en_rest = [Token("not", not_link), Token(verb.en, main_link)]
    else:
        v.en_finite = [Token(verb.en_past if past else verb.en if plural else verb.en_s, main_link)]
    joined = verb.particle if order == "sub" else ""
    v.finite = Token(joined + verb.finite(clause.tense, plural), main_link)
    v.other = joined + verb.finite(clause.tense, not plural)
    if past:
        v.present = joined + verb.finite("present", plural)
    if verb.particle and not joined:
        v.nonfinite.append(Token(verb.particle, main_link))


def register(draft, clause, v, order, subject_first, movable):
    """Contrasts of agreement, tense, auxiliaries and particles.

    subject_first: the subject stands before the finite verb; movable: an object that no infinitive may precede.
    """
    finite, verb = v.finite, clause.verb
    subject = clause.subject
    # "sie" is she and they, and a verb before two coordinated nouns may agree with the first of them.
    unclear = subject.kind == "pronoun" and subject.slot in "fp" or subject.kind == "pair" and not subject_first
    if not unclear:
        note = f"{finite.text} -> {v.other}"
        draft.site("subject_verb_agreement", (("replace", finite, v.other),), note)
        relative = bool(subject.post) and subject.post[0] == "relative"
        if relative and subject_first and (subject.slot != "p") in subject.numbers:
            draft.site("agreement_across_relative", (("replace", finite, v.other),), note)
    if v.present:
        draft.site("past_tense", (("replace", finite, v.present),), f"{finite.text} -> {v.present}")
    if clause.tense == "perfect":
        index = finite.text in verbs.AUXILIARIES["h"]
        wrong = verbs.AUXILIARIES["s" if index else "h"][subject.slot == "p"]
        draft.site("perfect_tense", (("replace", finite, wrong),), f"{finite.text} -> {wrong}")
    if clause.passive:
        wrong = verbs.AUXILIARIES["h"][subject.slot == "p"]
        draft.site("passive", (("replace", finite, wrong),), f"{finite.text} -> {wrong}")
    if clause.tense in verbs.MODALS:
        last = v.nonfinite[-1]
        if order == "sub":
            draft.site("modal_verb", (("before", finite, last),), "modal before the infinitive")
        elif movable:
            draft.site("modal_verb", (("after", last, finite),), "infinitive after the modal")
        else:
            wrong = verb.finite("present", False) + (f" {verb.particle}" if verb.particle else "")
            draft.site("modal_verb", (("replace", last, wrong),), f"{last.text} -> {wrong}")
    if verb.particle:
        _separable(draft, clause, v, order)


def _separable(draft, clause, v, order):
    verb, finite = clause.verb, v.finite
    if clause.tense in ("present", "past") and not clause.passive:
        if order == "sub":
            wrong = f"{finite.text[len(verb.particle):]} {verb.particle}"
            edits = (("replace", finite, wrong),)
        elif draft.rng.chance(0.5):
            wrong = verb.particle + finite.text
            edits = (("replace", finite, wrong), ("delete", v.nonfinite[-1]))
        else:
            wrong = finite.text
            edits = (("delete", v.nonfinite[-1]),)
        right = finite.text if order == "sub" else f"{finite.text} ... {verb.particle}"
        draft.site("separable_verb", edits, f"{right} -> {wrong}")
        return
    last = v.nonfinite[-1]
    if clause.tense in verbs.MODALS:
        wrong = f"{verb.infinitive[len(verb.particle):]} {verb.particle}"
    else:
        wrong = "ge" + verb.particle + verb.participle[len(verb.particle) + 2:]
    draft.site("separable_verb", (("replace", last, wrong),), f"{last.text} -> {wrong}")
