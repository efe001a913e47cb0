"""The rules of German that every annotated sentence must keep. Each rule yields messages."""

from . import tables


def lower(token):
    return token[0].lower() + token[1:]


class View:
    """One annotated sentence; `tokens` may be replaced to try a wrong variant under the same annotation."""

    def __init__(self, entry, tokens=None):
        self.entry = entry
        self.tokens = tokens or entry["target_tokens"]
        self.words = [lower(t) for t in self.tokens]
        self.phrases = entry["noun_phrases"]
        self.clauses = entry["clauses"]
        self.by_head = {p["head"]: p for p in self.phrases}

    def dependencies(self, kind, side="target"):
        return [(d["head"], d["dependent"]) for d in self.entry["dependencies"]
                if d["type"] == kind and d["side"] == side]

    def clause_of(self, index):
        """The innermost clause that holds the token."""
        around = [c for c in self.clauses if c["start"] <= index <= c["end"]]
        return min(around, key=lambda c: c["end"] - c["start"], default=None)

    def own(self, clause):
        """The positions of the clause that belong to no clause inside it."""
        return [i for i in range(clause["start"], clause["end"] + 1) if self.clause_of(i) is clause]


def _determiner(word):
    """(what the form can be, whether it has an ending of its own); None if it is not declined."""
    if word in tables.CONTRACTED:
        _, case, genders = tables.CONTRACTED[word]
        return {f"{case} {g}" for g in genders}, True
    if word in tables.ARTICLE:
        return tables.ARTICLE[word], True
    for stem in tables.DER_STEMS:
        if word.startswith(stem) and word[len(stem):] in tables.ENDINGS:
            return tables.ENDINGS[word[len(stem):]], True
    for stem in tables.EIN_STEMS:
        if word == stem:
            return {"nom m", "nom n", "acc n"}, False
        ending = word[len(stem):]
        if word.startswith(stem) and ending in tables.ENDINGS:
            bare = {"nom m", "nom n", "acc n"}
            return tables.ENDINGS[ending] - bare, True
    return None


def _strong_ending(case, slot):
    return next(e for e, cells in tables.ENDINGS.items() if f"{case} {slot}" in cells) if not (
        case == "gen" and slot in "mn") else "en"


def noun_phrases(view):
    """Determiner, adjectives and noun agree in case, gender and number; the adjective ending follows its determiner."""
    for phrase in view.phrases:
        head, case, slot = phrase["head"], phrase["case"], phrase["gender"]
        if view.tokens[head] not in tables.NOUN_FORMS or view.tokens[head] in ("Frau", "Herr") and len(
                phrase["tokens"]) > 1 and head == phrase["tokens"][0]:
            continue
        cell = f"{case} {slot}"
        nouns = [n for n in tables.NOUN_FORMS[view.tokens[head]] if n.form(case, slot) == view.tokens[head]]
        if not nouns:
            yield f"noun {view.tokens[head]} is not {cell}"
        strong, ended = True, False
        for index in phrase["tokens"]:
            word = view.words[index]
            determiner = _determiner(word)
            if index == head or word == "sehr":
                continue
            if determiner and index == phrase["tokens"][0]:
                cells, ended = determiner
                strong = not ended or word.startswith(("viel", "einig"))
                if cell not in cells:
                    yield f"determiner {word} is not {cell}"
                if word.startswith("ein") and not word.startswith("einig") and slot == "p":
                    yield f"{word} before a plural"
            elif any(word.startswith(a) and word[len(a):] in tables.ENDINGS for a in tables.ADJECTIVES):
                weak = "e" if case == "nom" and slot != "p" or case == "acc" and slot in "fn" else "en"
                ending = _strong_ending(case, slot) if strong else weak
                stem = next(a for a in tables.ADJECTIVES if word.startswith(a) and word[len(a):] in tables.ENDINGS)
                if word != stem + ending:
                    yield f"adjective {word}: the ending should be -{ending}"
            elif not (word.isdigit() or word in tables.NUMBERS.values() or word.endswith("s") and word[0].islower()):
                yield f"unknown word {word} in a noun phrase"
        if slot != "p" and any(view.words[i] in tables.NUMBERS.values() for i in phrase["tokens"]):
            yield "number before a singular"


def titles(view):
    for phrase in view.phrases:
        text = view.tokens[phrase["head"]]
        if text in ("Herr", "Herrn") and (text == "Herr") != (phrase["case"] == "nom"):
            yield f"{text} in the {phrase['case']}"


def lexical_verb(view, clause):
    """The verb of the clause that carries the meaning, and its position; None for sein."""
    finite = view.words[clause["finite"]]
    own = view.own(clause)
    auxiliary = finite in tables.AUXILIARIES["sg"] | tables.AUXILIARIES["pl"]
    if auxiliary:
        for index in reversed(own):
            for verb in tables.VERBS:
                if view.words[index] in (verb.participle, verb.infinitive) and index != clause["finite"]:
                    return verb, index
        return None, clause["finite"]
    particle = next((view.words[d] for h, d in view.dependencies("verb-particle") if h == clause["finite"]), "")
    for verb in tables.VERBS:
        forms = verb.finite["sg"] | verb.finite["pl"]
        if clause["type"] in ("sub", "relative"):
            forms = {verb.particle + f for f in forms}
        elif verb.particle != particle:
            continue
        if finite in forms:
            return verb, clause["finite"]
    return "unknown", clause["finite"]


def cases(view):
    """Every phrase has the case that its verb or preposition asks for."""
    for phrase in view.phrases:
        case, role, first = phrase["case"], phrase["role"], phrase["tokens"][0]
        clause = view.clause_of(phrase["head"])
        verb = lexical_verb(view, clause)[0] if clause else None
        if verb == "unknown":
            yield f"no verb like {view.words[clause['finite']]}"
        elif role == "subject" and case != "nom" or role == "genitive" and case != "gen":
            yield f"{role} in the {case}"
        elif role == "object" and (verb is None or case not in {"both": ("acc", "dat"), "motion": ("acc",)}.get(
                verb.governs, (verb.governs,))):
            yield f"object in the {case}"
        elif role in ("preposition", "attribute"):
            word = view.words[first]
            word = tables.CONTRACTED[word][0] if word in tables.CONTRACTED else view.words[first - 1]
            moving = role == "preposition" and verb is not None and verb.governs == "motion"
            if not _fits_preposition(word, case, moving, view.tokens[phrase["head"]]):
                yield f"{word} with the {case}"


def _fits_preposition(word, case, moving, noun):
    """Two-way prepositions take the accusative with verbs of motion, unless they tell the time or stand with a city."""
    if word not in tables.TWO_WAY:
        return tables.GOVERNMENT.get(word) == case
    still = not moving or word == "vor" and noun in tables.EVENTS or noun not in tables.NOUN_FORMS
    return case == ("dat" if still else "acc")


def agreement(view):
    """The finite verb has the number of its subject."""
    subjects = {}
    for verb, subject in view.dependencies("subject-verb"):
        subjects.setdefault(verb, []).append(subject)
    for clause in view.clauses:
        if clause["finite"] not in subjects:
            yield "a finite verb without a subject"
    for index, heads in subjects.items():
        plural = len(heads) > 1 or any(view.by_head[h]["gender"] == "p" for h in heads)
        word, number = view.words[index], "pl" if plural else "sg"
        forms = set(tables.AUXILIARIES[number])
        for verb in tables.VERBS:
            forms |= verb.finite[number] | {verb.particle + f for f in verb.finite[number]}
        if word not in forms:
            yield f"{word} does not agree with its subject ({number})"


def positions(view):
    """Verb second in main clauses, verb last in the others, commas around the latter."""
    words = view.words
    for clause in view.clauses:
        start, finite, end, kind = clause["start"], clause["finite"], clause["end"], clause["type"]
        after = words[end + 1] if end + 1 < len(words) else ""
        heads = [d for h, d in view.dependencies("subject-verb") if h == finite]
        if kind in ("sub", "relative"):
            opener = words[start - 1] if kind == "sub" else ","
            if finite != end or after not in (",", "."):
                yield f"{words[finite]} is not the end of its clause"
            if kind == "sub" and (opener not in tables.CONJUNCTIONS or start >= 2 and words[start - 2] not in ",."):
                yield f"a subordinate clause opened by {opener}"
            if kind == "relative" and words[start - 1] != ",":
                yield "no comma before a relative clause"
        elif kind in ("inverted", "elided"):
            if start != finite:
                yield f"{words[finite]} is not in second place"
        else:
            yield from _second_place(view, start, finite, heads)


def _second_place(view, start, finite, heads):
    own = [i for i in range(start, finite) if view.clause_of(i)["finite"] == finite]
    if not heads:
        return      # agreement() has said so
    if finite == start:
        yield "a main clause that begins with its verb"
    first = min(heads)
    if first < finite:      # the subject is in front: nothing else may be
        strange = set(own) - _subject_positions(view, own)
    else:                   # something else is: the subject follows the verb at once
        strange = range(finite + 1, min(view.by_head[first]["tokens"]))
        if any(view.words[i] == "," for i in own):
            yield "a comma in the front of a main clause"
    if strange:
        yield f"{view.words[finite]} is not in second place"


def _subject_positions(view, own):
    """Those of the positions that a subject with its attributes and relative clauses can hold."""
    held = {i for p in view.phrases if p["role"] in ("subject", "genitive", "attribute") for i in p["tokens"]}
    held |= {i for i in own if view.words[i] in tables.TWO_WAY and i + 1 in held}
    return held | {i for i in own if view.words[i] in (",", "und")}


def particles(view):
    """Particles at the end of main clauses and joined elsewhere; participles, infinitives and auxiliaries fit."""
    linked = dict(view.dependencies("verb-particle"))
    for clause in view.clauses:
        finite, words = clause["finite"], view.words
        verb, index = lexical_verb(view, clause)
        if verb in (None, "unknown"):
            continue
        if finite == index and clause["type"] not in ("sub", "relative") and verb.particle:
            if linked.get(finite) != clause["end"] or words[clause["end"]] != verb.particle:
                yield f"the particle of {words[finite]} is not at the end of its clause"
        if finite == index:
            continue
        last = clause["end"] - (clause["type"] in ("sub", "relative"))
        if index != last:
            yield f"{words[index]} is not at the end of its clause"
        wanted = verb.infinitive if words[finite] in tables.MODALS else None
        if words[finite] in ("hat", "haben", "ist", "sind", "wurde", "wurden"):
            wanted = verb.participle
        if wanted and words[index] != wanted:
            yield f"{words[finite]} with {words[index]}"
        if words[finite] in ("hat", "haben", "ist", "sind") and (
                (words[finite] in ("ist", "sind")) != (verb.name in tables.WITH_SEIN)):
            yield f"{words[finite]} with {words[index]}"


def references(view):
    """Relative pronouns, personal pronouns and possessives agree with what they refer to."""
    for head, pronoun in view.dependencies("relative-antecedent"):
        slot, case = view.by_head[head]["gender"], view.by_head[pronoun]["case"]
        if f"{case} {slot}" not in tables.RELATIVES.get(view.words[pronoun], ()):
            yield f"relative pronoun {view.words[pronoun]} is not {case} {slot}"
        before = view.words[pronoun - 1]
        if before in tables.GOVERNMENT | dict.fromkeys(tables.TWO_WAY, "dat") and case != "dat":
            yield f"{before} with a relative pronoun in the {case}"
    for head, pronoun in view.dependencies("pronoun-antecedent"):
        word = view.words[pronoun]
        plural = pronoun in view.by_head and view.by_head[pronoun]["gender"] == "p"
        slot = "p" if plural else view.by_head[head]["gender"]
        if pronoun in view.by_head:
            case = view.by_head[pronoun]["case"]
            if f"{case} {slot}" not in tables.PERSONAL.get(word, ()):
                yield f"pronoun {word} is not {case} {slot}"
        elif slot in "mn" and not word.startswith(("sein", "ihr")) or slot == "f" and not word.startswith("ihr"):
            yield f"possessive {word} for {slot}"
        elif slot in "mn" and word.startswith("ihr") and "their" not in map(lower, view.entry["source_tokens"]):
            yield f"possessive {word} for {slot}"


RULES = (noun_phrases, titles, cases, agreement, positions, particles, references)


def problems(entry, tokens=None):
    view = View(entry, tokens)
    return [message for rule in RULES for message in rule(view)]
