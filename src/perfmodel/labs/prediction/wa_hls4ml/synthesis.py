"""Dense layers on an FPGA: reported resources after synthesis, and predictors for the arena.

hls4ml turns a layer of d_in x d_out products with weights of `prec` bits into a circuit. Each
multiplier does `rf` products one after the other (the reuse factor), so there are d_in d_out / rf
multipliers. The data are the published pilot of wa-hls4ml: the tool's estimates after high-level
synthesis. No run was repeated, so the noise is unknown.

Source: B. Hawks et al., "wa-hls4ml", ACM TRETS 19(2), 2026; the pilot's table is in this module's
folder (Apache-2.0, see README.md).
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from perfmodel import data
from perfmodel.prediction.arena.contest import Contestant
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.estimators import Columns, LogFeatures, Priced
from perfmodel.prediction.arena.mixtures import Corrected, Residual
from perfmodel.shipped_data import shipped_table
from perfmodel.validation import Floats, one_of

if TYPE_CHECKING:
    import pandas as pd

FILE = "hls_dense_synthesis.csv"
KNOBS = ["d_in", "d_out", "prec", "rf"]
"""What the designer chooses: sizes of the layer, bits of a weight, products for each multiplier."""
SEEN = [*KNOBS, "n"]
UNITS = {"d_in": "1", "d_out": "1", "prec": "bit", "rf": "1", "n": "1"}
TARGETS = {
    "FF": "flip-flops, the registers of one bit",
    "LUT": "lookup tables, the cells that hold logic",
    "BRAM": "blocks of memory of 18 kbit",
}
REPORTED = {
    "hls_synth_success": "success",
    "FF_hls": "FF",
    "LUT_hls": "LUT",
    "BRAM_18K_hls": "BRAM",
    "DSP_hls": "DSP",
    "BestLatency_hls": "best_cycles",
    "WorstLatency_hls": "worst_cycles",
    "IntervalMin_hls": "interval",
    "TargetClockPeriod_hls": "clock_ns",
}
LOGIC_PRECISION = 6
"""Bits of a weight from which on a product is made by a DSP slice and not by lookup tables."""


def table() -> pd.DataFrame:
    """Return all attempts, one a row, successful or not.

    Columns: `d_in`, `d_out`, `prec` (bits), `rf`, `n` (products, d_in d_out), `strategy`
    (`resource` or `latency`), `success`, and for the successful ones the resources `FF`, `LUT`,
    `BRAM` (blocks of 18 kbit), `DSP`, and `best_cycles`, `worst_cycles`, `interval` (cycles),
    `clock_ns`.
    """
    return _table().copy()


@cache
def _table() -> Any:
    attempts = shipped_table(__package__, FILE).rename(columns=REPORTED)
    attempts.insert(2, "n", attempts["d_in"] * attempts["d_out"])
    return attempts[[*SEEN, "strategy", *REPORTED.values()]].astype({"success": bool})


def reused_designs(attempts: pd.DataFrame) -> pd.DataFrame:
    """Return the successful designs whose multipliers are reused: strategy resource, rf above 1."""
    chosen = attempts["success"] & (attempts["strategy"] == "resource") & (attempts["rf"] > 1)
    return attempts[chosen].reset_index(drop=True)


def dataset(target: str = "LUT") -> Dataset:
    """Return the reused designs for the arena, with `FF`, `LUT` or `BRAM` as the target.

    Cycles and DSP slices follow from the knobs by a rule, so that predicting them is no question.
    871 designs with the features `d_in`, `d_out`, `prec`, `rf` and `n`, and the groups `precision`
    and `layer`. No design is there twice, but most differ from six others in their precision only,
    which hardly changes `LUT`: a random split tests on those.
    """
    one_of("target", target, TARGETS)
    designs = reused_designs(table())
    declared = data.DATASETS["wa-hls4ml"]
    return Dataset(
        f"hls4ml dense layers, {target}",
        designs[SEEN].astype(float),
        UNITS,
        designs[target].to_numpy(dtype=float),
        TARGETS[target],
        "1",
        declared.provenance,
        declared.licence,
        groups={
            "precision": designs["prec"].tolist(),
            "layer": [f"{a}x{b}" for a, b in designs[["d_in", "d_out"]].itertuples(index=False)],
        },
    )


def bit_counts(features: pd.DataFrame) -> dict[str, Floats]:
    """Return counts that one would name without knowing the circuit, shape (n,) by name.

    Bits that come in, bits that go out, bits at work at once, and the numbers of both ends.
    """
    d_in, d_out, prec = (features[name].to_numpy(dtype=float) for name in ("d_in", "d_out", "prec"))
    return {
        "output bits": d_out * prec,
        "bits at work": multipliers(features) * prec,
        "input bits": d_in * prec,
        "inputs": d_in,
        "outputs": d_out,
    }


def multipliers(features: pd.DataFrame) -> Floats:
    """Return the number of parallel multipliers, d_in d_out / rf, shape (n,)."""
    return np.asarray((features["d_in"] * features["d_out"] / features["rf"]).to_numpy(dtype=float))


def circuit_counts(features: pd.DataFrame, target: str) -> dict[str, Floats]:
    """Return counts that follow from how the circuit is built, shape (n,) by name.

    In a cycle each multiplier takes one input and adds to one of the rf / d_in outputs that it
    serves. With more than two outputs, the reported cost is the cost of a multiplexer over all
    outputs for each multiplier (inputs rounded up to a power of two), and of a stored list of
    outputs. Weights are in memory blocks of 512 words of 36 bits, one word per cycle for all
    multipliers. The published generator suggests these counts and the table confirmed them, so
    their form is no prediction. Their prices are fitted to training rows only.
    """
    d_in, d_out, prec, rf = (features[name].to_numpy(dtype=float) for name in KNOBS)
    side, indexed = multipliers(features), rf > 2 * d_in
    control, slices = np.ones(len(features)), prec >= LOGIC_PRECISION
    if target == "LUT":
        return {
            "control": control,
            "inputs": d_in,
            "outputs": d_out,
            "multiplexers": side * multiplexer_inputs(d_out) * indexed,
            "multipliers": side,
        }
    if target == "FF":
        return {
            "control": control,
            "outputs": d_out,
            "products": side * (slices & indexed),
            "product bits": side * prec * (slices & ~indexed),
            "logic product bits": side * prec * (~slices & indexed),
        }
    if target == "BRAM":
        blocks = np.ceil(side * prec / 36) * np.ceil(rf / 512)
        return {"weights": blocks, "output table": indexed.astype(float)}
    raise ValueError(f"target must be one of {', '.join(TARGETS)}, got {target!r}")


def multiplexer_inputs(d_out: ArrayLike) -> Floats:
    """Return the least power of two that holds all outputs.

    >>> multiplexer_inputs([32, 96, 129]).tolist()
    [32.0, 128.0, 256.0]
    """
    return np.asarray(2.0 ** np.ceil(np.log2(np.asarray(d_out, dtype=float))))


def _matrix(counts: Any, features: pd.DataFrame) -> Floats:
    return np.column_stack(list(counts(features).values()))


def least_squares(counts: Any) -> Any:
    """Return least squares on counts with an intercept: prices of any sign."""
    return make_pipeline(FunctionTransformer(partial(_matrix, counts)), LinearRegression())


def forest(trees: int = 60) -> Any:
    """Return a random forest with a fixed seed."""
    return RandomForestRegressor(trees, random_state=0)


def contestants(target: str = "LUT") -> list[Contestant]:
    """Return predictors of all families for `dataset(target)`, each fitted to the training rows."""
    one_of("target", target, TARGETS)
    circuit = Priced(partial(circuit_counts, target=target))
    boosting = GradientBoostingRegressor(random_state=0)
    bits = Corrected(least_squares(bit_counts), Columns(forest(), SEEN))
    return [
        Contestant("counts of bits", "whitebox", Priced(bit_counts)),
        Contestant("counts of the circuit", "whitebox", circuit),
        Contestant("power law", "regression", LogFeatures(LinearRegression(), KNOBS)),
        Contestant("random forest", "ml", Columns(forest(), SEEN)),
        Contestant("boosting on logs", "ml", LogFeatures(boosting, SEEN)),
        Contestant("bits + forest", "graybox", bits),
        Contestant("circuit x forest", "graybox", Residual(circuit, forest(), SEEN)),
    ]
