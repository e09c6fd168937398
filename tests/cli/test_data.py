#!/usr/bin/env python3
"""sgmcmc data, as a user meets it: no network, wrong and truncated files from a server on this machine, folders, and, where the
data are there (SGMCMC_DATA), whole data sets."""

import gzip
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

PROGRAM = ""


class Server:
    """Serves bytes by path on 127.0.0.1."""

    def __init__(self, files):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                content = files.get(self.path)
                if content is None:
                    self.send_error(404)
                    return
                self.send_response(200)
                self.send_header("Content-Length", str(len(content[0])))
                self.end_headers()
                self.wfile.write(content[0][: content[1]])

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self.address

    def __exit__(self, *args):
        self.server.shutdown()
        self.server.server_close()


class DataTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def run_program(self, *words, **variables):
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache"), **variables}
        for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "SGMCMC_DATA", "SGMCMC_DATA_URL"):
            if name not in variables:
                environment.pop(name, None)
        return subprocess.run([PROGRAM, "data", *words], env=environment, capture_output=True, text=True)

    def files(self):
        return [path for path in self.folder.rglob("*") if path.is_file()]

    def test_NoName_ListsTheDataSets(self):
        done = self.run_program()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("covertype", done.stdout)
        self.assertIn("mnist", done.stdout)
        self.assertEqual([one["there"] for one in json.loads(self.run_program("--json").stdout)], [False, False])

    def test_WrongWords_AreExplained(self):
        done = self.run_program("covertyp")
        self.assertEqual(done.returncode, 2)
        self.assertIn("Did you mean", done.stderr)
        self.assertEqual(self.run_program("mnist", "covertype").returncode, 2)

    def test_NoServer_SaysWhatToDo(self):
        done = self.run_program("covertype", SGMCMC_DATA_URL="http://127.0.0.1:9")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot download covtype.data.gz", done.stderr)
        self.assertIn("SGMCMC_DATA", done.stderr)
        self.assertEqual(self.files(), [])

    def test_WrongOrTruncatedFiles_AreNotKept(self):
        right_size = gzip.compress(b"1,2,3\n" * (75169317 // 6) + b"1,2")  # unpacked, as long as the file itself
        for content, sent, words in [(b"<html>not found</html>", None, "bytes"), (right_size, None, "SHA-256"),
                                     (right_size, 2000, ""), (right_size[:2000], None, "covtype.data.gz")]:
            with Server({"/covtype.data.gz": (content, sent)}) as address:
                done = self.run_program("covertype", SGMCMC_DATA_URL=address)
            self.assertEqual(done.returncode, 1)
            self.assertIn("cannot download", done.stderr)
            self.assertIn(words, done.stderr)
            self.assertEqual(self.files(), [])

    def test_NotFound_IsTold(self):
        with Server({}) as address:
            done = self.run_program("mnist", SGMCMC_DATA_URL=address)
        self.assertEqual(done.returncode, 1)
        self.assertIn("404", done.stderr)

    def test_NeitherCurlNorWget_IsTold(self):
        done = self.run_program("mnist", PATH=str(self.folder))
        self.assertEqual(done.returncode, 1)
        self.assertIn("neither curl nor wget", done.stderr)

    def test_FolderWithoutTheFiles_IsTold(self):
        done = self.run_program("mnist", "--folder", str(self.folder))
        self.assertEqual(done.returncode, 1)
        self.assertIn("train-images-idx3-ubyte.gz", done.stderr)
        done = self.run_program("mnist", SGMCMC_DATA=str(self.folder / "nowhere"))
        self.assertIn("nowhere", done.stderr)

    def test_CacheThatCannotBeMade_IsTold(self):
        (self.folder / "file").write_text("")
        done = self.run_program("mnist", XDG_CACHE_HOME=str(self.folder / "file"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot make the folder", done.stderr)

    def test_DataOnThisMachine_AreCheckedServedAndWritten(self):
        source = os.environ.get("SGMCMC_DATA", "")
        if not source:
            self.skipTest("SGMCMC_DATA names no folder with the data sets")
        names = ["train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"]
        served = {"/" + name: ((pathlib.Path(source) / "mnist" / name).read_bytes(), None) for name in names}
        with Server(served) as address:
            done = self.run_program("mnist", "--out", str(self.folder / "out"), SGMCMC_DATA_URL=address)
        self.assertEqual(done.returncode, 0, done.stderr)
        again = self.run_program("mnist", "--json", SGMCMC_DATA_URL="http://127.0.0.1:9")  # from the cache
        self.assertEqual(len(json.loads(again.stdout)["files"]), 4, again.stderr)
        labels = (self.folder / "out" / "mnist_train_labels.npy").read_bytes()
        self.assertEqual(list(labels[-60000:][:4]), [5, 0, 4, 1])
        self.assertGreater((self.folder / "out" / "mnist_train_images.npy").stat().st_size, 4 * 60000 * 784)
        packed = self.folder / "cache" / "sgmcmc" / "mnist" / names[0]
        packed.write_bytes(packed.read_bytes()[:-1000])
        damaged = self.run_program("mnist")
        self.assertEqual(damaged.returncode, 1)
        self.assertIn("remove it", damaged.stderr)
        done = self.run_program("covertype", "--out", str(self.folder / "out"), SGMCMC_DATA=source)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = (self.folder / "out" / "covertype.csv").read_text().splitlines()
        self.assertEqual(len(lines), 581013)
        self.assertEqual(sum(line[0] == "1" for line in lines[1:]), 283301)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
