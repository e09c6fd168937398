"""Opens the reports of several kinds of runs in a headless Chromium, offline: sections, sorting, searching, hostile names.

    test_pages.py PROGRAM [unittest arguments]

Exits with 77 where there is no Chromium. With SGMCMC_SCREENSHOTS=FOLDER, pictures of the pages are kept there.
"""

import base64
import http.client
import json
import math
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

from browser import Browser, find_browser

ROOT = pathlib.Path(__file__).resolve().parents[3]
MODELS = ROOT / "models"
PROGRAM = ""

WIDE = """data {
  int<lower=0> N;
  int<lower=0> K;
  array[N] int<lower=1, upper=K> group;
  vector[N] y;
}
parameters {
  vector[K] effect;
}
model {
  effect ~ normal(0, 1);
  y ~ normal(effect[group], 1);
}
"""

HOSTILE = """// </script><script>document.title = "taken over"</script> \u2028 <img src=x onerror="document.title = 'taken over'">
data { int N; vector[N] y; }
parameters { real mu; }
model { mu ~ normal(0, 1); y ~ normal(mu, 1); }
generated quantities { real nothing = 1; real count = poisson_rng(3); }
"""


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.browser = Browser(find_browser())
        cls.addClassCleanup(cls.browser.close)

    def run_program(self, *words, accepted=(0, 3, 4)):
        done = subprocess.run([PROGRAM, *map(str, words)], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
        self.assertIn(done.returncode, accepted, done.stderr)
        return done

    def sample(self, name, model, data, *words):
        self.run_program("sample", model, "--data", data, "--out", name, "--quiet", *words)
        return name

    def report(self, name, *words):
        page = self.folder / f"{name}.html"
        self.run_program("report", name, "--out", page, *words, accepted=(0,))
        return page

    def value(self, expression):
        return self.browser.value(expression)

    def open(self, page, **how):
        self.browser.open(page.as_uri(), **how)
        self.assertEqual(self.browser.complaints(), [])
        self.assertEqual(self.value("document.documentElement.getAttribute('data-drawn')"), "true")
        self.assertEqual([url for url in self.browser.requests() if url != page.as_uri() and not url.startswith("data:")], [])

    FORMS = {"wide": {}, "narrow": {"width": 390, "height": 800}, "dark": {"dark": True}, "print": {"media": "print"}}

    def check(self, page, sections, trust=None, forms=tuple(FORMS)):
        """Every section is present and has its plots, wide, narrow and dark; nothing is wider than the page, or drawn at NaN."""
        for form in forms:
            how = self.FORMS[form]
            with self.subTest(page=page.name, form=form):
                self.open(page, **how)
                found = self.value("[...document.querySelectorAll('main > section')].map(section => section.id)")
                self.assertEqual(found, sections)
                links = self.value("[...document.querySelectorAll('nav a')].map(link => link.getAttribute('href').slice(1))")
                self.assertEqual(links, sections)
                self.assertEqual(self.value("[...document.querySelectorAll('.picture')].filter(picture => !picture.querySelector('svg')).length"), 0)
                self.assertEqual(self.value("[...document.querySelectorAll('figure')].filter(one => !one.querySelector('.caption').textContent.trim()).length"), 0)
                self.assertLessEqual(self.value("document.documentElement.scrollWidth"), how.get("width", 1280))
                drawn = self.value("document.querySelector('main').innerHTML")
                self.assertIsNone(re.search(r'"[^"]*\b(NaN|Infinity|undefined)\b[^"]*"|>[^<]*\b(NaN|Infinity|undefined)\b', drawn))
                self.assertNotIn("[object", self.value("document.body.innerText"))
                if trust:
                    self.assertIn(trust, self.value("document.getElementById('verdict').className"))
                if pictures := os.environ.get("SGMCMC_SCREENSHOTS"):
                    self.browser.screenshot(f"{pictures}/{page.stem}-{form}.png")

    def names_shown(self):
        return self.value("[...document.querySelectorAll('#summary-table tbody th')].map(cell => cell.textContent)")

    def type_into(self, selector, text):
        self.value(f"(() => {{ const box = document.querySelector({json.dumps(selector)}); box.value = {json.dumps(text)};"
                   " box.dispatchEvent(new Event('input')); box.dispatchEvent(new Event('change')); })()")

    def sort_by(self, column):
        self.value(f"document.querySelector('button[data-column={column}]').click()")

    def test_Nuts_SortsAndSearches(self):
        self.sample("nuts", MODELS / "logistic_regression.stan", MODELS / "logistic_regression.json")
        page = self.report("nuts")
        self.check(page, ["verdict", "bias", "summary", "parameter", "pairs", "energy", "predictive", "tuning", "model", "run"], "trust")
        self.open(page)
        self.assertEqual(self.names_shown(), ["alpha", "beta[1]", "beta[2]", "beta[3]"])
        self.sort_by("mean")
        means = self.value("[...document.querySelectorAll('#summary-table tbody tr')].map(row => Number(row.cells[2].textContent.replace('\\u2212', '-')))")
        self.assertEqual(means, sorted(means))
        self.sort_by("mean")
        self.assertEqual(self.names_shown()[0], "beta[1]")
        self.assertEqual(self.value("document.querySelector('button[data-column=mean]').parentElement.getAttribute('aria-sort')"), "descending")
        self.type_into("#search", "BETA[2")
        self.assertEqual(self.names_shown(), ["beta[2]"])
        self.assertEqual(self.value("document.getElementById('summary-count').textContent"), "1 of 4 variables")
        self.value("document.querySelector('#summary-table tbody button').click()")
        self.assertEqual(self.value("document.getElementById('parameter-name').firstChild.textContent"), "beta[2]")
        titles = self.value("[...document.querySelectorAll('#parameter .figure-title')].map(title => title.textContent)")
        self.assertEqual(titles, ["Trace", "Density", "Ranks", "Autocorrelation", "Effective sample size"])
        shown = [self.value("document.getElementById('parameter-name').firstChild.textContent")]
        for _ in range(3):
            self.value("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'j', bubbles: true}))")
            shown.append(self.value("document.getElementById('parameter-name').firstChild.textContent"))
        self.assertEqual(sorted(shown), ["alpha", "beta[1]", "beta[2]", "beta[3]"])
        roles = self.value("[...document.querySelectorAll('pre .role')].map(piece => piece.className.split('-')[1])")
        self.assertEqual(roles, ["prior", "prior", "likelihood"])
        self.assertIn("--config nuts/run.json", self.value("document.querySelector('.command code').textContent"))
        self.assertLess(page.stat().st_size, 200_000)

    def test_Minibatch_ShowsWhatTuningTried(self):
        random.seed(3)
        rows = [(random.gauss(0, 1), random.gauss(0, 1)) for _ in range(20_000)]
        data = {"N": len(rows), "K": 2, "X": rows, "y": [int(random.random() < 1 / (1 + math.exp(-0.5 * a + b))) for a, b in rows]}
        (self.folder / "rows.json").write_text(json.dumps(data))
        self.sample("minibatch", MODELS / "logistic_regression.stan", "rows.json", "--method", "sgld-cv", "--step-size", "auto", "--iterations", "4000")
        page = self.report("minibatch")
        self.check(page, ["verdict", "bias", "summary", "parameter", "pairs", "predictive", "tuning", "model", "run"])
        titles = self.value("[...document.querySelectorAll('#tuning .figure-title')].map(title => title.textContent)")
        self.assertEqual(titles, ["What was tried", "Rounds"])
        self.assertGreater(self.value("document.querySelectorAll('#tuning svg.chart path').length"), 4)
        self.assertIn("Expected and found", self.value("document.getElementById('tuning').textContent"))
        self.assertIn("minibatches of", self.value("document.querySelector('.subtitle').textContent"))
        self.check_expected_and_found("minibatch")
        self.check_recoveries("minibatch")

    def rows_of_table(self, selector):
        return self.value(f"[...document.querySelectorAll({json.dumps(selector)})].map(row => [...row.cells].map(cell => cell.textContent))")

    def check_expected_and_found(self, name):
        """The open page of a run that was tuned: the numbers are those of the record, and found errors those of the diagnosis."""
        record = json.loads((self.folder / name / "run.json").read_text())
        chosen = next(one for one in record["tuning"]["candidates"] if one["chosen"])
        shown = {row[0]: row[1:] for row in self.rows_of_table("#tuning h3 ~ .scroll tbody tr") if len(row) == 3}
        bias = json.loads(self.value("document.getElementById('data').textContent"))["bias"]

        def beyond_noise(values, errors):
            squares = [min(x * x, 25) - min(e * e, 25) for x, e in zip(values, errors)]
            return math.sqrt(max(0, sum(squares) / len(squares)))
        found = {"of sds (bias)": beyond_noise([math.log(ratio) for ratio in bias["sd_ratio"]], bias["sd_error"]),
                 "of means (bias)": beyond_noise(bias["shift"], bias["shift_error"])}
        expected = {"of sds (bias)": chosen["sd_error"], "of means (bias)": chosen["mean_error"], "Monte Carlo": chosen["monte_carlo"], "together": chosen["error"]}
        for label, number in expected.items():
            self.assertAlmostEqual(float(shown[label][0]), number, delta=0.06 * number + 1e-9, msg=label)
        for label, number in found.items():
            self.assertAlmostEqual(float(shown[label][1]), number, delta=0.06 * number + 1e-9, msg=label)
        parts = [float(shown[label][1]) for label in ("of sds (bias)", "of means (bias)", "Monte Carlo")]
        self.assertAlmostEqual(float(shown["together"][1]), math.hypot(*parts), delta=0.1 * math.hypot(*parts))

    def check_recoveries(self, name):
        """Two reductions of steps, written into the record, are shown with their numbers."""
        path = self.folder / name / "run.json"
        record = json.loads(path.read_text())
        record["step_reductions"] = [{"chain": 2, "diverged_at": 1234, "back_to": 1000, "step_factor": 0.5},
                                     {"chain": 4, "diverged_at": 3500, "back_to": 3250, "step_factor": 0.25}]
        path.write_text(json.dumps(record))
        self.open(self.report(name, "--judge", "none"))
        self.assertIn("Steps were made smaller 2 times", self.value("document.getElementById('tuning').textContent"))
        rows = self.rows_of_table("#tuning details:last-of-type tbody tr")
        self.assertEqual(rows, [["2", "1,234", "1,000", "0.5"], ["4", "3,500", "3,250", "0.25"]])
        self.assertEqual(self.value("document.querySelectorAll('#tuning .divergence').length"), 2)

    def test_RunThatMustNotBeTrusted_NamesTheParameters(self):
        self.sample("wrong", MODELS / "logistic_regression.stan", MODELS / "logistic_regression.json", "--method", "sgld", "--batch-size", "5",
                    "--step-size", "2e-2", "--iterations", "4000")
        page = self.report("wrong")
        self.check(page, ["verdict", "bias", "summary", "parameter", "pairs", "predictive", "model", "run"], "wrong")
        self.open(page)
        self.assertEqual(self.value("document.getElementById('verdict-title').textContent.trim()"), "\u2715 Do not trust these draws")
        self.assertEqual(sorted(self.value("[...document.querySelectorAll('#verdict .chip')].map(chip => chip.textContent)")),
                         ["alpha", "beta[1]", "beta[2]", "beta[3]"])
        todo = self.value("document.querySelector('#verdict .todo').textContent")
        self.assertRegex(todo, r"^What to do: Use control variates .* All else unchanged, sds would be within 5 % at a step size of about 0\.000\d+\.$")
        words = self.value("[...document.querySelectorAll('#verdict p')].map(line => line.textContent)")
        self.assertTrue(any(re.search(r"^Gradients too noisy for alpha: sd about \S+ times too large\.$", line) for line in words), words)

    def test_Hierarchical_HasGroupsSideBySide(self):
        self.sample("radon", MODELS / "radon.stan", MODELS / "radon.json")
        page = self.report("radon")
        self.check(page, ["verdict", "bias", "summary", "parameter", "elements", "pairs", "energy", "predictive", "tuning", "model", "run"])
        self.assertGreaterEqual(self.value("document.querySelectorAll('#elements .interval').length"), 20)
        self.assertIn("local", self.value("[...document.querySelectorAll('pre .role')].map(piece => piece.className.split('-')[1])"))

    def test_Divergences_AreShownInPairs(self):
        self.sample("funnel", MODELS / "funnel.stan", MODELS / "funnel.json", "--method", "nuts", "--target-acceptance", "0.6")
        self.open(self.report("funnel"))
        self.assertGreater(self.value("document.querySelectorAll('#pairs .divergence').length"), 0)

    def test_Interrupted_SaysSo(self):
        words = [PROGRAM, "sample", MODELS / "logistic_regression.stan", "--data", MODELS / "logistic_regression.json", "--method", "sgld", "--step-size",
                 "1e-4", "--iterations", "100000000", "--thin", "100", "--out", "stopped", "--quiet", "--checkpoint-every", "0.2"]
        process = subprocess.Popen(list(map(str, words)), cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        chain = self.folder / "stopped" / "chain-1.csv"
        until = time.monotonic() + 60
        while time.monotonic() < until and not (chain.exists() and chain.stat().st_size > 50_000):
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        page = self.report("stopped")
        self.check(page, ["verdict", "bias", "summary", "parameter", "pairs", "predictive", "model", "run"])
        self.assertIn("sgmcmc resume stopped", self.value("document.getElementById('verdict').textContent"))
        page = self.report("stopped", "--judge", "none")
        self.check(page, ["verdict", "summary", "parameter", "pairs", "model", "run"], "open")
        self.assertIn("This run has not ended", self.value("document.getElementById('verdict').textContent"))

    def documents(self, path):
        random.seed(5)
        kinds = [["sea", "boat", "fish", "wave", "sail"], ["corn", "field", "plough", "barn", "cow"], ["bank", "money", "rate", "loan", "script"]]
        (self.folder / path).write_text("\n".join(" ".join(random.choices(random.choice(kinds), k=30)) for _ in range(300)) + "\n")
        return path

    def test_Topics_HaveWordsAndACourse(self):
        self.run_program("lda", self.documents("texts.txt"), "--topics", "3", "--iterations", "300", "--out", "topics")
        page = self.report("topics")
        self.check(page, ["verdict", "items", "course", "run"], "plain")
        self.open(page)
        words = self.value("[...document.querySelectorAll('#items tbody tr')].map(row => row.querySelector('.words').textContent)")
        self.assertEqual(sorted(tuple(sorted(line.split()[:5])) for line in words),
                         [("bank", "loan", "money", "rate", "script"), ("barn", "corn", "cow", "field", "plough"), ("boat", "fish", "sail", "sea", "wave")])
        self.type_into("#search", "plough")
        self.assertEqual(self.value("document.querySelectorAll('#items tbody tr').length"), 1)

    def test_Clusters_HaveWordsAndACourse(self):
        self.run_program("dpmix", self.documents("users.txt"), "--iterations", "300", "--out", "clusters")
        page = self.report("clusters")
        self.check(page, ["verdict", "items", "course", "run"], "plain")
        self.assertGreaterEqual(self.value("document.querySelectorAll('#items tbody tr').length"), 2)

    def test_Factors_HaveScoresAndACourse(self):
        random.seed(6)
        lines = [f"u{user},<b>i{item}</b>,{random.randrange(1, 6)}" for user in range(40) for item in range(30) if random.random() < 0.5]
        (self.folder / "ratings.csv").write_text("user,item,rating\n" + "\n".join(lines) + "\n")
        self.run_program("factorize", "ratings.csv", "--factors", "2", "--iterations", "40", "--out", "factors")
        page = self.report("factors")
        self.check(page, ["verdict", "items", "course", "run"], "plain")
        self.assertIn("RMSE", self.value("document.getElementById('verdict').textContent"))
        self.assertGreaterEqual(self.value("document.querySelectorAll('#course svg.chart').length"), 2)

    def test_Priors_AreDrawnBesideDensities(self):
        (self.folder / "prior.stan").write_text("data { int N; vector[N] y; } parameters { real mu; real<lower=0> sigma; real free; }\n"
                                                "model { mu ~ normal(0, 1); sigma ~ normal(0, 2); y ~ normal(mu + free, sigma); }\n")
        (self.folder / "prior.json").write_text(json.dumps({"N": 4, "y": [0.1, 0.9, -0.4, 1.2]}))
        self.sample("prior", "prior.stan", "prior.json", "--method", "nuts")
        self.open(self.report("prior"))
        words = {}
        for name in ("mu", "sigma", "free"):
            self.type_into("#parameter-input", name)
            words[name] = self.value("document.getElementById('parameter').textContent")
            self.assertEqual(self.value("document.querySelectorAll('#parameter path.prior').length"), 0 if name == "free" else 1, name)
        self.assertRegex(words["mu"], "90.% of which lies between \u22121\\.\\d and 1\\.\\d")
        self.assertIn("flat prior", words["free"])
        # mu and free are known only by their sum: the posterior of mu is its prior, curve for curve.
        parameters = json.loads(self.value("document.getElementById('data').textContent"))["parameters"]
        view = parameters["views"][parameters["names"].index("mu")]
        prior, density = base64.b64decode(view["p"]), base64.b64decode(view["d"])[:view["n"]]
        self.assertLess(max(abs(a - b) for a, b in zip(prior, density)), 0.2 * 255)

    def test_PredictiveChecks_FindAModelThatMissesTheSpread(self):
        (self.folder / "narrow.stan").write_text("data { int N; vector[N] y; } parameters { real mu; } model { mu ~ normal(0, 10); y ~ normal(mu, 1); }\n")
        random.seed(8)
        for name, sd in (("narrow", 3), ("fitting", 1)):
            (self.folder / f"{name}.json").write_text(json.dumps({"N": 200, "y": [random.gauss(1, sd) for _ in range(200)]}))
            self.sample(name, "narrow.stan", f"{name}.json", "--method", "nuts")
            self.open(self.report(name))
            words = self.value("document.querySelector('#predictive .doubt, #predictive .fine').textContent")
            if name == "narrow":
                self.assertRegex(words, r"^The model misses the sd \(observed [23]\.\d+, predicted 0\.9\d+ to 1\.\d+\)")
            else:
                self.assertRegex(words, "^Data like these are what the model predicts")

    def test_Comparison_ShowsDifferencesAndDistances(self):
        model, data = MODELS / "logistic_regression.stan", MODELS / "logistic_regression.json"
        self.sample("exact", model, data)
        self.sample("<b>rough</b>", model, data, "--method", "sgld", "--batch-size", "5", "--step-size", "2e-2", "--iterations", "4000")
        sections = ["verdict", "differences", "distances", "summary", "parameter", "run"]
        page = self.folder / "rough.html"
        done = self.run_program("compare", "<b>rough</b>", "exact", "--report", "--out", page, accepted=(0,))
        self.assertIn(f"report: {page}", done.stdout)
        self.check(page, sections, "caution")
        self.open(page)
        self.assertEqual(self.value("document.querySelector('h1').textContent"), "<b>rough</b> compared with exact")
        self.assertEqual(self.value("document.querySelectorAll('main b').length"), 0)
        self.assertRegex(self.value("document.getElementById('verdict-title').textContent"), "variables? differs?")
        self.assertGreater(self.value("document.querySelectorAll('#verdict .chip').length"), 0)
        self.sort_by("sd_ratio")
        first = self.names_shown()[0]
        self.value("document.querySelector('#summary-table tbody button').click()")
        self.assertEqual(self.value("document.getElementById('parameter-name').firstChild.textContent"), first)
        titles = self.value("[...document.querySelectorAll('#parameter .figure-title')].map(title => title.textContent)")
        self.assertEqual(titles, ["Densities", "Differences of quantiles"])
        self.assertIn("do not trust", self.value("document.getElementById('run').textContent"))
        page = self.folder / "same.html"
        self.sample("again", model, data, "--seed", "2")
        self.run_program("compare", "again", "exact", "--report", "--out", page, accepted=(0,))
        self.check(page, sections, "trust", ["wide"])
        self.assertIn("No difference beyond Monte Carlo error", self.value("document.getElementById('verdict').textContent"))

    def test_FiveThousandParameters_AreBelowFiveMegabytes(self):
        random.seed(4)
        groups = [1 + k % 5000 for k in range(10_000)]
        data = {"N": len(groups), "K": 5000, "group": groups, "y": [random.gauss(0, 1) for _ in groups]}
        (self.folder / "wide.stan").write_text(WIDE)
        (self.folder / "wide.json").write_text(json.dumps(data))
        self.sample("wide", "wide.stan", "wide.json", "--method", "sgld-full", "--step-size", "0.1", "--iterations", "100", "--warmup", "50")
        page = self.report("wide")
        self.assertLess(page.stat().st_size, 5_000_000)
        self.open(page)
        self.assertEqual(self.value("document.querySelectorAll('#summary-table tbody tr').length"), 50)
        self.type_into("#search", "effect[4321]")
        self.assertEqual(self.names_shown(), ["effect[4321]"])
        self.value("document.querySelector('#summary-table tbody button').click()")
        self.assertGreaterEqual(self.value("document.querySelectorAll('#parameter svg.chart').length"), 4)
        self.type_into("#search", "")
        self.sort_by("rhat")
        rhats = self.value("[...document.querySelectorAll('#summary-table tbody tr')].map(row => Number(row.cells[10].textContent))")
        self.assertEqual(rhats, sorted(rhats, reverse=True))

    def test_HostileNames_StayText(self):
        name = "<script>x<!--"
        (self.folder / f"{name}.stan").write_text(HOSTILE)
        (self.folder / "y.json").write_text(json.dumps({"N": 3, "y": [0.1, 0.2, 0.3]}))
        self.sample("<img src=x>", f"{name}.stan", "y.json", "--method", "nuts", "--iterations", "200")
        page = self.folder / "hostile.html"
        self.run_program("report", "<img src=x>", "--out", page, accepted=(0,))
        self.open(page)
        self.assertEqual(self.value("document.title"), name)
        self.assertEqual(self.value("document.querySelector('h1').textContent"), name)
        self.assertEqual(self.value("document.querySelectorAll('img, script:not([type]):not(:last-of-type)').length"), 0)
        self.assertIn("</script><script>document.title", self.value("document.querySelector('pre.model').textContent"))
        self.type_into("#search", "nothing")
        self.value("document.querySelector('#summary-table tbody button').click()")
        self.assertIn("All draws are equal", self.value("document.getElementById('parameter').textContent"))

    def test_HostileWordsAndColumns_StayText(self):
        hostile = "<img/src=x/onerror=document.title='taken'>"
        random.seed(5)
        (self.folder / "words.txt").write_text("\n".join(["sea", "boat", hostile, "corn", "field", "barn"]) + "\n")
        counts = [[(3 * (k % 2) + j, random.randrange(1, 9)) for j in range(3)] for k in range(200)]
        (self.folder / "bad.ldac").write_text("".join(f"{len(one)} " + " ".join(f"{word}:{count}" for word, count in one) + "\n" for one in counts))
        for command, options in (("lda", ["--topics", "2"]), ("dpmix", [])):
            self.run_program(command, "bad.ldac", "--vocabulary", "words.txt", *options, "--iterations", "100", "--out", f"bad-{command}")
            page = self.report(f"bad-{command}")
            self.check(page, ["verdict", "items", "course", "run"], "plain", ["narrow"])
            self.assertIn("<img", self.value("document.getElementById('items').textContent"))
            self.assertEqual(self.value("document.title + document.querySelectorAll('img').length"), "bad0")
        for chain in (1, 2):
            rows = "\n".join(f"{random.gauss(0, 1)},{random.gauss(0, 1)}" for _ in range(200))
            (self.folder / f"<i>{chain}.csv").write_text(f"lp__,{hostile}\n{rows}\n")
        page = self.folder / "columns.html"
        self.run_program("report", "<i>1.csv", "<i>2.csv", "--out", page, accepted=(0,))
        self.check(page, ["verdict", "summary", "parameter", "run"], "open", ["narrow"])
        self.assertIn(hostile, self.names_shown())
        self.assertEqual(self.value("document.querySelectorAll('img, main i').length"), 0)
        self.run_program("compare", "<i>1.csv", "<i>2.csv", "--report", "--out", page, accepted=(0,))
        self.check(page, ["verdict", "differences", "distances", "summary", "parameter", "run"], None, ["narrow"])
        self.assertEqual(self.value("document.querySelectorAll('img, main i').length"), 0)

    def watch(self, name):
        """The process that serves a run, and its address."""
        process = subprocess.Popen([PROGRAM, "report", name, "--watch"], cwd=self.folder, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process, re.search(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", process.stdout.readline()).group(0)

    def live_words(self):
        """The line about the run; None while the page is loaded again."""
        try:
            return self.value("document.getElementById('live').textContent")
        except RuntimeError:
            return None

    def wait_for(self, condition, what):
        until = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), until, what)
            time.sleep(0.1)

    def status_of(self, url, host=None, method="GET", address="127.0.0.1"):
        parts = urllib.parse.urlsplit(url)
        connection = http.client.HTTPConnection(address, parts.port, timeout=10)
        try:
            connection.request(method, parts.path, headers={"Host": host or parts.netloc})
            return connection.getresponse().status
        finally:
            connection.close()

    def test_Watch_FollowsARunUntilItIsKilled(self):
        words = [PROGRAM, "sample", MODELS / "logistic_regression.stan", "--data", MODELS / "logistic_regression.json", "--method", "sgld", "--step-size",
                 "1e-3", "--iterations", "1000000000", "--thin", "10000", "--out", "going", "--quiet", "--threads", "1"]
        run = subprocess.Popen(list(map(str, words)), cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        self.wait_for(lambda: (self.folder / "going" / "run.json").exists(), "the run has not started")
        process, url = self.watch("going")
        self.browser.open(url)
        self.wait_for(lambda: (self.live_words() or "").startswith("Running: "), "no draws are shown")
        first = int(re.search(r"Running: ([\d,]+) of", self.live_words()).group(1).replace(",", ""))
        self.type_into("#search", "alpha")

        def more_draws():
            found = re.search(r"Running: ([\d,]+) of", self.live_words() or "")
            return found and int(found.group(1).replace(",", "")) > first
        self.wait_for(more_draws, "the page is not renewed")
        self.assertEqual(self.names_shown(), ["alpha"], "what was searched for is still there")
        run.kill()
        self.wait_for(lambda: self.live_words() == "The run was killed. These are its draws.", "nobody noticed")
        self.assertEqual(self.browser.complaints(), [])
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=30), 0)

    def test_Watch_ShowsTheVerdictWhenTheRunHasEnded(self):
        words = [PROGRAM, "sample", MODELS / "logistic_regression.stan", "--data", MODELS / "logistic_regression.json", "--method", "sgld", "--step-size",
                 "1e-3", "--iterations", "40000", "--thin", "40", "--out", "ending", "--quiet", "--threads", "1"]
        run = subprocess.Popen(list(map(str, words)), cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        self.wait_for(lambda: (self.folder / "ending" / "run.json").exists(), "the run has not started")
        process, url = self.watch("ending")
        self.browser.open(url)
        self.assertIn(run.wait(timeout=120), (0, 3, 4))
        self.wait_for(lambda: (self.live_words() or "").startswith("The run has ended (finished)"), "nobody noticed the end")
        self.assertIn("bias", self.value("[...document.querySelectorAll('main > section')].map(section => section.id)"))
        self.assertEqual(self.browser.complaints(), [])
        self.assertIsNone(process.poll(), "the page can still be loaded")
        self.assertEqual(self.status_of(url), 200)

    def test_Watch_RefusesStrangers(self):
        self.sample("watched", MODELS / "logistic_regression.stan", MODELS / "logistic_regression.json", "--iterations", "100", "--warmup", "100")
        _, url = self.watch("watched")
        base = url.rsplit("/", 2)[0]
        self.assertEqual(self.status_of(url), 200)
        self.assertEqual(self.status_of(url + "state"), 200)
        self.assertEqual(self.status_of(url + "../run.json"), 404)
        self.assertEqual(self.status_of(base + "/"), 403)
        self.assertEqual(self.status_of(base + "/" + "0" * 32 + "/"), 403)
        self.assertEqual(self.status_of(url, host="evil.example"), 403)
        self.assertEqual(self.status_of(url, method="POST"), 405)
        port = urllib.parse.urlsplit(url).port
        addresses = subprocess.run(["hostname", "-I"], stdout=subprocess.PIPE, text=True).stdout.split()
        for address in ["127.0.0.2", *[one for one in addresses if ":" not in one]]:
            with self.assertRaises(ConnectionRefusedError, msg=address):
                self.status_of(url, address=address)
        listening = [line.split()[1] for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:] if line.split()[3] == "0A"]
        self.assertEqual([address for address in listening if address.endswith(f":{port:04X}")], [f"0100007F:{port:04X}"], "loopback only")

    def test_FilesOfDraws_HaveNoVerdict(self):
        self.sample("files", MODELS / "logistic_regression.stan", MODELS / "logistic_regression.json", "--iterations", "200")
        page = self.folder / "files.html"
        self.run_program("report", "files/chain-1.csv", "files/chain-2.csv", "--out", page, accepted=(0,))
        self.check(page, ["verdict", "summary", "parameter", "pairs", "energy", "run"], "open")


class TimedResult(unittest.TextTestResult):
    """Prints the time that each test took."""

    def startTest(self, test):
        super().startTest(test)
        self.begun = time.monotonic()

    def addSuccess(self, test):
        super().addSuccess(test)
        self.stream.writeln(f" {time.monotonic() - self.begun:.1f} s {test.id().rpartition('.')[2]}")


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    if not find_browser():
        print("SKIPPED: there is no Chromium here (Debian: chromium), so nobody has looked at the reports", file=sys.stderr)
        sys.exit(77)
    unittest.main(testRunner=unittest.TextTestRunner(resultclass=TimedResult))
