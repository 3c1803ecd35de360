import pytest

from perfmodel.labs.prediction.mlir_cost.lifetimes import lifetimes
from perfmodel.labs.prediction.mlir_cost.program import EXAMPLE, Program, live, parse
from perfmodel.live.drawing import Box

PROGRAMS = [
    parse(EXAMPLE),
    Program(16, ("relu", "matmul"), ((0,), (0, 2))),
    Program(16, ("add",), ((0, 1),)),
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_solid_boxes_are_the_live_values_at_every_step(program):
    for step, count in enumerate(live(program), 1):
        scene = lifetimes(program, step)
        assert scene.faults() == []
        solid = [s for s in scene.shapes if isinstance(s, Box) and s.fill == "solid"]
        assert len(solid) == scene.values["live here"] == count


def test_all_boxes_are_the_area_under_the_count():
    program = parse(EXAMPLE)
    boxes = [s for s in lifetimes(program, 1).shapes if isinstance(s, Box)]
    assert len(boxes) == live(program).sum()


@pytest.mark.parametrize("step", [0, 6])
def test_steps_outside_the_program_are_refused(step):
    with pytest.raises(ValueError, match=f"step .*{step}"):
        lifetimes(parse(EXAMPLE), step)


def test_long_programs_are_refused():
    with pytest.raises(ValueError, match="5 instructions at most, got 6"):
        lifetimes(Program(16, ("relu",) * 6, tuple((i,) for i in range(6))), 1)
