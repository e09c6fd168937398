"""Settings of a run as texts, as configuration files have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def text_of(name: str, value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, Mapping):
        return ",".join(f"{key}={text_of(name, number)}" for key, number in value.items())
    if isinstance(value, (list, tuple, np.ndarray)):
        return ",".join(text_of(name, element) for element in value)
    return str(value)


def texts(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(name, text_of(name, value)) for name, value in settings.items() if value is not None]
