"""Counted memory: the constant, what each count adds, and the regression beside it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import curve_fit

from perfmodel.labs.offloading.zo2 import gpu_memory
from perfmodel.labs.offloading.zo2.claims import BOUND
from perfmodel.labs.offloading.zo2.gpu_memory import (
    FITTED,
    RESIDENT,
    WITH_CAST_SCORES,
    WITH_NOISE,
    WITH_PRODUCTS,
    WITH_SCORES,
    Counted,
    block_bytes,
    compare_regression,
    constant,
    fit_memory,
    left_over,
    left_over_per_head,
    memory,
    predict_largest,
    scores,
    table_bytes,
)
from perfmodel.labs.offloading.zo2.inputs import HEADS, PRINTED, SHAPES, VOCABULARY


def test_blocks_and_tables_by_hand():
    megabytes = [100.7, 157.3, 402.7, 629.1, 1233, 2038, 3624]
    assert [block_bytes(n) / 1e6 for n in SHAPES] == pytest.approx(megabytes, rel=1e-3)
    weights = [
        layers * block_bytes(n) + 2 * VOCABULARY * width for n, (layers, width) in SHAPES.items()
    ]
    gigabytes = [2.6, 5.3, 13.3, 25.7, 59.9, 131.4, 349]
    assert np.array(weights) / 1e9 == pytest.approx(gigabytes, rel=0.01)


@pytest.mark.parametrize(
    "counted", [RESIDENT, WITH_NOISE, WITH_PRODUCTS, WITH_SCORES, WITH_CAST_SCORES]
)
@pytest.mark.parametrize("unit", [1.0, 2**30 / 1e9])
def test_the_constant_is_fitted_to_one_model(counted, unit):
    assert memory(FITTED, counted, unit) == pytest.approx(PRINTED[FITTED])
    rest = constant(counted, unit) + counted.blocks * block_bytes("175B")
    rest += counted.tables * table_bytes("175B") + counted.score_bytes * scores("175B")
    assert memory("175B", counted, unit) * unit == pytest.approx(rest)


def test_a_prediction_by_hand():
    """3.75 GB less three blocks and two tables of 1.3B, and those of 13B added."""
    assert memory("13B") / 1e9 == pytest.approx(3.75 - 0.302 - 0.4118 + 1.8874 + 1.0296, abs=1e-3)


def test_more_blocks_take_more_of_the_largest():
    ours = [memory("175B", c) for c in (RESIDENT, WITH_NOISE, WITH_PRODUCTS)]
    assert ours == sorted(ours)


def test_what_is_left_over_grows_with_heads():
    """25.2 MB a head in 6 bytes a score, 33.6 in 8; printed less counted lies between."""
    low, high = (2048**2 * each for each in (WITH_SCORES.score_bytes, WITH_CAST_SCORES.score_bytes))
    assert (low / 1e6, high / 1e6) == pytest.approx((25.17, 33.55), abs=0.01)
    for name in ("13B", "30B", "66B", "175B"):
        each = left_over_per_head(name)
        assert low < each < high
        assert memory(name) + (HEADS[name] - 32) * each == pytest.approx(PRINTED[name])
        assert memory(name, WITH_SCORES) < PRINTED[name] < memory(name, WITH_CAST_SCORES)
    assert left_over("6.7B") < 0 < left_over("2.7B")
    assert left_over(FITTED) == pytest.approx(0)


def test_which_numbers_of_blocks_the_bound_tells_from_three():
    within = [
        all(abs(memory(n, Counted(blocks=k)) / m - 1) <= BOUND for n, m in PRINTED.items())
        for k in (2, 3, 4, 5)
    ]
    assert within == [False, True, True, False]


def test_words_on_the_regression(monkeypatch):
    assert "30B by 4 % (8 %)" in compare_regression(4)
    assert "nearer than counting only for 30B" in compare_regression(4)
    exact = {n: memory(n) for n in PRINTED} | {"2.7B": 1.2 * memory("2.7B")}
    monkeypatch.setattr(gpu_memory, "PRINTED", exact)
    assert "farther off than counting each time" in compare_regression(3)
    made = {n: 2e9 + 5.0 * block_bytes(n) + 2.0 * table_bytes(n) for n in exact}
    monkeypatch.setattr(gpu_memory, "PRINTED", made)
    assert "nearer than counting each time" in compare_regression(3)


def _plane(columns, constant, blocks, tables):
    return constant + blocks * columns[0] + tables * columns[1]


def _columns(names):
    return np.array([[count(n) / 1e9 for n in names] for count in (block_bytes, table_bytes)])


def test_the_regression_is_the_sheets():
    """2.89 + 3.40 block + 2.34 table, at most 0.23 GB off, R^2 .9994: digits as noted there."""
    fit, printed = fit_memory(), np.array(list(PRINTED.values())) / 1e9
    found = fit.coefficients * [1e-9, 1, 1]
    assert found == pytest.approx([2.89, 3.40, 2.34], abs=0.005)
    off = printed - _plane(_columns(PRINTED), *found)
    assert abs(off).max() == pytest.approx(0.23, abs=0.005)
    assert 1 - (off**2).sum() / ((printed - printed.mean()) ** 2).sum() == pytest.approx(
        0.9994, abs=5e-5
    )


def test_standard_errors_and_intervals_by_another_fit():
    """Levenberg and Marquardt's iteration, its covariance from the Jacobian, Student's table."""
    fit, printed = fit_memory(), np.array(list(PRINTED.values())) / 1e9
    found, covariance = curve_fit(_plane, _columns(PRINTED), printed, method="lm")
    errors = np.sqrt(np.diag(covariance)) * [1e9, 1, 1]
    assert fit.coefficients == pytest.approx(found * [1e9, 1, 1], rel=1e-5)
    assert fit.errors == pytest.approx(errors, rel=1e-5)
    assert fit.high - fit.coefficients == pytest.approx(2.7764 * errors, rel=1e-4)
    assert fit.coefficients - fit.low == pytest.approx(2.7764 * errors, rel=1e-4)
    assert fit.low[1] < 3 < fit.high[1]


def test_standard_errors_are_the_spread_of_repeated_fits(monkeypatch):
    """Noise of 0.1 GB drawn again and again: coefficients scatter by what their errors say."""
    rng = np.random.default_rng(0)
    truth = np.array([2.5e9, 3.0, 2.0])
    exact = 1e9 * _plane(_columns(PRINTED), *(truth * [1e-9, 1, 1]))
    fits = []
    for noise in 1e8 * rng.standard_normal((400, len(exact))):
        made = dict(zip(PRINTED, (exact + noise).tolist(), strict=True))
        monkeypatch.setattr(gpu_memory, "PRINTED", made)
        fits.append(fit_memory())
    scatter = np.std([fit.coefficients for fit in fits], axis=0, ddof=1)
    said = np.sqrt(np.mean([fit.errors**2 for fit in fits], axis=0))
    assert said / scatter == pytest.approx(np.ones(3), abs=0.15)
    caught = np.mean([(fit.low < truth) & (truth < fit.high) for fit in fits], axis=0)
    assert caught == pytest.approx(0.95 * np.ones(3), abs=0.04)


def test_a_regression_finds_what_it_was_made_from(monkeypatch):
    made = {n: 2e9 + 3.0 * block_bytes(n) + 2.0 * table_bytes(n) for n in PRINTED}
    monkeypatch.setattr(gpu_memory, "PRINTED", made)
    assert fit_memory().coefficients == pytest.approx([2e9, 3.0, 2.0])
    assert predict_largest(3) == pytest.approx(list(made.values())[3:])


def test_bad_input():
    with pytest.raises(ValueError, match="name must be one of 1.3B"):
        memory("7B")
    with pytest.raises(ValueError, match="name must have more than 32 heads, got '6.7B'"):
        left_over_per_head("6.7B")
    with pytest.raises(ValueError, match="score_bytes must be 0 or more"):
        memory("13B", Counted(score_bytes=-1))
    with pytest.raises(ValueError, match="trained_on must be 3 to 6, got 7"):
        predict_largest(7)
    with pytest.raises(ValueError, match="blocks must be 0 or more"):
        memory("13B", Counted(blocks=-1))
