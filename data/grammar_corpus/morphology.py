"""German declension and the little English morphology that is needed.

A form is chosen by case (nom, acc, dat, gen) and by `slot`: the gender in the singular (m, f, n), "p" in the plural.
"""

CASES = ("nom", "acc", "dat", "gen")
_SLOTS = "mfnp"


def _table(*rows):
    return {case: dict(zip(_SLOTS, row.split())) for case, row in zip(CASES, rows)}


THE = _table("der die das die", "den die das die", "dem der dem den", "des der des der")
_DER_ENDINGS = _table("er e es e", "en e es e", "em er em en", "es er es er")
_EIN_ENDINGS = _table("- e - e", "en e - e", "em er em en", "es er es er")
_WEAK = _table("e e e en", "en e e en", "en en en en", "en en en en")
_MIXED = _table("er e es en", "en e es en", "en en en en", "en en en en")
_STRONG = _table("er e es e", "en e es e", "em er em en", "en er en er")
RELATIVE = _table("der die das die", "den die das die", "dem der dem denen", "dessen deren dessen deren")
PERSONAL = _table("er sie es sie", "ihn sie es sie", "ihm ihr ihm ihnen", "- - - -")

_DER_STEMS = {"this": "dies", "every": "jed", "many": "viel", "some": "einig"}
_EIN_STEMS = {"a": "ein", "no": "kein", "his": "sein", "her": "ihr", "their": "ihr", "its/m": "sein", "its/n": "sein",
              "its/f": "ihr"}
_PARADIGM = {"the": _WEAK, "this": _WEAK, "every": _WEAK, "many": _STRONG, "some": _STRONG, "number": _STRONG,
             "name": _STRONG, "none": _STRONG}


def determiner(kind, case, slot):
    """The German determiner; kind is an English determiner ("the", "a", "no", "its/f" ...)."""
    if kind == "the":
        return THE[case][slot]
    if kind in _DER_STEMS:
        return _DER_STEMS[kind] + _DER_ENDINGS[case][slot]
    return _EIN_STEMS[kind] + _EIN_ENDINGS[case][slot].strip("-")


def has_forms(kind):
    """Whether the determiner is declined (numbers, names and the empty one are not)."""
    return kind == "the" or kind in _DER_STEMS or kind in _EIN_STEMS


def adjective_ending(kind, case, slot):
    """Weak after der-words, mixed after ein-words, strong otherwise."""
    return _PARADIGM.get(kind, _MIXED)[case][slot]


def noun_form(noun, case, plural):
    if plural:
        form = noun.de_plural
        return form + "n" if case == "dat" and form[-1] not in "ns" else form
    if noun.weak:
        return noun.de if case == "nom" else noun.genitive
    return noun.genitive if case == "gen" else noun.de


def article(next_word):
    """a or an; no word of the lexicon starts with a spelt vowel that sounds as a consonant, or the reverse."""
    return "an" if next_word[0].lower() in "aeiou" else "a"
