"""Random lines that are hard for tokenisers, for checks of BLEU and chrF against sacreBLEU."""

PIECES = {
    "words": "the a cat dog Haus Straße grün Übung schläft naïve café été don't C'est well-known x-1 co-op e.g. "
             "U.S.A. Mr. isn't Ärger ÖL ABC xyz foo bar".split(),
    "numbers": "5 2023. 3.14 3.14.15 1,000,000.50 .5 5, 10:30 3.5% 2-3 -5 --5 5-- $5. 1- 0 ٠,5 ٣ ² ½ Ⅷ 10‰ 7€ £3 "
               "५.५".split(),
    "punctuation": ". , ... ,, ?! ; : - -- – — … ' \" ` ´ « » „ “ ” ‚ ‘ ’ ( ) [ ] { } / \\ | ~ ^ _ # @ * + = < > & % "
                   "$ § ¿ ¡ (hi) [x]. 'q' a,b a.b .a a. ,a a, a-b 1-a a-1".split(),
    "entities": "&quot; &amp; &lt; &gt; &amp;lt; &apos; &#39; <skipped> a<skipped>b R&D &amp;amp;quot; &quot".split(),
    "cjk": "中文 你好，世界。 東京は 3月5日 한국어 ｆｕｌｌ１２ 《书》 「引用」 ㈱ ⼀ ﹁ 〇 㐀 龦 龼 﨎 𠀀 丽 ㍿ ㄅ ･ﾊﾝ".split(),
    "symbols": "😀 👩\u200d👩\u200d👧 ☃ ✂ → ∑ √2 x² © ® ™ ° № ℃ ₿ \u20c1 𝔸 𝟘 ¬ ± × ÷ \u2ffc \U0001fae9 ⺀ ⽀ "
               "\U00010d40".split(),
    "case": "ΟΔΥΣΣΕΥΣ ΣΑΣ Σ ΑΣ. Α΄Σ ΑΣ' ΑΣΑ Σ, ΌΣΟΣ İstanbul ISPARTA ıİ ǅ ẞ ß ŐŰ ДОМ Ԁ Ꭰ Ა Ⓐ Ａ 𐐀 ﬁ ÅNGSTRÖM K Ω ⱯΣ ʰΣ "
            "aʰΣ".split(),
    "odd": ["a\xa0b", "a\u2009b", "a\u2028b", "a\u2029b", "a\x85b", "a\u3000b", "\u200b", "g\u200bh", "\ufeff",
            "a\xad-", "a\x09b", "a\x0bb", "a\x1cb", "a\x1fb", "a\x0db", "e\u0301", "n\u0303a", "\u202eabc", "\xa0", "\u2003",
            "a\x00b", "\ufffd", "word-", "wörd -", "\U0010fffd", "\ue000"],
}  # fmt: skip


def random_line(rng, most=12):
    """A line of up to `most` pieces, sometimes glued together, sometimes empty or with space at its ends."""
    if rng.random() < 0.03:
        return rng.choice(["", "", " ", "\u00a0", "."])
    kinds = rng.sample(sorted(PIECES), rng.randint(1, 4)) + ["words"]
    line = ""
    for _ in range(rng.randint(1, most)):
        line += rng.choice(PIECES[rng.choice(kinds)]) + rng.choice([" ", " ", " ", " ", "", "  "])
    return line if rng.random() < 0.3 else line.rstrip(" ")


def vary(rng, line):
    """Another line near to this one: words dropped, doubled, swapped, replaced or in another case."""
    words = line.split(" ")
    for _ in range(rng.randint(0, 3)):
        at = rng.randrange(len(words))
        change = rng.randrange(6)
        if change == 0 and len(words) > 1:
            del words[at]
        elif change == 1:
            words.insert(at, words[at])
        elif change == 2:
            words[at], words[0] = words[0], words[at]
        elif change == 3:
            words[at] = random_line(rng, 1)
        elif change == 4:
            words[at] = words[at].swapcase()
        else:
            words = words[: max(1, at)]
    return " ".join(words)


def random_corpus(rng, lines, references):
    """Hypotheses and reference streams: (hyps, [refs of stream 1, ...])."""
    source = [random_line(rng) for _ in range(lines)]

    def reference(line):
        return vary(rng, line) if rng.random() < 0.9 else random_line(rng)

    streams = [[reference(line) for line in source] for _ in range(references)]
    return [vary(rng, line) for line in source], streams
