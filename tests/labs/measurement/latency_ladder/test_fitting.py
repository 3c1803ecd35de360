"""A fit finds what made a ladder, and predicts what it has not seen; its rivals do so less well."""

import numpy as np
import pytest

from perfmodel.labs.measurement.latency_ladder import fitting
from perfmodel.labs.measurement.latency_ladder.ladder import LAWS, Ladder, LadderStep

STEPS = (
    LadderStep("L1", 32 << 10, 4e-9),
    LadderStep("TLB", 256 << 10, 3e-9, translates=True),
    LadderStep("L2", 1 << 20, 16e-9),
    LadderStep("L3", 16 << 20, 70e-9),
)
SIZES = 2.0 ** np.arange(13, 28, 0.5)


@pytest.mark.parametrize("law", LAWS)
def test_a_fit_finds_the_latencies_that_made_the_ladder(law):
    made = Ladder(1e-9, STEPS, law)
    blank = Ladder(1.0, tuple(LadderStep(s.name, s.capacity, 0, s.translates) for s in STEPS), law)
    found = fitting.fit(SIZES, made.latency(SIZES), blank)
    assert found.base == pytest.approx(1e-9)
    np.testing.assert_allclose([s.penalty for s in found.steps], [s.penalty for s in STEPS])


def test_a_fit_to_noise_predicts_sizes_that_it_has_not_seen():
    made = Ladder(1e-9, STEPS)
    noise = np.exp(0.05 * np.random.default_rng(3).standard_normal(SIZES.size))
    found = fitting.fit(SIZES[::2], (made.latency(SIZES) * noise)[::2], made)
    assert fitting.typical_error(found.latency(SIZES[1::2]), made.latency(SIZES[1::2])) < 0.05


def test_of_several_candidates_the_one_that_made_the_ladder_fits_best():
    smaller = (*STEPS[:3], LadderStep("L3", 4 << 20, 70e-9))
    measured = Ladder(1e-9, smaller, "picks").latency(SIZES)
    every = fitting.candidates(STEPS, last=(1.0, 0.5, 0.25, 0.01))
    assert len(every) == 3 * len(LAWS), "an L3 smaller than L2 is no candidate"
    best = fitting.best_fit(SIZES, measured, every)
    assert (best.law, best.steps[3].capacity) == ("picks", 4 << 20)


def test_beyond_its_range_a_polynomial_runs_away_and_a_tree_stands_still():
    measured = Ladder(1e-9, STEPS).latency(SIZES)
    seen = SIZES <= 1 << 24
    found = fitting.rivals(SIZES[seen], measured[seen])
    errors = [fitting.typical_error(f(SIZES[~seen]), measured[~seen]) for f in found.values()]
    inside = [fitting.typical_error(f(SIZES[seen]), measured[seen]) for f in found.values()]
    assert min(errors) > 1
    assert max(inside) < 0.5
    flat = found["regression tree"](SIZES[~seen])
    assert np.ptp(flat) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fitting.fit([1, 2, 3], [1, 2, 3], Ladder(1, STEPS)), "sample of 5 or more"),
        (lambda: fitting.fit(SIZES, SIZES[1:], Ladder(1, STEPS)), "one value a size"),
        (lambda: fitting.best_fit(SIZES, SIZES, []), "candidates must have at least one"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
