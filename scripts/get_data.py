#!/usr/bin/env python3
"""Downloads public English-German corpora and lays them out as the files in configs/ expect.

Every corpus ends as OUT/NAME/{split}.{en,de}.gz, one sentence a line, line i of one file translating line i of the other:

  multi30k        train, val, test_2016_flickr           raw text (29,000 / 1,014 / 1,000 pairs), checked by SHA-256
  multi30k-tok    the same splits, lower-cased and tokenised by the corpus's makers, checked by SHA-256
  iwslt14-en-de   train, valid, test                     TED talks; every 23rd pair is validation, as in fairseq's recipe
  wmt14-en-de     train, valid, test                     Europarl v7, Common Crawl, News Commentary v9; newstest2013; newstest2014

The text of iwslt14-en-de and wmt14-en-de is cleaned (mark-up lines, empty sides, more than 175 words (IWSLT) or 250 (WMT), length
ratio above 1.5), and not tokenised. No checksums of their archives are published, so they are checked by unpacking them whole.

Parts that were downloaded are kept and continued; a file gets its final name only when it is complete and checked; what is there
already is left alone.
"""
import argparse
import pathlib
import sys

from corpora import fetch, multi30k, ted, wmt

CORPORA = {
    "multi30k": multi30k.raw,
    "multi30k-tok": multi30k.tokenised,
    "iwslt14-en-de": ted.make,
    "wmt14-en-de": wmt.make,
}


def parse(argv):
    project = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(prog="get_data.sh", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="+", choices=sorted(CORPORA), metavar="CORPUS", help=", ".join(CORPORA))
    parser.add_argument("--base", help="folder, file:// or http(s):// address that holds the files, instead of the usual one "
                        "(the layout of the original, or all files side by side)")
    parser.add_argument("--out", type=pathlib.Path, default=project / "data" / "downloads", help="default: %(default)s")
    parser.add_argument("--lowercase", action="store_true", help="lower-case iwslt14-en-de, as most published results do")
    parser.add_argument("--no-checksums", action="store_true", help="accept files that differ from the published ones")
    return parser.parse_args(argv)


def main(argv):
    options = parse(argv)
    for name in options.corpus:
        try:
            CORPORA[name](options.out / name, options)
        except fetch.Failed as error:
            print(f"error: {name}: {error}", file=sys.stderr)
            return 1
        except OSError as error:
            print(f"error: {name}: {error.filename or ''}: {error.strerror or error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
