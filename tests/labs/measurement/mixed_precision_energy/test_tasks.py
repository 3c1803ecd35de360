"""The tasks agree with the lab's models; the drawing can be read and adds up."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from perfmodel.labs.measurement.mixed_precision_energy import savings, tasks
from perfmodel.labs.measurement.mixed_precision_energy.areas import energy_areas
from perfmodel.live.drawing import Box
from perfmodel.measurement.statistics.significance import paired

SCENES = [energy_areas(faster) for faster in (1, 1.25, 1.6, 2, 2.5)]


def test_energy_left_is_that_of_two_runs():
    full, mixed = savings.run_of(60, 40e3, 1000), savings.run_of(60, 28e3, 625)
    left = tasks.energy_left.reference(60, 40e3, 1000, 1.6, 0.7)
    assert left == pytest.approx(mixed.joules / full.joules)


@pytest.mark.parametrize("runs", [8, 30, 200])
def test_the_saving_found_needs_as_many_runs(runs):
    found = tasks.found_saving.reference(runs, 10.0)
    assert savings.runs_by_normal_formula(found, 10.0) == pytest.approx(runs, rel=0.01)


def test_the_mean_over_the_paired_error_is_t():
    full, mixed = savings.made_powers(6, 9, 15, 0.9, seed=2)
    t = (full - mixed).mean() / tasks.pair_error.reference(full, mixed)
    p = 2 * stats.t.sf(t, 5)
    assert p == pytest.approx(paired(mixed, full).p_value)


def test_areas_are_energies_in_every_state():
    for scene in SCENES:
        assert scene.faults() == []
        assert scene.height == SCENES[0].height
        boxes = [shape for shape in scene.shapes if isinstance(shape, Box)]
        slow, quick = (sum(box.width * box.height for box in boxes[k : k + 2]) for k in (0, 2))
        energy = scene.values["energy, faster run (kJ)"]
        assert quick / slow == pytest.approx(energy / 100, rel=1e-6)
        assert math.isclose(boxes[1].width * boxes[1].height, boxes[3].width * boxes[3].height)


def test_a_slower_run_is_refused():
    with pytest.raises(ValueError, match="faster must be from 1 to 2.5"):
        energy_areas(0.5)
