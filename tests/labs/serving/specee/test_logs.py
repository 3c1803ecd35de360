import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.serving.specee import logs
from perfmodel.labs.serving.specee.logs import (
    DECODING,
    ESTIMATORS,
    HEADLINE,
    MEANS,
    MEDIANS,
    RATIOS,
    all_exits,
    exits,
    most_moving,
    prompts,
    speedup,
    speedup_interval,
)


def test_counts_of_the_logs():
    rows = prompts()
    totals = {name: column.sum() for name, column in rows.items()}
    assert all(column.shape == (80,) for column in rows.values())
    assert totals["prompt_tokens"] == 20_699
    assert (totals["full_tokens"], totals["early_tokens"]) == (15_958, 15_843)
    assert totals["full_ms"] == pytest.approx(3_671_350, abs=1)
    assert totals["early_ms"] == pytest.approx(2_565_407.5, abs=0.1)


def test_exits_have_the_means_that_the_logs_print():
    means = [layers.mean() for layers in exits()]
    assert means == pytest.approx(prompts()["mean_exit"], abs=0.00501)
    assert all_exits().size == 16_002
    assert all_exits().mean() == pytest.approx(25.30, abs=0.005)
    assert (all_exits() == 32).mean() == pytest.approx(0.340, abs=0.0005)


@pytest.mark.parametrize(
    ("estimator", "value", "low", "high"),
    [
        (HEADLINE, 1.405, None, None),
        (DECODING, 1.421, 1.34, 1.51),
        (MEANS, 1.345, 1.16, 1.62),
        (RATIOS, 1.426, 1.31, 1.56),
    ],
)
def test_speedups_found_by_hand(estimator, value, low, high):
    interval = speedup_interval(estimator)
    assert interval.speedup == pytest.approx(value, abs=0.001)
    if low:
        assert interval.low == pytest.approx(low, abs=0.025)
        assert interval.high == pytest.approx(high, abs=0.025)


def test_interval_of_totals_against_the_delta_method():
    """A ratio of totals is nearly normal: its error by linearising the four sums."""
    rows = prompts()
    parts = [rows[name] for name in ("full_ms", "full_tokens", "early_ms", "early_tokens")]
    ratio = speedup(DECODING)
    signs = (1, -1, -1, 1)
    each = sum(s * part / part.mean() for s, part in zip(signs, parts, strict=True))
    error = ratio * each.std(ddof=1) / np.sqrt(80)
    _, low, high = speedup_interval(DECODING)
    assert (high - low) / 2 == pytest.approx(1.96 * error, rel=0.1)


def test_median_by_hand():
    full, early = (np.median(logs.rates(which, prompts())) for which in ("full", "early"))
    assert (full, early) == (pytest.approx(9.34, abs=0.005), pytest.approx(13.72, abs=0.005))
    assert speedup(MEDIANS) == pytest.approx(early / full)


def test_a_single_prompt_moves_the_mean_of_rates_most():
    number, without = most_moving(MEANS)
    assert prompts()["full_tokens"][number] == prompts()["early_tokens"][number] == 1
    assert abs(without / speedup(MEANS) - 1) > 0.05
    for estimator in (HEADLINE, DECODING, RATIOS):
        assert abs(most_moving(estimator)[1] / speedup(estimator) - 1) < 0.03


@given(st.floats(0.1, 10), st.floats(0.1, 10))
def test_estimators_agree_where_all_prompts_are_alike(slower, faster):
    ones = np.ones(5)
    rows = {"prompt_tokens": 0 * ones}
    for which, time in (("full", slower), ("early", faster)):
        rows |= {f"{which}_tokens": 7 * ones, f"{which}_ms": time * ones}
        rows[f"{which}_total_ms"] = rows[f"{which}_ms"]
    for estimate in ESTIMATORS.values():
        assert estimate(rows) == pytest.approx(slower / faster)


def test_refuses():
    with pytest.raises(ValueError, match="estimator must be one of totals, prompt included; "):
        speedup("harmonic")
