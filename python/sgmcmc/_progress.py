"""Shows the progress of a run as one line on a terminal."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, Optional


class Line:
    def __init__(self) -> None:
        self.start = time.monotonic()
        self.last = 0.0
        self.width = 0

    def __call__(self, phase: str, share: float) -> None:
        now = time.monotonic()
        if now - self.last < 0.2:
            return
        self.last = now
        text = f"{phase} ... {now - self.start:.0f} s"
        if phase == "sampling" and share > 0:
            text = f"sampling {100 * share:3.0f}%  {(now - self.start):.0f} s"
        self.write(text)

    def write(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()
        self.width = len(text)

    def close(self) -> None:
        if self.width:
            self.write("")
            sys.stderr.write("\r")
            sys.stderr.flush()


def line(wanted: Optional[bool]) -> Optional[Line]:
    """None: shows a line in terminals and notebooks."""
    shown = (sys.stderr.isatty() or "ipykernel" in sys.modules) if wanted is None else wanted
    return Line() if shown else None
