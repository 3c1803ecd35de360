"""Own learning curves: small nets that learn scikit-learn's digits, in many sizes and settings.

Training takes minutes, so that the curves are kept with the package; a test trains some again.
``python -m perfmodel.labs.forecasting.contest.digit_runs`` makes them again.

>>> draw_settings(3).shape
(3, 5)
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
import threadpoolctl

from perfmodel.measurement.provenance import record_table, recorded_origin, recorded_table
from perfmodel.validation import Floats, whole

if TYPE_CHECKING:
    import pandas as pd

FILE = "digit_runs.csv"
COMMAND = "python -m perfmodel.labs.forecasting.contest.digit_runs"
SETTINGS = ("width", "layers", "rate", "batch", "images")
RUNS = 300
EPOCHS = 40
HELD_OUT = 797
"""Images that no net learns from; accuracy is the share of them that a net names rightly."""


def draw_settings(runs: int = RUNS, seed: int = 0) -> pd.DataFrame:
    """Return random settings: `width`, `layers`, learning `rate`, `batch` and training `images`."""
    import pandas as pd

    rng, n = np.random.default_rng(seed), whole("runs", runs, 1)
    return pd.DataFrame(
        {
            "width": 2 ** rng.integers(2, 8, n),
            "layers": rng.integers(1, 4, n),
            "rate": np.exp(rng.uniform(np.log(1e-4), np.log(3e-2), n)).round(6),
            "batch": 2 ** rng.integers(4, 8, n),
            "images": (np.exp(rng.uniform(np.log(100), np.log(1000), n))).round().astype(int),
        }
    )


def train(setting: Mapping[str, float], seed: int, epochs: int = EPOCHS) -> Floats:
    """Train one net, and return its accuracy (0 to 1) on the held-out images after each epoch.

    >>> curve = train({"width": 16, "layers": 1, "rate": 0.01, "batch": 32, "images": 200}, 0, 5)
    >>> curve.shape, bool(curve[0] < curve[-1])
    ((5,), True)
    """
    from sklearn.datasets import load_digits
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier

    pixels, digits = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(digits.size)
    held, rest = order[:HELD_OUT], order[HELD_OUT:][: int(setting["images"])]
    net = MLPClassifier(
        (int(setting["width"]),) * int(setting["layers"]),
        learning_rate_init=float(setting["rate"]),
        batch_size=min(int(setting["batch"]), rest.size),
        random_state=seed,
    )
    curve = []
    with threadpoolctl.threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for _ in range(whole("epochs", epochs, 1)):
            net.partial_fit(pixels[rest] / 16, digits[rest], classes=np.arange(10))
            curve.append(net.score(pixels[held] / 16, digits[held]))
    return np.array(curve)


def recorded_runs() -> pd.DataFrame:
    """Return the stored runs: their settings, and `acc_1` to `acc_40`, one row a run."""
    return recorded_table(__package__, FILE)


def runs_origin() -> dict[str, Any]:
    """Return host, versions and date of the stored runs."""
    return recorded_origin(__package__, FILE)


@click.command()
@click.option("--runs", default=RUNS, help="How many nets to train.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path(__file__).with_name(FILE),
    help="The table; its origin goes to the JSON file next to it.",
)
def main(runs: int, out: Path) -> None:
    """Train the nets and keep their learning curves."""
    import pandas as pd
    from rich.progress import track

    settings = draw_settings(runs)
    rows = enumerate(settings.to_dict("records"))
    curves = [train(setting, seed) for seed, setting in track(rows, "nets", total=runs)]
    names = [f"acc_{epoch}" for epoch in range(1, EPOCHS + 1)]
    table = pd.concat([settings, pd.DataFrame(np.array(curves), columns=names)], axis=1)
    record_table(table, out, {"command": COMMAND}, float_format="%.6g")
    click.echo(f"{len(table)} runs in {out}")


if __name__ == "__main__":
    main()
