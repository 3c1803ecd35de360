"""The talk's settings: inputs as stated, exercises' answers, and the claims."""

import numpy as np
import pytest

from perfmodel.labs.queueing.five_questions import job_sizes as talk
from perfmodel.queueing.distributions.service import scv
from perfmodel.queueing.station.scheduling import slowdown_by_size


@pytest.mark.parametrize("claim", talk.claims(), ids=lambda claim: claim.quantity)
def test_claim(claim):
    assert claim.check().met is not bool(claim.miss)


def test_the_laws_have_the_scv_that_the_talk_states():
    assert scv(talk.UNIX_JOBS) == pytest.approx(50, rel=1e-3)
    assert scv(talk.BORG_JOBS) == pytest.approx(23_000, rel=5e-3)
    assert scv(talk.HEAVY_JOBS) == pytest.approx(4524, abs=0.5)


def test_the_load_of_a_steady_server_that_waits_as_long():
    # Exercise A: which M/D/1 waits as long as M/G/1 at 30 % with scv 50?
    wanted = talk.waiting_in_service_times(0.3, 50)
    steady = 2 * wanted / (1 + 2 * wanted)
    assert steady == pytest.approx(0.95625, abs=1e-4)
    assert talk.waiting_in_service_times(steady, 0) == pytest.approx(wanted)


def test_all_can_win_up_to_half_load():
    law = talk.UNFAIR_JOBS
    sizes = np.geomspace(1, 1e4, 40)
    assert (slowdown_by_size("SRPT", sizes, 0.5 / law.moment(1), law) <= 2).all()
    heavy = slowdown_by_size("SRPT", sizes, 0.9 / law.moment(1), law)
    assert heavy.max() > 10


def test_bad_input():
    with pytest.raises(ValueError, match="utilization must be below 1"):
        talk.waiting_in_service_times(1.0, 50)
    with pytest.raises(ValueError, match="policy must be one of"):
        talk.mean_under("best", 0.5, talk.UNIX_JOBS)
