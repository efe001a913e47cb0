"""Checks of the raw pairs, of the English side, of the alignment and of the contrasts."""

import re
from collections import Counter

from . import rules, tables

_NO_S = set("was is has does".split())
_PLURAL_ONLY = set("are were have do".split())
_EITHER = set("can could must had should may will cannot did wanted".split())
_PAST = set("""
saw heard looked found bought sold wrote ate drank repaired cleaned forgot carried loved visited knew watched
needed washed stole hid fed painted called invited collected opened closed switched threw picked helped thanked followed
answered listened gave showed sent brought offered slept waited sat worked sang danced played laughed stood lay arrived
departed fell woke got ran came went jumped lived travelled placed said believed hoped asked rained snowed""".split())
_ENGLISH_NOUNS = {}
for _noun in tables.NOUNS:
    for _word, _plural in zip(_noun.english, (False, True)):
        _ENGLISH_NOUNS.setdefault(_word, set()).add((_noun.nominative, _plural))
_TOKEN = re.compile(r"[\w']+|[.,]")
_KNOWN = tables.known_forms()


def raw_pair(source, target):
    """What can be said of a pair without its annotation."""
    for text in (source, target):
        if re.search(r"\s[.,]|\s\s|,[.,]|[.,]\w|^\s|\s$|\.\.", text) or not re.fullmatch(r".*[^\s.,]\.", text):
            yield "spacing or punctuation"
        if any(s and s[0].islower() for s in re.split(r"\. ", text)):
            yield "no capital at the start of a sentence"
    words = re.findall(r"\w+", target)
    starts = {0} | {i + 1 for i, t in enumerate(_TOKEN.findall(target)) if t == "."}
    names = Counter()
    for position, token in enumerate(t for t in _TOKEN.findall(target)):
        if token in ",." or token.isdigit():
            continue
        known, noun = token.lower() in _KNOWN, token in tables.NOUN_FORMS
        if token[0].isupper() and not noun and position not in starts and token not in _TITLES:
            names[token] += 1
        elif not known and not (token[0].isupper() and position in starts):
            yield f"unknown word {token}"
        elif not noun and token.capitalize() in tables.NOUN_FORMS and token not in _VERBAL and position not in starts:
            yield f"noun {token} without a capital"
    english = set(re.findall(r"\w+", source))
    for name in names:
        if name not in english and name.rstrip("s") not in english:
            yield f"name {name} not in the source"
    numbers = [Counter(re.findall(r"\d+", text)) for text in (source, target)]
    if numbers[0] != numbers[1]:
        yield "the numbers differ"
    lowered = [w.lower() for w in words]
    negations = re.findall(r"\b(?:not|cannot|no)\b", source.lower())
    if sum(w == "nicht" or w.startswith("kein") for w in lowered) != len(negations):
        yield "the negations differ"
    counted = [re.findall(r"\w+", text.lower()) for text in (source, target)]
    for en, de in tables.NUMBERS.items():
        if counted[0].count(en) != counted[1].count(de):
            yield f"{en} is not {de}"
    yield from _articles(source)


_TITLES = set("Frau Herr Herrn Tag Abend Morgen Sonntag Montag Woche Uhr Jahr Jahren".split())
_VERBAL = {v.infinitive for v in tables.VERBS} | set("morgen junge jungen".split())


def _articles(source):
    for article, following in re.findall(r"\b([Aa]n?) (\w)", source):
        if (article.lower() == "an") != (following.lower() in "aeiou"):
            yield f"{article} before {following}"


def source_agreement(entry):
    """English verbs agree with their subjects; the phrases' numbers come from the checker's own noun table."""
    tokens = entry["source_tokens"]
    subjects = {}
    for dep in entry["dependencies"]:
        if dep["type"] == "subject-verb" and dep["side"] == "source":
            subjects.setdefault(dep["head"], []).append(dep["dependent"])
    antecedents = {d["dependent"]: d["head"] for d in entry["dependencies"]
                   if d["side"] == "source" and d["type"] in ("relative-antecedent", "pronoun-antecedent")}
    for verb, heads in subjects.items():
        word = tokens[verb]
        plural = len(heads) > 1 or _plural(tokens, antecedents, heads[0])
        if word in _PAST or word in _EITHER:
            continue
        singular_form = word in _NO_S or word.endswith("s") and word not in _PLURAL_ONLY
        if singular_form == plural:
            yield f"{word} does not agree ({'plural' if plural else 'singular'})"


def _plural(tokens, antecedents, index):
    word = rules.lower(tokens[index])
    if word in ("he", "she", "it"):
        return False
    if word == "they":
        return True
    index = antecedents.get(index, index) if word in ("who", "that", "whom", "which") else index
    readings = _ENGLISH_NOUNS.get(tokens[index].lower(), {(None, False)})
    return any(plural for _, plural in readings)


def alignment(entry):
    """Indices are in range, every noun is aligned to its own translation, names and numbers to themselves."""
    source, target = entry["source_tokens"], entry["target_tokens"]
    if any(not (0 <= s < len(source) and 0 <= t < len(target)) for s, t in entry["alignment"]):
        yield "alignment out of range"
        return
    back = {}
    for s, t in entry["alignment"]:
        back.setdefault(t, []).append(source[s])
    for phrase in entry["noun_phrases"]:
        word = target[phrase["head"]]
        nouns = [n for n in tables.NOUN_FORMS.get(word, ()) if n.form(phrase["case"], phrase["gender"]) == word]
        wanted = {n.english[phrase["gender"] == "p"] for n in nouns}
        if nouns and word != "Frau" and not wanted & {w.lower() for w in back.get(phrase["head"], ())}:
            yield f"{word} is not aligned to its translation"
    for index, word in enumerate(target):
        if word.isdigit() and word not in back.get(index, ()):
            yield f"{word} is not aligned to itself"
        if word not in (",",) and not back.get(index):
            yield f"{word} is aligned to nothing"


# A contrast of these kinds breaks a rule that the checker can see wherever only words are replaced.
STRUCTURAL = frozenset("""gender_agreement adjective_ending noun_inflection object_case preposition_case
two_way_preposition
subject_verb_agreement agreement_across_relative relative_clause pronoun_coreference perfect_tense""".split())
_MOVED = frozenset("verb_second fronted_adverbial".split())


def contrasts(entry, target):
    """Each differs from the right sentence, and breaks a rule where the checker knows the rule."""
    seen = set()
    for contrast in entry["contrasts"]:
        name, wrong = contrast["phenomenon"], contrast["target"]
        if name in seen or name not in entry["phenomena"]:
            yield f"contrast {name} twice or not among the phenomena"
        seen.add(name)
        if wrong.lower() == target.lower():
            yield f"contrast {name} equals the right sentence"
        tokens = _TOKEN.findall(wrong)
        right = entry["target_tokens"]
        if name in STRUCTURAL and not rules.problems(entry, _fitted(tokens, right)):
            yield f"contrast {name} breaks no rule: {wrong}"
        plain = lambda words: "".join(sorted("".join(words).lower()))
        if name in _MOVED and plain(tokens) != plain(right) and abs(len(tokens) - len(right)) > 1:
            yield f"contrast {name} does more than move a word"


def _fitted(tokens, right):
    """The wrong tokens under the indices of the right ones: "in den" for "im" becomes "den"."""
    tokens = list(tokens)
    while len(tokens) > len(right):
        at = next(i for i, (a, b) in enumerate(zip(tokens, right)) if a != b)
        del tokens[at]
    return tokens if len(tokens) == len(right) else right
