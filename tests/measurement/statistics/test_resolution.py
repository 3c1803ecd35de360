"""What a machine resolves: a planted slowdown is flagged, and nothing that is not there."""

import pytest

from perfmodel.measurement.simulated import SimulatedMachine
from perfmodel.measurement.statistics.comparison import compare
from perfmodel.measurement.statistics.resolution import NOT_RESOLVED, resolution

MACHINES = [
    {"spread": 0.11},
    {"spread": 0.31},
    {"spread": 0.2, "drift": 2e-4},
    {"spread": 0.2, "step": 0.3},
]


@pytest.mark.parametrize("noise", MACHINES)
def test_ten_percent_is_flagged_and_nothing_else_in_nine_of_ten(noise):
    result = false = 0
    for seed in range(20):
        machine = SimulatedMachine(**noise, seed=seed)
        work, slow = machine.job(1.0), machine.job(1.1)
        plan = {"detect": 0.1, "power": 0.98, "max_seconds": 3600, "clock": machine.clock}
        known = resolution(work, **plan)
        result += known.verdict(compare(work, slow, **plan)) == "slower"
        false += known.verdict(compare(work, work, **plan)) in ("slower", "faster")
    assert result >= 18
    assert false <= 2


def test_what_is_below_the_resolution_is_called_not_resolved():
    machine = SimulatedMachine(spread=0.2)
    known = resolution(machine.job(1.0), max_seconds=400, clock=machine.clock)
    small = compare(machine.job(1.0), machine.job(1.01), max_seconds=400, clock=machine.clock)
    assert known.verdict(small) == NOT_RESOLVED
    assert known.difference(1.0, 1 + known.smallest / 2) == NOT_RESOLVED
    assert known.difference(1.0, 1 / (1 + known.smallest / 2)) == NOT_RESOLVED
    assert known.difference(2.0, 3.0) == "+50.0 %"
    assert "not resolved" in str(known)
    assert "%" in known._repr_html_()


def test_more_blocks_resolve_more():
    machine = SimulatedMachine(spread=0.2)
    known = resolution(machine.job(1.0), max_seconds=400, clock=machine.clock)
    assert known.smallest_with(4 * len(known.comparison.times)) == pytest.approx(
        known.smallest / 2, rel=0.05
    )
    assert known.detectable > known.smallest


def test_noise_sets_the_resolution():
    quiet, noisy = (
        resolution(m.job(1.0), max_seconds=200, clock=m.clock).smallest
        for m in (SimulatedMachine(0.02), SimulatedMachine(0.3))
    )
    assert quiet < 0.02 < 0.06 < noisy
