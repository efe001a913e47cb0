"""WMT'14 English-German: Europarl v7, Common Crawl and News Commentary v9 for training, newstest2013 and newstest2014."""
import itertools

from . import fetch, text

SPLITS = ("train", "valid", "test")
BASE = "https://www.statmt.org"
# archive -> its folder on the server
ARCHIVES = {
    "training-parallel-europarl-v7.tgz": "wmt13",
    "training-parallel-commoncrawl.tgz": "wmt13",
    "training-parallel-nc-v9.tgz": "wmt14",
    "dev.tgz": "wmt14",
    "test-full.tgz": "wmt14",
}
TRAINING = ("europarl-v7.de-en", "commoncrawl.de-en", "news-commentary-v9.de-en")
# split -> names that its (English, German) files go by: marked up, or plain lines
EVALUATION = {
    "valid": (("newstest2013-src.en.sgm", "newstest2013-ref.de.sgm"), ("newstest2013.en", "newstest2013.de")),
    "test": (("newstest2014-deen-src.en.sgm", "newstest2014-deen-ref.de.sgm"), ("newstest2014-ende-src.en.sgm", "newstest2014-ende-ref.de.sgm")),
}
MAX_WORDS = 250


def make(folder, options):
    if text.complete(folder, SPLITS):
        return
    work = folder / "original"
    for name, server_folder in ARCHIVES.items():
        if not (work / name).exists():
            names = [f"{server_folder}/{name}"] + ([name] if options.base else [])
            fetch.fetch(options.base or BASE, names, work / name)
    wanted = [f"{corpus}.{l}" for corpus in TRAINING for l in text.LANGUAGES]
    wanted += [name for choices in EVALUATION.values() for pair in choices for name in pair]
    files = {}
    for name in ARCHIVES:
        files.update(text.unpack(work / name, wanted, work))
    for split in EVALUATION:
        text.write_pairs(folder, split, evaluation_pairs(files, split))
    training = (training_pairs(files, corpus) for corpus in TRAINING)
    text.write_pairs(folder, "train", text.clean(itertools.chain.from_iterable(training), MAX_WORDS))
    for path in files.values():
        path.unlink()


def training_pairs(files, corpus):
    names = [f"{corpus}.{language}" for language in text.LANGUAGES]
    missing = [name for name in names if name not in files]
    if missing:
        raise fetch.Failed(f"the archives lack {', '.join(missing)}")
    return text.zip_equal(corpus, *(text.read_lines(files[name]) for name in names))


def evaluation_pairs(files, split):
    """The pairs of the first of the split's file pairs that the archives hold, whole and in order."""
    for names in EVALUATION[split]:
        if all(name in files for name in names):
            sides = (text.read_lines(files[name]) for name in names)
            return text.zip_equal(split, *(text.segments(s) if names[0].endswith(".sgm") else s for s in sides))
    raise fetch.Failed(f"the archives lack {' and '.join(EVALUATION[split][0])}")
