"""Numbers of GPPerf's authors, compared with tile traffic and a forest on surrogate runs."""

from functools import partial

from perfmodel.labs.prediction.gemm_gpu.fp8_products import (
    APRIL,
    SERVED,
    dense_fit,
    errors,
    products,
    second_column,
)
from perfmodel.labs.prediction.gemm_gpu.surrogate import (
    SAMPLE,
    SMALLER,
    TILED,
    Accuracy,
    TiledRun,
    accuracy,
)
from perfmodel.ledger import Claim, Sheet, re_aggregated, same_method

BASE = TILED[2]
"""The run that the bandwidth is taken from: 16,384 rows in tiles of 8."""
_UNBOUND = (
    "This kernel doesn't wait for memory. Tiles of 1 and 4 don't keep the memory busy, and with "
    "tiles of 32 a block has 1,024 threads, so few blocks fit on a processor."
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
    "The runs are made up. R2 and errors depend on the distribution of times and powers and on "
    "their noise, which we had to assume."
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
_MASKED = (
    "Masked kernels take longer than dense products of the same work and bytes. In the authors' "
    "tests the number of rows of a group varies, and other causes aren't stated."
)
HELD_OUT = 0.1
"""How far the rate of a grouped product may be off."""


def _rate(section: str, row: int) -> float:
    table = products(APRIL, section)
    return float(table.work[row] / dense_fit().seconds(table.work, table.moved)[row])


def _one_measurement() -> tuple[bool, str]:
    worst, rows = second_column()
    return worst < 2e-3, f"{rows} rows, at most {100 * worst:.2f} % off"


def _grouped(section: str, row: int) -> Claim:
    table = products(APRIL, section)
    groups, m, n, k = table.shapes[row]
    off = abs(1 / (1 + errors(section)[row]) - 1) > HELD_OUT
    return same_method(
        f"FP8, {section}, {groups} of {m} x {n} x {k}, by a roofline of 18 dense products",
        f"{table.work[row] / table.seconds[row] / 1e12:.0f} TFLOP/s",
        "DeepGEMM, README at 989c9e3",
        partial(_rate, section, row),
        within=HELD_OUT,
        miss=_MASKED if off else "",
    )


FP8 = [
    re_aggregated(
        "bytes over the time of the printed FLOP/s, all FP8 products",
        "the column GB/s",
        "DeepGEMM, README at a6d97a1 and 989c9e3",
        _one_measurement,
    ),
    *(_grouped("contig", row) for row in range(4)),
    *(_grouped("masked", row) for row in range(6)),
    *(
        same_method(
            f"tokens/s of {system} by Little's law, Llama-2-70B, server",
            f"{run.server:,.1f}",
            "MLPerf Inference 4.1, closed, NVIDIA, log summary",
            partial(getattr, run, "by_little"),
            within=0.005,
        )
        for system, run in SERVED.items()
    ),
]
SHEET = Sheet(
    "X. Liu and P. Halim, 'GPPerf: Understanding GEMM Performance and Energy on NVIDIA Ada "
    "Lovelace', arXiv:2411.16954, 2024, with its repository https://github.com/pavlyhalim/GPPerf; "
    "DeepSeek, 'DeepGEMM', https://github.com/deepseek-ai/DeepGEMM, 2025; MLCommons, 'MLPerf "
    "Inference results 4.1', https://github.com/mlcommons/inference_results_v4.1, 2024",
    [*TIMES, *UNITS, *FOREST, *FP8],
    unheld="The claim that tiles of 16 are up to 3.2 times as fast at 22 % less power: we don't "
    "know which runs were compared. The authors' own 16,128 runs are missing from their "
    "repository.",
)
