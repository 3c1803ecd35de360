import pytest

from perfmodel.labs.scaling.universal_scalability.trace import MOST, round_trace
from perfmodel.scaling import usl_throughput


@pytest.mark.parametrize("users", range(1, MOST + 1))
@pytest.mark.parametrize("tell", [0, 0.001, 0.002])
def test_every_round_can_be_read_and_follows_the_law(users, tell):
    scene = round_trace(users, tell)
    assert scene.faults() == []
    rate_one = 1 / 0.07
    law = usl_throughput(users, rate_one, 0.01 * rate_one, tell * rate_one)
    assert scene.values["jobs/s"] == pytest.approx(law)
    assert len(scene.says) <= 160


def test_a_round_of_eight_by_hand():
    assert round_trace(8).values["round (ms)"] == pytest.approx(60 + 8 * 10 + 8 * 7 * 2)
