"""The data of a benchmark: text cut into pieces once, as files of pieces separated by spaces and one list of pieces."""
import dataclasses
import hashlib
import json
import pathlib

from .process import Command, run_to_end


@dataclasses.dataclass(frozen=True)
class Corpus:
    """Files with one sentence a line, pieces separated by spaces. `pieces`: every piece, one a line, the special symbols left out."""
    folder: pathlib.Path
    facts: dict

    @property
    def train(self):
        return self.folder / "train.src", self.folder / "train.trg"

    @property
    def test(self):
        return self.folder / "test.src", self.folder / "test.trg"

    @property
    def pieces(self):
        return self.folder / "pieces.txt"

    def test_sentences(self):
        return self.facts["test_sentences"]

    def forced_length(self):
        """Pieces that every translation is forced to have: the mean of the references, EOS not counted."""
        return round(self.facts["test_target_pieces"] / self.facts["test_sentences"])

    def describe(self):
        f = self.facts
        return (f"{f['name']}: {f['train_pairs']:,} pairs, {f['train_source_pieces']:,} source and {f['train_target_pieces']:,} target "
                f"pieces (EOS not counted), {f['pieces']:,} different pieces and 4 special symbols; "
                f"{f['test_sentences']:,} sentences to translate")


def content_hash(paths, options):
    digest = hashlib.sha256(json.dumps(options, sort_keys=True).encode())
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def prepare(name, train, test, options, environment, folder):
    """Segments the pairs of files `train` and `test`, unless the same was done before."""
    target = folder / content_hash([*train, *test], [name, options])
    facts = target / "facts.json"
    if not facts.exists():
        target.mkdir(parents=True, exist_ok=True)
        request = {"name": name, "train": [str(path) for path in train], "test": [str(path) for path in test], "out": str(target), **options}
        (target / "request.json").write_text(json.dumps(request), encoding="utf-8")
        run_to_end(Command([environment.python, pathlib.Path(__file__).parent / "loops/segment.py", target / "request.json"]), target / "segment.log")
    return Corpus(target, json.loads(facts.read_text(encoding="utf-8")))
