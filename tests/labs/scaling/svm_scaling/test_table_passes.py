import pytest

from perfmodel.labs.scaling.svm_scaling.table_passes import STEPS, table_passes


@pytest.mark.parametrize("passes", [1, 2])
@pytest.mark.parametrize("step", range(1, STEPS + 1))
def test_every_state_can_be_read(passes, step):
    scene = table_passes(passes, step)
    assert scene.faults() == []
    assert len(scene.says) <= 160


def test_separate_rows_read_the_table_twice():
    ends = [table_passes(passes, STEPS).values["blocks read"] for passes in (1, 2)]
    assert ends == [6, 12]
    assert table_passes(1, 4).values["blocks read"] == 2
    assert table_passes(2, 4).values["blocks read"] == 4
