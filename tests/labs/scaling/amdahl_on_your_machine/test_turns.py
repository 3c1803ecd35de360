import pytest

from perfmodel.labs.scaling.amdahl_on_your_machine.turns import MOST, process_turns


@pytest.mark.parametrize("processes", [1, 2, 3, 4, 6, 8])
@pytest.mark.parametrize("cores", range(1, MOST + 1))
def test_all_turns_can_be_read_and_fill_the_time(processes, cores):
    scene = process_turns(processes, cores)
    assert scene.faults() == []
    ends = [shape.x + shape.width for shape in scene.shapes if getattr(shape, "height", 0) == 24]
    said = 60 + 286 * scene.values["time (1 = one process)"]
    assert max(ends) == pytest.approx(said)


def test_more_processes_than_cores_gain_nothing():
    assert process_turns(8, 2).values["speedup"] == process_turns(2, 2).values["speedup"]
