"""Other Python threads continue while the library computes."""

import os
import subprocess
import sys
import threading
import time
import unittest
import warnings

import numpy as np

import sgmcmc as sg


def counted(seconds):
    """How far a thread counts in this many seconds."""
    found = []

    def count():
        number, end = 0, time.monotonic() + seconds
        while time.monotonic() < end:
            number += 1
        found.append(number)

    thread = threading.Thread(target=count)
    thread.start()
    thread.join()
    return found[0]


class Threads(unittest.TestCase):
    SECONDS, LEAST = 0.6, 0.8

    def setUp(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("there is one core only, which a run and another thread share")
        values = np.random.default_rng(1).normal(size=20_000)
        self.model = sg.Model(y=values)
        mean = self.model.parameter("mean")
        self.model.likelihood(sg.normal_lpdf(self.model.row.y, mean, 1))

    def speed(self, start, stop):
        """Beside the work, over that beside a process of its own that is as busy: what is lost to Python's lock, not to other programs. The
        best of three."""
        best = 0.0
        for _ in range(3):
            with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy:
                time.sleep(0.1)
                beside_process = counted(self.SECONDS)
                busy.kill()
            work = start()
            best = max(best, counted(self.SECONDS) / beside_process)
            stop(work)
            if best >= self.LEAST:
                break
        print(f"{100 * best:.0f} % of its speed", end=" ... ", flush=True)
        return best

    def assert_keeps_its_speed(self, best):
        load, cores = os.getloadavg()[0], len(os.sched_getaffinity(0))
        if best < self.LEAST and load > cores + 1:
            self.skipTest(f"the machine is too busy to tell: {load:.1f} programs on {cores} cores, {100 * best:.0f} % of the speed")
        self.assertGreaterEqual(best, self.LEAST)

    def test_a_thread_keeps_its_speed_beside_a_run(self):
        def stop(run):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.assertTrue(run.abort().interrupted)

        self.assert_keeps_its_speed(self.speed(
            lambda: self.model.sample(method="sgld-cv", step_size=1e-6, iterations=10**9, thin=10**4, warmup=0, threads=1, blocking=False), stop))

    def test_a_thread_keeps_its_speed_beside_a_search_for_the_mode(self):
        ends = []

        def start():
            thread = threading.Thread(target=lambda: ends.append(self.model.optimize(method="adam", iterations=400_000, batch_size=200)))
            thread.start()
            return thread

        best = self.speed(start, lambda thread: thread.join())
        self.assertTrue(ends)
        self.assert_keeps_its_speed(best)

    def test_a_thread_keeps_its_speed_beside_a_chain(self):
        chain = sg.sgld(self.model, step_size=1e-6).init()
        done = threading.Event()

        def start():
            def step():
                while not done.is_set():
                    chain.step(100_000)

            done.clear()
            thread = threading.Thread(target=step)
            thread.start()
            return thread

        def stop(thread):
            done.set()
            thread.join()

        self.assert_keeps_its_speed(self.speed(start, stop))

    def test_threads_that_step_one_chain_take_turns(self):
        steps, threads = 3000, 4
        chain, alone = (sg.sgld(self.model, step_size=1e-6).init(seed=3) for _ in range(2))
        workers = [threading.Thread(target=lambda: [chain.step(10) for _ in range(steps // 10)]) for _ in range(threads)]
        for worker in workers:
            worker.start()
        for _ in range(100):
            chain.position
        for worker in workers:
            worker.join()
        self.assertEqual(chain.iteration, steps * threads)
        self.assertTrue((chain.position == alone.step(steps * threads).position).all())


if __name__ == "__main__":
    unittest.main()
