"""What GPPerf's authors print and measured, beside tile traffic and a forest on surrogate runs."""

from functools import partial

from perfmodel.labs.prediction.gemm_gpu.inputs import SAMPLE, SMALLER, TILED
from perfmodel.labs.prediction.gemm_gpu.surrogate import Accuracy, accuracy
from perfmodel.labs.prediction.gemm_gpu.tile_traffic import TiledRun
from perfmodel.ledger import Sheet, re_aggregated, same_method

BASE = TILED[2]
"""The run that the bandwidth is taken from: 16,384 rows in tiles of 8."""
_UNBOUND = (
    "The memory is not what this kernel waits for: tiles of 1 and 4 do not keep it busy, and with "
    "tiles of 32 a block has 1,024 threads, few of which fit on a processor."
)
_SLOWER = "In tiles of 8 the smaller product reaches a sixth less bandwidth; we don't know why."


def _seconds(run: TiledRun) -> float:
    return run.traffic / BASE.bandwidth


TIMES = [
    same_method(
        f"seconds of {run.size:,} rows in tiles of {run.tile}, at the bandwidth that "
        "16,384 rows in tiles of 8 imply",
        printed,
        "execution_times_all.csv",
        partial(_seconds, run),
        within=0.1,
        miss=miss,
    )
    for run, printed, miss in (
        (TILED[0], "1222268 ms", _UNBOUND),
        (TILED[1], "31258.2 ms", _UNBOUND),
        (TILED[3], "5168.41 ms", ""),
        (TILED[4], "5848.53 ms", _UNBOUND),
        (SMALLER[0], "1506.35 ms", _SLOWER),
        (SMALLER[1], "651.253 ms", ""),
        (SMALLER[2], "730.944 ms", _UNBOUND),
    )
]


UNITS = [
    re_aggregated(
        "column 'TFlops' of the README's example, if it is in GFLOP/s",
        "6168.094 GFLOP/s",
        "README",
        lambda: SAMPLE.rate,
    ),
    re_aggregated(
        "its power, if column 'Energy' (87902.151) is in MFLOP/s per watt",
        "70.17 W",
        "README",
        lambda: SAMPLE.rate / 87902.151e6,
    ),
]


def _forest(measure: str, target: str) -> float:
    scored: Accuracy = accuracy("random", "forest", target)
    return float(getattr(scored, measure))


_SURROGATE = (
    "The runs are ours and not the authors': R2 and errors follow from how times and powers are "
    "spread, and from their noise, which we had to assume."
)
FOREST = [
    same_method(
        f"{what} of a forest, a random fifth of surrogate runs",
        printed,
        "abstract",
        partial(_forest, measure, target),
        within=within,
        miss=miss,
    )
    for what, printed, measure, target, within, miss in (
        ("R2 of the run time", "0.98", "r2", "seconds", 0.03, ""),
        ("mean error of the run time", "15.57 %", "mape", "seconds", 0.2, _SURROGATE),
        ("R2 of the power", "0.78", "r2", "watts", 0.03, _SURROGATE),
        ("median error of the power", "5.42 %", "median", "watts", 0.2, _SURROGATE),
    )
]
SHEET = Sheet(
    "X. Liu and P. Halim, 'GPPerf: Understanding GEMM Performance and Energy on NVIDIA Ada "
    "Lovelace', arXiv:2411.16954, 2024, with its repository https://github.com/pavlyhalim/GPPerf",
    [*TIMES, *UNITS, *FOREST],
    unheld="That tiles of 16 are up to 3.2 times as fast at 22 % less power: we don't know which "
    "runs were compared. The authors' own 16,128 runs are missing from their repository.",
)
