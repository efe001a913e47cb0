"""Multi30k (Elliott et al., 2016), task 1: 29,000 image descriptions in English with German translations."""
import gzip
import hashlib
import zlib

from . import fetch, text

BASE = "https://raw.githubusercontent.com/multi30k/dataset/a3d2e0d26b56f3846f66a952536ffed4e401d05a/data/task1"
SPLITS = ("train", "val", "test_2016_flickr")

# SHA-256 of the uncompressed text at that commit.
RAW = {
    "train.en": "460a15fbd157e34a7a9957ee388c1ca247fe47af3ef25fb50442af6c274e0fc6",
    "train.de": "2c2b73fd2b548fbcde3a875e0a78d6ee94d498bfdee6bd3eae3945779e9ddf72",
    "val.en": "1f2a23d992769b5b3d209b0a10dd0b77c08cceb1f20dfb97ed0aafa49d107227",
    "val.de": "660e09eb7e1da2f856ea13ee5ad3cf6d36b3d5b0b733c857e94c5747a3dfc660",
    "test_2016_flickr.en": "399a4382932c1aadd3ceb9bef1008d388a64c76d4ae4e9d4728c6f4301cac182",
    "test_2016_flickr.de": "4be6b5b3236b79c25475c6bb829800a7ce559e9ba7a1f6c2394fe4d40be46d16",
}
TOKENISED = {
    "train.en": "08925f8e0572bcd5a006702fc5fe20e2d77c6917d4eebd576fc20de6693c2119",
    "train.de": "cb5a23529b65ec2061f1dc446192a9c37382b63cc75f81a0be59d34894b3a505",
    "val.en": "46573ce391ae227f1c72f873392436a20ef18e0a6d518098cfbd70b77c8572ec",
    "val.de": "97232bd273eceb7207f689527386a97e4be2616b18ada47576bdaf96c8ae1f00",
    "test_2016_flickr.en": "5b7f32627cf99eced828311b955dae9800bb52bc8b91cf8b6526829e605b29d2",
    "test_2016_flickr.de": "c6a33d39d48f9f510de147651316cd9d918e09ad0219df734a2f16b6baccacc4",
}


def raw(folder, options):
    """The raw text."""
    get(folder, options, RAW, lambda name: [f"raw/{name}.gz", f"{name}.gz", name])


def tokenised(folder, options):
    """The makers' lower-cased, normalised and tokenised text."""

    def names(name):
        split, language = name.rsplit(".", 1)
        original = f"{split}.lc.norm.tok.{language}"
        return [f"tok/{original}", original, f"{name}.gz", name]

    get(folder, options, TOKENISED, names)


def get(folder, options, checksums, candidates):
    """Gets every file; `candidates` gives the names that a file may have below the base, the original's first."""
    if text.complete(folder, SPLITS):
        return
    base = options.base or BASE
    for (split, language), path in text.outputs(folder, SPLITS).items():
        if path.exists():
            continue
        name = f"{split}.{language}"
        fetched = path.with_name(f".{name}.fetched")
        names = candidates(name) if options.base else candidates(name)[:1]
        found = fetch.fetch(base, names, fetched)
        content = fetched.read_bytes()
        fetched.unlink()
        try:
            content = gzip.decompress(content) if found.endswith(".gz") else content
        except (OSError, EOFError, zlib.error) as error:
            raise fetch.Failed(f"{found} is damaged ({error}); run this again") from None
        digest = hashlib.sha256(content).hexdigest()
        if digest != checksums[name] and not options.no_checksums:
            raise fetch.Failed(f"{found} from {base} is not the published file: its SHA-256 is {digest}, not {checksums[name]}. "
                               "Run this again, or pass --no-checksums to take it as it is")
        text.write_gz(path, [content])
    print(f"get_data: {folder}: " + ", ".join(SPLITS) + ("" if options.no_checksums else ", checksums right"))
