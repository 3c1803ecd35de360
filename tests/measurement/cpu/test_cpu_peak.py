"""Peak: what a run counts, and the rate that follows from its seconds."""

import numpy as np
import pytest

from perfmodel.measurement.cpu import peak
from perfmodel.measurement.cpu.team import Team, usable


@pytest.fixture
def simulated(monkeypatch):
    """Turns and seconds of runs that were never made, with the length that was asked for."""
    asked = []

    def short_runs(team, task, seconds, runs):
        task(0, 3)
        asked.append((seconds, runs))
        return 1000, np.array([4e-6, 2e-6, 5e-6])

    monkeypatch.setattr(Team, "short_runs", short_runs)
    return asked


def test_a_run_counts_the_operations_of_all_threads(simulated):
    members = usable()[:2]
    variant = peak.widest("fp64")
    with Team(members) as team:
        result = peak.measure_peak(variant, team, runs=3, seconds=2e-4)
    per_turn = peak.MultiplyAdds(variant).flops_per_turn
    assert (result.unit, result.threads) == ("FLOP", len(members))
    assert result.work == 1000 * per_turn * len(members)
    assert result.best == pytest.approx(result.work / 2e-6)
    assert result.median == pytest.approx(result.work / 4e-6)


def test_runs_of_several_threads_are_longer(simulated):
    with Team(1) as team:
        peak.measure_peak(peak.widest("fp64"), team, runs=3, seconds=2e-4)
    assert simulated[0] == (2e-4, 3)
    team = type("Two", (list,), {"short_runs": Team.short_runs, "pinned": False})([0, 1])
    peak.measure_peak(peak.widest("fp64"), team, runs=3, seconds=2e-4)
    assert simulated[1] == (8e-4, 3)


def test_wider_registers_do_more_at_a_time(simulated):
    scalar, fast = peak.Variant("fp64", 0, peak.widest("fp64").fused), peak.widest("fp64")
    with Team(1) as team:
        rates = [peak.measure_peak(item, team).best for item in (scalar, fast)]
    assert rates[1] / rates[0] == pytest.approx(fast.lanes)


def test_a_variant_without_fma_is_labelled(simulated):
    with Team(1) as team:
        result = peak.measure_peak(peak.Variant("fp32", 0, False), team, runs=2)
    assert result.note == "multiply and add as two instructions"
