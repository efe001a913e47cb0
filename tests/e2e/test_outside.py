"""What surrounds a run: where output goes, where input comes from, what a command refuses, and that nothing of the user's is replaced."""
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import unittest

import toy


class Outside(toy.ToyTest):
    """One finished run of which the last, the best and the average weights differ."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.run_dir, _ = cls.train("model", train__average_last=3, train__final_weights="last")
        cls.lines = "ba be\nbi bo ba\n"

    def translate(self, *arguments, **options):
        return toy.run("translate", self.run_dir, "--threads", 1, *arguments, **{"input": self.lines, **options})

    def assert_refused(self, done, *messages):
        for message in messages:
            self.assertIn(message, done.stderr)
        self.assertNotIn("internal", done.stderr)


class Output(Outside):
    def test_bare_names_and_new_folders(self):
        for name in ("bare.txt", "new/folder/hyp.txt"):
            toy.run("eval", self.run_dir, "-o", name, cwd=self.root)
            self.assertEqual((self.root / name).read_bytes(), (self.run_dir / "hypotheses/test.txt").read_bytes())

    def test_what_cannot_be_written_is_told_before_the_work(self):
        unusable = self.root / "unusable"  # no weights: whatever is told instead of that, is told first
        unusable.mkdir()
        for command in ("translate", "eval"):
            self.assert_refused(toy.run(command, unusable, "-o", self.root, code=2, input=""), "it is a folder")
        self.assert_refused(toy.run("translate", unusable, "-o", "none/x", code=2, input=""), "cannot create none/x")
        self.assertEqual(list(unusable.iterdir()), [])

    def test_pipes_and_links_stay(self):
        wanted = self.translate().stdout
        # A pipe of the test's own and never a device of the machine: where this fails, the file is gone.
        pipe = self.root / "out pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.translate("-o", pipe)
        self.assertTrue(pipe.is_fifo())
        self.assertEqual(os.read(reader, 1000).decode(), wanted)
        os.close(reader)
        with (self.root / "appended.txt").open("w+", encoding="utf-8") as out:
            out.write("before\n")
            out.flush()
            self.translate("-o", f"/dev/fd/{out.fileno()}", pass_fds=[out.fileno()])
            out.seek(0)
            self.assertEqual(out.read(), "before\n" + wanted)
        target, link = self.root / "target.txt", self.root / "link.txt"
        target.write_text("old", encoding="utf-8")
        link.symlink_to(target.name)
        self.translate("-o", link)
        self.assertTrue(link.is_symlink())
        self.assertEqual(target.read_text(encoding="utf-8"), wanted)

    def test_full_disk_behind_standard_output(self):
        files = [self.data["test"]["target"], "-i", self.data["test"]["target"]]
        for arguments in (["bleu", *files], ["translate", self.run_dir], ["eval", self.run_dir], ["report", "show", self.run_dir], ["report", "docs"],
                          ["config", "docs"], ["config", "kinds"], ["--config", self.root / "model.json", "--dry-run"], ["--help"], ["--version"]):
            with self.subTest(arguments=arguments), open("/dev/full", "w", encoding="utf-8") as full:
                done = toy.run(*arguments, code=2, capture_output=False, stdout=full, stderr=subprocess.PIPE, input=self.lines)
                self.assert_refused(done, "cannot write to standard output")
                if arguments[0] == "bleu":
                    self.assertIn("No space left on device", done.stderr)


class Input(Outside):
    def test_standard_input_goes_on_where_it_stands(self):
        source = toy.write_lines(self.root / "three.src", ["bo bo", *self.lines.splitlines()])
        with open(source, "rb", buffering=0) as file:
            file.seek(len("bo bo\n"))
            self.assertEqual(self.translate(input=None, stdin=file).stdout, self.translate().stdout)
        here, there = socket.socketpair()
        with here, there:
            here.sendall(self.lines.encode())
            here.shutdown(socket.SHUT_WR)
            self.assertEqual(self.translate(input=None, stdin=there).stdout, self.translate().stdout)

    def wait_until_it_catches(self, pid, number):
        """However slow its start is on a busy machine."""
        for _ in range(toy.TIMEOUT * 10):
            with open(f"/proc/{pid}/status", encoding="ascii") as status:
                caught = next(int(line.split()[1], 16) for line in status if line.startswith("SigCgt"))
            if caught >> (number - 1) & 1:
                return
            time.sleep(0.1)
        self.fail("no handler was installed")

    def test_a_signal_while_waiting_for_a_pipe(self):
        pipe = self.root / "nobody reads this"
        os.mkfifo(pipe)
        for arguments in (["translate", self.run_dir], ["translate", self.run_dir, "-o", pipe], ["bleu", self.data["test"]["target"]]):
            reader, writer = os.pipe()
            with toy.started(*arguments, stdin=reader) as process:
                self.wait_until_it_catches(process.pid, signal.SIGINT)
                time.sleep(0.3)  # now it is about to read
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(toy.TIMEOUT), 130, process.messages())
            os.close(reader), os.close(writer)

    def test_corpora_from_pipes_are_refused(self):
        pipe = self.root / "pipe"
        os.mkfifo(pipe)
        files = ["--source", pipe, "--target", self.data["test"]["target"]]
        self.assert_refused(toy.run("eval", self.run_dir, *files, code=2), str(pipe), "save it to a file first")
        config = self.config("pipe", data__train={**self.data["train"], "source": str(pipe)})
        self.assert_refused(toy.run("--config", config, "--run-dir", self.root / "pipe run", code=2), "save it to a file first")


class Weights(Outside):
    def test_those_of_the_report_are_used(self):
        reported = toy.report(self.run_dir)["test"]
        self.assertEqual(reported["weights"], "last")
        scores = toy.parse(toy.run("eval", self.run_dir, "--json").stdout)["test"]
        for key in ("weights", "weights_file", "nll_loss", "bleu", "truncated"):
            self.assertEqual(scores[key], reported[key], key)
        run_dir, _ = self.train("one", train__average_last=1)
        self.assertTrue((run_dir / "checkpoints/average.safetensors").exists())
        self.assertEqual(toy.report(run_dir)["test"]["weights"], "best")
        self.assertEqual(toy.parse(toy.run("eval", run_dir, "--json").stdout)["test"]["weights"], "best")

    def test_a_file_named_from_within_the_run_folder(self):
        scores = toy.parse(toy.run("eval", "checkpoints/best.safetensors", "--json", cwd=self.run_dir).stdout)["test"]
        self.assertEqual((scores["weights"], scores["weights_file"]), ("best", "checkpoints/best.safetensors"))
        self.assertFalse((self.run_dir / "cache").exists())

    def test_weights_of_another_vocabulary_are_refused(self):
        other, _ = self.train("other words", data__train=self.data["valid"])
        self.assertEqual(toy.report(other)["vocabulary"]["source_size"], toy.report(self.run_dir)["vocabulary"]["source_size"])
        shutil.copyfile(self.run_dir / "checkpoints/best.safetensors", other / "checkpoints/best.safetensors")
        self.assert_refused(toy.run("translate", other, "--weights", "best", code=2, input="ba\n"), "another model", "source_vocab_hash")


class Folders(Outside):
    def test_the_user_s_own_files_are_not_replaced(self):
        mine = self.root / "mine"
        mine.mkdir()
        text = json.dumps(toy.configuration(self.data))
        (mine / "config.json").write_text(text, encoding="utf-8")
        (mine / "events.jsonl").write_text("no line feed at the end", encoding="utf-8")
        before = toy.hashes(mine)
        self.assert_refused(toy.run("--config", "config.json", "--run-dir", ".", code=2, cwd=mine), "config.json", "choose another run_dir")
        self.assertEqual(toy.hashes(mine), before)

    def test_the_cache_lies_beside_the_run_folder_however_that_is_named(self):
        for folder, cwd, name in (("runs/x/", ".", "runs/x"), (".", "here/y", "here/y"), ("there/../there/z/.", ".", "there/z")):
            (self.root / name).mkdir(parents=True)
            toy.run("--config", self.config("short", train__max_update=2), "--run-dir", folder, cwd=self.root / cwd)
            self.assertFalse((self.root / name / "cache").exists(), folder)
            self.assertTrue((self.root / name).parent.joinpath("cache").exists(), folder)

    def test_a_finished_run_prints_its_report_as_json(self):
        done = toy.run("--config", self.root / "model.json", "--run-dir", self.run_dir, "--json")
        self.assertEqual(toy.parse(done.stdout), toy.report(self.run_dir))
        self.assertIn("is finished", done.stderr)

    def test_vocabulary_type_is_that_of_the_vocabulary(self):
        words = toy.write_lines(self.root / "words.txt", toy.WORDS)
        run_dir, _ = self.train("words", vocab={"type": "unigram", "model": words}, train__max_update=2)
        self.assertEqual(toy.report(run_dir)["vocabulary"]["type"], "file")
        run_dir, _ = self.train("given", vocab={"type": "unigram", "model": str(self.run_dir / "vocab.joint.model")}, train__max_update=2)
        self.assertEqual(toy.report(run_dir)["vocabulary"]["type"], "bpe")

    def test_names_that_no_file_can_have(self):
        long = "x" * 300
        for arguments in (["report", "show", long], ["translate", long], ["--config", long], ["--config", self.root / "model.json", "--run-dir", long],
                          ["translate", self.run_dir, "-i", long], ["translate", self.run_dir, "-o", long]):
            self.assert_refused(toy.run(*arguments, code=2, input="", cwd=self.root), "File name too long")
        for name in (b"runs/\xff", b"\xff"):
            done = subprocess.run([os.fsencode(toy.BINARY), b"--config", os.fsencode(self.root / "model.json"), b"--run-dir", name],
                                  capture_output=True, cwd=self.root, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"not UTF-8", done.stderr)


class Options(Outside):
    def test_search_settings_of_the_configuration_are_options_too(self):
        source = ["--source", self.data["test"]["source"], "--target", self.data["test"]["target"]]
        settings = ["--beam", 3, "--lenpen", 0.5, "--lenpen-type", "wu", "--max-len-a", 0.5, "--max-len-b", 2]
        decode = toy.parse(toy.run("eval", self.run_dir, *source, *settings, "--json").stdout)["test"]["decode"]
        self.assertEqual((decode["beam"], decode["lenpen"], decode["lenpen_type"], decode["max_len_a"], decode["max_len_b"]), (3, 0.5, "wu", 0.5, 2))
        objects = [toy.parse(line) for line in self.translate("--json", "--max-len-a", 0, "--max-len-b", 1).stdout.splitlines()]
        self.assertEqual([t["length"] for o in objects for t in o["translations"]], [1, 1])

    def test_refused_values(self):
        for arguments, message in ((["--lenpen", "nan"], "--lenpen"), (["--lenpen", "inf"], "--lenpen"), (["--threads", "3000000000"], "--threads"),
                                   (["--threads", "1025"], "--threads"), (["--max-len-a", "nan"], "--max-len-a"), (["--max-len-b", "0"], "--max-len-b"),
                                   (["--lenpen-type", "max"], "--lenpen-type")):
            self.assert_refused(self.translate(*arguments, code=2), message)

    def test_options_without_an_effect_are_refused(self):
        for arguments in (["--resume"], ["--config", "x.json"], ["--json"]):
            self.assert_refused(toy.run(*arguments, "report", "show", self.run_dir, code=2), arguments[0], "before the command report")
        files = ["--source", self.data["test"]["source"], "--target", self.data["test"]["target"]]
        self.assert_refused(toy.run("eval", self.run_dir, "--split", "valid", *files, code=2), "--split", "--source")

    def test_a_training_that_passes_end_has_an_eta(self):
        _, done = self.train("passes", train__max_update=None, train__max_epoch=2)
        self.assertRegex(done.stderr, r"update 3 \| ETA 0:0\d \| epoch 1 ")


if __name__ == "__main__":
    unittest.main()
