"""Parallel text: reading, cleaning, writing as .gz."""
import gzip
import itertools
import os
import re
import shutil
import tarfile
import zlib

from . import fetch

LANGUAGES = ("en", "de")
SEGMENT = re.compile(r'<seg id="?\d+"?>\s*(.*?)\s*</seg>', re.IGNORECASE)


def outputs(folder, splits):
    """(split, language) -> path of every file that a corpus ends as."""
    return {(split, language): folder / f"{split}.{language}.gz" for split in splits for language in LANGUAGES}


def complete(folder, splits):
    """True, and says so, if every file is there already."""
    if not all(path.exists() for path in outputs(folder, splits).values()):
        return False
    print(f"get_data: {folder} is complete already; nothing to do")
    return True


def write_gz(path, chunks):
    """Writes pieces of bytes as path, a .gz whose bytes depend on the content only, under its name when complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    with open(part, "wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0, compresslevel=6) as output:
        for chunk in chunks:
            output.write(chunk)
    os.replace(part, path)


def write_pairs(folder, split, pairs):
    """Writes (english, german) pairs as both files of a split; returns their number. Neither gets its name before both are complete."""
    finals = [folder / f"{split}.{language}.gz" for language in LANGUAGES]
    staged = [path.with_name(path.name + ".part") for path in finals]
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    try:
        with open(staged[0], "wb") as raw_en, open(staged[1], "wb") as raw_de, \
                gzip.GzipFile("", "wb", 6, raw_en, 0) as en, gzip.GzipFile("", "wb", 6, raw_de, 0) as de:
            for english, german in pairs:
                en.write(english.encode() + b"\n")
                de.write(german.encode() + b"\n")
                count += 1
        if count == 0:
            raise fetch.Failed(f"{split} would be empty: the archives do not hold what they should")
        for path, final in zip(staged, finals):
            os.replace(path, final)
    finally:
        for path in staged:
            path.unlink(missing_ok=True)
    print(f"get_data: {finals[0].parent / split}.{{en,de}}.gz: {count:,} pairs")
    return count


def zip_equal(name, english, german):
    """Pairs of two line streams that must be of the same length."""
    for pair in itertools.zip_longest(english, german):
        if None in pair:
            raise fetch.Failed(f"{name}: the two sides have different numbers of lines")
        yield pair


def clean(pairs, max_words, max_ratio=1.5):
    """Drops pairs with an empty side, too many words, or sides of too different lengths; squeezes white space.

    The rules are those of Moses' clean-corpus-n.perl, counted in words between spaces.
    """
    for pair in pairs:
        english, german = (" ".join(side.split()) for side in pair)
        n_en, n_de = english.count(" ") + 1, german.count(" ") + 1
        if english and german and max(n_en, n_de) <= max_words and max(n_en, n_de) <= max_ratio * min(n_en, n_de):
            yield english, german


def segments(lines):
    """The text of the <seg> elements of an SGML or XML evaluation set, as it stands there (entities are not resolved)."""
    for line in lines:
        found = SEGMENT.search(line)
        if found:
            yield found.group(1)


def check_archive(archive):
    """Reads the whole .gz, whose end holds a checksum; a damaged one is removed, to be downloaded anew next time.

    tarfile alone takes a broken end for the end of the archive.
    """
    try:
        with gzip.open(archive) as content:
            while content.read(fetch.CHUNK):
                pass
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        archive.unlink()
        raise fetch.Failed(f"{archive.name} is damaged ({error}) and has been removed; run this again") from None


def unpack(archive, wanted, folder):
    """Unpacks the members whose path ends in one of `wanted` into folder, flat; returns {wanted: path}."""
    check_archive(archive)
    found = {}
    try:
        with tarfile.open(archive, "r|*") as tar:
            for member in tar:
                name = next((w for w in wanted if ("/" + member.name).endswith("/" + w)), None)
                if name is None or not member.isfile():
                    continue
                found[name] = folder / name
                with tar.extractfile(member) as source, open(found[name], "wb") as target:
                    shutil.copyfileobj(source, target, fetch.CHUNK)
    except tarfile.TarError as error:
        archive.unlink()
        raise fetch.Failed(f"{archive.name} is no archive ({error}) and has been removed; run this again") from None
    return found


def read_lines(path):
    with open(path, "rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield line.decode().rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise fetch.Failed(f"{path.name}, line {number} is not UTF-8 ({error.reason}); is it the published file?") from None
