"""The protocol by which steps of different programs are timed in turns: a line with a number of seconds on standard input
asks for about that long of steps, the answer is a line with microseconds per step."""

import sys
import time


def serve(run_block, steps_per_block):
    start = time.perf_counter()
    run_block()
    print(f"first block, with compilation: {time.perf_counter() - start:.2f} s", file=sys.stderr)
    run_block()
    print("ready", flush=True)
    for line in sys.stdin:
        budget = float(line)
        blocks = 0
        start = time.perf_counter()
        while blocks == 0 or time.perf_counter() - start < budget:
            run_block()
            blocks += 1
        total = time.perf_counter() - start
        print(1e6 * total / (blocks * steps_per_block), flush=True)
