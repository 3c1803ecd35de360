"""Draws of phase-type laws: their moments, and rounding that must not keep a chain for ever."""

import numpy as np
import pytest

from perfmodel.queueing.distributions.phase_sampling import absorption_times
from perfmodel.queueing.distributions.phase_type import PhaseType


@pytest.mark.parametrize(
    "law",
    [PhaseType.erlang(2.0, 30), PhaseType.hyperexponential(1.0, 5.0), PhaseType.exponential(3.0)],
    ids=["erlang", "hyperexponential", "exponential"],
)
def test_moments(law):
    drawn = absorption_times(law.start, law.generator, np.random.default_rng(1), 50_000)
    for order in (1, 2):
        assert np.mean(drawn**order) == pytest.approx(law.moment(order), rel=0.04)


def test_a_rare_way_out_is_found():
    """Rows whose rates sum to nearly 0 leave a chance of absorption near the rounding."""
    chain = np.array([[-1.0, 1 - 1e-4], [1.0, -1.0]])
    drawn = absorption_times(np.array([0.0, 1.0]), chain, np.random.default_rng(1), 200)
    assert drawn.mean() == pytest.approx(2e4, rel=0.25)
