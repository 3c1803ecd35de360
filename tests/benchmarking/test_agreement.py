"""Agreement of two raters, held against scikit-learn, a hand count and a simulation."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.metrics import cohen_kappa_score

from perfmodel.benchmarking import cohens_kappa, guessing_kappa, raw_agreement, simulate_raters

LABELS = st.lists(st.tuples(*[st.sampled_from(["A", "tie", "B"])] * 2), min_size=3, max_size=60)


@given(pairs=LABELS)
def test_kappa_is_scikit_learns_and_agreement_a_count(pairs):
    first, second = (list(side) for side in zip(*pairs, strict=True))
    same = np.mean([a == b for a, b in pairs])
    assert raw_agreement(first, second) == pytest.approx(same)
    one_tie = np.mean([(a == "tie") != (b == "tie") for a, b in pairs])
    relaxed = raw_agreement(first, second, halfway="tie")
    assert relaxed == pytest.approx(same + one_tie / 2)
    if len(set(first) | set(second)) > 1:
        kappa = cohens_kappa(first, second)
        assert kappa.value == pytest.approx(cohen_kappa_score(first, second))
        assert kappa.observed == pytest.approx(same)
        assert kappa.value == pytest.approx((same - kappa.chance) / (1 - kappa.chance))
        assert kappa == pytest.approx(cohens_kappa(second, first))


def test_a_rater_who_always_says_the_same_agrees_often_and_has_no_kappa():
    truth = ["fine"] * 90 + ["bad"] * 10
    spammer = ["fine"] * 100
    assert raw_agreement(truth, spammer) == 0.9
    assert cohens_kappa(truth, spammer).value == pytest.approx(0)


@pytest.mark.parametrize("guessing", [0.0, 0.2, 0.39, 0.7, 1.0])
@pytest.mark.parametrize("shares", [[0.5, 0.5], [0.7, 0.2, 0.1]])
def test_raters_who_guess_have_the_kappa_of_the_formula(guessing, shares):
    raters = simulate_raters(shares, guessing, 40_000, seed=2)
    assert cohens_kappa(*raters).value == pytest.approx(float(guessing_kappa(guessing)), abs=0.02)


def test_the_interval_covers_the_planted_kappa_nineteen_times_in_twenty():
    truth = float(guessing_kappa(0.3))
    held = 0
    for seed in range(300):
        kappa = cohens_kappa(*simulate_raters([0.4, 0.35, 0.25], 0.3, 120, seed))
        held += kappa.low <= truth <= kappa.high
    assert 0.91 <= held / 300 <= 0.98


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: raw_agreement([], []), "first and second must label the same items"),
        (lambda: raw_agreement("AB", "A"), "got 2 and 1"),
        (lambda: cohens_kappa("AAA", "AAA"), "must use two labels or more, got only 'A'"),
        (lambda: simulate_raters([0.5, 0.4], 0, 9), "shares must sum to 1, got 0.9"),
    ],
)
def test_labels_that_determine_no_agreement_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
