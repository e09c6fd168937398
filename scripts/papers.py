#!/usr/bin/env python3
"""Runs the experiments of the papers, those that are not finished, and writes the index of docs/papers.

    papers.py [--quick] [--build DIR] [--data DIR] [--only NAME] [--again] [--list] [--index]

Each experiment runs in a folder of its own, build/papers/full/NAME or build/papers/quick/NAME, which gets its name when the
experiment has ended: one that is killed is run again, the others are not. A killed one leaves only runs/, where long
experiments save each run that has ended; the same program with the same arguments goes on from those. Experiments whose data
are absent use made-up rows, or are left out where they cannot. A full run copies figures, and the pages that experiments
write, to docs/papers, and rewrites the index there; a quick one writes its index to build/papers/quick.
"""

import argparse
import ctypes
import gzip
import hashlib
import json
import lzma
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs" / "papers"


class Experiment:
    """program: of examples/papers. data: files of the data folder that are unpacked for it; argument: what of them it is given
    (default: their folder). page: the page that it writes itself. figures: names of its figures in docs/papers, where they
    differ. command: of r/papers/experiments.R."""

    def __init__(self, name, data=(), argument=None, words=(), quick_words=("--quick",), page=None, figures=None, command=None):
        self.name, self.data, self.argument, self.figures = name, data, argument, figures or {}
        self.words, self.quick_words, self.page, self.command = words, quick_words, page, command


EXPERIMENTS = [
    Experiment("divide_and_conquer", page="divide-and-conquer.md"),
    Experiment("sgld_exercises", data=("a9a/a9a.xz", "a9a/a9a.t.xz"), page="sgld-exercises.md"),
    Experiment("scaling", page="scaling.md"),
    Experiment("fisher_scoring_classifiers", data=("mnist/train-images-idx3-ubyte.gz", "mnist/train-labels-idx1-ubyte.gz",
               "mnist/t10k-images-idx3-ubyte.gz", "mnist/t10k-labels-idx1-ubyte.gz", "kdd99/kddcup.data_10_percent.gz"),
               page="fisher-scoring-classifiers.md"),
    Experiment("fisher_scoring_machine", data=("kdd99/kddcup.data_10_percent.gz",), page="fisher-scoring-machine.md"),
    Experiment("control_variates_ratings", data=("ml-100k/u.data.xz",), argument="u.data", page="control-variates-ratings.md"),
    Experiment("control_variates_topics", data=("wikispeedia/wikispeedia.ldac.xz",), argument="wikispeedia.ldac",
               page="control-variates-topics.md"),
    Experiment("hamcmc_ratings", data=("ml-1m/ratings_notime.csv.xz",), argument="ratings_notime.csv", page="hamcmc-ratings.md"),
    Experiment("hamcmc_speech", data=("noizeus/noizeus_clean_babble_car_train_street_0_5_10dB.tar.xz",),
               argument="noizeus_clean_babble_car_train_street_0_5_10dB.tar", words=("--repetitions", "2"), page="hamcmc-speech.md"),
    Experiment("simplex_dirichlet", figures={"distance.svg": "simplex-distance.svg", "boxes.svg": "simplex-boxes.svg"}),
    Experiment("binomial_n", figures={"draws.svg": "binomial-n-draws.svg", "law-of-n.svg": "binomial-n-law.svg"}),
    Experiment("hamcmc_linear_gaussian", figures={"draws.svg": "hamcmc-draws.svg", "error.svg": "hamcmc-error.svg"}),
    Experiment("fisher_scoring_mnist", data=("mnist/train-images-idx3-ubyte.gz", "mnist/train-labels-idx1-ubyte.gz"),
               figures={"marginals.svg": "fisher-scoring-marginals.svg", "errors.svg": "fisher-scoring-errors.svg"}),
    Experiment("control_variates_covertype", data=("covertype/covtype.binary.csv.xz",),
               figures={"log-predictive.svg": "control-variates-log-predictive.svg",
                        "posterior-means.svg": "control-variates-posterior-means.svg"}),
    Experiment("mixture_msweb", data=("msweb/anonymous-msweb.data.xz",), argument="anonymous-msweb.data",
               figures={"prediction.svg": "mixtures-prediction.svg"}),
    Experiment("topics_perplexity", data=("wikispeedia/wikispeedia.ldac.xz",), argument="wikispeedia.ldac", words=("--iterations", "600"),
               figures={"perplexity.svg": "topics-perplexity.svg"}),
] + [Experiment(f"r_{figure}", command=figure) for figure in ("figure1", "figure2", "figure3", "figure4", "figure5")]


def say(text):
    print(text, flush=True)


def end_with(parent):
    """In an experiment, before it starts: it is killed when this script is, and never writes into the folder of the next try."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:  # which was killed before that
        os._exit(1)


def emptied(folder, identity):
    """Makes the folder of an experiment. Keeps the runs of an earlier try of the same program with the same arguments."""
    runs, note = folder / "runs", folder / "started.json"
    same = runs.is_dir() and note.exists() and note.read_text() == json.dumps(identity)
    for path in folder.iterdir() if folder.exists() else ():
        if path == runs and same:
            continue
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    folder.mkdir(exist_ok=True)
    partial = note.with_suffix(".partial")  # a note that was cut short would lose the runs
    partial.write_text(json.dumps(identity))
    partial.rename(note)


class Runner:
    def __init__(self, options):
        self.options = options
        self.build = pathlib.Path(options.build).resolve()
        self.out = self.build / "papers" / ("quick" if options.quick else "full")
        self.out.mkdir(parents=True, exist_ok=True)
        self.data = pathlib.Path(options.data).resolve() if options.data else None

    def program(self, experiment):
        return self.build / "examples" / "papers" / experiment.name

    def unpacked(self, experiment):
        """A folder with the files that the experiment reads; None where some are absent."""
        if not experiment.data or not self.data or self.options.quick:
            return None
        folder = self.build / "papers" / "data" / experiment.name
        folder.mkdir(parents=True, exist_ok=True)
        for name in experiment.data:
            packed = self.data / name
            if not packed.exists():
                return None
            file = folder / re.sub(r"\.(xz|gz)$", "", packed.name)
            if file.exists():
                continue
            opener = lzma.open if packed.suffix == ".xz" else gzip.open if packed.suffix == ".gz" else open
            partial = file.with_suffix(file.suffix + ".partial")
            with opener(packed, "rb") as source, open(partial, "wb") as target:
                shutil.copyfileobj(source, target)
            partial.rename(file)
        return folder / experiment.argument if experiment.argument else folder

    def call(self, experiment, folder):
        """Command and environment; None with the reason where it cannot be run."""
        environment = dict(os.environ)
        if experiment.command:
            library = self.build / "r-library"
            if not shutil.which("Rscript") or not (library / "sgmcmc").exists():
                return None, None, "the R package is not installed (make r)"
            environment.update(R_LIBS=str(library), SGMCMC_FIGURES=str(folder), **({"SGMCMC_QUICK": "1"} if self.options.quick else {}))
            if self.data:
                environment["SGMCMC_DATA"] = str(self.data)
            return ["Rscript", str(ROOT / "r/papers/experiments.R"), experiment.command], environment, ""
        program = self.program(experiment)
        if not program.exists():
            return None, None, f"{program} is not built (make build)"
        data = self.unpacked(experiment)
        if data is None and experiment.data and not self.options.quick:
            say(f"{experiment.name}: {', '.join(experiment.data)} not found (--data DIR): made-up rows are used")
        words = experiment.quick_words if self.options.quick else experiment.words
        return [str(program), *([str(data)] if data else []), "--out", str(folder), *words], environment, ""

    def identity(self, experiment, command):
        sources = sorted((ROOT / "r/papers").glob("*.R")) if experiment.command else [self.program(experiment)]
        return {"program": hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:16],
                "arguments": [word for word in command[1:] if not word.startswith(str(self.out))]}

    def run(self, experiment):
        """True: it is there; None: it could not be tried; False: it failed."""
        finished, partial = self.out / experiment.name, self.out / (experiment.name + ".partial")
        command, environment, reason = self.call(experiment, partial)
        if command is None:
            say(f"{experiment.name}: left out: {reason}")
            return None
        identity = self.identity(experiment, command)
        note = finished / "finished.json"
        if note.exists() and not self.options.again:
            before = json.loads(note.read_text())
            if all(before.get(key) == value for key, value in identity.items()):
                say(f"{experiment.name}: finished before, in {before['seconds']:.0f} s")
                return True
        emptied(partial, identity)
        start, parent = time.time(), os.getpid()
        say(f"{experiment.name}: running ...")
        with open(partial / "log.txt", "w") as log:
            done = subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, env=environment, preexec_fn=lambda: end_with(parent))
        if done.returncode != 0:
            tail = (partial / "log.txt").read_text()[-1500:]
            say(f"{experiment.name}: FAILED with status {done.returncode}:\n{tail}")
            return False
        (partial / "finished.json").write_text(json.dumps({**identity, "seconds": time.time() - start}))
        shutil.rmtree(finished, ignore_errors=True)
        partial.rename(finished)
        say(f"{experiment.name}: done in {time.time() - start:.0f} s")
        return True

    def publish(self, experiment):
        """Figures and pages of a full run, to docs/papers. Results on made-up rows do not replace those on data."""
        folder = self.out / experiment.name
        if experiment.data and not any(str(self.build / "papers" / "data") in word
                                       for word in json.loads((folder / "finished.json").read_text())["arguments"]):
            say(f"{experiment.name}: made with made-up rows, so its page stays as it is")
            return
        known = {path.name for path in DOCS.glob("*.svg")}
        for file in sorted(folder.iterdir()):
            name = experiment.figures.get(file.name, file.name)
            if name == experiment.page or (file.suffix == ".svg" and (experiment.page or name in known)):
                shutil.copyfile(file, DOCS / name)


def findings_in(page):
    """Rows of the table "the paper | here | same?"."""
    found, inside = [], False
    for line in page.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if cells == ["the paper", "here", "same?"]:
            inside = True
        elif not cells:
            inside = False
        elif inside and set("".join(cells)) != {"-"}:
            found.append(cells)
    return found


def write_index(path, folder, pages):
    """pages: those that experiments write, beside the hand-written ones of claims.json."""
    rows = []
    for page, paper in pages:
        if not (folder / page).exists():
            continue
        figures = re.findall(r"\]\(([^)]+\.svg)\)", (folder / page).read_text())
        rows.append((paper, page, figures[0] if figures else "", findings_in(folder / page)))
    for entry in json.loads((DOCS / "claims.json").read_text()):
        rows.append((entry["paper"], entry["page"], entry["figure"], entry["findings"]))
    verdicts = [finding[2] for row in rows for finding in row[3]]
    text = ("# Experiments of the papers\n\n"
            "`make papers` runs every experiment that is not finished (hours in all), writes figures and pages, and this index.\n"
            "If it is killed, run it again: it repeats the experiment that was running and skips those that are finished. Each\n"
            "experiment is a program of `examples/papers`, or an R script. `make papers ARGUMENTS=--quick` tries all of them on\n"
            "small sizes, and `make test-long` does so, too; here is one of them:\n\n"
            "```sh\npython3 scripts/papers.py --quick --only simplex_dirichlet\n```\n\n"
            f"Of {len(verdicts)} claims, {verdicts.count('same')} were found here, too, and {verdicts.count('not')} were not. For "
            f"{verdicts.count('not shown')}, \"not shown\", the difference is within the\nspread over repetitions in at least one of the "
            "settings that the claim is about, or was not measured. Where there is one run\nonly, the row says so.\n\n"
            "| experiment | claim | found | same or not | figure |\n|---|---|---|---|---|\n")
    for paper, page, figure, findings in rows:
        for k, (claim, found, verdict) in enumerate(findings):
            name = f"[{paper}]({page})" if k == 0 else ""
            picture = f"[figure]({figure})" if figure and k == 0 else ""
            text += f"| {name} | {claim} | {found} | {verdict} | {picture} |\n"
    path.write_text(text)
    say(f"index: {path}")


PAGES = [("divide-and-conquer.md", "Baker (2019), 2.4: divide and conquer"), ("sgld-exercises.md", "Welling and Teh (2011): exercises"),
         ("fisher-scoring-classifiers.md", "Ahn, Korattikara and Welling (2012), 5.2 and 5.3"),
         ("fisher-scoring-machine.md", "Ahn, Korattikara and Welling (2012), 5.3: beside HMC"),
         ("control-variates-ratings.md", "Baker (2019), 3.5.2: matrix factorisation"),
         ("control-variates-topics.md", "Baker (2019), 3.5.3: topics"), ("hamcmc-speech.md", "Şimşekli and others (2016), 4.2"),
         ("hamcmc-ratings.md", "Şimşekli and others (2016), 4.3"),
         ("scaling.md", "this project: cost against N")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that everything runs")
    parser.add_argument("--build", default=str(ROOT / "build"))
    beside = ROOT.parent / "shared" / "data"
    parser.add_argument("--data", default=os.environ.get("SGMCMC_DATA", str(beside) if beside.is_dir() else ""), help="folder of the data sets")
    parser.add_argument("--only", action="append", help="this experiment only; may be given several times")
    parser.add_argument("--again", action="store_true", help="also run what is finished")
    parser.add_argument("--list", action="store_true", help="list the experiments")
    parser.add_argument("--index", action="store_true", help="only write the index")
    options = parser.parse_args()
    names = [experiment.name for experiment in EXPERIMENTS]
    if options.list:
        print("\n".join(names))
        return 0
    for name in options.only or []:
        if name not in names:
            sys.exit(f"papers: there is no experiment '{name}'; there are {', '.join(names)}")
    if options.index:
        write_index(DOCS / "README.md", DOCS, PAGES)
        return 0
    runner = Runner(options)
    failed = []
    for experiment in EXPERIMENTS:
        if options.only and experiment.name not in options.only:
            continue
        if not experiment.command and not (ROOT / "examples/papers" / (experiment.name + ".cpp")).exists():
            continue
        done = runner.run(experiment)
        if done is False:
            failed.append(experiment.name)
        elif done and not options.quick:
            runner.publish(experiment)
    if options.quick:
        for page, _ in PAGES:
            for file in runner.out.glob(f"*/{page}"):
                shutil.copyfile(file, runner.out / page)
        write_index(runner.out / "README.md", runner.out, PAGES)
    else:
        write_index(DOCS / "README.md", DOCS, PAGES)
    if failed:
        sys.exit(f"papers: failed: {', '.join(failed)}; the others are finished")
    return 0


if __name__ == "__main__":
    sys.exit(main())
