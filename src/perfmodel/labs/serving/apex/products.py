"""Families of step times on 92,191 measured matrix products, and on those of your machine.

Three questions are put to the same table: products at random, products of pairs (m, k) of which
none was seen, and products larger than all that were seen. Learning from most of the table takes
half a minute, so that the errors are kept with the package; tests repeat parts.
``python -m perfmodel.labs.serving.apex.products`` makes them again.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.labs.serving.apex.learned_steps import learn_steps
from perfmodel.labs.serving.apex.measured_table import MeasuredTable
from perfmodel.labs.serving.apex.step_errors import StepErrors, step_errors
from perfmodel.measurement import measure_gemm
from perfmodel.serving import fit_roofline
from perfmodel.validation import Floats, positive, whole

SPLITS = ("at random", "unseen pairs", "larger")
FAMILIES = ("power law", "roofline", "table", "forest", "roofline x forest")
LARGE = 1e10
"""FLOP from which a product is larger than all that were seen, in the third question."""
SEED = 0


class Products(NamedTuple):
    """Measured products."""

    sizes: Floats
    """m, k and n, shape (rows, 3)."""
    seconds: Floats
    """Shape (rows,)."""

    def of(self, rows: NDArray[np.bool_]) -> Products:
        """Return some of them."""
        return Products(self.sizes[rows], self.seconds[rows])


class Score(NamedTuple):
    """Errors of a family on one question."""

    split: str
    family: str
    errors: StepErrors


def work(sizes: ArrayLike) -> Floats:
    """Return 2 m k n, FLOP, of sizes of shape (rows, 3)."""
    return np.asarray(2 * np.prod(positive("sizes", sizes), axis=1))


def moved(sizes: ArrayLike, word: float = 2.0) -> Floats:
    """Return the bytes of both factors and the product, each element of `word` bytes."""
    m, k, n = positive("sizes", sizes).T
    return np.asarray(word * (m * k + k * n + m * n))


def measured(folder: str | Path | None = None) -> Products:
    """Return the V100's products in half precision, as profiled for APEX, read from `folder`."""
    from perfmodel.labs.prediction.shootout.v100_products import table

    rows = table(folder)
    return Products(rows[["m", "k", "n"]].to_numpy(float), rows["seconds"].to_numpy(float))


def split(name: str, sizes: ArrayLike, seed: int = SEED, large: float = LARGE) -> NDArray[np.bool_]:
    """Return which rows, of `sizes` of shape (rows, 3), are tested; the others are learned from.

    `name` is one of `SPLITS`: a fifth of the rows, a fifth of the pairs (m, k) with all their n, or
    the products of `large` FLOP or more.
    """
    rows = positive("sizes", sizes)
    rng = np.random.default_rng(seed)
    if name == SPLITS[0]:
        chosen = np.zeros(len(rows), bool)
        chosen[rng.permutation(len(rows))[: len(rows) // 5]] = True
        return chosen
    if name == SPLITS[1]:
        pair = pairs(rows)
        return np.isin(pair, rng.permutation(pair.max() + 1)[: (pair.max() + 1) // 5])
    if name == SPLITS[2]:
        return np.asarray(work(rows) >= large)
    raise ValueError(f"name must be one of {', '.join(SPLITS)}, got {name!r}")


def pairs(sizes: Floats) -> NDArray[np.int64]:
    """Return a number for each pair (m, k); products that differ only in n have similar errors."""
    return np.asarray(np.unique(sizes[:, :2], axis=0, return_inverse=True)[1].reshape(-1))


def predictor(
    family: str, seen: Products, asked: Floats, *, word: float = 2.0, trees: int = 100
) -> Callable[[Floats], Floats]:
    """Return what gives the seconds of sizes, having learned from `seen`.

    `asked`, shape (rows, 3), are sizes that will be asked for; the table puts them on its grid,
    without their times. `word` is the bytes of an element.
    """
    sizes, seconds = seen

    def roofline() -> Callable[[Floats], Floats]:
        fit = fit_roofline(work(sizes), moved(sizes, word), seconds)
        return lambda rows: fit.seconds(work(rows), moved(rows, word))

    if family == "roofline":
        return roofline()
    if family == "table":
        return MeasuredTable(sizes, seconds, asked).seconds
    if family == "forest":
        return learn_steps(sizes, seconds, trees=trees).seconds
    if family == "roofline x forest":
        return learn_steps(sizes, seconds, roofline(), trees=trees).seconds
    if family == "power law":
        weights = np.linalg.lstsq(_logs(sizes), np.log(seconds), rcond=None)[0]
        return lambda rows: np.asarray(np.exp(_logs(rows) @ weights))
    raise ValueError(f"family must be one of {', '.join(FAMILIES)}, got {family!r}")


def contest(
    products: Products,
    splits: Sequence[str] = SPLITS,
    families: Sequence[str] = FAMILIES,
    *,
    trees: int = 100,
    large: float = LARGE,
    word: float = 2.0,
) -> list[Score]:
    """Return the errors of families on questions, intervals by resampling pairs (m, k)."""
    scores = []
    for name in splits:
        test = split(name, products.sizes, large=large)
        training, asked = products.of(~test), products.of(test)
        for family in families:
            guess = predictor(family, training, asked.sizes, word=word, trees=trees)(asked.sizes)
            errors = step_errors(asked.seconds, guess, pairs(asked.sizes))
            scores.append(Score(name, family, errors))
    return scores


@cache
def recorded() -> tuple[Score, ...]:
    """Return the errors on the whole table as they were recorded."""
    with (resources.files(__package__) / "product_errors.csv").open() as file:
        return tuple(
            Score(name, family, StepErrors(*map(float, numbers)))
            for name, family, *numbers in list(csv.reader(file))[1:]
        )


def of(scores: Sequence[Score], name: str, family: str) -> StepErrors:
    """Return the errors of one family on one question.

    >>> round(of(recorded(), "larger", "forest").mean, 2) > 0.5
    True
    """
    return next(score.errors for score in scores if score[:2] == (name, family))


def main() -> None:
    """Put all questions to all families, and record their errors with the package."""
    with Path(__file__).with_name("product_errors.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["split", "family", *StepErrors._fields])
        for name, family, errors in contest(measured()):
            writer.writerow([name, family, *(f"{value:.4g}" for value in errors)])


def _logs(rows: Floats) -> Floats:
    return np.column_stack([np.ones(len(rows)), np.log(rows)])


ROWS = (1, 16, 128, 512)
"""m, the tokens of a step."""
WIDTHS = (64, 128, 256, 512)
"""k and n, the widths of a layer."""
OWN_LARGE = 1e7
"""FLOP from which a product is larger than all that were learned from."""
ASKED = ("roofline", "table", "forest", "roofline x forest")


class OwnProducts(NamedTuple):
    """Measured products, in double precision on one core."""

    products: Products
    """Median seconds of each."""
    spread: float
    """Half the distance between the quartiles of a product's runs, as a share: its median."""


def time_products(
    runs: int = 7, seconds: float = 1e-3, measure: Callable[..., Any] = measure_gemm
) -> OwnProducts:
    """Measure 64 products, in a random order, `runs` times each for about `seconds`."""
    whole("runs", runs, 3)
    shapes = np.array([(m, k, n) for m in ROWS for k in WIDTHS for n in WIDTHS])
    shapes = np.random.default_rng(0).permutation(shapes)
    times, spreads = [], []
    for m, k, n in shapes.tolist():
        run = measure((m, n, k), "fp64", 1, runs, seconds)
        seconds_each = np.asarray(run.seconds) * (2 * m * n * k) / run.work
        low, middle, high = np.quantile(seconds_each, [0.25, 0.5, 0.75])
        times.append(middle)
        spreads.append((high - low) / (2 * middle))
    order = np.lexsort(shapes.T[::-1])
    products = Products(shapes[order].astype(float), np.asarray(times)[order])
    return OwnProducts(products, float(np.median(spreads)))


def own_contest(own: OwnProducts) -> list[Score]:
    """Return errors on a fifth of the products, and on all of `LARGE` FLOP or more."""
    return contest(
        own.products, ("at random", "larger"), ASKED, trees=30, large=OWN_LARGE, word=8.0
    )


def conclusion(scores: list[Score]) -> str:
    """Return which model is most accurate on larger products, or that it isn't clear."""
    errors = {family: of(scores, "larger", family) for family in ASKED}
    first, second = sorted(errors, key=lambda family: errors[family].mean)[:2]
    apart = errors[first].mean_high < errors[second].mean_low
    says = (
        f"On larger products the {first} has the smallest error, "
        f"{100 * errors[first].mean:.0f} % ({100 * errors[first].mean_low:.0f} to "
        f"{100 * errors[first].mean_high:.0f}), "
    )
    if apart:
        says += f"the next, the {second}, has {100 * errors[second].mean:.0f} %."
    else:
        says += f"but these products can't separate it from the {second}."
    inside = of(scores, "at random", "forest").mean
    beyond = errors["forest"].mean
    return says + (
        f" The forest's error goes from {100 * inside:.0f} % at random to "
        f"{100 * beyond:.0f} % on larger products."
    )


def rates(own: OwnProducts) -> Floats:
    """Return the FLOP/s of each product."""
    return np.asarray(2 * own.products.sizes.prod(axis=1) / own.products.seconds)


if __name__ == "__main__":
    main()
