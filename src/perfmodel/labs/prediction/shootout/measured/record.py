"""Record a data set of this folder.

`python -m perfmodel.labs.prediction.shootout.measured.record NAME [SITTING ...]`, where NAME is
`sorts`, `products` or `service`; without numbers all sittings are measured. A few minutes each.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from perfmodel.labs.prediction.shootout.measured import (
    loopback_service,
    service_load,
    sessions,
    sparse_products,
    stable_sorts,
)
from perfmodel.validation import Floats

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Recording:
    """A data set: its file, its runs, and how a sitting measures them."""

    file: str
    runs: int
    sittings: int
    plan: Callable[[int], pd.DataFrame]
    measure: Callable[[pd.DataFrame, int], Floats]
    rule: str
    """How a result comes about, for the record."""


def _sorts(plan: pd.DataFrame, number: int) -> Floats:
    return sessions.shuffled(stable_sorts.seconds, len(plan), number)


def _products(plan: pd.DataFrame, number: int) -> Floats:
    return sessions.shuffled(sparse_products.seconds, len(plan), number)


_LOADED = (
    f"mean response over {service_load.SECONDS:g} s of arrivals less the first "
    f"{100 * service_load.WARMUP:g} %, mean over sittings; a sitting visits the runs in an order "
    "and with arrivals of its own"
)

RECORDINGS = {
    "sorts": Recording(stable_sorts.FILE, 300, 5, stable_sorts.plan, _sorts, sessions.RULE),
    "products": Recording(
        sparse_products.FILE, 252, 5, sparse_products.plan, _products, sessions.RULE
    ),
    "service": Recording(
        loopback_service.FILE, 84, 3, service_load.plan, service_load.sitting, _LOADED
    ),
}


def main(arguments: Sequence[str], folder: Path | None = None, runs: int | None = None) -> None:
    """Measure sittings of the recording named first, all or those numbered, for `folder`."""
    name = arguments[0] if arguments else ""
    if name not in RECORDINGS:
        raise SystemExit(f"recording must be one of {', '.join(RECORDINGS)}, got {name!r}")
    chosen = RECORDINGS[name]
    plan = chosen.plan(runs or chosen.runs)
    sessions.record(
        (folder or Path(__file__).parent) / chosen.file,
        plan,
        lambda number: chosen.measure(plan, number),
        [int(number) for number in arguments[1:]] or range(chosen.sittings),
        {"command": f"python -m {__package__}.record {name}", "rule": chosen.rule},
    )


if __name__ == "__main__":
    main(sys.argv[1:])
