"""Exact texts of the program: messages, warnings, tables and JSON.

    test_words.py PROGRAM [unittest arguments]
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True  # the sources stay as they are
import test_program


class WordsTest(test_program.ProgramTest):
    def words_of(self, *words):
        """stderr without its line breaks, after a completed run."""
        done = self.run_program(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return " ".join(done.stderr.split())


class Json(WordsTest):
    def test_json_tells_how_the_draws_were_made(self):
        run = json.loads(self.sample("--json", "--seed", "3"))
        self.assertEqual(run["method"], "sgld-cv")
        self.assertEqual((run["chains"], run["iterations"], run["thin"], run["seed"]), (2, 400, 1, 3))
        self.assertEqual((run["warmup"] in (200, 400, 800), run["settled"]), (True, True))
        self.assertEqual((run["step_size"], run["rows"], run["batch_size"]), (1e-3, 200, 50))
        self.assertFalse(run["interrupted"])
        self.assertGreater(run["seconds"], 0)
        self.assertIn(run["verdict"]["trust"], ("trust", "caution", "do not trust", "cannot tell"))
        self.assertTrue(run["verdict"]["sentences"])
        self.assertIsInstance(run["warnings"], list)
        self.assertNotIn("tuning", run)

    def test_json_has_what_tuning_found_without_a_folder(self):
        run = json.loads(self.assert_runs("sample", "normal.stan", "--data", "normal.json", "--json", "--chains", "1"))
        self.assertEqual(run["method"], "nuts")
        self.assertEqual(run["tuning"]["why"], "nuts: with 200 rows and 2 coordinates full gradients are cheap, and its draws "
                         "are exact.")
        self.assertNotIn("batch_size", run)

    def test_json_has_the_warnings_that_are_shown(self):
        words = ("sample", "normal.stan", "--data", "normal.json", "--method", "sgld-cv", "--step-size", "1e-3", "--batch-size", "50",
                 "--chains", "2", "--iterations", "4000", "--draws-limit", "1e-4", "--json")
        done = self.run_program(*words, "--out", "run")
        run = json.loads(done.stdout)
        self.assertEqual("sgmcmc: " + run["warnings"][0], " ".join(done.stderr.split()))
        self.assertEqual(run["thin"], 12)
        self.assertEqual(run["folder"], "run")
        quiet = json.loads(self.assert_runs(*words, "--out", "other", "--quiet"))
        self.assertEqual(quiet["warnings"], [words.replace("in run:", "in other:") for words in run["warnings"]])

    def test_chains_that_disagree_are_a_warning(self):
        run = json.loads(self.assert_runs("sample", "normal.stan", "--data", "normal.json", "--method", "sgld", "--step-size",
                                          "1e-6", "--iterations", "100", "--chains", "2", "--json"))
        self.assertRegex(run["warnings"][-1], r"^rhat of \S+ is [\d.]+: above 1.01 the chains do not agree yet.$")


class Remedies(WordsTest):
    def test_what_to_do_is_said_once(self):
        words = ("sample", "normal.stan", "--data", "normal.json", "--method", "sgld", "--step-size", "1e-6", "--iterations", "100",
                 "--warmup", "0", "--chains", "2", "--out", "run")
        text = " ".join(self.assert_runs(*words).split())
        self.assertRegex(text, r"rhat of \S+ is [\d.]+: above 1.01 the chains do not agree yet. sgld, 2 chains")
        self.assertRegex(text, r"verdict: do not trust. 2 of 2 coordinates are wrong. `\w+`: effective sample size \d+, R-hat [\d.]+: the "
                               r"chains disagree; run longer")
        self.assertRegex(" ".join(self.assert_runs("summary", "run").split()),
                         r"above 1.01 the chains do not agree yet. Run longer, and discard more warm-up. verdict of the run: do not trust$")


class Only(WordsTest):
    def test_wrong_names_are_told_before_the_run(self):
        words = ("sample", "normal.stan", "--data", "normal.json", "--method", "nuts", "--out", "run", "--only")
        self.assert_fails(2, "sgmcmc: --only: there is no variable 'nu'. Did you mean 'mu'?\n", *words, "nu")
        self.assert_fails(2, "sgmcmc: --only: there is no 'pair[3]'; 'pair' goes from pair[1] to pair[2]\n", *words, "mu,pair[3]")
        self.assert_fails(2, "sgmcmc: --only: 'pair[1]' is not kept at each draw; --outputs all keeps it\n", *words, "pair[1]",
                          "--outputs", "none")
        self.assertFalse((self.folder / "run").exists())

    def test_a_variable_that_comes_to_nothing_is_left_out_and_the_rest_is_shown(self):
        self.write("root.stan", test_program.NORMAL.replace("pair[1] = mu + sigma", "pair[1] = sqrt(mu - 1)"))
        done = self.run_program("sample", "root.stan", "--data", "normal.json", "--method", "nuts", "--only", "mu,pair")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("sgmcmc: warning: pair is left out of the files and the summary", done.stderr)
        self.assertRegex(done.stdout, r"\nmu +\S")
        self.assertNotIn("\npair", done.stdout)


class Tables(WordsTest):
    def test_long_tables_show_scalars_and_the_worst_first(self):
        self.write("long.stan", "parameters { vector[100] x; real tau; } model { x ~ normal(0, 1); tau ~ normal(0, 1); }")
        words = ("sample", "long.stan", "--chains", "2", "--warmup", "200", "--iterations", "200", "--method", "nuts")
        rows = json.loads(self.assert_runs(*words, "--json"))["parameters"]
        lines = self.assert_runs(*words).splitlines()
        names = [line.split()[0] for line in lines[1:61]]
        worst = sorted((row for row in rows if row["name"] != "tau"), key=lambda row: -row["rhat"])[:59]
        self.assertEqual(names, ["tau"] + [row["name"] for row in worst])
        self.assertEqual(lines[61], "... and 41 more of 101, none with a larger rhat; --all shows them")
        everything = self.assert_runs(*words, "--all").splitlines()
        self.assertEqual([line.split()[0] for line in everything[1:102]], [row["name"] for row in rows])

    def test_long_modes_show_scalars_first(self):
        self.write("long.stan", "parameters { vector[100] x; real tau; } model { x ~ normal(0, 1); tau ~ normal(1, 1); }")
        lines = self.assert_runs("optimize", "long.stan").splitlines()
        self.assertEqual([line.split()[0] for line in lines[:3]], ["tau", "x[1]", "x[2]"])
        self.assertEqual(lines[60], "... and 41 more; --all shows them")

    def test_zero_variance_table_fits_the_terminal(self):
        lines = self.sample("--zero-variance", "linear").splitlines()
        self.assertEqual(lines[0].split(), ["name", "mean", "mcse", "sd", "ess_bulk", "rhat", "mean", "(zv)", "mcse", "(zv)", "gain", "(zv)"])
        self.assertEqual(lines[6], "A wider terminal or --json also shows quantiles and ess_tail")
        self.assertLessEqual(max(map(len, lines)), 80)
        wide = self.run_program("sample", "normal.stan", "--data", "normal.json", "--method", "nuts", "--zero-variance", "linear",
                                environment={"COLUMNS": "120"}).stdout
        self.assertIn(" 50% ", wide)
        self.assertIn("mean (zv)", wide)
        self.assertNotIn("Quantiles and ess_tail", wide)


class Files(WordsTest):
    def test_summary_reads_the_netcdf_file(self):
        self.sample("--out", "run", "--schedule", "decay(100,0.6)", "--quiet")  # draws with weights that differ
        def rows(*words):
            found = json.loads(self.assert_runs("summary", *words, "--json"))["parameters"]
            for row in found:
                del row["atuc"]  # how long the draws took is in the CSV files only
            return found
        self.assertEqual(rows("run/draws.nc"), rows("run"))
        (self.folder / "alone").mkdir()
        (self.folder / "run/draws.nc").rename(self.folder / "alone/draws.nc")
        self.assertEqual(rows("alone"), rows("run"))
        self.assertIn("mean diff", self.assert_runs("compare", "alone", "run"))
        self.assert_fails(1, "sgmcmc: 'alone/draws.nc' holds all chains of a run; give it alone, without other files\n", "summary",
                          "alone/draws.nc", "run/chain-1.csv")
        self.write("broken.nc", "\x7f")
        (self.folder / "broken.nc").write_bytes(b"\x89HDF")
        self.assertRegex(self.run_program("summary", "broken.nc").stderr, "^sgmcmc: cannot read 'broken.nc': NetCDF: ")

    def test_log_likelihoods_that_cannot_be_had_are_refused_before_the_run(self):
        words = ("--data", "normal.json", "--method", "nuts", "--log-likelihood")
        self.assert_fails(2, "sgmcmc: --log-likelihood: log likelihoods are written to draws.nc; add --out DIR\n", "sample",
                          "normal.stan", *words)
        self.assert_fails(2, "sgmcmc: --log-likelihood: the likelihood of this model is not a sum over rows. Compute log_lik in the "
                          "generated quantities, one number for each observation\n", "sample", "moving.stan", *words, "--out", "run")
        self.write("apart.stan", test_program.NORMAL.replace("y ~ normal(mu, sigma);", "y ~ normal(mu, sigma); y ~ normal(0, 1);"))
        self.assert_fails(2, "sgmcmc: --log-likelihood: a part of the likelihood cannot be computed row by row:\n"
                          "apart.stan:15:26: error: this is added once, not row by row\n   |\n"
                          "15 |   y ~ normal(mu, sigma); y ~ normal(0, 1);\n   |                          ^^^^^^^^^^^^^^^^^\n"
                          "Compute log_lik in the generated quantities, one number for each observation\n", "sample", "apart.stan", *words,
                          "--out", "run")
        self.assert_fails(2, "sgmcmc: --log-likelihood: 200 log likelihoods at 4000 draws take 0.0064 GB, and --draws-limit is "
                          "0.001. Keep fewer draws with --thin, or raise the limit\n", "sample", "normal.stan", *words, "--out", "run",
                          "--draws-limit", "0.001")
        self.assertFalse((self.folder / "run").exists())

    def test_log_likelihoods_go_with_the_run(self):
        def has_them(folder):
            stored = (self.folder / folder / "draws.nc").read_bytes()
            self.assertIn(b"observed_data", stored)
            return b"log_likelihood" in stored
        words = ("sample", "normal.stan", "--data", "normal.json", "--method", "nuts", "--iterations", "100", "--warmup", "100",
                 "--quiet")
        self.assert_runs(*words, "--out", "run", "--log-likelihood")
        self.assert_runs(*words, "--out", "without")
        self.assertTrue(has_them("run"))
        self.assertFalse(has_them("without"))
        self.run_program("resume", "run", "--iterations", "200", "--quiet")
        self.assertTrue(has_them("run"))
        self.assert_runs("sample", "--config", "run/run.json", "--out", "again", "--quiet")
        self.assertTrue(has_them("again"))
        self.assert_runs("sample", "--config", "run/run.json", "--quiet")  # writes nothing, and need not

    def test_log_lik_of_the_model_is_taken(self):
        self.write("own.stan", test_program.NORMAL.replace("vector[2] pair;", "vector[2] pair; vector[3] log_lik = [-1, -2, mu]';"))
        self.assert_runs("sample", "own.stan", "--data", "normal.json", "--method", "nuts", "--iterations", "100", "--warmup", "100",
                         "--outputs", "none", "--log-likelihood", "--out", "run", "--quiet")
        names = list(self.draws("run/chain-1.csv")[0])
        self.assertEqual(names[8:], ["mu", "sigma", "log_lik.1", "log_lik.2", "log_lik.3"])
        self.assertIn(b"log_likelihood", (self.folder / "run/draws.nc").read_bytes())


class Data(WordsTest):
    def test_missing_data_are_named_not_sizes_found_from_them(self):
        self.write("size.json", json.dumps({"z": 1}))
        self.assert_fails(1, "sgmcmc: data: variable 'y' is missing: the model declares it as vector of shape [N] at normal.stan:3:13; "
                          "give it in a data file or as y=FILE, and N is found from it\n", "check", "normal.stan", "--data",
                          "size.json")

    def test_rows_are_counted_from_one_and_columns_have_the_names_of_variables(self):
        self.write("infinite.csv", "y\n1\n2\ninf\n4\n")
        self.assert_fails(1, "sgmcmc: data: variable 'y': row 3 is inf; the likelihood needs finite numbers: remove the row or replace "
                          "the value\n", "check", "normal.stan", "--data", "infinite.csv")

    def test_control_characters_of_files_and_arguments_are_written_out(self):
        self.assert_fails(1, "sgmcmc: cannot read the model file a\\x1b[31m.stan; check the path\n", "check", "a\033[31m.stan")
        self.write("draws.csv", "lp__,a\033[2J\n" + "0,1\n0,2\n0,2\n0,3\n")
        text = self.assert_runs("summary", "draws.csv")
        self.assertIn("\na\\x1b[2J ", text)
        self.assertNotIn("\033", text)
        self.assertEqual(json.loads(self.assert_runs("summary", "draws.csv", "--json"))["parameters"][0]["name"], "a\033[2J")
        self.write("draws.csv", "lp__,a\033[2J\n0,b\033\n")
        self.assert_fails(1, "sgmcmc: draws.csv:2: column a\\x1b[2J has 'b\\x1b', which is not a number\n", "summary", "draws.csv")

    def test_a_folder_is_no_model(self):
        (self.folder / "empty").mkdir()
        for command in ("check", "sample", "optimize", "calibrate"):
            self.assert_fails(2, "sgmcmc: 'empty' is a folder, not a model; give a file in the Stan language\n", command, "empty")
        self.assert_fails(2, "sgmcmc: '.' is a folder, not a model; it contains './moving.stan', './normal.stan'\n", "check", ".")
        self.sample("--out", "run", "--quiet")
        self.assert_fails(2, "sgmcmc: 'run' is a folder, not a model; it contains a run: use sgmcmc summary run or sgmcmc diagnose "
                          "run\n", "check", "run")
        self.assert_fails(1, "sgmcmc: 'empty' is a folder, not a model; give a file in the Stan language\n", "calibrate", "normal.stan",
                          "--data", "normal.json", "--simulate", "empty")


class Rows(WordsTest):
    def test_more_rows_than_there_are_means_all_of_them(self):
        words = ("sample", "normal.stan", "--data", "normal.json", "--method", "sgld-cv", "--step-size", "1e-3", "--iterations", "400")
        self.assertIn("\nsgld-cv, 4 chains of 400 draws, minibatches of 200 of 200 rows, ", self.assert_runs(*words, "--batch-size", "500"))
        self.assertEqual(json.loads(self.assert_runs(*words, "--batch-size", "1e9", "--json"))["batch_size"], 200)

    def test_options_without_effect_are_told(self):
        words = ("sample", "normal.stan", "--data", "normal.json", "--iterations", "50", "--warmup", "50", "--method")
        self.assertEqual(self.words_of(*words, "nuts", "--batch-size", "50", "--groups", "all"),
                         "sgmcmc: warning: --batch-size has no effect: nuts uses all rows at every step sgmcmc: warning: --groups has no effect: "
                         "nuts draws the parameters of all groups; methods that integrate over groups, such as marginal-nuts, draw "
                         "those of chosen ones")
        self.assertEqual(self.words_of(*words, "hmc-ecs", "--batch-size", "50"),
                         "sgmcmc: warning: --batch-size has no effect: hmc-ecs draws its own subsets of the rows, with control "
                         "variates; --subset-rows sets their size")
        self.assertEqual(self.words_of(*words, "sgld-cv", "--step-size", "1e-3", "--batch-size", "50"), "")
        self.words_of(*words, "nuts", "--batch-size", "50", "--out", "run")
        self.assertEqual(self.words_of("sample", "--config", "run/run.json"), "", "a record lists the options of all methods")

    def test_methods_that_stand_alone_are_told(self):
        words = ("sample", "normal.stan", "--data", "normal.json", "--method")
        self.assert_fails(2, "sgmcmc: --method: there is no method 'hmc-ecs-cv': hmc-ecs draws its own subsets of the rows, with control "
                          "variates. Use hmc-ecs\n", *words, "hmc-ecs-cv")
        self.assert_fails(2, "sgmcmc: --method: there is no method 'marginal-sglm-cv': marginal-sglm draws minibatches of groups. Use "
                          "marginal-sglm\n", *words, "marginal-sglm-cv")

    def test_data_without_rows_and_with_one_are_commented(self):
        self.write("none.json", json.dumps({"N": 0, "y": []}))
        self.write("one.json", json.dumps({"N": 1, "y": [0.5]}))
        none = "the data have no rows, N = 0: no statement of the model depends on data, and the posterior is the prior"
        one = "the data have a single row, N = 1: every method uses all data at each step"
        for data, words in (("none.json", none), ("one.json", one)):
            self.assertEqual(self.words_of("sample", "normal.stan", "--data", data), "sgmcmc: warning: " + words)
            self.assertIn(words, json.loads(self.run_program("sample", "normal.stan", "--data", data, "--json").stdout)["warnings"])
            self.assertIn("Rows: " + words, self.assert_runs("check", "normal.stan", "--data", data).replace("\n", " "))
        self.assert_fails(2, "sgmcmc: rows = N: N = 1, too few rows to draw minibatches from; omit it\n", "check", "normal.stan",
                          "--data", "one.json", "--rows", "N")
        self.assert_fails(1, "sgmcmc: --method: sgld-cv needs rows to draw minibatches from, and there is a single one, "
                          "N = 1\nUse --method nuts or sgld-full, which take all data at every step\n", "sample", "normal.stan",
                          "--data", "one.json", "--method", "sgld-cv")


def screen_of(shown):
    """The lines that a terminal shows in the end, without overwritten text, and every word that was ever shown."""
    lines, row, column, words = [""], 0, 0, []
    for part in re.findall(r"\033\[\d*[KA]|\r|\n|[^\033\r\n]+", shown):
        if part == "\n":
            row += 1
            if row == len(lines):
                lines.append("")
        elif part == "\r":
            column = 0
        elif part.endswith("A") and part.startswith("\033"):
            row -= int(part[2:-1] or 1)
        elif part.startswith("\033"):
            lines[row] = lines[row][:column]
        else:
            lines[row] = lines[row][:column].ljust(column) + part + lines[row][column + len(part):]
            column += len(part)
            words.append(part)
    return lines, words


class Terminal(WordsTest):
    def on_terminal(self, *words):
        """stdout and stderr on one terminal."""
        ours, theirs = self.open_terminal()
        run = subprocess.Popen([test_program.PROGRAM, *words], cwd=self.folder, stdout=theirs, stderr=theirs)
        os.close(theirs)
        shown = test_program.shown_on(ours)
        return run.wait(timeout=60), *screen_of(shown)

    def test_what_is_under_way_is_said_and_leaves_no_torn_line(self):
        status, lines, words = self.on_terminal("sample", "normal.stan", "--data", "normal.json", "--out", "run", "--exit-status", "plain")
        self.assertEqual(status, 0)
        for word in ("reading normal.stan and its data ...", "tuning the sampler ...", "judging the draws ..."):
            self.assertIn(word, words)
            self.assertFalse([line for line in lines if word in line], lines)
        self.assertTrue(any(line.startswith("nuts: with 200 rows and 2 coordinates full gradients are cheap") for line in lines), lines)
        for folder in (["diagnose", "run"], ["summary", "run"], ["compare", "run", "run"]):
            status, lines, words = self.on_terminal(*folder)
            self.assertEqual(status, 0)
            self.assertIn("reading the draws of run ...", words)
            self.assertFalse([line for line in lines if "..." in line], lines)
            if folder[0] == "diagnose":
                self.assertIn("reading normal.stan and its data ...", words)
                self.assertIn("comparing the draws with the posterior ...", words)

    def test_an_error_starts_a_line_of_its_own(self):
        self.write("broken.json", '{"N": 200, "y": [1, x]}')
        for command in ("sample", "check", "optimize"):
            status, lines, words = self.on_terminal(command, "normal.stan", "--data", "broken.json")
            self.assertEqual(status, 1)
            self.assertIn("reading normal.stan and its data ...", words)
            self.assertTrue(lines[0].startswith("sgmcmc: broken.json:1:"), lines)


if __name__ == "__main__":
    test_program.PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
