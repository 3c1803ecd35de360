import pytest

from perfmodel.labs.queueing.edge_cluster.inputs import MIXTURES
from perfmodel.labs.queueing.edge_cluster.reload_turns import REQUESTS, reload_turns


@pytest.mark.parametrize("row", [1, 2, 3, 4])
def test_every_order_can_be_read(row):
    scene = reload_turns(row)
    assert scene.faults() == []
    assert scene.values["reloads"] == -(-REQUESTS // row)


@pytest.mark.parametrize("row", [1, 2, 4])
def test_the_last_answer_is_all_inferences_and_reloads(row):
    mixture, changes = MIXTURES["B"], REQUESTS // row // 2
    inferences = REQUESTS / 2 * mixture.service_time.sum()
    expected = 1e3 * (inferences + changes * mixture.switch_overhead.sum())
    assert reload_turns(row).values["last answer (ms)"] == pytest.approx(expected)


@pytest.mark.parametrize("row", [0, 5])
def test_impossible_rows_are_refused(row):
    with pytest.raises(ValueError, match=f"row .*{row}"):
        reload_turns(row)
