"""Tests of the grammar corpus: its forms, its files, its checker.

Run: python3 -m unittest tests/data/test_grammar_corpus.py
"""

import ast
import contextlib
import copy
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "data"
sys.path.insert(0, str(DATA))

import check  # noqa: E402
import generate  # noqa: E402
from grammar_check import pairs, rules, tables  # noqa: E402
from grammar_corpus import lexicon, morphology, splitting, verbs  # noqa: E402


def run(*arguments):
    """Exit status and output of generate.py, in this process."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        status = generate.main([str(a) for a in arguments])
    return status, out.getvalue()


def read(folder, name):
    return (folder / name).read_text(encoding="utf-8").splitlines()


def setUpModule():
    """Make the default corpus once for all the tests that read it."""
    temporary = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(temporary.cleanup)
    Folder.folder = Path(temporary.name) / "default"
    Folder.status, Folder.output = run("--out", Folder.folder, "--check", DATA / "SHA256SUMS")
    Folder.manifest = json.loads((Folder.folder / "manifest.json").read_text(encoding="utf-8"))


class Folder(unittest.TestCase):
    """Has the folder of the default corpus, its manifest, and what the generator said."""


class TestFiles(Folder):
    def test_default_output_has_the_committed_hashes(self):
        self.assertEqual(self.status, 0, self.output)
        names = [line.split()[1] for line in read(DATA, "SHA256SUMS")]
        self.assertEqual(sorted(names), sorted(self.manifest["files"]))

    def test_sizes(self):
        for split, least in (("train", 30000), ("valid", 1000), ("test", 1000)):
            for side in ("en", "de"):
                self.assertGreaterEqual(len(set(read(self.folder, f"{split}.{side}"))), least)

    def test_vocabulary_is_several_hundred_words(self):
        for side, most in (("en", 1000), ("de", 1300)):
            self.assertTrue(400 <= self.manifest["splits"]["train"]["word_forms"][side] <= most)

    def test_sentence_lengths(self):
        lengths = [len(json.loads(line)["target_tokens"]) for line in read(self.folder, "test.annotations.jsonl")]
        self.assertTrue(9 <= sum(lengths) / len(lengths) <= 14.5)
        self.assertTrue(min(lengths) >= 4 and max(lengths) <= 30)

    def test_no_held_out_sentence_in_training(self):
        for side in ("en", "de"):
            train = {splitting.normalised(line) for line in read(self.folder, f"train.{side}")}
            held_out = [splitting.normalised(line) for s in ("valid", "test")
                        for line in read(self.folder, f"{s}.{side}")]
            self.assertEqual(len(set(held_out)), len(held_out))
            self.assertFalse(train & set(held_out))

    def test_no_training_source_one_word_from_a_test_source(self):
        blanked = {b for line in read(self.folder, "test.en") for b in splitting.neighbours(line)}
        near = [line for line in read(self.folder, "train.en") if not blanked.isdisjoint(splitting.neighbours(line))]
        self.assertEqual(near, [])

    def test_no_source_has_two_translations(self):
        sources = [splitting.normalised(line) for line in read(self.folder, "train.en")]
        self.assertEqual(len(set(sources)), len(sources))

    def test_enough_contrasts_of_every_phenomenon(self):
        for split in ("valid", "test"):
            counts = self.manifest["splits"][split]
            self.assertEqual(set(counts["contrasts"]), set(counts["phenomena"]))
            self.assertGreaterEqual(len(counts["contrasts"]), 24)
            self.assertGreaterEqual(min(counts["contrasts"].values()), 100, counts["contrasts"])

    def test_contrasts_are_minimal_and_wrong(self):
        for line, right in zip(read(self.folder, "test.annotations.jsonl"), read(self.folder, "test.de")):
            for contrast in json.loads(line)["contrasts"]:
                wrong = contrast["target"]
                self.assertNotEqual(wrong, right)
                self.assertLessEqual(abs(len(wrong.split()) - len(right.split())), 2, wrong)
                self.assertTrue(not wrong[0].islower() and wrong.endswith(".") and "  " not in wrong, wrong)

    def test_checker_finds_nothing(self):
        problems = []
        self.assertEqual(check.check(self.folder, problems.append), 42000)
        self.assertEqual(problems, [])

    def test_readme_names_every_phenomenon(self):
        text = (DATA / "README.md").read_text(encoding="utf-8")
        for phenomenon in self.manifest["splits"]["test"]["phenomena"]:
            self.assertIn(f"`{phenomenon}`", text)


class TestGeneration(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.top = Path(temporary.name)
        self.small = ("--train", 300, "--valid", 50, "--test", 50)

    def files(self, name):
        return {p.name: p.read_bytes() for p in (self.top / name).iterdir()}

    def test_another_process_and_hash_seed_give_the_same_bytes(self):
        for seed in ("1", "77"):
            subprocess.run([sys.executable, DATA / "generate.py", "--out", self.top / seed, *map(str, self.small)],
                           check=True, stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONHASHSEED": seed})
        self.assertEqual(self.files("1"), self.files("77"))

    def test_seed_changes_the_text(self):
        run("--out", self.top / "a", *self.small)
        run("--out", self.top / "b", *self.small, "--seed", 2)
        self.assertNotEqual(self.files("a")["train.en"], self.files("b")["train.en"])

    def test_test_split_does_not_depend_on_the_others(self):
        run("--out", self.top / "a", *self.small)
        run("--out", self.top / "b", "--train", 10, "--valid", 20, "--test", 50)
        self.assertEqual(self.files("a")["test.annotations.jsonl"], self.files("b")["test.annotations.jsonl"])

    def test_annotating_train_changes_no_text(self):
        run("--out", self.top / "a", *self.small)
        run("--out", self.top / "b", *self.small, "--annotate-train")
        self.assertEqual(self.files("a")["train.de"], self.files("b")["train.de"])
        self.assertEqual(len(read(self.top / "b", "train.annotations.jsonl")), 300)
        run("--out", self.top / "b", *self.small)
        self.assertFalse((self.top / "b" / "train.annotations.jsonl").exists())

    def test_complete_output_is_left_alone_and_damage_repaired(self):
        run("--out", self.top / "a", *self.small)
        before, stamp = self.files("a"), (self.top / "a" / "train.en").stat().st_mtime_ns
        self.assertIn("complete already", run("--out", self.top / "a", *self.small)[1])
        self.assertEqual((self.top / "a" / "train.en").stat().st_mtime_ns, stamp)
        (self.top / "a" / "test.de").write_text("kaputt\n", encoding="utf-8")
        self.assertNotIn("complete already", run("--out", self.top / "a", *self.small)[1])
        self.assertEqual(self.files("a"), before)

    def test_check_fails_on_another_hash(self):
        (self.top / "sums").write_text("0" * 64 + "  train.en\n" + "0" * 64 + "  none.en\n", encoding="utf-8")
        status, output = run("--out", self.top / "a", *self.small, "--check", self.top / "sums")
        self.assertEqual(status, 1)
        self.assertIn("train.en: sha256 differs", output)
        self.assertIn("none.en: missing", output)

    def test_wrong_usage(self):
        for arguments in (["--train", "-1"], ["--check", str(self.top / "absent")], ["--seed", "x"]):
            with self.assertRaises(SystemExit) as caught, contextlib.redirect_stderr(io.StringIO()):
                generate.main(["--out", str(self.top / "a"), *arguments])
            self.assertEqual(caught.exception.code, 2)


def noun(english):
    return next(n for n in lexicon.NOUNS if n.en == english)


def phrase(det, adjective, english, plural=False):
    """Determiner, adjective and noun in the four cases, as "nom, acc, dat, gen"."""
    n, stem = noun(english), next(row.stem for row, _ in lexicon.parse_adjectives() if row.en == adjective)
    slot = "p" if plural else n.gender
    words = []
    for case in morphology.CASES:
        lead = morphology.determiner(det, case, slot) + " " if morphology.has_forms(det) else ""
        inflected = stem + morphology.adjective_ending(det, case, slot)
        words.append(f"{lead}{inflected} {morphology.noun_form(n, case, plural)}")
    return ", ".join(words)


class TestParadigms(unittest.TestCase):
    def forms(self, arguments, wanted):
        self.assertEqual(phrase(*arguments), wanted)

    def test_weak(self):
        self.forms(("the", "old", "man"), "der alte Mann, den alten Mann, dem alten Mann, des alten Mannes")
        self.forms(("the", "old", "woman"), "die alte Frau, die alte Frau, der alten Frau, der alten Frau")
        self.forms(("this", "expensive", "car"),
                   "dieses teure Auto, dieses teure Auto, diesem teuren Auto, dieses teuren Autos")
        self.forms(("the", "tired", "child", True),
                   "die müden Kinder, die müden Kinder, den müden Kindern, der müden Kinder")

    def test_mixed(self):
        self.forms(("a", "clever", "student"),
                   "ein kluger Student, einen klugen Studenten, einem klugen Studenten, eines klugen Studenten")
        self.forms(("no", "dark", "house"),
                   "kein dunkles Haus, kein dunkles Haus, keinem dunklen Haus, keines dunklen Hauses")
        self.forms(("her", "new", "lamp"), "ihre neue Lampe, ihre neue Lampe, ihrer neuen Lampe, ihrer neuen Lampe")
        self.forms(("his", "young", "neighbour", True),
                   "seine jungen Nachbarn, seine jungen Nachbarn, seinen jungen Nachbarn, seiner jungen Nachbarn")

    def test_strong(self):
        self.forms(("none", "hot", "tea"), "heißer Tee, heißen Tee, heißem Tee, heißen Tees")
        self.forms(("none", "fresh", "milk"), "frische Milch, frische Milch, frischer Milch, frischer Milch")
        self.forms(("none", "cold", "water"), "kaltes Wasser, kaltes Wasser, kaltem Wasser, kalten Wassers")
        self.forms(("number", "red", "apple", True), "rote Äpfel, rote Äpfel, roten Äpfeln, roter Äpfel")
        self.forms(("many", "big", "garden", True),
                   "viele große Gärten, viele große Gärten, vielen großen Gärten, vieler großer Gärten")

    def test_possessive_follows_owner_and_owned(self):
        self.assertEqual(morphology.determiner("its/f", "acc", "m"), "ihren")
        self.assertEqual(morphology.determiner("its/n", "dat", "f"), "seiner")
        self.assertEqual(morphology.determiner("their", "nom", "n"), "ihr")

    def test_weak_nouns(self):
        wanted = {"boy": "Junge Jungen Jungen Jungen", "bear": "Bär Bären Bären Bären",
                  "lion": "Löwe Löwen Löwen Löwen", "colleague": "Kollege Kollegen Kollegen Kollegen"}
        for english, forms in wanted.items():
            self.assertEqual(" ".join(morphology.noun_form(noun(english), c, False) for c in morphology.CASES), forms)

    def test_strong_verbs(self):
        forms = {v.infinitive: (v.sg, v.finite("present", True), v.past, v.finite("past", True), v.participle,
                                v.auxiliary) for v in verbs.VERBS}
        for infinitive, wanted in {
                "lesen": ("liest", "lesen", "las", "lasen", "gelesen", "h"),
                "vergessen": ("vergisst", "vergessen", "vergaß", "vergaßen", "vergessen", "h"),
                "einladen": ("lädt", "laden", "lud", "luden", "eingeladen", "h"),
                "anrufen": ("ruft", "rufen", "rief", "riefen", "angerufen", "h"),
                "weglaufen": ("läuft", "laufen", "lief", "liefen", "weggelaufen", "s"),
                "arbeiten": ("arbeitet", "arbeiten", "arbeitete", "arbeiteten", "gearbeitet", "h"),
                "wissen": ("weiß", "wissen", "wusste", "wussten", "gewusst", "h"),
                "sein": ("ist", "sind", "war", "waren", "gewesen", "s")}.items():
            self.assertEqual(forms[infinitive], wanted)

    def test_article(self):
        self.assertEqual([morphology.article(w) for w in ("apple", "old", "house")], ["an", "an", "a"])

    def test_relative_pronouns(self):
        self.assertEqual([morphology.RELATIVE[c]["p"] for c in morphology.CASES], ["die", "die", "denen", "deren"])


def moved(entry, source, goal):
    """The entry with the target token at `source` moved to `goal`, its indices renumbered."""
    order = list(range(len(entry["target_tokens"])))
    order.insert(goal, order.pop(source))
    new = {old: at for at, old in enumerate(order)}
    wrong = copy.deepcopy(entry)
    wrong["target_tokens"] = [entry["target_tokens"][i] for i in order]
    for dependency in wrong["dependencies"]:
        if dependency["side"] == "target":
            dependency.update(head=new[dependency["head"]], dependent=new[dependency["dependent"]])
    for phrase_entry in wrong["noun_phrases"]:
        phrase_entry.update(head=new[phrase_entry["head"]], tokens=[new[i] for i in phrase_entry["tokens"]])
    for clause in wrong["clauses"]:
        span = [new[i] for i in range(clause["start"], clause["end"] + 1)]
        clause.update(start=min(span), end=max(span), finite=new[clause["finite"]])
    return wrong


class TestChecker(Folder):
    def entries(self):
        return [json.loads(line) for line in read(self.folder, "test.annotations.jsonl")]

    def planted(self, old, new):
        """An entry that holds the word `old` in its target and the checker's messages after it reads `new`."""
        for entry in self.entries():
            if old in entry["target_tokens"]:
                wrong = copy.deepcopy(entry)
                at = wrong["target_tokens"].index(old)
                wrong["target_tokens"][at] = new
                lines = (check.attach(wrong[f"{side}_tokens"]) for side in ("source", "target"))
                return check.check_entry(wrong, *lines)
        self.fail(f"no sentence with {old}")

    def test_planted_words_are_caught(self):
        planted = """den/dem einen/ein keine/keinen Jungen/Junge kommt/kommen alten/alter neue/neues hat/haben
                  dessen/deren vom/von nicht/sehr Studenten/Student des/der zum/zur sind/ist müde/müdee dass/das
                  Kindern/Kinder eingeladen/geeinladen"""
        for old, new in (pair.split("/") for pair in planted.split()):
            self.assertTrue(self.planted(old, new), f"{old} -> {new}")

    def test_wrong_word_order_is_caught(self):
        """A finite verb moved to the end of a main clause or to the start of another; the annotation moves along."""
        tried = 0
        for entry in self.entries()[:300]:
            for clause in entry["clauses"]:
                last = clause["type"] in ("sub", "relative")
                goal = clause["start"] if last else clause["end"]
                if goal == clause["finite"] or clause["type"] == "elided":
                    continue
                tried += 1
                wrong = moved(entry, clause["finite"], goal)
                self.assertTrue(rules.problems(wrong), wrong["target_tokens"])
        self.assertGreater(tried, 300)

    def test_raw_pairs(self):
        right = ("The dog does not see 17 cats.", "Der Hund sieht 17 Katzen nicht.")
        self.assertEqual(list(pairs.raw_pair(*right)), [])
        wrong = [(right[0], german) for german in (
            "Der Hund sieht 18 Katzen nicht.", "der Hund sieht 17 Katzen nicht.", "Der hund sieht 17 Katzen nicht.",
            "Der Hund sieht 17 Katzen nicht .", "Der Hund sieht 17 Katzen nicht", "Der Hund zieht 17 Katzen nicht.")]
        wrong += [("The dog sees 17 cats.", right[1]), ("A old dog does not see 17 cats.", right[1]),
                  ("Anna sees Paul.", "Anna sieht Tom.")]
        for source, target in wrong:
            self.assertTrue(list(pairs.raw_pair(source, target)), (source, target))

    def test_leakage_is_caught(self):
        texts = {"train": (["The dog sleeps."], ["Der Hund schläft."]), "valid": ([], []),
                 "test": (["the dog, sleeps"], ["Die Katze schläft."])}
        problems = []
        check.check_leakage(texts, problems.append)
        self.assertEqual(len(problems), 1)

    def test_checker_is_independent(self):
        for path in [DATA / "check.py", *(DATA / "grammar_check").glob("*.py")]:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [a.name for a in node.names] if isinstance(node, ast.Import) else \
                    [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                self.assertFalse([n for n in names if n.startswith("grammar_corpus")], path)

    def test_lexicons_agree(self):
        """Two hands wrote the forms down; they must be the same."""
        theirs = {n.nominative: n for n in tables.NOUNS}
        self.assertEqual(set(theirs), {n.de for n in lexicon.NOUNS})
        for n in lexicon.NOUNS:
            for case in morphology.CASES:
                self.assertEqual(morphology.noun_form(n, case, False), theirs[n.de].form(case, n.gender))
                if n.de_plural != "-":
                    self.assertEqual(morphology.noun_form(n, case, True), theirs[n.de].form(case, "p"))
        participles = {v.name: v.participle for v in tables.VERBS}
        for v in verbs.VERBS:
            self.assertEqual(participles.get(v.infinitive, "gewesen"), v.participle)


if __name__ == "__main__":
    unittest.main()
