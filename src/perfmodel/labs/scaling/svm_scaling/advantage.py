"""What bounds the training of a support vector machine, and how it scales with cores and nodes.

Each step of SMO needs two rows of the kernel matrix, so it reads the whole table of n samples x d
features for only 4 n d flop (`step_cost`): far below the flop/byte that the
platforms here need to be compute-bound. The remedies are to work out both rows in one pass (fused),
to store sparse data sparsely, to cache rows, and to spread the table over cores and nodes until
synchronisation takes over (`distributed`).

The system is MIC-SVM: Y. You et al., "Scaling support vector machines on modern high performance
computing platforms", J. Parallel Distrib. Comput. 76, 2015, pp. 16-31, DOI
10.1016/j.jpdc.2014.09.005 (conference version: IPDPS 2014, DOI 10.1109/IPDPS.2014.88). The
algorithm is the standard one; the cost model is ours, not the paper's. The machines of the paper
are not modelled, because no sourced figures for them are at hand.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.labs.scaling.svm_scaling.smo import Kernel, noisy_halves, train
from perfmodel.labs.scaling.svm_scaling.step_cost import (
    EPYC_9654,
    FUSED,
    H100,
    Data,
    Method,
    Platform,
    row_cost,
    sparse_crossover,
    step_time,
)
from perfmodel.ledger import Claim, Trend, half_unit
from perfmodel.validation import Floats, positive, within

_SCALAR_SHARE = 1 / (96 * 8)
"""One core of 96 with one of the eight single-precision lanes of its two 256-bit FMA pipes."""


def storage(data: Data, gather_efficiency: float = 1.0) -> NDArray[np.str_]:
    """Return "dense" or "sparse", whichever a memory-bound trainer streams faster.

    >>> print(storage(Data(1000, 20, density=[0.05, 0.9])))
    ['sparse' 'dense']
    """
    limit = sparse_crossover(data.word_bytes, gather_efficiency)
    return np.where(np.less(data.density, limit), "sparse", "dense")


def advantage(data: Data, platform: Platform, scalar_share: float, method: Method) -> Floats:
    """Return the speedup of all cores and lanes over one lane of one core with separate rows.

    The slow side stores the table dense, has `scalar_share` of the platform's arithmetic, all of
    its bandwidth and nothing to wait for.

    >>> print(advantage(Data(1e6, 1000), EPYC_9654, 1 / 768, Method()).round(1))
    47.7
    """
    share = float(within("scalar_share", positive("scalar_share", scalar_share), 0, 1))
    lane = Platform(platform.name, platform.flop_rate * share, platform.bandwidth, sync_time=0)
    return step_time(data, lane, Method(fused=False)) / step_time(data, platform, method)


def claims() -> list[Claim]:
    """Return what the abstract says, and reference values of the trainer and the cost model."""
    return [*_training_claims(), *_cost_claims(), *_platform_claims()]


_YOU = "You et al., JPDC 76 (2015), "
# n: (steps, dual objective, support vectors) of an independent NumPy implementation of first-order
# SMO on `noisy_halves(n)`: d = 20, C = 1, gamma = 1/20, tolerance 1e-3.
_RUNS = {
    200: (245, 71.1594, 153),
    400: (432, 130.8307, 274),
    800: (679, 222.2416, 424),
    1600: (1225, 426.2240, 750),
}


class _Run(NamedTuple):
    steps: int
    objective: float
    support_vectors: int


@lru_cache
def _run(samples: int) -> _Run:
    table, labels = noisy_halves(samples)
    found = train(table, labels, Kernel("rbf", gamma=1 / 20))
    return _Run(found.iterations, found.objective(labels), found.support_vectors.size)


def _result(samples: int, name: str) -> float:
    return float(getattr(_run(samples), name))


def _derived(
    quantity: str,
    published: float,
    unit: str,
    compute: Callable[[], ArrayLike],
    absolute: float,
    source: str = "the paper's SMO, on a cost model of our own",
) -> Claim:
    return Claim(
        system="svm_scaling",
        quantity=quantity,
        kind="recomputed",
        published=published,
        unit=unit,
        source=_YOU + source,
        compute=lambda: float(np.asarray(compute())),
        derived=True,
        absolute=absolute,
    )


def _training_claims() -> list[Claim]:
    names = (("steps", 2.0), ("objective", 1e-3), ("support_vectors", 0.0))
    source = "standard first-order SMO, run by an independent implementation"
    runs = [
        _derived(
            f"{name.replace('_', ' ')} of SMO, n = {n}",
            value,
            "1",
            partial(_result, n, name),
            absolute,
            source,
        )
        for n, values in _RUNS.items()
        for (name, absolute), value in zip(names, values, strict=True)
    ]
    return [*runs, _derived("exponent of steps in n", 0.775, "1", _step_exponent, 0.025, source)]


def _step_exponent() -> float:
    steps = [_run(n).steps for n in _RUNS]
    return float(np.polyfit(np.log(list(_RUNS)), np.log(steps), 1)[0])


_NODE = Platform("node of the worked example", flop_rate=0.9e12, bandwidth=80e9, sync_time=0)
_TABLE = Data(60_000, 780)
_ROWS = row_cost(_TABLE)


def _cost_claims() -> list[Claim]:
    size = "n = 60,000, d = 780, single precision, fused"
    rows = (
        ("FLOP/byte, separate rows, single", "0.5", "FLOP/byte", partial(_intensity, False, 4)),
        ("FLOP/byte, separate rows, double", "0.25", "FLOP/byte", partial(_intensity, False, 8)),
        ("FLOP/byte, fused rows, single", "1.0", "FLOP/byte", partial(_intensity, True, 4)),
        ("FLOP/byte, fused rows, double", "0.5", "FLOP/byte", partial(_intensity, True, 8)),
        ("sparse wins below, single", "0.5", "1", partial(sparse_crossover, 4)),
        ("sparse wins below, single, e = 0.25", "0.125", "1", partial(sparse_crossover, 4, 0.25)),
        ("sparse wins below, double, e = 0.5", "0.333", "1", partial(sparse_crossover, 8, 0.5)),
        (f"traffic of a step, {size}", "187.2e6", "B", lambda: _ROWS.bytes),
        (f"time of a step's traffic at 80 GB/s, {size}", "2.34e-3", "s", lambda: _times()[1]),
        (f"time of a step's arithmetic at 0.9 TFLOP/s, {size}", "2.1e-4", "s", lambda: _times()[0]),
        (f"time of 1,000 steps, {size}", "2.34", "s", lambda: 1000 * max(_times())),
        (f"traffic over arithmetic, {size}", "11", "1", lambda: _times()[1] / _times()[0]),
    )
    return [_derived(q, float(p), unit, compute, half_unit(p)) for q, p, unit, compute in rows]


def _intensity(fused: bool, word_bytes: int) -> Floats:
    flops, moved = row_cost(Data(1000, 100, word_bytes=word_bytes), Method(fused=fused))
    return flops / moved


def _times() -> tuple[float, float]:
    return float(_ROWS.flops / _NODE.flop_rate), float(_ROWS.bytes / _NODE.bandwidth)


def _platform_claims() -> list[Claim]:
    made = partial(
        Claim, system="svm_scaling", kind="trend", unit="", source=_YOU + "abstract", derived=False
    )
    not_here = (
        "The paper's machines and data sets are not available and no sourced figures of these "
        "machines are at hand. Ours is the model's range on another machine, against one lane of "
        "one core rather than LIBSVM, so it shows the size of the effect and cannot confirm it."
    )
    return [
        made(
            quantity="storage by density",
            published="the best handling of the input depends on its pattern",
            compute=_adaptive,
        ),
        made(
            quantity="speedup over LIBSVM on Xeon Phi",
            published="4.4 to 84 times",
            compute=partial(_speedup_range, 4.4, 84),
            miss=not_here,
        ),
        made(
            quantity="speedup over LIBSVM on Ivy Bridge",
            published="18 to 47 times",
            compute=partial(_speedup_range, 18, 47),
            miss=not_here,
        ),
        made(
            quantity="many-core against GPU",
            published="MIC-SVM competes with GPUSVM on a K20X",
            compute=_many_core_against_gpu,
            miss=(
                "No sourced figures of the Xeon Phi and the K20X are at hand. The model says that "
                "memory bandwidth decides, and of machines of 2022 the GPU has several times more."
            ),
        ),
    ]


def _adaptive() -> Trend:
    density = np.array([0.01, 0.1, 0.9])
    data = Data(1e6, 1000, density)
    times = [step_time(data, EPYC_9654, Method(sparse=sparse)) for sparse in (False, True)]
    gain = times[0] / times[1]
    return Trend(
        bool(gain[0] > 1 > gain[-1]),
        "sparse storage is "
        + ", ".join(
            f"{g:.2g} times as fast at {d:.0%}" for g, d in zip(gain, density, strict=True)
        ),
    )


def _speedup_range(low: float, high: float) -> Trend:
    data = Data(np.logspace(3, 6, 4), np.array([[20], [200], [2000]]))
    ours = advantage(data, EPYC_9654, _SCALAR_SHARE, FUSED)
    return Trend(
        bool(low <= ours.min() and ours.max() <= high),
        f"{ours.min():.2g} to {ours.max():.0f} times for 1e3 to 1e6 samples of 20 to 2,000 "
        f"features on {EPYC_9654.name}, least where synchronisation rules",
    )


def _many_core_against_gpu() -> Trend:
    data = Data(1e6, 1000)
    ratio = float(step_time(data, EPYC_9654) / step_time(data, H100))
    return Trend(
        ratio < 2, f"{H100.name} is {ratio:.1f} times as fast as {EPYC_9654.name} in the model"
    )
