"""FlexGen's policy with and without its cost model, on randomly drawn jobs and machines.

Intervals count sites. A site is a job with its machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from perfmodel.labs.prediction.models_in_schedulers.policy_search import (
    LEAST,
    WAYS,
    best_within_budgets,
    draw_site,
    fastest_first,
    oracle,
    planned,
    planned_and_tried,
    pool,
    row_by_row,
)
from perfmodel.measurement.provenance import record_table, recorded_table
from perfmodel.prediction.arena.paired_losses import Loss, fraction_lost
from perfmodel.validation import Floats

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

SITES = 15
OFFS = (0.0, 0.3, 0.6)
"""How far true rates are from the announced ones; the page's text uses the middle value."""
TRIALS = (8, 32, 64)
PLANNED, TRIED, ALL = "model, no trial", "model, its best of each batch tried", "all known"
BEST = "best of any way"
"""The largest of the other rows. `ALL` is 0 where the true overlap's own count of bytes accepts a
policy that doesn't fit."""
THUMB, ROW = "fastest first, block doubled", "model, no block"
_PACKAGE = "perfmodel.labs.prediction.models_in_schedulers"


def way_with(name: str, trials: int) -> str:
    """Return the name of a search with a budget, as in the record."""
    return f"{name}, {trials} trials"


NAMES = tuple(WAYS)
WITHOUT = (THUMB, *(way_with(name, trials) for name in WAYS for trials in TRIALS))
"""Ways without the model's seconds."""


def run_site(seed: int, off: float) -> pd.DataFrame:
    """Run all searches for a policy on the site of `draw_site`.

    A row for each way: `way`, `throughput` in tokens/s, and `trials`.
    """
    import pandas as pd

    site = draw_site(seed, off)
    tried, trials = planned_and_tried(site)
    rows = [
        (ALL, oracle(site), 0),
        (PLANNED, planned(site), 0),
        (TRIED, tried, trials),
        (ROW, row_by_row(site), 0),
        (THUMB, fastest_first(site, max(TRIALS)), 0),
    ]
    for name in WAYS:
        best = best_within_budgets(name, pool(seed, off), TRIALS)
        rows += [
            (way_with(name, count), float(throughput), count)
            for count, throughput in zip(TRIALS, best, strict=True)
        ]
    return pd.DataFrame(rows, columns=["way", "throughput", "trials"])


def record(path: Path) -> None:
    """Run all sites and write `path`, with versions in a JSON file next to it."""
    import pandas as pd

    frames = [
        run_site(seed, off).assign(off=off, site=seed) for off in OFFS for seed in range(SITES)
    ]
    table = pd.concat(frames, ignore_index=True)[["off", "site", "way", "throughput", "trials"]]
    record_table(table, path, float_format="%.6g")


def throughputs(off: float = OFFS[1]) -> dict[str, Floats]:
    """Return the recorded tokens/s of each way and `BEST`, shape (sites,), for one of `OFFS`."""
    table = recorded_table(_PACKAGE, "policy_contest.csv").query("off == @off")
    wide = table.pivot_table("throughput", "site", "way")
    by_way = {str(way): wide[way].to_numpy(float) for way in wide}
    return by_way | {BEST: np.max(list(by_way.values()), axis=0)}


def loss(way: str, off: float = OFFS[1]) -> Loss:
    """Return the fraction of the planned policy's tokens/s that a search loses, over all sites."""
    by_way = throughputs(off)
    return fraction_lost(by_way[PLANNED], np.maximum(by_way[way], LEAST))
