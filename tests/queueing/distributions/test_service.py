"""Laws of service times: moments by quadrature and by draws, atoms, transforms, bad input."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing.distributions.quadrature import geometric_breaks
from perfmodel.queueing.distributions.service import (
    BoundedPareto,
    Deterministic,
    Empirical,
    Erlang,
    Exponential,
    Hyperexponential,
    Lognormal,
    Uniform,
    cdf,
    mean_residual,
    scv,
    tail,
)

LAWS = [
    Exponential(2.0),
    Deterministic(2.0),
    Uniform(0, 4),
    Uniform(1.0, 4.0),
    Erlang(2.0, 3),
    Erlang(1.0, 60),
    Hyperexponential.balanced(1.0, 40.0),
    Hyperexponential((0.2, 0.3, 0.5), (1.0, 5.0, 0.1)),
    BoundedPareto(1.0, 1.0, 3366.0),
    BoundedPareto(0.69, 1e-3, 5e4),
    BoundedPareto(2.0, 1.0, 50.0),
    Lognormal(1.0, 20.0),
    Lognormal(3.0, 0.01),
    Empirical((1.0, 2.0, 2.0, 9.0)),
]
LAW = pytest.mark.parametrize("law", LAWS, ids=repr)


@LAW
class TestEveryLaw:
    def test_moments_by_quadrature(self, law):
        nodes, weights = law.quadrature()
        for order in range(4):
            assert weights @ nodes**order == pytest.approx(law.moment(order), rel=1e-9)

    def test_partial_moments_by_quadrature(self, law):
        # Cut at a break, where the rule's panels end and an atom may sit.
        nodes, weights = law.quadrature()
        breaks = law.breaks()
        cut = breaks[len(breaks) // 2]
        for order in range(3):
            inside = weights[nodes <= cut] @ nodes[nodes <= cut] ** order
            assert law.partial_moment(order, cut) == pytest.approx(
                inside, rel=1e-9, abs=1e-9 * law.moment(order)
            )

    def test_partial_moments_end_at_the_moments(self, law):
        for order in range(3):
            end = law.partial_moment(order, 1e9 * law.moment(1))
            assert end == pytest.approx(law.moment(order))

    def test_transform_starts_at_one_with_slope_minus_the_mean(self, law):
        step = 1e-6 / law.moment(1)
        assert law.laplace(0.0) == pytest.approx(1)
        slope = (1 - law.laplace(step).real) / step
        expected = law.moment(1) - step * law.moment(2) / 2
        assert slope == pytest.approx(expected, rel=3e-3)

    def test_transform_by_quadrature(self, law):
        nodes, weights = law.quadrature()
        s = (0.7 + 0.4j) / law.moment(1)
        assert law.laplace(s) == pytest.approx(weights @ np.exp(-s * nodes), rel=1e-9)

    def test_draws_follow_the_distribution_function(self, law):
        draws = np.sort(law.sample(np.random.default_rng(7), 40_000))
        assert draws.shape == (40_000,)
        at = np.quantile(draws, [0.1, 0.3, 0.5, 0.8, 0.95])
        below = np.searchsorted(draws, at, side="right") / draws.size
        assert cdf(law, at) == pytest.approx(below, abs=0.01)

    def test_distribution_function_and_tail_sum_to_one(self, law):
        at = law.moment(1) * np.array([0.0, 0.3, 1.0, 4.0])
        assert cdf(law, at) + tail(law, at) == pytest.approx(1)
        assert (np.diff(cdf(law, at)) >= 0).all()


class TestHandValues:
    def test_scv(self):
        assert scv(Erlang(5.0, 4)) == pytest.approx(0.25)
        assert scv(Hyperexponential.balanced(3.0, 7.5)) == pytest.approx(7.5)
        assert scv(Uniform(0, 1)) == pytest.approx(1 / 3)
        assert scv(Lognormal(2.0, 6.0)) == pytest.approx(6)
        assert scv(Deterministic(1e-3)) == 0

    def test_balanced_classes_bring_the_same_load(self):
        law = Hyperexponential.balanced(2.0, 50.0)
        loads = np.array(law.probabilities) * law.means
        assert loads == pytest.approx([1, 1])

    def test_balanced_holds_for_huge_scv(self):
        assert scv(Hyperexponential.balanced(1.0, 1e10)) == pytest.approx(1e10)

    def test_bounded_pareto_of_shape_one(self):
        # mean = ln(p/k) k / (1 - k/p); second moment = k (p - k) / (1 - k/p) = k p
        law = BoundedPareto(1.0, 2.0, 200.0)
        assert law.moment(1) == pytest.approx(2 * np.log(100) / 0.99)
        assert law.moment(2) == pytest.approx(400)

    def test_bounded_pareto_quantile_inverts(self):
        law = BoundedPareto(0.7, 1.0, 1e6)
        share = np.array([0.0, 0.5, 0.99, 1.0])
        assert cdf(law, law.quantile(share)) == pytest.approx(share)
        assert law.work_fraction_of_largest([0.0, 1.0]) == pytest.approx([0, 1])

    def test_buses(self):
        gaps = Empirical((1.0,) * 9 + (91.0,))
        assert gaps.moment(1) == pytest.approx(10)
        assert mean_residual(gaps) == pytest.approx(41.45)

    def test_atoms_count_at_their_place_and_not_below(self):
        law = Empirical((1.0, 2.0))
        assert cdf(law, [1.0, np.nextafter(1.0, 0)]).tolist() == [0.5, 0]
        assert cdf(Deterministic(2.0), [2.0, np.nextafter(2.0, 0)]).tolist() == [1, 0]

    def test_same_seed_same_draws(self):
        law = Hyperexponential.balanced(1.0, 4.0)
        first, second = (law.sample(np.random.default_rng(3), 5) for _ in range(2))
        assert first.tolist() == second.tolist()

    @given(st.floats(0.05, 5), st.floats(1, 8))
    def test_partial_moments_scale_with_the_unit(self, shape, decades):
        small = BoundedPareto(shape, 1.0, 10**decades)
        large = BoundedPareto(shape, 60.0, 60 * 10**decades)
        assert large.partial_moment(2, 60 * 3.0) == pytest.approx(
            3600 * small.partial_moment(2, 3.0)
        )


class TestBadInput:
    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda: Uniform(2, 2), "high must be above low = 2, got 2"),
            (lambda: Hyperexponential((0.5, 0.6), (1, 1)), "probabilities must sum to 1"),
            (lambda: Hyperexponential((0.5, 0.5), (1,)), "one for each of 2 classes"),
            (lambda: Hyperexponential.balanced(1.0, 0.5), "scv must be 1 or more, got 0.5"),
            (lambda: BoundedPareto(1.0, 5.0, 4.0), "high must be above low = 5.0, got 4.0"),
            (lambda: Empirical(()), "values must be a one-dimensional sample of 1 or more"),
            (lambda: Empirical((0.0, 0.0)), "the mean of values must be above 0"),
            (lambda: Exponential(1.0).partial_moment(1, -1.0), "size must be 0 or more"),
        ],
    )
    def test_message(self, make, message):
        with pytest.raises(ValueError, match=message):
            make()


def test_geometric_breaks_grow_by_no_more_than_the_ratio():
    breaks = geometric_breaks(1e-3, 7.0, 1.5)
    assert breaks[0] == 0
    assert breaks[1] == pytest.approx(1e-3)
    assert breaks[-1] == pytest.approx(7)
    assert (breaks[2:] / breaks[1:-1] <= 1.5 + 1e-12).all()
