"""The program sgmcmc, as the command that the package installs and as python -m sgmcmc."""

import signal
import sys

from ._core import run_program


def main() -> int:
    # The program handles interrupts itself, and ends quietly when its reader does: not as Python does.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    status: int = run_program(sys.argv[1:])
    return status


if __name__ == "__main__":
    sys.exit(main())
