"""Writing the corpus, its annotations and the manifest; each file under a temporary name that is then renamed."""

import hashlib
import json
import os
from collections import Counter
from pathlib import Path

from . import annotation, splitting

MANIFEST = "manifest.json"


def sha256(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def generator_sha256():
    """The hash of the generator itself, so that a changed generator does not take old files for its own."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def request(seed, sizes, annotate_train):
    """What decides the content of the files, as the manifest states it."""
    return {"format_version": annotation.FORMAT_VERSION, "generator": generator_sha256(), "seed": seed,
            "sizes": sizes,
            "annotated": ["test", "valid"] + (["train"] if annotate_train else [])}


def is_complete(folder, wanted):
    """Whether the folder holds the result of this very request, undamaged."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        return manifest["request"] == wanted and all(
            sha256(folder / name) == entry["sha256"] for name, entry in manifest["files"].items())
    except (OSError, ValueError, KeyError, TypeError):
        return False


def write(folder, wanted):
    """Generates and writes everything; the manifest comes last. Returns the manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MANIFEST).unlink(missing_ok=True)
    splitter = splitting.Splitter(wanted["seed"])
    files, splits = {}, {}
    for split in splitting.SPLITS:
        names, splits[split] = _write_split(folder, wanted, splitter, split)
        files.update(names)
        if split not in wanted["annotated"]:
            (folder / f"{split}.annotations.jsonl").unlink(missing_ok=True)
    manifest = {"request": wanted, "files": {name: files[name] for name in sorted(files)},
                "splits": splits, "rejected": splitter.rejected}
    _replace(folder / MANIFEST, [json.dumps(manifest, indent=2, sort_keys=True) + "\n"])
    return manifest


def _write_split(folder, wanted, splitter, split):
    source, target, notes = [], [], []
    phenomena, contrasts, words = Counter(), Counter(), [Counter(), Counter()]
    rng = splitting.stream(wanted["seed"], split + "/contrasts")
    for sentence in splitter.draw(split, wanted["sizes"][split]):
        source.append(sentence.source + "\n")
        target.append(sentence.target + "\n")
        for counter, text in zip(words, (sentence.source, sentence.target)):
            counter.update(splitting.normalised(text).split())
        phenomena.update(sentence.phenomena)
        if split in wanted["annotated"]:
            entry = sentence.annotation(rng)
            contrasts.update(c["phenomenon"] for c in entry["contrasts"])
            notes.append(json.dumps(entry, ensure_ascii=False, separators=(",", ":")) + "\n")
    texts = {f"{split}.en": source, f"{split}.de": target}
    if notes or split in wanted["annotated"]:
        texts[f"{split}.annotations.jsonl"] = notes
    files = {}
    for name, lines in texts.items():
        _replace(folder / name, lines)
        files[name] = {"lines": len(lines), "sha256": sha256(folder / name)}
    counts = {"words": {"en": words[0].total(), "de": words[1].total()},
              "word_forms": {"en": len(words[0]), "de": len(words[1])},
              "phenomena": dict(sorted(phenomena.items())), "contrasts": dict(sorted(contrasts.items()))}
    return files, counts


def _replace(path, lines):
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(lines)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def check_sums(folder, sums):
    """The differences between the folder and a file of sha256sum lines, as messages."""
    problems = []
    for line in Path(sums).read_text(encoding="utf-8").splitlines():
        expected, name = line.split(maxsplit=1)
        name = name.lstrip("*")
        if not (folder / name).is_file():
            problems.append(f"{name}: missing")
        elif sha256(folder / name) != expected:
            problems.append(f"{name}: sha256 differs from {sums}")
    return problems
