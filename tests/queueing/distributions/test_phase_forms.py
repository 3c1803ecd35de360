"""Laws in phase-type form: the same moments and tails, and advice where there is no form."""

import numpy as np
import pytest

from perfmodel.queueing.distributions.phase_forms import arrivals_of, phase_type_of
from perfmodel.queueing.distributions.phase_type import ArrivalProcess, PhaseType
from perfmodel.queueing.distributions.service import (
    Deterministic,
    Erlang,
    Exponential,
    Hyperexponential,
    Lognormal,
    tail,
)


@pytest.mark.parametrize(
    "law", [Exponential(2.0), Erlang(3.0, 5), Hyperexponential((0.2, 0.3, 0.5), (5.0, 1.0, 0.1))]
)
def test_the_same_law(law):
    phases, times = phase_type_of(law), np.array([0.0, 0.3, 2.0, 9.0])
    assert phases.tail(times) == pytest.approx(tail(law, times), abs=1e-12)
    assert phases.moment(3) == pytest.approx(law.moment(3), rel=1e-12)


def test_what_has_phases_stays_as_it_is():
    law, process = PhaseType.erlang(1.0, 3), ArrivalProcess.poisson(2.0)
    assert phase_type_of(law) is law
    assert arrivals_of(process) is process


def test_a_law_of_gaps_becomes_a_renewal_process():
    process = arrivals_of(Erlang(0.5, 4))
    assert process.rate == pytest.approx(2.0)
    assert process.scv == pytest.approx(0.25)
    assert process.correlation(1) == pytest.approx(0.0, abs=1e-12)


def test_the_advice_can_be_followed():
    law = Lognormal(1.0, 0.8)
    with pytest.raises(ValueError, match=r"service must be a PhaseType.*got Lognormal") as refusal:
        phase_type_of(law, "service")
    advice = str(refusal.value).split("fit one to it: ")[1].split(" by mean")[0]
    stand_in = eval(advice, {"PhaseType": PhaseType})
    assert stand_in.moment(1) == pytest.approx(law.moment(1), rel=1e-5)
    assert stand_in.moment(2) == pytest.approx(law.moment(2), rel=1e-5)


@pytest.mark.parametrize(
    ("law", "message"),
    [
        (Deterministic(2.0), r"arrivals must be a Ph.*of_two_moments\(2, 0.01\)"),
        (3.0, "arrivals must be a PhaseType.* law, got 3.0$"),
        (None, "arrivals must be a PhaseType.* law, got None$"),
    ],
)
def test_bad_input(law, message):
    with pytest.raises(ValueError, match=message):
        arrivals_of(law)
