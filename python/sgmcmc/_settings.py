"""Settings of a run as texts, as configuration files have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _core


class Settings(dict[str, tuple[str, str]]):
    """Default and meaning of each setting of sample(), by name."""

    def __repr__(self) -> str:
        return "\n".join(f"{name}{f' = {default}' if default else ''}: {meaning}" for name, (default, meaning) in self.items())


def settings() -> Settings:
    """The settings of sample(): those of `sgmcmc sample`. An empty default is chosen to suit the model."""
    return Settings({name: (default, meaning) for name, default, meaning, _ in _core.settings()})


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
