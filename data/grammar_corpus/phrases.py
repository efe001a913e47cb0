"""Noun phrases: from a description to tokens in both languages."""

from dataclasses import dataclass, field

from . import lexicon, morphology
from .draft import Token

COMMA = ","


@dataclass
class NounPhrase:
    """kind: noun, name, title (Mr/Mrs), pronoun, expletive (it of the weather) or pair (coordinated, in `parts`).

    det: the, a, this, every, many, some, number, none, no, his, her, its, their, name; with `negated` a German kein
    stands for English "not ... a" or "not ... -". `antecedent` belongs to pronouns and to his, her, its, their.
    post: ("genitive", phrase), ("place", English preposition, phrase) or ("relative", choose.Relative).
    """
    kind: str
    plural: bool = False
    noun: object = None
    det: str = "none"
    number: tuple = ()
    name: str = ""
    female: bool = False
    adjectives: tuple = ()
    post: tuple = ()
    parts: tuple = ()
    antecedent: object = None
    negated: bool = False
    label: str = ""
    en_heads: list = field(default_factory=list)
    de_heads: list = field(default_factory=list)

    @property
    def slot(self):
        """Gender in the singular, p in the plural."""
        if self.kind == "pair" or self.plural:
            return "p"
        if self.kind == "pronoun":
            return self.antecedent.slot
        if self.kind == "expletive":
            return "n"
        return self.noun.gender if self.kind == "noun" else "f" if self.female else "m"

    @property
    def pronoun(self):
        """The English pronoun for this phrase, "" if there is none that fits."""
        if self.kind == "pair" or self.plural:
            return "they"
        if self.kind == "pronoun":
            return self.antecedent.pronoun
        return self.noun.pronoun if self.kind == "noun" else "she" if self.female else "he"

    @property
    def head_noun(self):
        """The noun that is spoken of; None for names."""
        if self.kind == "pronoun":
            return self.antecedent.head_noun
        return self.parts[0].head_noun if self.kind == "pair" else self.noun

    @property
    def is_person(self):
        return self.head_noun is None or self.head_noun.kind == "person"

    @property
    def numbers(self):
        """The grammatical numbers (True: plural) of the phrases inside the postmodifier."""
        if not self.post:
            return []
        if self.post[0] == "relative":
            return self.post[1].numbers
        return [self.post[-1].slot == "p"]

    def de_det(self):
        if self.negated:
            return "no"
        return "its/" + self.antecedent.slot if self.det == "its" else self.det


@dataclass(frozen=True)
class Use:
    """How a phrase is used: its case, role, preposition, and the case for a contrast (phenomenon, wrong case)."""
    case: str
    role: str
    preposition: str = ""        # English; the German one follows
    wrong: tuple = ()


def preposition_of(english):
    return lexicon.TWO_WAY.get(english) or lexicon.FIXED_CASE[english][0]


def render(draft, np, use):
    """The English and German tokens; registers alignment, dependencies, phrase and contrasts in the draft."""
    en, de, lead = [], [], None
    if use.preposition:
        link = draft.link()
        en += [Token(word, link) for word in use.preposition.partition("/")[0].split()]
        lead = Token(preposition_of(use.preposition), link)
        de.append(lead)
    if np.kind == "pair":
        _render_pair(draft, np, use, en, de)
        return en, de
    {"noun": _render_noun, "name": _render_name, "title": _render_title, "pronoun": _render_pronoun,
     "expletive": _render_expletive}[np.kind](
        draft, np, use, en, de)
    return en, de


def _render_pair(draft, np, use, en, de):
    plain = Use(use.case, use.role, "", use.wrong)
    link = draft.link()
    for index, part in enumerate(np.parts):
        if index:
            en.append(Token("and", link))
            conjunction = Token("und", link)
            de.append(conjunction)
            draft.site("coordination", (("replace", conjunction, "oder"),), "und -> oder")
        part_en, part_de = render(draft, part, plain)
        en += part_en
        de += part_de
        np.en_heads += part.en_heads
        np.de_heads += part.de_heads


def _render_noun(draft, np, use, en, de):
    case, slot, noun = use.case, np.slot, np.noun
    kind = np.de_det()
    en_words, de_words, det_de = [], [], None
    det_links = []
    if np.det != "none" or np.negated:
        det_links = [draft.link()]
        english = {"this": "these" if np.plural else "this", "number": np.number[:1] and np.number[0], "none": "",
                   "name": np.name}.get(np.det, np.det)
        if english:
            en_words.append(Token(english, *det_links))
            if np.det == "name":
                en_words.append(Token("'s", *det_links))
        if np.negated:
            det_links.append(np.label)      # the link of English "not"
        german = {"number": np.number[1:] and np.number[1], "name": np.name + "s"}.get(np.det) or \
            morphology.determiner(kind, case, slot)
        contracted = _contraction(np, use, german)
        if contracted:
            det_de = de[-1]
            det_de.text = contracted
            det_de.links += tuple(det_links)
        else:
            det_de = Token(german, *det_links)
            de_words.append(det_de)
    first_adjective = len(de_words)
    for adjective, very in np.adjectives:
        if very:
            link = draft.link()
            en_words.append(Token("very", link))
            de_words.append(Token("sehr", link))
        link = draft.link()
        en_words.append(Token(adjective.en, link))
        de_words.append(Token(adjective.stem + morphology.adjective_ending(kind, case, slot), link))
    link = draft.link()
    en_head = Token(noun.en_plural if np.plural else noun.en, link)
    de_head = Token(morphology.noun_form(noun, case, np.plural), link)
    en_words.append(en_head)
    de_words.append(de_head)
    if np.det == "a":
        en_words[0].text = morphology.article(en_words[1].text)
    np.en_heads, np.de_heads = [en_head], [de_head]
    if np.pronoun == "it":
        draft.things.append(np)
    if det_links and en_words[0] is not en_head and np.det != "none":
        draft.depend("determiner-noun", "source", en_head, en_words[0])
    if det_de:
        draft.depend("determiner-noun", "target", de_head, det_de)
    contraction = [det_de] if det_de and det_de not in de_words else []
    draft.phrases.append((contraction + de_words, de_head, case, slot, use.role))
    if np.antecedent and np.antecedent.en_heads:
        draft.depend("pronoun-antecedent", "source", np.antecedent.en_heads[0], en_words[0])
        draft.depend("pronoun-antecedent", "target", np.antecedent.de_heads[0], det_de)
    _noun_sites(draft, np, use, (det_de, de_words[first_adjective:-1], de_head))
    en += en_words
    de += de_words
    _render_post(draft, np, en, de)


def _contraction(np, use, german):
    if not use.preposition or np.de_det() != "the" or (np.post and np.post[0] == "relative"):
        return ""
    return lexicon.CONTRACTIONS.get((preposition_of(use.preposition), german), "")


def _det_text(np, use, det_de, case, slot):
    """What the determiner token would read in another case or slot, a contraction included."""
    german = morphology.determiner(np.de_det(), case, slot)
    preposition = preposition_of(use.preposition) if use.preposition else ""
    if det_de.text in lexicon.CONTRACTIONS.values():
        return lexicon.CONTRACTIONS.get((preposition, german), f"{preposition} {german}")
    return german


def _noun_sites(draft, np, use, parts):
    det_de, words, head = parts
    case, slot, noun, kind = use.case, np.slot, np.noun, np.de_det()
    declined = det_de is not None and morphology.has_forms(kind)
    adjectives = [w for w in words if w.text != "sehr"]
    if declined and slot != "p":
        texts = []
        for other in "mfn":
            text = _det_text(np, use, det_de, case, other)
            looks_plural = noun.de_plural == head.text and text == _det_text(np, use, det_de, case, "p") \
                if kind not in ("a", "every") else False
            if text != det_de.text and not looks_plural:
                texts.append(text)
        if texts:
            text = draft.rng.pick(texts)
            note = f"{det_de.text} -> {text}"
            draft.site("gender_agreement", (("replace", det_de, text),), note)
            if kind.split("/")[0] in ("his", "her", "its", "their"):
                draft.site("possessive_agreement", (("replace", det_de, text),), note)
    if declined and kind.split("/")[0] in ("his", "her", "its", "their"):
        text = ("ihr" + det_de.text[4:]) if det_de.text.startswith("sein") else "sein" + det_de.text[3:]
        draft.site("possessive_agreement", (("replace", det_de, text),), f"{det_de.text} -> {text}")
    if adjectives:
        target = draft.rng.pick(adjectives)
        right = morphology.adjective_ending(kind, case, slot)
        wrong = draft.rng.pick([e for e in ("e", "en", "er", "es") if e != right])
        stem = target.text[:len(target.text) - len(right)]
        draft.site("adjective_ending", (("replace", target, stem + wrong),), f"{target.text} -> {stem + wrong}")
    base = noun.de_plural if np.plural else noun.de
    if base != head.text:
        draft.site("noun_inflection", (("replace", head, base),), f"{head.text} -> {base}")
    if kind == "no" and not np.negated:
        edit = ("delete", det_de) if np.plural else ("replace", det_de, det_de.text[1:])
        draft.site("negation_kein", (edit,), "negation missing")
    if kind == "number" and det_de:
        wrong = _other_number(draft, np.number)
        draft.site("numbers", (("replace", det_de, wrong),), f"{det_de.text} -> {wrong}")
    if kind == "name":
        _name_site(draft, det_de, np.name, lexicon.FEMALE if np.name in lexicon.FEMALE else lexicon.MALE, "s")
    if use.wrong and not np.negated:
        _case_site(draft, np, use, (det_de if declined else None, adjectives, head))


def _case_site(draft, np, use, parts):
    det_de, adjectives, head = parts
    phenomenon, case = use.wrong
    slot, kind = np.slot, np.de_det()
    edits = []
    if det_de:
        edits.append((det_de, _det_text(np, use, det_de, case, slot)))
    right, wrong = (morphology.adjective_ending(kind, c, slot) for c in (use.case, case))
    edits += [(a, a.text[:len(a.text) - len(right)] + wrong) for a in adjectives]
    edits.append((head, morphology.noun_form(np.noun, case, np.plural)))
    edits = [(t, text) for t, text in edits if t.text != text]
    if edits:
        note = f"{' '.join(t.text for t, _ in edits)} -> {' '.join(text for _, text in edits)}"
        draft.site(phenomenon, tuple(("replace", t, text) for t, text in edits), note)
    else:
        draft.tag(phenomenon)


def _other_number(draft, number):
    if not number[1].isdigit():
        return draft.rng.pick([w for w in lexicon.NUMBER_WORDS.values() if w != number[1]])
    return other_digits(draft.rng, number[1])


def other_digits(rng, digits):
    """The number with its last digit changed (to one that is not 0, so that 1 to 12 stay sensible)."""
    return digits[:-1] + rng.pick([d for d in "23456789" if d != digits[-1]])


def _name_site(draft, token, name, names, suffix=""):
    other = draft.rng.pick([n for n in names if n != name]) + suffix
    draft.site("names", (("replace", token, other),), f"{token.text} -> {other}")


def _render_name(draft, np, use, en, de):
    link = draft.link()
    en_head, de_head = Token(np.name, link), Token(np.name, link)
    np.en_heads, np.de_heads = [en_head], [de_head]
    en.append(en_head)
    de.append(de_head)
    draft.phrases.append(([de_head], de_head, use.case, np.slot, use.role))
    cities = np.name in lexicon.CITIES
    _name_site(draft, de_head, np.name, lexicon.CITIES if cities else lexicon.FEMALE if np.female else lexicon.MALE)


def _render_title(draft, np, use, en, de):
    link, name_link = draft.link(), draft.link()
    title = "Frau" if np.female else "Herr" if use.case == "nom" else "Herrn"
    en_head, de_head = Token("Mrs" if np.female else "Mr", link), Token(title, link)
    en_name, de_name = Token(np.name, name_link), Token(np.name, name_link)
    np.en_heads, np.de_heads = [en_head], [de_head]
    en += [en_head, en_name]
    de += [de_head, de_name]
    draft.phrases.append(([de_head, de_name], de_head, use.case, np.slot, use.role))
    if title == "Herrn":
        draft.site("noun_inflection", (("replace", de_head, "Herr"),), "Herrn -> Herr")
    _name_site(draft, de_name, np.name, lexicon.SURNAMES)


_EN_OBJECT = {"he": "him", "she": "her", "it": "it", "they": "them"}


def _render_pronoun(draft, np, use, en, de):
    link = draft.link()
    word = np.pronoun
    slot = np.slot
    en_head = Token(word if use.case == "nom" else _EN_OBJECT[word], link)
    de_head = Token(morphology.PERSONAL[use.case][slot], link)
    np.en_heads, np.de_heads = [en_head], [de_head]
    en.append(en_head)
    de.append(de_head)
    draft.phrases.append(([de_head], de_head, use.case, slot, use.role))
    draft.depend("pronoun-antecedent", "source", np.antecedent.en_heads[0], en_head)
    draft.depend("pronoun-antecedent", "target", np.antecedent.de_heads[0], de_head)
    if word == "it":
        forms = sorted({morphology.PERSONAL[use.case][s] for s in "mfn"} - {de_head.text})
        wrong = draft.rng.pick(forms)
        draft.site("pronoun_coreference", (("replace", de_head, wrong),), f"{de_head.text} -> {wrong}")


def _render_expletive(draft, np, use, en, de):
    link = draft.link()
    np.en_heads, np.de_heads = [Token("it", link)], [Token("es", link)]
    en += np.en_heads
    de += np.de_heads
    draft.phrases.append((np.de_heads, np.de_heads[0], use.case, "n", use.role))


def _render_post(draft, np, en, de):
    if not np.post:
        return
    if np.post[0] == "genitive":
        link = draft.link()
        en.append(Token("of", link))
        inner_en, inner_de = render(draft, np.post[1], Use("gen", "genitive"))
        inner_de[0].links += (link,)
    elif np.post[0] == "place":
        use = Use("dat", "attribute", np.post[1], ("two_way_preposition", "acc"))
        inner_en, inner_de = render(draft, np.post[2], use)
    else:
        inner_en, inner_de = np.post[1].render(draft, np)
    en += inner_en
    de += inner_de
