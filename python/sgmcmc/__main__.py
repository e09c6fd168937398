"""The program sgmcmc, run by the command that the package installs and by python -m sgmcmc."""

import signal
import sys

from ._core import run_program


def main() -> int:
    # Unlike Python, the program handles interrupts itself, and ends silently if its output pipe is closed.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    status: int = run_program(sys.argv[1:])
    return status


if __name__ == "__main__":
    sys.exit(main())
