"""What flows end at, what sawteeth add up to, and the drawing's every state."""

import numpy as np
import pytest

from perfmodel.communication import RateLaw, follow_law, largest_stable_delay
from perfmodel.labs.communication.rl_congestion.experiments import ends, history, swings
from perfmodel.labs.communication.rl_congestion.inputs import ON_THIS_MACHINE, PUBLISHED
from perfmodel.labs.communication.rl_congestion.shared_link import FLOWS, STEPS, shared_link


def test_inflation_by_the_constants_of_the_public_code():
    found = ends(PUBLISHED, (2, 4, 16, 64), 6000)
    assert found.inflation == pytest.approx([1.59051, 1.628, 1.756, 2.012], abs=5e-4)
    assert found.lowest == pytest.approx(1, abs=1e-3)
    assert found.highest == pytest.approx(1, abs=1e-3)


def test_flows_end_at_an_even_share_as_proposition_1_says():
    """From random starts, 2 to 1,024 of them, within a thousandth of 1/N."""
    found = ends(PUBLISHED)
    assert found.lowest == pytest.approx(1, abs=1e-3)
    assert found.highest == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("exponent", [0.25, 0.5, 0.75, 1.0])
def test_mean_of_the_last_steps_is_near_the_equilibrium(exponent):
    law = RateLaw(PUBLISHED.target, PUBLISHED.base, exponent)
    found = ends(law, (2, 32, 128), 6000)
    expected = law.equilibrium_inflation(found.flows) - law.base
    assert found.inflation - law.base == pytest.approx(expected, rel=0.01)


def test_delay_grows_with_the_root_of_the_flows():
    found = ends(PUBLISHED)
    above = np.log(found.inflation - PUBLISHED.base)
    assert np.polyfit(np.log(found.flows), above, 1)[0] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(("start", "ratio"), [((0.2, 0.1), 2), ((0.3, 0.1), 3)])
def test_without_an_exponent_the_ratio_of_the_start_stays(start, ratio):
    """The lab's starts never swing up to the line rate, where a rate is held."""
    rates = follow_law(RateLaw(0.064, 1.5, exponent=0.0), start, 6000).rates
    assert rates.max() < 1
    assert rates[:, 0] / rates[:, 1] == pytest.approx(np.full(6001, ratio))


def test_a_round_trip_is_too_late_for_rates_with_the_constants_of_the_bucket():
    round_trip = 1 / ON_THIS_MACHINE.drain
    assert [largest_stable_delay(ON_THIS_MACHINE, flows) for flows in (1, 2, 4)] == [3, 4, 5]
    assert round_trip > 5


def test_a_history_repeats_with_its_seed_alone():
    first = history(PUBLISHED, 4, 50, seed=1)
    assert (history(PUBLISHED, 4, 50, seed=1).rates == first.rates).all()
    assert (history(PUBLISHED, 4, 50, seed=2).rates != first.rates).any()


def test_sawteeth_cancel_only_where_they_are_apart():
    found = swings()
    slope = np.polyfit(np.log(found.flows[1:]), np.log(found.apart[1:]), 1)[0]
    assert slope == pytest.approx(-0.5, abs=0.02)
    assert np.ptp(found.together) < 0.02
    assert found.rule[2] == found.apart[2]


@pytest.mark.parametrize("flows", FLOWS)
def test_every_state_can_be_read(flows):
    scenes = [shared_link(flows, step) for step in STEPS]
    assert [scene.faults() for scene in scenes] == [[]] * len(scenes)
    assert len({scene.height for scene in scenes}) == 1
    assert scenes[-1].values["sum of rates"] == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize(("flows", "step"), [(3, 0), (4, 5000)])
def test_bad_input(flows, step):
    with pytest.raises(ValueError, match="must be"):
        shared_link(flows, step)
