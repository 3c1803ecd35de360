"""Which tilings of a convolution to try: whitebox, regression, learned and graybox predictors.

Xu, Yuan, Barton, Li, Sadayappan and Sukumaran-Rajam, "Effective performance modeling and
domain-specific compiler optimization of CNNs for GPUs", PACT 2022. Counts and the analytic score
are in `tilings`, the loss in `performance_loss`, measured times in
`timings`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import pearsonr, spearmanr

from perfmodel.labs.roofline.cnn_tiling.performance_loss import (
    loss_of_performance,
    performance_ratio,
)
from perfmodel.labs.roofline.cnn_tiling.predictors import (
    Predictor,
    analytic,
    forest,
    gray_forest,
    graybox,
    half_splits,
    transfer,
)
from perfmodel.labs.roofline.cnn_tiling.tilings import (
    RES12,
    V100,
    YOLO18,
    ConvLayer,
    Tilings,
    analytic_score,
    count,
)
from perfmodel.labs.roofline.cnn_tiling.timings import timings
from perfmodel.ledger import Claim, Trend, half_unit


def fit_quality(layer: ConvLayer) -> float:
    """Return the graybox's coefficient of determination, in log time, on what it was fitted to.

    Examples
    --------
    >>> print(round(fit_quality(YOLO18), 3))
    0.939
    """
    case = timings(layer)
    real, ours = np.log(case.seconds), np.log(graybox(case, case))
    return float(1 - ((real - ours) ** 2).sum() / ((real - real.mean()) ** 2).sum())


def claims() -> list[Claim]:
    """Return what the paper's artifact prints and what was worked out from its data beforehand."""
    return [*_printed(), *_hand(), *_ranks(), *_splits(), *_orders()]


def _claim(
    quantity: str,
    printed: str,
    source: str,
    compute: Callable[[], ArrayLike],
    unit: str = "1",
    derived: bool = True,
) -> Claim:
    return Claim(
        system="cnn_tiling",
        quantity=quantity,
        kind="recomputed",
        published=float(printed),
        unit=unit,
        source=source,
        compute=lambda: float(np.asarray(compute())),
        derived=derived,
        absolute=half_unit(printed),
    )


_LOSSES = (
    *(0, 0.1581, 0.3187, 0.5506, 0.5004, 0.0629, 0.0236, 0.8146, 0.3101, 1.8458),
    *(0.0178, 2.4443, 0.4723, 0.0542, 0.0951, 0.1828, 0.0575, 0.0792, 0.0163, 0),
)
# The analytic model's loss on each of the 20 layers, V100, 30 tries, as the artifact prints it.


def _printed() -> list[Claim]:
    said = partial(_claim, derived=False)
    logs, means = "artifact, loss of each layer", "artifact, mean over 20 layers"
    return [
        said("analytic loss, res12, 30 tries, V100", "0.0542", logs, lambda: _loss(RES12, 30)),
        said("analytic loss, yolo18, 30 tries, V100", "0", logs, lambda: _loss(YOLO18, 30)),
        said("mean of the 20 printed analytic losses", "0.4002", means, lambda: np.mean(_LOSSES)),
        said(
            "performance ratio of the 20 printed analytic losses",
            "0.7647",
            means,
            lambda: performance_ratio(_LOSSES),
        ),
    ]


def _loss(layer: ConvLayer, tries: int) -> float:
    case = timings(layer)
    return loss_of_performance(analytic(case, case), case.seconds, tries)


def _hand() -> list[Claim]:
    best = Tilings(2, 1, 7, 32, 7, 1, 32)
    rows = {
        "global_to_shared": "36864",
        "shared_to_global": "25088",
        "global_to_register": "516096",
        "shared_to_register": "774144",
        "register_to_shared": "25088",
    }
    source = "the artifact's formulas, by hand"
    return [
        *(
            _claim(
                f"{name.replace('_', ' ')}, fastest tiling of res12",
                printed,
                source,
                partial(_counted, best, name),
                "transactions",
            )
            for name, printed in rows.items()
        ),
        _claim(
            "score of the fastest tiling of res12",
            "770.73",
            source,
            lambda: analytic_score(count(RES12, best), V100)[0],
        ),
    ]


def _counted(tilings: Tilings, name: str) -> float:
    return float(getattr(count(RES12, tilings), name)[0])


_EARLIER = "worked out from the artifact's data"


def _ranks() -> list[Claim]:
    rows = {
        RES12: ("-0.269", "53", ("28.748", "7.000", "1.540", "0.649", "0.054", "0.054"), "0.012"),
        YOLO18: ("0.601", "8", ("6.519", "0.147", "0.147", "0", "0", "0"), "0.761"),
    }
    found = []
    for layer, (rank_correlation, place, losses, shared) in rows.items():
        name = f"{layer.name}, V100"
        found += [
            _claim(
                f"Spearman of score and time, {name}",
                rank_correlation,
                _EARLIER,
                partial(_spearman, layer),
            ),
            _claim(f"place of the fastest tiling, {name}", place, _EARLIER, partial(_place, layer)),
            _claim(f"r² of log time on log score, {name}", shared, _EARLIER, partial(_r2, layer)),
            *(
                _claim(
                    f"analytic loss, {name}, tries: {tries}",
                    printed,
                    _EARLIER,
                    partial(_loss, layer, tries),
                )
                for tries, printed in zip((1, 3, 5, 10, 15, 30), losses, strict=True)
            ),
        ]
    return found


def _spearman(layer: ConvLayer) -> float:
    case = timings(layer)
    return float(spearmanr(analytic(case, case), case.seconds).statistic)


def _r2(layer: ConvLayer) -> float:
    case = timings(layer)
    return float(pearsonr(np.log(analytic(case, case)), np.log(case.seconds)).statistic ** 2)


def _place(layer: ConvLayer) -> int:
    case = timings(layer)
    order = np.argsort(analytic(case, case), kind="stable")
    return int(np.flatnonzero(order == case.seconds.argmin())[0]) + 1


def _splits() -> list[Claim]:
    rows = {
        RES12: ("0.884", "0.187", "1.107", "0.37"),
        YOLO18: ("0.939", "0.018", "0.040", "0.25"),
    }
    found = []
    for layer, (fit, gray, white, error) in rows.items():
        held = f"held-out half, 20 splits, {layer.name}"
        found += [
            _claim(
                f"graybox's R², in sample, {layer.name}", fit, _EARLIER, partial(fit_quality, layer)
            ),
            _claim(
                f"graybox's loss, 5 tries, {held}",
                gray,
                _EARLIER,
                partial(_held_out, layer, graybox, 0),
            ),
            _claim(
                f"analytic loss, 5 tries, {held}",
                white,
                _EARLIER,
                partial(_held_out, layer, analytic, 0),
            ),
            _claim(
                f"graybox's mean error, {held}",
                error,
                _EARLIER,
                partial(_held_out, layer, graybox, 1),
            ),
        ]
    return found


def _held_out(layer: ConvLayer, predictor: Predictor, which: int) -> float:
    return float(half_splits(layer, predictor)[which].mean())


def _orders() -> list[Claim]:
    said = partial(
        Claim,
        system="cnn_tiling",
        kind="trend",
        unit="",
        source="artifact, mean loss over 20 layers",
    )
    return [
        said(
            quantity="hybrid against analytic, 30 tries, on a layer that it has not seen",
            published="the hybrid loses less (0.0091 against 0.4002)",
            compute=partial(_less, gray_forest, analytic),
        ),
        said(
            quantity="hybrid against random forest, 30 tries, on a layer that it has not seen",
            published="the hybrid loses less (0.0091 against 0.0300)",
            compute=partial(_less, gray_forest, forest),
            miss=(
                "The paper learns from thousands of tilings of many layers and judges on 20. Here "
                "there is one layer to learn from and one to judge on, and at 30 tries both "
                "forests lose next to nothing."
            ),
        ),
    ]


def _less(better: Predictor, worse: Predictor) -> Trend:
    layers = ((RES12, YOLO18), (YOLO18, RES12))
    ours, other = (
        float(np.mean([transfer(seen, new, predictor)[29] for seen, new in layers]))
        for predictor in (better, worse)
    )
    return Trend(ours < other, f"{ours:.4f} against {other:.4f}, mean of two layers")
