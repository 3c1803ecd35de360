"""Train the nets of the book and keep their scores: python -m perfmodel.prediction.record_nets.

It needs the extra `ml` and takes minutes. Names of jobs as arguments run only these.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from rich.progress import track
from sklearn import config_context

from perfmodel.prediction import cloudformer, nets_recorded, three_ways
from perfmodel.prediction.contest import Contestant, compete
from perfmodel.prediction.estimators import LogFeatures, Residual
from perfmodel.prediction.gemm_models import flop
from perfmodel.prediction.nets import Mlp

if TYPE_CHECKING:
    import pandas as pd

Job = tuple["pd.DataFrame", Sequence[Contestant]]


def gemm_nets() -> list[Contestant]:
    """Return the perceptrons that meet on matrix products: alone, per operation, on a model."""
    sizes = three_ways.SIZES
    return [
        Contestant("perceptron on logs", "ml", LogFeatures(Mlp(), sizes)),
        Contestant("perceptron, s/FLOP", "ml", LogFeatures(Mlp(), sizes, flop)),
        Contestant(
            "refined x perceptron",
            "graybox",
            Residual(three_ways.refined(), Mlp(), sizes, three_ways.alignment),
        ),
    ]


def gemm(precision: str, seeds: int = 20) -> Job:
    """Return scores of `gemm_nets` inside and beyond the sizes that they learned from."""
    data, entries = three_ways.dataset(precision), gemm_nets()
    chosen = range(seeds)
    rounds = three_ways.inside(data, seeds=chosen) + three_ways.beyond(data, seeds=chosen)
    return compete(data, entries, rounds, progress=True), entries


def hosts(seeds: int = 6) -> Job:
    """Return scores of the attention net on surrogate hosts."""
    import pandas as pd

    entries = [cloudformer.attention()]
    found = [
        cloudformer.study(entries, [seed], windows=True)
        for seed in track(range(seeds), "surrogate hosts")
    ]
    return pd.concat(found, ignore_index=True), entries


JOBS: dict[str, Callable[[], Job]] = {
    "gemm-fp64": lambda: gemm("fp64"),
    "gemm-fp32": lambda: gemm("fp32"),
    "hosts": hosts,
}


def main(names: Sequence[str]) -> None:
    """Run jobs by name, all if none is named, and replace their rows in the recorded scores."""
    for name in names or JOBS:
        if name not in JOBS:
            raise SystemExit(f"job must be one of {', '.join(JOBS)}, got {name!r}")
        scores, entries = JOBS[name]()
        settings = {one.name: _settings(one) for one in entries}
        versions = {library: metadata.version(library) for library in ("jax", "jaxlib")}
        path = Path(__file__).with_name(nets_recorded.FILE)
        nets_recorded.save(scores, settings, versions, path)


def _settings(one: Contestant) -> str:
    with config_context(print_changed_only=False):
        said = " ".join(one.estimator.__repr__(N_CHAR_MAX=10_000).split())  # type: ignore[call-arg]
    return re.sub(r"<function (\w+) at \w+>", r"\1", said)


if __name__ == "__main__":
    main(sys.argv[1:])
