"""Matrix factorisation: that of the program, with scikit-learn's interface."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

import sgmcmc as sg

PROGRAM = os.environ.get("SGMCMC_PROGRAM", "sgmcmc")


def ratings(users=80, items=60, seed=2):
    """Two factors, noise of standard deviation 0.5, four pairs in ten."""
    random = np.random.default_rng(seed)
    u, v = random.normal(size=(users, 2)), random.normal(size=(items, 2))
    pairs = np.argwhere(random.random((users, items)) < 0.4)
    return pairs, 3 + np.sum(u[pairs[:, 0]] * v[pairs[:, 1]], axis=1) + 0.5 * random.normal(size=len(pairs))


class Factors(unittest.TestCase):
    def test_scores_are_those_of_the_program(self):
        pairs, values = ratings()
        values = np.round(values, 3)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "ratings.csv"
            path.write_text("".join(f"{u},{i},{r:.3f}\n" for (u, i), r in zip(pairs, values)))
            done = subprocess.run([PROGRAM, "factorize", path, "--factors", "2", "--iterations", "40", "--seed", "5", "--json"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            theirs = json.loads(done.stdout)
        ours = sg.MatrixFactorization(2, iterations=40, hold_out=0.1, random_state=5).fit(pairs, values)
        self.assertAlmostEqual(ours.rmse_, theirs["rmse"], delta=0.03)  # ids are in another order, so draws differ
        self.assertEqual(ours.n_iter_, 40)

    def test_predictions_have_uncertainty(self):
        pairs, values = ratings()
        test = np.arange(len(pairs)) % 10 == 3
        model = sg.MatrixFactorization(2, iterations=100).fit(pairs[~test], values[~test])
        mean, sd, interval = model.predict(pairs[test], return_std=True, return_interval=True)
        self.assertGreater(model.score(pairs[test], values[test]), 0.6)
        self.assertAlmostEqual(np.mean((values[test] > interval[:, 0]) & (values[test] < interval[:, 1])), 0.9, delta=0.1)
        self.assertTrue(np.all((mean > interval[:, 0]) & (mean < interval[:, 1])))
        self.assertTrue(np.all(sd > 0.4))
        _, cold = model.predict([[9999, 9999]], return_std=True)
        self.assertGreater(cold[0], np.median(sd))

    def test_ids_may_be_texts_and_recommendations_are_not_rated(self):
        pairs, values = ratings()
        names = np.array([[f"user {u}", f"item {i}"] for u, i in pairs])
        model = sg.MatrixFactorization(2, iterations=40).fit(names, values)
        best = model.recommend("user 3", 4)
        self.assertEqual(len(best), 4)
        rated = set(names[names[:, 0] == "user 3", 1])
        self.assertFalse(rated & {item for item, _, _ in best})
        self.assertGreaterEqual(best[0][1], best[1][1])

    def test_ids_of_different_types_stay_what_they_are(self):
        pairs, values = ratings()
        plain = sg.MatrixFactorization(2, iterations=20).fit(pairs, values)
        users = [f"user {u:03}" for u in pairs[:, 0]]  # the same order as the numbers
        of_both = list(zip(users, pairs[:, 1].tolist()))
        forms = [of_both, np.array(of_both, dtype=object)]
        try:
            import pandas
            forms.append(pandas.DataFrame({"user": users, "item": pairs[:, 1]}))
        except ImportError:
            pass
        for form in forms:
            model = sg.MatrixFactorization(2, iterations=20).fit(form, values)
            for other in forms:
                np.testing.assert_array_equal(model.predict(other), plain.predict(pairs))
            self.assertEqual(model.recommend("user 003", 2)[0][0], plain.recommend(3, 2)[0][0])
            with self.assertRaisesRegex(sg.DataError, "the ids of items were numbers in fit, such as 0, and are texts here"):
                model.predict(np.array(of_both))
        odd = [(u if u % 2 else f"user {u}", (i, "item")) for u, i in pairs.tolist()]  # types without an order
        model = sg.MatrixFactorization(2, iterations=20).fit(odd, values)
        self.assertLess(np.mean((model.predict(odd) - values) ** 2), 1)
        self.assertEqual(len(model.recommend("user 2", 2)), 2)
        for wrong in (lambda: plain.predict([["3", "4"]]), lambda: plain.recommend("3")):
            with self.assertRaisesRegex(sg.DataError, "the ids of users were numbers in fit.*and are texts here"):
                wrong()

    def test_pairs_that_are_no_pairs_are_refused(self):
        pairs, values = ratings()
        fit = sg.MatrixFactorization(2, iterations=10).fit
        with self.assertRaisesRegex(sg.DataError, "found 3. Choose two"):
            fit(np.column_stack([pairs, pairs[:, 0]]), values)
        with self.assertRaisesRegex(sg.DataError, "found 3. Choose two"):
            fit(np.column_stack([pairs, pairs[:, 0]]).tolist(), values)
        for wrong in (["u1", "i1"], [1, 2], 3.5, [], [[1, 2], [3]]):
            with self.subTest(wrong), self.assertRaisesRegex(sg.DataError, "that is not one of pairs"):
                fit(wrong, values)
        with self.assertRaisesRegex(sg.DataError, "an id of a user or an item is missing"):
            fit(np.where(pairs == 2, np.nan, pairs), values)
        with self.assertRaisesRegex(sg.DataError, "an id of a user or an item is missing"):
            fit([(None if u == 2 else u, i) for u, i in pairs.tolist()], values)

    def test_other_observations_have_means_of_their_kind(self):
        pairs, values = ratings()
        likes = sg.MatrixFactorization(2, observations="bernoulli", iterations=60).fit(pairs, values > 3)
        chance = likes.predict(pairs)
        self.assertTrue(np.all((chance >= 0) & (chance <= 1)))
        self.assertGreater(np.mean(chance[values > 3]), np.mean(chance[values <= 3]) + 0.2)
        counts = sg.MatrixFactorization(2, observations="poisson", iterations=60).fit(pairs, np.floor(np.abs(values)))
        mean, sd = counts.predict(pairs[:50], return_std=True)
        self.assertTrue(np.all(sd ** 2 >= mean))
        moduli = sg.MatrixFactorization(2, observations="stable", alpha=1.8, iterations=20).fit(pairs, np.abs(values) + 0.1)
        self.assertTrue(np.all(np.isinf(moduli.predict(pairs[:3], return_std=True)[1])))
        with self.assertRaisesRegex(sg.DataError, "bernoulli observations are 0 or 1"):
            sg.MatrixFactorization(2, observations="bernoulli").fit(pairs, values)
        with self.assertRaisesRegex(sg.OptionError, "use method gibbs"):
            sg.MatrixFactorization(2, observations="poisson", method="sglm").fit(pairs, np.abs(np.round(values)))

    def test_features_predict_users_without_ratings(self):
        random = np.random.default_rng(4)
        x, v = random.normal(size=220), random.normal(size=30)
        pairs = np.argwhere(random.random((200, 30)) < 0.3)
        values = 3 + 1.5 * x[pairs[:, 0]] * v[pairs[:, 1]] + 0.3 * random.normal(size=len(pairs))
        model = sg.MatrixFactorization(2, iterations=80).fit(pairs, values, user_features=x[:200, None])
        new = np.array([[u, i] for u in range(200, 220) for i in range(30)])
        truth = 3 + 1.5 * x[new[:, 0]] * v[new[:, 1]]
        blind = np.mean((model.predict(new) - truth) ** 2)
        for features in (x[:, None], {u: [x[u]] for u in range(200, 220)}):
            self.assertLess(np.mean((model.predict(new, user_features=features) - truth) ** 2), 0.1 * blind)
        some = model.predict(new, user_features={205: [x[205]]})
        np.testing.assert_array_equal(some[new[:, 0] != 205], model.predict(new)[new[:, 0] != 205])
        best = model.recommend(210, 3, user_features={210: [x[210]]})
        self.assertGreater(x[210] * v[best[0][0]], 0)
        with self.assertRaisesRegex(sg.DataError, "there are ratings of user 3 and no side features"):
            sg.MatrixFactorization(2).fit(pairs, values, user_features={u: [1.0] for u in range(200) if u != 3})
        with self.assertRaisesRegex(sg.DataError, "of the same length"):
            sg.MatrixFactorization(2).fit(pairs, values, user_features={u: [1.0] * (1 + u % 2) for u in range(200)})
        with self.assertRaisesRegex(sg.DataError, "there are 2 features; the model has 1"):
            model.predict(new, user_features={u: [1.0, 2.0] for u in range(200, 220)})
        with self.assertRaisesRegex(sg.OptionError, "use method gibbs"):
            sg.MatrixFactorization(2, method="sgld").fit(pairs, values, user_features=x[:200, None])

    def test_features_that_are_no_rows_of_numbers_are_refused(self):
        pairs, values = ratings()
        count = pairs[:, 0].max() + 1
        x = np.random.default_rng(1).normal(size=(count, 1))
        model = sg.MatrixFactorization(2, iterations=10).fit(pairs, values, user_features=x)
        new = np.array([[count + 5, 0]])

        def refused(words, action, *, features):
            with self.assertRaisesRegex(sg.DataError, "user_features: " + words):
                action(features)

        fit = lambda features: sg.MatrixFactorization(2, iterations=10).fit(pairs, values, user_features=features)
        predict = lambda features: model.predict(new, user_features=features)
        recommend = lambda features: model.recommend(count + 5, user_features=features)
        of_new = lambda row: {count + 5: row}
        for action in predict, recommend:
            refused("the row of user .* is one number; give a row of numbers for each id, such as", action, features=np.arange(count + 10.0))
            refused("the row of user .* is one number", action, features=of_new(1.0))
            refused("the row of user .* is None", action, features=of_new(None))
            refused("the row of user .* has a number that is not finite", action, features=of_new([np.nan]))
            refused("the row of user .* (has a number that is not finite|is not a row of numbers)", action, features=of_new([None]))
            refused("the row of user .* is not a row of numbers. Give categories", action, features=of_new(["F"]))
            refused("the row of user .* is an array of shape", action, features=of_new([[1.0], [2.0]]))
            refused("the row of user .* is empty", action, features=of_new([]))
            refused("give a mapping from ids", action, features=3.5)
        refused("the row of user 0 is one number", fit, features=x[:, 0])
        refused("the row of user 3 is None", fit, features={u: None if u == 3 else x[u] for u in range(count)})
        refused("the row of user 3 has a number that is not finite", fit, features=np.where(np.arange(count)[:, None] == 3, np.inf, x))

    def test_rows_of_sparse_ratings_need_features_too(self):
        try:
            import scipy.sparse
        except ImportError:
            self.skipTest("SciPy is missing")
        pairs, values = ratings()
        count = pairs[:, 0].max() + 1
        matrix = scipy.sparse.coo_matrix((values, (pairs[:, 0], pairs[:, 1])), shape=(count + 2, pairs[:, 1].max() + 1))
        features = {u: [float(u)] for u in range(count)}
        with self.assertRaisesRegex(sg.DataError, f"the matrix has a row of user {count} without ratings and no side features. Add its row"):
            sg.MatrixFactorization(2, iterations=10).fit(matrix, user_features=features)
        more = {**features, count: [1.0], count + 1: [2.0]}
        sg.MatrixFactorization(2, iterations=10).fit(matrix, user_features=more)
        with self.assertRaisesRegex(sg.DataError, "there are ratings of user 3 and no side features"):
            sg.MatrixFactorization(2, iterations=10).fit(matrix, user_features={u: row for u, row in more.items() if u != 3})

    def test_a_chain_that_learnt_nothing_warns(self):
        pairs, values = ratings()
        with self.assertWarnsRegex(UserWarning, "do not use these predictions: the chain has not learnt the ratings.*Use method = gibbs"):
            model = sg.MatrixFactorization(2, method="sgld", step_size=1e-6, iterations=50).fit(pairs, values)
        self.assertFalse(model.usable_)
        self.assertTrue(sg.MatrixFactorization(2, iterations=50).fit(pairs, values).usable_)

    def test_noise_of_counts_has_no_precision(self):
        pairs, values = ratings()
        self.assertTrue(np.isnan(sg.MatrixFactorization(2, observations="poisson", iterations=10).fit(pairs, np.round(np.abs(values))).noise_precision_))

    def test_parameters_are_those_of_scikit_learn(self):
        model = sg.MatrixFactorization(4, method="sglm")
        self.assertEqual(model.get_params()["n_components"], 4)
        self.assertEqual(repr(model.set_params(iterations=7)), "MatrixFactorization(n_components=4, method='sglm', iterations=7)")

    def test_mistakes_are_told(self):
        pairs, values = ratings()
        with self.assertRaisesRegex(sg.DataError, "ratings must be finite"):
            sg.MatrixFactorization(2).fit(pairs, np.where(np.arange(len(values)) == 3, np.nan, values))
        with self.assertRaisesRegex(sg.DataError, "ratings are numbers, one for each pair"):
            sg.MatrixFactorization(2).fit(pairs, ["good"] * len(pairs))
        masked = np.arange(len(values)) == 3
        with self.assertRaisesRegex(sg.DataError, "'y' has masked elements"):
            sg.MatrixFactorization(2).fit(pairs, np.ma.array(values, mask=masked))
        with self.assertRaisesRegex(sg.DataError, "'X' has masked elements"):
            sg.MatrixFactorization(2).fit(np.ma.array(pairs, mask=np.column_stack([masked, 0 * masked])), values)
        with self.assertRaisesRegex(sg.DataError, "'user_features' has masked elements"):
            sg.MatrixFactorization(2).fit(pairs, values, user_features=np.ma.array(np.ones((80, 1)), mask=np.arange(80)[:, None] == 3))
        with self.assertRaisesRegex(sg.DataError, "twice"):
            sg.MatrixFactorization(2).fit(np.concatenate([pairs, pairs[:1]]), np.append(values, 1))
        with self.assertRaisesRegex(sg.DataError, "give one rating for each pair"):
            sg.MatrixFactorization(2).fit(pairs, values[1:])
        with self.assertRaisesRegex(sg.UsageError, "not fitted yet"):
            sg.MatrixFactorization(2).predict(pairs)


if __name__ == "__main__":
    unittest.main()
