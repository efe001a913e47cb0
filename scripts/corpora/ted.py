"""IWSLT'14 German-English (TED talks), split and filtered as in fairseq's prepare-iwslt14.sh, without its tokeniser."""
import itertools
import re

from . import fetch, text

BASE = "http://dl.fbaipublicfiles.com/fairseq/data/iwslt14"
ARCHIVE = "de-en.tgz"
SPLITS = ("train", "valid", "test")
TRAIN = "train.tags.de-en"
TESTS = ("IWSLT14.TED.dev2010.de-en", "IWSLT14.TEDX.dev2012.de-en", "IWSLT14.TED.tst2010.de-en", "IWSLT14.TED.tst2011.de-en",
         "IWSLT14.TED.tst2012.de-en")
MAX_WORDS = 175
VALID_EVERY = 23
DROPPED_LINES = ("<url>", "<talkid>", "<keywords>")
DROPPED_TAGS = re.compile(r"</?(title|description)>")


def make(folder, options):
    if text.complete(folder, SPLITS):
        return
    work = folder / "original"
    archive = work / ARCHIVE
    if not archive.exists():
        fetch.fetch(options.base or BASE, [ARCHIVE], archive)
    wanted = [f"{TRAIN}.{l}" for l in text.LANGUAGES] + [f"{t}.{l}.xml" for t in TESTS for l in text.LANGUAGES]
    files = text.unpack(archive, wanted, work)
    missing = [name for name in wanted if name not in files]
    if missing:
        raise fetch.Failed(f"{ARCHIVE} lacks {', '.join(missing)}")

    def case(pairs):
        return ((e.lower(), d.lower()) for e, d in pairs) if options.lowercase else pairs

    training = list(case(text.clean(train_pairs(files), MAX_WORDS)))
    text.write_pairs(folder, "valid", training[VALID_EVERY - 1::VALID_EVERY])
    text.write_pairs(folder, "train", (p for i, p in enumerate(training, 1) if i % VALID_EVERY))
    text.write_pairs(folder, "test", case(itertools.chain.from_iterable(test_pairs(files, t) for t in TESTS)))
    for path in files.values():
        path.unlink()


def train_pairs(files):
    """The training lines without the talks' addresses, numbers and keywords; titles and descriptions stay."""
    sides = (without_markup(text.read_lines(files[f"{TRAIN}.{language}"])) for language in text.LANGUAGES)
    return text.zip_equal(TRAIN, *sides)


def without_markup(lines):
    for line in lines:
        if not any(tag in line for tag in DROPPED_LINES):
            yield DROPPED_TAGS.sub("", line)


def test_pairs(files, name):
    """One evaluation set; typographic apostrophes are made plain, as in the recipe."""
    for pair in text.zip_equal(name, *(text.segments(text.read_lines(files[f"{name}.{l}.xml"])) for l in text.LANGUAGES)):
        yield tuple(side.replace("\u2019", "'") for side in pair)
