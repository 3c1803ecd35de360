"""The description of a network: what it derives, and what it refuses by name."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.network.routing import checked_route, route_of_visits, visit_ratios

CPU, DISK = Station("cpu"), Station("disk")
USERS, WEB = JobClass("users", population=3, think_time=15), JobClass("web", arrival_rate=4)


class TestVisits:
    def test_bolch_example_7_4(self):
        routing = [[0, 0.5, 0.5, 0], [1, 0, 0, 0], [0.6, 0, 0, 0], [1, 0, 0, 0]]
        stations = [Station(name) for name in "abcd"]
        net = Network(
            stations, [WEB], [0.04, 0.03, 0.06, 0.05], routing=routing, entry=[0, 0, 0, 1]
        )
        assert net.visits * 4 == pytest.approx(np.array([[20, 10, 10, 4]]))
        assert net.utilization == pytest.approx(np.array([[0.8, 0.3, 0.6, 0.2]]))

    def test_closed_routing_counts_visits_per_return_to_the_first_station(self):
        net = Network([CPU, DISK], [USERS], [1, 1], routing=[[0.2, 0.8], [1, 0]])
        assert net.visits.tolist() == [pytest.approx([1, 0.8])]

    def test_each_class_may_have_its_own_route(self):
        routing = [[[0, 1], [0, 0]], [[0, 0], [0, 0]]]
        net = Network([CPU, DISK], [USERS, WEB], [1, 1], routing=routing)
        assert net.visits.tolist() == [[1, 1], [1, 0]]

    @given(hnp.arrays(float, 4, elements=st.floats(0, 20)).filter(lambda v: v.sum() >= 1))
    def test_a_route_made_from_visits_pays_them(self, visits):
        entry, matrix = route_of_visits(visits)
        assert visit_ratios(entry, matrix) == pytest.approx(visits)
        checked_route("job", "abcd", entry, matrix)

    def test_many_visits_before_a_job_leaves_keep_their_digits(self):
        """Forty stations in a row, back with nine tenths: the first is visited 9^39 times."""
        matrix = np.diag(np.full(39, 0.1), 1) + np.diag(np.full(39, 0.9), -1)
        matrix[0, 0], matrix[-1, -2] = 0.9, 0.0
        visits = visit_ratios(np.eye(40)[0], matrix)
        assert visits[-2:] == pytest.approx([10.0, 1.0], rel=1e-12)
        assert visits[1] / visits[0] == pytest.approx(1 / 9, rel=1e-9)

    def test_visits_below_one_cannot_be_walked(self):
        with pytest.raises(ValueError, match=r"visits must sum to 1 or more.*0\.5"):
            Network([CPU], [WEB], [1], visits=[0.5]).route(0)

    def test_visits_of_nought_and_one_are_walked_in_order(self):
        entry, matrix = Network([CPU, DISK], [WEB], [1, 1]).route(0)
        assert entry.tolist() == [1, 0]
        assert matrix.tolist() == [[0, 1], [0, 0]]


class TestDescription:
    def test_service_may_be_shared_or_by_class(self):
        net = Network([CPU, DISK], [USERS, WEB], [0.1, 0.2], visits=[2, 3])
        assert net.service_demand == pytest.approx(np.array([[0.2, 0.6]] * 2))

    def test_a_law_counts_by_its_mean(self):
        class Constant:
            def moment(self, order):
                return 0.5**order

        assert Network([CPU], [WEB], [Constant()]).service_demand == pytest.approx(0.5)

    def test_speed_of_stations(self):
        assert Station("a", servers=2).speed([0, 1, 5]).tolist() == [0, 1, 2]
        assert Station("a", discipline="delay").speed([0, 1, 5]).tolist() == [0, 1, 5]
        assert Station("a", speeds=(1, 1.5)).speed([0, 1, 2, 9]).tolist() == [0, 1, 1.5, 1.5]

    def test_utilization_is_a_share_of_full_speed(self):
        stations = [Station("a", servers=4), Station("b", discipline="delay")]
        assert Network(stations, [WEB], [0.5, 3]).utilization.tolist() == [[0.5, 0]]

    def test_unstable_station_is_named(self):
        with pytest.raises(ValueError, match=r"'disk' must have utilization below 1.*got 1\.2"):
            Network([CPU, DISK], [WEB], [0.1, 0.3]).check_stable()

    def test_a_full_buffer_keeps_an_overloaded_station_stable(self):
        net = Network([Station("cpu", capacity=5)], [WEB], [1.0])
        assert net.check_stable() is net


ROUTING = [
    ([], r"routing must have shape .*'cpu', 'disk'.*\(0,\)"),
    ([[0, 1], [0, 1]], r"station 'disk' with row \[0\.0, 1\.0\], which absorbs it"),
    ([[0, 0.7], [0.6, 0.6]], r"'web' from station 'disk'.*\[0\.6, 0\.6\]"),
    ([[0, math.nan], [0, 0]], r"routing of class 'web' at station 'cpu' must be finite, got .*nan"),
    ([[0, -1], [0, 0]], r"routing of class 'web' at station 'cpu' must be 0 or more, got .*-1"),
]


class TestBadDescriptions:
    @pytest.mark.parametrize(("routing", "message"), ROUTING)
    def test_routing(self, routing, message):
        with pytest.raises(ValueError, match=message):
            Network([CPU, DISK], [WEB], [0.1, 0.1], routing=routing)

    def test_absorbing_route_of_a_closed_class(self):
        with pytest.raises(ValueError, match="class 'users'.*station 'disk'.*absorbs"):
            Network([CPU, DISK], [USERS], [1, 1], routing=[[0, 0.5], [0, 1]])

    @pytest.mark.parametrize("value", [-1, math.nan, math.inf, "x"])
    def test_service(self, value):
        with pytest.raises(ValueError, match="service of class 'users' at station 'disk'"):
            Network([CPU, DISK], [USERS], [1, value])

    @pytest.mark.parametrize("value", [-1, math.nan])
    def test_visits(self, value):
        with pytest.raises(ValueError, match="visits of class 'users' at station 'disk'"):
            Network([CPU, DISK], [USERS], [1, 1], visits=[1, value])

    @pytest.mark.parametrize("value", [0, -2, 2.5, math.nan, True])
    def test_population(self, value):
        with pytest.raises(ValueError, match="population of class 'users' must be"):
            JobClass("users", population=value)

    @pytest.mark.parametrize("value", [0, -2, math.nan, math.inf, [1, 2]])
    def test_arrival_rate(self, value):
        with pytest.raises(ValueError, match="arrival_rate of class 'web' must be"):
            JobClass("web", arrival_rate=value)

    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda: Station("", 1), "name of a station must be a word"),
            (lambda: Station("cpu", servers=0), "servers of station 'cpu'.*got 0"),
            (lambda: Station("cpu", discipline="LIFO"), "discipline of station 'cpu'.*'LIFO'"),
            (lambda: Station("cpu", servers=3, capacity=2), "capacity of station 'cpu'.*got 2"),
            (lambda: Station("cpu", speeds=(1, 0)), "speeds of station 'cpu' must be above 0"),
            (lambda: Station("cpu", servers=2, speeds=(1,)), "speeds of station 'cpu' go with one"),
            (lambda: JobClass("x"), "class 'x' must have either arrival_rate"),
            (lambda: JobClass("x", 1, 1), "class 'x' must have either arrival_rate"),
            (lambda: JobClass("x", 1, think_time=2), "think_time of class 'x'.*got 2"),
            (lambda: JobClass("x", population=1, think_time=-2), "think_time of class 'x'.*got -2"),
            (lambda: Network([], [WEB], []), r"stations must be one or more Station, got \[\]"),
            (lambda: Network([CPU, CPU], [WEB], [1, 1]), "stations must have different names"),
            (lambda: Network([CPU], [WEB], [1, 2]), r"service must have shape.*\(1, 1\)"),
            (lambda: Network([CPU], [WEB], [0]), "class 'web' must ask service.*0.0"),
            (lambda: Network([CPU], [WEB], [1], entry=[1]), "entry goes with routing"),
            (
                lambda: Network([CPU], [WEB], [1], routing=[[0]], entry=[0.5]),
                "entry of class 'web' must be probabilities that sum to 1",
            ),
            (
                lambda: Network([CPU], [WEB], [1], visits=[1], routing=[[0]]),
                "visits follow from routing",
            ),
        ],
    )
    def test_the_rest(self, make, message):
        with pytest.raises(ValueError, match=message):
            make()
