#!/usr/bin/env python3
"""Topic assignments drawn per second on one core, ours and those of tomotopy and gensim where they are installed.

usage: lda.py SGMCMC_BENCH; run with the Python that has tomotopy or gensim. All get documents of the same make: 250 words each,
word ranks with probability about 1 / rank out of 8,000, 100 topics. gensim's is variational: what is counted there is a token seen
by one pass of its inner loop, at most 50 of them, which it stops early.
"""

import json
import random
import subprocess
import sys
import tempfile
import time

WORDS, TOPICS, DOCUMENTS, LENGTH = 8000, 100, 2000, 250


def documents():
    draw = random.Random(1)
    return [[int((WORDS + 1) ** draw.random()) - 1 for _ in range(LENGTH)] for _ in range(DOCUMENTS)]


def ours(bench):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([bench, "--only", "lda_million_tokens_per_s_per_core", "--json", file.name], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return json.load(open(file.name))["lda_million_tokens_per_s_per_core"]


def tomotopy(texts):
    import tomotopy
    model = tomotopy.LDAModel(k=TOPICS, alpha=0.1, eta=0.05, seed=1)
    for text in texts:
        model.add_doc([str(word) for word in text])
    model.train(10, workers=1)
    start = time.perf_counter()
    model.train(20, workers=1)
    return 20 * DOCUMENTS * LENGTH / (time.perf_counter() - start) / 1e6


def gensim(texts):
    from gensim.models.ldamodel import LdaModel
    corpus = [[(word, text.count(word)) for word in set(text)] for text in texts[:500]]
    start = time.perf_counter()
    LdaModel(corpus, num_topics=TOPICS, id2word={w: str(w) for w in range(WORDS)}, passes=1, iterations=50, eval_every=None)
    return 500 * LENGTH / (time.perf_counter() - start) / 1e6


def main():
    texts = documents()
    print(f"{'ours':12}{ours(sys.argv[1]):8.2f}  million tokens per second and core")
    for name, measure in (("tomotopy", tomotopy), ("gensim", gensim)):
        try:
            print(f"{name:12}{measure(texts):8.2f}", flush=True)
        except ImportError:
            print(f"{name:12} not installed")


if __name__ == "__main__":
    main()
