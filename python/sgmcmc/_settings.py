"""Settings of a run as strings, as in configuration files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _core


#: Names that other packages use for settings, and what to write instead.
ELSEWHERE = {name: advice for names, advice in (
    ("iter iter_sampling num_samples n_samples num_draws n_draws draws", "the iterations after warm-up are iterations=..., of which every thin-th is kept"),
    ("iter_warmup num_warmup n_warmup tune burn_in burnin", "the iterations of warm-up are warmup=..."),
    ("num_chains n_chains", "the number of chains is chains=..."),
    ("init inits initvals init_params initial_values", "initial values are initial={'name': value}, on the constrained scale"),
    ("cores parallel_chains threads_per_chain num_threads n_jobs chain_method", "the number of threads, for all chains together, is threads=..."),
    ("target_accept target_accept_prob adapt_delta", "the acceptance rate to which nuts, hmc and mala adapt is target_acceptance=..."),
    ("max_treedepth", "the depth of trajectories of nuts is max_tree_depth=..."),
    ("random_seed rng_seed rng_key random_state", "the seed is seed=..."),
    ("thinning", "to keep every k-th iteration, write thin=k"),
    ("output_dir", "the folder of a run is out=..."),
    ("show_progress progressbar progress_bar", "progress is shown with progress=True"),
    ("minibatch_size subsample_size", "the rows of a minibatch are batch_size=..."),
    ("learning_rate lr", "the step size is step_size=..."),
) for name in names.split()}


class Settings(dict[str, tuple[str, str]]):
    """The default and the meaning of each setting of sample(), by name."""

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


def texts(settings: Mapping[str, Any], own: Sequence[str] = ()) -> list[tuple[str, str]]:
    """own: names in ELSEWHERE that are settings here."""
    for name in settings:
        if name in ELSEWHERE and name not in own:
            raise _core.OptionError(f"there is no setting '{name}': {ELSEWHERE[name]}")
    return [(name, text_of(name, value)) for name, value in settings.items() if value is not None]
