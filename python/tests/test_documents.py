"""Topics and mixtures of documents: those of the program, from matrices of counts."""

import os
import pathlib
import pickle
import subprocess
import tempfile
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
        labels = mixture.predict(counts)
        largest = labels < 2
        self.assertGreater(largest.mean(), 0.9)
        agree = np.mean(labels[largest] == kinds[largest])
        self.assertGreater(max(agree, 1 - agree), 0.95)
        np.testing.assert_allclose(mixture.predict_proba(counts).sum(axis=1), 1)
        self.assertAlmostEqual(mixture.score_samples(counts).mean(), mixture.log_predictive_, delta=3)


if __name__ == "__main__":
    unittest.main()
