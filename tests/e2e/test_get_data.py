"""scripts/get_data.sh from folders, file:// and a local web server: layout, checksums, cleaning, broken and repeated downloads."""
import gzip
import http.server
import os
import pathlib
import subprocess
import tarfile
import tempfile
import threading
import unittest

SOURCE = pathlib.Path(os.environ.get("MHA_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
SHARED = SOURCE.parent / "shared" / "corpora"
MULTI30K = ["train", "val", "test_2016_flickr"]


def lines_of(path):
    return gzip.decompress(path.read_bytes()).decode().splitlines()


class Server(http.server.BaseHTTPRequestHandler):
    """Serves `files`; sends only the first `cut` bytes of an answer (and breaks off) if cut is set, once."""

    files, cut, ranges = {}, None, []

    def do_GET(self):
        content = Server.files.get(self.path)
        if content is None:
            self.send_error(404)
            return
        wanted = self.headers.get("Range")
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        Server.ranges.append(start)
        self.send_response(206 if wanted else 200)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        end = len(content) if Server.cut is None else start + Server.cut
        Server.cut = None
        self.wfile.write(content[start:end])

    def log_message(self, *_):
        pass


class GetDataTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="get data ")  # with a space
        self.addCleanup(folder.cleanup)
        self.base = pathlib.Path(folder.name) / "base"
        self.out = pathlib.Path(folder.name) / "out"
        self.base.mkdir()

    def get(self, *arguments, base=None):
        command = [SOURCE / "scripts" / "get_data.sh", *arguments, "--base", str(base or self.base), "--out", self.out]
        return subprocess.run(command, capture_output=True, text=True, cwd="/")

    def put(self, name, text):
        path = self.base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        content = text.encode()
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)

    def put_multi30k(self):
        for split in MULTI30K:
            for language in ("en", "de"):
                self.put(f"raw/{split}.{language}.gz", f"{split} {language}\n")
                self.put(f"tok/{split}.lc.norm.tok.{language}", f"tok {split} {language}\n")

    def put_archive(self, name, members):
        path = self.base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        files = self.base / "unpacked"
        with tarfile.open(path, "w:gz") as tar:
            for member, lines in members.items():
                files.write_text("".join(line + "\n" for line in lines), encoding="utf-8", errors="surrogateescape")
                tar.add(files, member)
        files.unlink()

    def finals(self, name):
        return sorted(p.name for p in (self.out / name).glob("*") if p.is_file())

    def assert_failed(self, done, *pieces):
        self.assertEqual(done.returncode, 1, done.stdout)
        for piece in pieces:
            self.assertIn(piece, done.stderr)

    def test_multi30k_layout(self):
        self.put_multi30k()
        done = self.get("multi30k", "multi30k-tok", "--no-checksums", base=self.base.as_uri())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        expected = sorted(f"{split}.{language}.gz" for split in MULTI30K for language in ("en", "de"))
        self.assertEqual(self.finals("multi30k"), expected)
        self.assertEqual(self.finals("multi30k-tok"), expected)
        self.assertEqual(lines_of(self.out / "multi30k" / "val.de.gz"), ["val de"])
        self.assertEqual(lines_of(self.out / "multi30k-tok" / "train.en.gz"), ["tok train en"])

    def test_wrong_checksum_leaves_nothing(self):
        self.put_multi30k()
        self.assert_failed(self.get("multi30k"), "SHA-256", "train.en.gz", "--no-checksums")
        self.assertEqual(self.finals("multi30k"), [])

    def test_missing_file_is_named(self):
        self.put_multi30k()
        (self.base / "raw" / "val.de.gz").unlink()
        self.assert_failed(self.get("multi30k", "--no-checksums"), "raw/val.de.gz")
        self.assertNotIn("val.de.gz", self.finals("multi30k"))

    def test_second_run_does_nothing(self):
        self.put_multi30k()
        self.get("multi30k", "--no-checksums")
        before = {p: p.stat().st_mtime_ns for p in (self.out / "multi30k").iterdir()}
        done = self.get("multi30k", base="/nonexistent")
        self.assertEqual(done.returncode, 0)
        self.assertIn("nothing to do", done.stdout)
        self.assertEqual(before, {p: p.stat().st_mtime_ns for p in (self.out / "multi30k").iterdir()})

    def test_damaged_gz(self):
        self.put_multi30k()
        content = (self.base / "raw" / "train.en.gz").read_bytes()
        (self.base / "raw" / "train.en.gz").write_bytes(content[:-6])
        self.assert_failed(self.get("multi30k", "--no-checksums"), "damaged")
        self.assertEqual(self.finals("multi30k"), [])

    def test_published_corpus_passes_its_checksums(self):
        for name, folder in (("multi30k", "multi30k-en-de"), ("multi30k-tok", "multi30k-en-de-tok")):
            if not (SHARED / folder).is_dir():
                self.skipTest(f"{SHARED / folder} is not there")
            done = self.get(name, base=SHARED / folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(len(lines_of(self.out / name / "train.de.gz")), 29000)

    def test_unknown_corpus_and_address(self):
        self.assertEqual(self.get("multi31k").returncode, 2)
        for address in ("ftp://x/y", "http://[::1", "http://127.0.0.1:port/", "http://a..b/"):
            self.assert_failed(self.get("multi30k", base=address), address)

    def serve(self):
        server = http.server.HTTPServer(("127.0.0.1", 0), Server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        Server.files = {f"/{p.relative_to(self.base)}": p.read_bytes() for p in self.base.rglob("*") if p.is_file()}
        Server.cut, Server.ranges = None, []
        return f"http://127.0.0.1:{server.server_port}"

    def test_broken_download_goes_on_where_it_stopped(self):
        self.put_multi30k()
        address = self.serve()
        Server.cut = 10
        done = self.get("multi30k", "--no-checksums", base=address)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(Server.ranges[:3], [0, 10, 0])
        self.assertEqual(lines_of(self.out / "multi30k" / "train.en.gz"), ["train en"])

    def test_missing_on_the_server(self):
        self.put_multi30k()
        address = self.serve()
        del Server.files["/raw/val.en.gz"]
        self.assert_failed(self.get("multi30k", "--no-checksums", base=address + "/"), address, "raw/val.en.gz", "404")

    def put_iwslt(self, n=46, text="{}  Line {} .".format):
        members = {}
        for language in ("en", "de"):
            tags = ["<url>x</url>", "<keywords>k</keywords>", "<talkid>1</talkid>", f"<title>Title {language}</title>"]
            body = [text(language, i) for i in range(n - 1)]
            extra = ["one two three" if language == "en" else "eins", "" if language == "en" else "leer"]  # both are dropped
            members[f"de-en/train.tags.de-en.{language}"] = tags + body + extra
            for name in ("TED.dev2010", "TEDX.dev2012", "TED.tst2010", "TED.tst2011", "TED.tst2012"):
                members[f"de-en/IWSLT14.{name}.de-en.{language}.xml"] = ["<doc>", f'<seg id="1"> It\u2019s {name} {language} </seg>', "</doc>"]
        self.put_archive("de-en.tgz", members)

    def test_iwslt(self):
        self.put_iwslt()
        done = self.get("iwslt14-en-de")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        folder = self.out / "iwslt14-en-de"
        train, valid, test = (lines_of(folder / f"{split}.en.gz") for split in ("train", "valid", "test"))
        self.assertEqual((len(train), len(valid), len(test)), (44, 2, 5))
        self.assertEqual(train[:2], ["Title en", "en Line 0 ."])
        self.assertEqual(valid, ["en Line 21 .", "en Line 44 ."])  # pairs 23 and 46
        self.assertEqual(lines_of(folder / "valid.de.gz"), ["de Line 21 .", "de Line 44 ."])
        self.assertEqual(test[:2], ["It's TED.dev2010 en", "It's TEDX.dev2012 en"])

    def test_iwslt_lowercase(self):
        self.put_iwslt()
        self.assertEqual(self.get("iwslt14-en-de", "--lowercase").returncode, 0)
        self.assertEqual(lines_of(self.out / "iwslt14-en-de" / "test.de.gz")[0], "it's ted.dev2010 de")
        self.assertEqual(lines_of(self.out / "iwslt14-en-de" / "train.de.gz")[0], "title de")

    def test_truncated_archive_is_removed(self):
        self.put_iwslt()
        content = (self.base / "de-en.tgz").read_bytes()
        (self.base / "de-en.tgz").write_bytes(content[: len(content) // 2])
        self.assert_failed(self.get("iwslt14-en-de"), "damaged")
        self.assertEqual(self.finals("iwslt14-en-de"), [])
        self.put_iwslt()
        self.assertEqual(self.get("iwslt14-en-de").returncode, 0)

    def test_archive_that_is_none(self):
        (self.base / "de-en.tgz").write_bytes(gzip.compress(b"no archive"))
        self.assert_failed(self.get("iwslt14-en-de"), "de-en.tgz", "no archive")

    def test_text_that_is_not_utf8(self):
        self.put_iwslt(text=lambda language, i: f"{language} B\udcfccher {i} ." if i == 6 else f"{language} Line {i} .")
        self.assert_failed(self.get("iwslt14-en-de"), "train.tags.de-en.en, line 11", "not UTF-8")
        self.assertEqual(self.finals("iwslt14-en-de"), [])

    def test_uneven_sides(self):
        self.put_archive("de-en.tgz", {"de-en/train.tags.de-en.en": ["a"], "de-en/train.tags.de-en.de": ["a", "b"]} | {
            f"de-en/IWSLT14.{name}.de-en.{language}.xml": ['<seg id="1">x</seg>'] for language in ("en", "de")
            for name in ("TED.dev2010", "TEDX.dev2012", "TED.tst2010", "TED.tst2011", "TED.tst2012")})
        self.assert_failed(self.get("iwslt14-en-de"), "different numbers of lines")
        self.assertEqual(self.finals("iwslt14-en-de"), [])

    def put_wmt(self, leave_out=""):
        languages = ("en", "de")

        def put(name, members):
            self.put_archive(name, {m: lines for m, lines in members.items() if m != leave_out})

        put("training-parallel-europarl-v7.tgz", {f"training/europarl-v7.de-en.{l}": [f"{l} ep", "x " * 251] for l in languages})
        put("training-parallel-commoncrawl.tgz", {f"commoncrawl.de-en.{l}": [f"{l} cc"] for l in languages})
        put("wmt14/training-parallel-nc-v9.tgz", {f"training/news-commentary-v9.de-en.{l}": [f"{l} nc"] for l in languages})
        put("wmt14/dev.tgz", {"dev/newstest2013-src.en.sgm": ['<seg id="1">Dev\u2019s en</seg>'],
                              "dev/newstest2013-ref.de.sgm": ['<seg id="1">Dev de</seg>']})
        put("wmt14/test-full.tgz", {"test-full/newstest2014-deen-src.en.sgm": ['<seg id="1">Test en</seg>'],
                                    "test-full/newstest2014-deen-ref.de.sgm": ['<seg id="1">Test de</seg>']})

    def test_wmt(self):
        self.put_wmt()
        done = self.get("wmt14-en-de")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        folder = self.out / "wmt14-en-de"
        self.assertEqual(lines_of(folder / "train.de.gz"), ["de ep", "de cc", "de nc"])
        self.assertEqual(lines_of(folder / "valid.en.gz"), ["Dev\u2019s en"])
        self.assertEqual(lines_of(folder / "test.de.gz"), ["Test de"])

    def test_wmt_missing_member(self):
        self.put_wmt(leave_out="commoncrawl.de-en.de")
        self.assert_failed(self.get("wmt14-en-de"), "lack commoncrawl.de-en.de")
        self.assertNotIn("train.en.gz", self.finals("wmt14-en-de"))


if __name__ == "__main__":
    unittest.main()
