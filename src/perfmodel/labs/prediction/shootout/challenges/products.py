"""Matrix products: of one core in either precision and in both, of another machine, of GPUs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from perfmodel.labs.prediction.shootout import v100_products
from perfmodel.labs.prediction.shootout.challenges.rounds import (
    SEEDS,
    at_random,
    group_folds,
    larger,
    renamed,
)
from perfmodel.labs.prediction.shootout.measured import gpu_products
from perfmodel.labs.prediction.three_ways import contestants as three_ways, graybox, other_machines
from perfmodel.labs.prediction.three_ways.product_time import SIZES_AND_WORD, FittedRoofline, flop
from perfmodel.prediction.arena.challenge import Challenge
from perfmodel.prediction.arena.contest import Estimator
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.estimators import Priced

BUDGETS = (30, 100, 600)
ROOFLINE = "roofline, 2 constants"
DOUBLE = (
    "The six prices: designed on these very products, with the test rows known. The roofline: a "
    "textbook's."
)
SINGLE = (
    "The six prices: their counts were designed on the same shapes in double precision, and the "
    "counting of words with both precisions known. The roofline: a textbook's."
)
BOTH = (
    "The counts, their sharing and the columns: designed on these very products, with all rows "
    "known."
)
V100 = (
    "Written for this profile by its lab, which had all rows: treat both as designed with the test "
    "rows known."
)
ELSEWHERE = "Both were committed before a row of this sweep was recorded."
SEEN = (other_machines.LOGGED, other_machines.PLAIN)
"""Columns that learners see as logarithms and as they are."""


def _aligned(data: Dataset) -> Dataset:
    """Return products with the learners' extra columns: how rows lie in vectors and cache."""
    columns = graybox.alignment(data.features).T
    named = dict(zip(other_machines.PLAIN, columns, strict=True))
    units = {**data.units, **dict.fromkeys(named, "1")}
    return replace(data, features=data.features.assign(**named), units=units)


def _one_precision(precision: str, written: str, seeds: Sequence[int]) -> Challenge:
    data = _aligned(three_ways.dataset(precision))
    rounds = at_random(data, BUDGETS, seeds) + larger(data, flop(data.features), (30,), seeds)
    whiteboxes = {"six prices": three_ways.six_prices(), ROOFLINE: FittedRoofline()}
    seen = (SIZES_AND_WORD, other_machines.PLAIN)
    return Challenge(data, rounds, *seen, whiteboxes, written, work=flop)


def one_core(seeds: Sequence[int] = SEEDS) -> Challenge:
    """Return products of one core in double precision: at random, and the larger half."""
    return _one_precision("fp64", DOUBLE, seeds)


def one_core_single(seeds: Sequence[int] = SEEDS) -> Challenge:
    """Return the same products in single precision."""
    return _one_precision("fp32", SINGLE, seeds)


def both_precisions(seeds: Sequence[int] = SEEDS) -> Challenge:
    """Return products of one core in both precisions, tested on shapes never seen in either."""
    return _new_shapes(_aligned(three_ways.dataset(("fp64", "fp32"))), BOTH, seeds)


def _new_shapes(
    data: Dataset,
    written: str,
    seeds: Sequence[int],
    whiteboxes: Mapping[str, Estimator] = other_machines.WHITEBOXES,
    seen: tuple[Sequence[str], Sequence[str]] = SEEN,
) -> Challenge:
    of = data.group("shape").astype(str)
    drawn = renamed(other_machines.new_shapes(data, BUDGETS, seeds), "unseen shape")
    # A shape is there in each precision: folds keep them together, as the test does.
    rounds = [
        (points, seed, replace(split, folds=group_folds(of[split.train])))
        for points, seed, split in drawn
    ]
    rounds += larger(data, flop(data.features), (30,), seeds)
    return Challenge(
        data,
        rounds,
        *seen,
        dict(whiteboxes),
        written,
        blind=written is ELSEWHERE,
        work=flop,
        unit="shape",
    )


def other_mkl(seeds: Sequence[int] = SEEDS) -> Challenge:
    """Return products by MKL on another machine, recorded after the models were frozen."""
    return _new_shapes(other_machines.dataset(other_machines.MKL), ELSEWHERE, seeds)


def other_openblas(seeds: Sequence[int] = SEEDS) -> Challenge:
    """Return products by OpenBLAS on that machine."""
    return _new_shapes(other_machines.dataset(other_machines.OPENBLAS), ELSEWHERE, seeds)


def v100(seeds: Sequence[int] = SEEDS) -> Challenge:
    """Return products of a V100: at random, and the largest three tenths from the rest."""
    data = v100_products.dataset()
    size = flop(data.features)
    whiteboxes = {
        "overhead + roofline, 3 constants": FittedRoofline(overhead=True),
        "waves of tiles, 4 prices": Priced(v100_products.waves),
    }
    rounds = at_random(data, BUDGETS, seeds) + larger(data, size, (30,), seeds, 0.7)
    return Challenge(
        data, rounds, three_ways.SIZES, (), whiteboxes, V100, work=flop, unit=v100_products.PAIR
    )


def h100(seeds: Sequence[int] = SEEDS) -> Challenge:
    """Return products of an H100 in three precisions, tested on shapes never seen in any."""
    seen = (gpu_products.LOGGED, gpu_products.PLAIN)
    data = gpu_products.dataset()
    return _new_shapes(data, ELSEWHERE, seeds, gpu_products.whiteboxes(), seen)
