"""Phase-type laws and arrival processes: against the plain laws, scipy's expm, a sampled MAP."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.linalg import expm
from scipy.stats import gamma

from perfmodel.queueing.distributions import phase_type as ph, service
from tests.queueing.distributions.test_elimination import gathered

TIMES = np.array([0.0, 0.2, 1.0, 3.7])


@pytest.mark.parametrize(
    ("law", "plain"),
    [
        (ph.PhaseType.exponential(2.0), service.Exponential(2.0)),
        (ph.PhaseType.erlang(1.5, 6), service.Erlang(1.5, 6)),
        (ph.PhaseType.hyperexponential(1.0, 9.0), service.Hyperexponential.balanced(1.0, 9.0)),
    ],
)
def test_agrees_with_the_plain_law(law, plain):
    for order in range(4):
        assert law.moment(order) == pytest.approx(plain.moment(order))
    assert law.tail(TIMES) == pytest.approx(service.tail(plain, TIMES), abs=1e-12)
    s = np.array([0.0, 0.3, 1 + 2j])
    assert law.laplace(s) == pytest.approx(plain.laplace(s))


def test_tail_against_the_matrix_exponential():
    law = ph.PhaseType(
        np.array([0.3, 0.7, 0.0]),
        np.array([[-3.0, 1.0, 1.0], [0.5, -2.0, 0.0], [0.0, 0.2, -9.0]]),
    )
    expected = [law.start @ expm(law.generator * t) @ np.ones(3) for t in TIMES]
    assert law.tail(TIMES) == pytest.approx(expected, abs=1e-12)
    assert law.tail(law.quantile([0.1, 0.99])) == pytest.approx([0.9, 0.01])


def test_many_stages_over_a_long_time():
    assert ph.PhaseType.erlang(100.0, 400).tail([90.0, 110.0]) == pytest.approx(
        gamma.sf([90.0, 110.0], 400, scale=0.25), rel=1e-9
    )


@given(st.floats(0.01, 100), st.floats(0.02, 100))
def test_two_moments_are_met(mean, spread):
    law = ph.PhaseType.of_two_moments(mean, spread)
    assert law.moment(1) == pytest.approx(mean)
    assert law.moment(2) == pytest.approx(mean**2 * (1 + spread), rel=1e-8)


@pytest.mark.parametrize("spread", [1.0, 0.5, 1 / 3, 0.25, 0.1])
@pytest.mark.parametrize("off", [0, 1e-10, -1e-10, 5e-16, -5e-16])
def test_matching_at_the_joints(spread, off):
    """There one of the two probabilities is 0, which rounding must not take below."""
    law = ph.PhaseType.of_two_moments(2.0, spread * (1 + off))
    assert law.moment(2) / 4 - 1 == pytest.approx(spread)


class TestArrivals:
    MODULATED = ph.ArrivalProcess.modulated([1.5, 0.1], [[-0.1, 0.1], [0.2, -0.2]])

    def test_poisson_and_renewal(self):
        renewal = ph.ArrivalProcess.renewal(ph.PhaseType.hyperexponential(0.5, 4.0))
        assert renewal.rate == pytest.approx(2)
        assert renewal.scv == pytest.approx(4)
        assert renewal.correlation(1) == pytest.approx(0, abs=1e-12)
        assert ph.ArrivalProcess.poisson(3.0).scv == pytest.approx(1)

    def test_modulated_rate_is_the_mean_of_its_states(self):
        assert self.MODULATED.phases == pytest.approx([2 / 3, 1 / 3])
        assert self.MODULATED.rate == pytest.approx(1.5 * 2 / 3 + 0.1 / 3)

    def test_bursts_make_gaps_alike_and_memory_fades(self):
        lags = [self.MODULATED.correlation(lag) for lag in (1, 2, 5, 50)]
        assert lags[0] > 0.05
        assert (np.diff(lags) < 0).all()
        assert lags[-1] == pytest.approx(0, abs=1e-3)

    def test_scv_and_correlation_against_draws(self):
        rng, state, clock, last, gaps = np.random.default_rng(3), 0, 0.0, 0.0, []
        rates, leave = (1.5, 0.1), (0.1, 0.2)
        while len(gaps) < 150_000:
            clock += rng.exponential(1 / (rates[state] + leave[state]))
            if rng.random() < rates[state] / (rates[state] + leave[state]):
                gaps.append(clock - last)
                last = clock
            else:
                state = 1 - state
        gaps = np.array(gaps)
        assert gaps.var() / gaps.mean() ** 2 == pytest.approx(self.MODULATED.scv, rel=0.06)
        seen = np.corrcoef(gaps[1:], gaps[:-1])[0, 1]
        assert seen == pytest.approx(self.MODULATED.correlation(1), abs=0.02)

    @pytest.mark.parametrize("slow", [1.0, 1e-6, 1e-12])
    def test_rare_switching_keeps_its_digits(self, slow):
        """The index of dispersion of counts over a long time, whose formula is known."""
        rates, leave = np.array([1.5, 0.1]), slow * np.array([0.1, 0.2])
        moves = np.array([[-leave[0], leave[0]], [leave[1], -leave[1]]])
        process = ph.ArrivalProcess.modulated(rates, moves)
        known = 1 + 2 * leave.prod() * (rates[0] - rates[1]) ** 2 / leave.sum() ** 2 / (
            rates @ leave[::-1]
        )
        assert process.phases == pytest.approx([2 / 3, 1 / 3], rel=1e-12)
        assert process.dispersion == pytest.approx(known, rel=1e-9)

    def test_a_phase_that_is_never_entered_has_no_share(self):
        renewal = ph.ArrivalProcess.renewal(ph.PhaseType([0.0, 1.0], [[-1e-9, 1e-9], [0, -1.0]]))
        assert renewal.phases.tolist() == [0.0, 1.0]
        assert renewal.rate == pytest.approx(1.0)


class TestRareEvents:
    """A phase that is left for good once in 10^k visits, as fractions say."""

    RATES = np.array([[0.0, 2.0, 0.0], [3.0, 0.0, 1e-6], [7.0, 0.5, 0.0]])

    @pytest.mark.parametrize("rare", [1e-3, 1e-12, 1e-25])
    def test_moments(self, rare):
        exits = np.array([0.0, 0.0, rare])
        generator = self.RATES - np.diag(self.RATES.sum(1) + exits)
        law = ph.PhaseType(np.eye(3)[0], generator, exits)
        mean = gathered(self.RATES, exits, np.ones(3))
        assert law.moment(1) == pytest.approx(mean[0], rel=1e-12)
        assert law.moment(2) == pytest.approx(2 * gathered(self.RATES, exits, mean)[0], rel=1e-12)

    def test_an_exit_that_rounding_hides_is_asked_for(self):
        generator = self.RATES - np.diag(self.RATES.sum(1))
        with pytest.raises(ValueError, match="or give exits"):
            ph.PhaseType(np.eye(3)[0], generator)

    def test_exits_that_contradict_the_rows(self):
        with pytest.raises(ValueError, match="exits must be what the rows of generator lack"):
            ph.PhaseType([1.0], [[-1.0]], [2.0])

    def test_a_tail_of_too_many_moves(self):
        law = ph.PhaseType([1.0, 0.0], [[-1.0, 1.0], [1.0, -1.0]], [0.0, 1e-12])
        assert law.moment(1) == pytest.approx(2e12, rel=1e-9)
        with pytest.raises(ValueError, match="time must be at most 1e.07 moves"):
            law.tail(1e12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ph.PhaseType([0.5, 0.4], -np.eye(2)), "start must be 2 probabilities"),
        (lambda: ph.PhaseType([1.0], [[1.0]]), "generator must be square with a diagonal below 0"),
        (lambda: ph.PhaseType([1.0, 0.0], [[-1.0, 2.0], [0.0, -1.0]]), "rows that sum to 0 or"),
        (lambda: ph.PhaseType([1.0, 0.0], [[-1.0, 1.0], [1.0, -1.0]]), "a way out"),
        (lambda: ph.PhaseType([1.0, 0.0], [[-1.0, -1.0], [0.0, -1.0]]), "rates between phases"),
        (lambda: ph.ArrivalProcess([[-1.0]], [[2.0]]), "quiet . marked must have rows that sum"),
        (lambda: ph.ArrivalProcess([[-1.0]], [[0.0]]), "with a rate above 0"),
        (lambda: ph.ArrivalProcess.poisson(0), "rate must be above 0, got 0"),
        (lambda: ph.PhaseType.hyperexponential(1.0, 0.5), "scv must be between 1 and"),
        (lambda: ph.PhaseType.of_two_moments(1.0, 0.0), "scv must be between 0.001 and"),
        (lambda: ph.PhaseType.erlang(1.0, 0), "stages must be a whole number, 1 or more"),
        (lambda: ph.PhaseType.exponential(1.0).tail(-1.0), "time must be 0 or more"),
        (
            lambda: ph.PhaseType.exponential(1.0).quantile(1.0),
            "probability must be from 0 to below 1",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
