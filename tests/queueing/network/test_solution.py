"""What a solver hands back: derived measures, and a refusal to pass on nonsense."""

import numpy as np
import pytest

from perfmodel.queueing.distributions.service import Deterministic
from perfmodel.queueing.network import mva
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.network.solution import checked_solution


def network():
    users = JobClass("users", population=4, think_time=1)
    stations = [Station("cpu", servers=2), Station("late", discipline="delay")]
    return Network(stations, [users], [2.0, 3.0], visits=[2, 1])


def test_utilization_is_a_share_of_the_servers_and_a_number_at_a_delay():
    solved = checked_solution(network(), "by hand", np.array([0.25]), np.array([[4.0, 3.0]]))
    assert solved.utilization.tolist() == [[0.5, 0.75]]
    assert solved.response_time.tolist() == [7]


def test_table_gives_station_throughput():
    rows = mva.exact_mva(network()).table()
    assert [row["station"] for row in rows] == ["cpu", "late"]
    assert rows[0]["throughput (1/s)"] == pytest.approx(2 * rows[1]["throughput (1/s)"])
    assert rows[0]["queue length"] == pytest.approx(
        rows[0]["residence time (s)"] * rows[1]["throughput (1/s)"]
    )


@pytest.mark.parametrize("bad", [np.nan, -1.0, np.inf])
def test_lost_precision_is_an_error(bad):
    with pytest.raises(ValueError, match="textbook lost its precision.*residence_time came out"):
        checked_solution(network(), "textbook", np.array([0.25]), np.array([[bad, 3.0]]))
    with pytest.raises(ValueError, match="textbook lost its precision.*throughput came out"):
        checked_solution(network(), "textbook", np.array([bad]), np.array([[1.0, 3.0]]))


def test_printed_with_what_was_approximated():
    one_station = Network(
        [Station("cpu")], [JobClass("user", population=2)], [[Deterministic(3.0)]]
    )
    shown = repr(mva.exact_mva(one_station)).splitlines()
    assert shown[0] == "exact MVA (not exact here)"
    assert shown[2].split() == ["user", "cpu", "0.3333", "1", "2", "6"]
    assert shown[-1].endswith("service of scv 0, not 1: solved as if exponential")
    assert "<p>station" in mva.exact_mva(one_station)._repr_html_()
