"""Topics and mixtures of documents from matrices of counts: the same results as the program."""

import os
import pathlib
import pickle
import signal
import subprocess
import tempfile
import threading
import unittest

import numpy as np

import sgmcmc as sg

PROGRAM = os.environ.get("SGMCMC_PROGRAM", "sgmcmc")


def documents(rows=300, words=40, seed=3):
    """Half of the documents use the first half of the words, half the second."""
    random = np.random.default_rng(seed)
    kinds = np.arange(rows) % 2
    laws = np.repeat([[0.9, 0.1], [0.1, 0.9]], words // 2, axis=1) / (words // 2)
    return np.stack([random.multinomial(40, laws[kind]) for kind in kinds]), kinds


class Topics(unittest.TestCase):
    def test_topics_are_those_of_the_program(self):
        counts, _ = documents()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "documents.ldac"
            lines = [f"{np.count_nonzero(row)} " + " ".join(f"{word}:{row[word]}" for word in np.flatnonzero(row)) for row in counts]
            path.write_text("\n".join(lines) + "\n")
            done = subprocess.run([PROGRAM, "lda", path, "--format", "ldac", "--topics", "3", "--iterations", "50", "--seed", "5", "--out",
                                   pathlib.Path(folder) / "out", "--quiet"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            theirs = np.load(pathlib.Path(folder) / "out" / "topics.npy")
        ours = sg.LDA(3, iterations=50, random_state=5).fit(counts)
        self.assertTrue(np.array_equal(ours.components_[:, :theirs.shape[1]].astype(np.float32), theirs))

    def test_topics_are_found(self):
        counts, kinds = documents()
        lda = sg.LDA(2, iterations=150).fit(counts, vocabulary=[f"w{k}" for k in range(40)])
        shares = lda.transform(counts)
        np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-6)
        first = shares[:, 0] > 0.5
        self.assertGreater(max(np.mean(first == kinds), np.mean(first != kinds)), 0.95)
        self.assertEqual(len(lda.top_words(5)[0]), 5)
        self.assertTrue(lda.top_words(1)[0][0].startswith("w"))
        self.assertLess(lda.perplexity(counts), 40)
        again = pickle.loads(pickle.dumps(lda))
        np.testing.assert_array_equal(again.transform(counts), shares)

    def test_sparse_counts_and_empty_documents(self):
        try:
            from scipy import sparse
        except ImportError:
            self.skipTest("SciPy is not installed")
        counts, _ = documents()
        counts[7] = 0
        dense, packed = (sg.LDA(2, iterations=20).fit(form) for form in (counts, sparse.csc_matrix(counts)))
        np.testing.assert_array_equal(dense.components_, packed.components_)
        np.testing.assert_array_equal(packed.transform(sparse.csr_matrix(counts))[7], [0.5, 0.5])

    def test_mistakes(self):
        counts, _ = documents(20)
        with self.assertRaisesRegex(sg.DataError, "'X' cannot be converted"):
            sg.LDA(n_components=2).fit([[1, 2], [3]])
        with self.assertRaisesRegex(sg.DataError, "'X' has masked elements"):
            sg.LDA(n_components=2).fit(np.ma.array(np.ones((2, 3)), mask=[[0, 0, 1], [0, 0, 0]]))
        with self.assertRaisesRegex(sg.DataError, "whole numbers"):
            sg.LDA(2, iterations=5).fit(counts + 0.5)
        with self.assertRaisesRegex(sg.UsageError, "not fitted yet"):
            sg.LDA(2).transform(counts)
        with self.assertRaisesRegex(sg.DataError, "39 words; the model was fitted to 40"):
            sg.LDA(2, iterations=5).fit(counts).transform(counts[:, 1:])
        with self.assertRaisesRegex(sg.OptionError, "no parameter 'topics'"):
            sg.LDA().set_params(topics=3)
        self.assertEqual(repr(sg.LDA(3, beta=0.2)), "LDA(n_components=3, beta=0.2)")


class Mixtures(unittest.TestCase):
    def test_clusters_are_found(self):
        counts, kinds = documents()
        mixture = sg.DirichletProcessMixture(iterations=400, batch_size=100, random_state=2).fit(counts)
        with self.assertRaisesRegex(sg.DataError, "documents are the rows of a matrix"):
            mixture.predict(np.ones(counts.shape[1]))
        labels = mixture.predict(counts)
        largest = labels < 2
        self.assertGreater(largest.mean(), 0.9)
        agree = np.mean(labels[largest] == kinds[largest])
        self.assertGreater(max(agree, 1 - agree), 0.95)
        np.testing.assert_allclose(mixture.predict_proba(counts).sum(axis=1), 1)
        self.assertAlmostEqual(mixture.score_samples(counts).mean(), mixture.log_predictive_, delta=3)


class Folders(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name) / "run"
        self.counts, _ = documents()

    def test_topics_are_written_as_the_program_does(self):
        names = [f"w{k}" for k in range(40)]
        lda = sg.LDA(3, iterations=30).fit(self.counts, vocabulary=names, out=self.out)
        self.assertTrue(np.array_equal(np.load(self.out / "topics.npy"), lda.components_.astype(np.float32)))
        self.assertEqual((self.out / "vocabulary.txt").read_text().split(), names)
        self.assertTrue(np.array_equal(sg.LDA(3, iterations=30).fit(self.counts).components_, lda.components_))
        with self.assertRaisesRegex(sg.UsageError, "holds a previous run"):
            sg.LDA(3, iterations=30).fit(self.counts, out=self.out)
        with self.assertRaisesRegex(sg.UsageError, "is finished"):
            sg.LDA(3, iterations=30).fit(self.counts, out=self.out, resume=True)
        sg.LDA(2, iterations=30).fit(self.counts, out=self.out, overwrite=True)
        self.assertEqual(len(np.load(self.out / "topics.npy")), 2)
        with self.assertRaisesRegex(sg.UsageError, "name the folder"):
            sg.LDA(2).fit(self.counts, resume=True)

    def interrupted(self, fit):
        """Runs fit() and interrupts it a little later."""
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        try:
            return fit()
        finally:
            timer.cancel()

    def test_an_interrupted_run_goes_on_to_the_same_end(self):
        for make, attribute in ((lambda: sg.LDA(3, iterations=600, random_state=2, threads=1), "components_"),
                                (lambda: sg.DirichletProcessMixture(iterations=2000, random_state=2, threads=1), "weights_")):
            with self.subTest(attribute):
                first = self.interrupted(lambda: make().fit(self.counts, out=self.out, overwrite=True))
                self.assertTrue(first.interrupted_)
                with self.assertRaisesRegex(sg.UsageError, "other documents"):
                    make().fit(self.counts[:-1], out=self.out, resume=True)
                with self.assertRaisesRegex(sg.UsageError, "has beta=.*, not 0.7"):
                    make().set_params(beta=0.7).fit(self.counts, out=self.out, resume=True)
                again = make().fit(self.counts, out=self.out, resume=True)
                self.assertFalse(again.interrupted_)
                np.testing.assert_array_equal(getattr(again, attribute), getattr(make().fit(self.counts), attribute))


if __name__ == "__main__":
    unittest.main()
