"""The exercise on queueing: worked values and independent answers."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from solving import answer

from perfcourse.bank.loader import load
from perfcourse.judge import cases, parameters
from perfmodel.queueing.distributions.heavy_tail import Empirical
from perfmodel.queueing.distributions.service import mean_residual
from perfmodel.queueing.fleet import staffing
from perfmodel.queueing.fleet.dispatching import size_interval
from perfmodel.queueing.network import convolution
from perfmodel.queueing.network.elements import JobClass, Station
from perfmodel.queueing.network.model import Network
from perfmodel.queueing.operational_analysis import operational_laws
from perfmodel.queueing.station import birth_death, mmc
from perfmodel.queueing.station.gittins import gittins_rank, serpt_rank

SOLUTIONS = Path(__file__).parents[2] / "solutions"
BANK = load(SOLUTIONS / "queueing.py")
STUDENTS = [f"student-{i}" for i in range(20)]
reference = partial(answer, BANK)


def drawn(id):
    return [parameters("queueing", BANK.question(id), student) for student in STUDENTS]


def closed(demands, populations, think_times):
    """Describe single-server stations with processor sharing, and classes that circulate."""
    stations = [Station(f"station {k}", discipline="PS") for k in range(len(demands[0]))]
    people = zip(populations, think_times, strict=True)
    classes = [
        JobClass(f"class {c}", population=n, think_time=z) for c, (n, z) in enumerate(people)
    ]
    return Network(stations, classes, service=demands)


class TestWorkedValues:
    """From the exercises of the practitioners' questions, of the workshops, and of the papers."""

    def test_six_minutes_at_twelve_cars_an_hour(self):
        assert reference("in_system", 300, 360, 60) == pytest.approx(1.2)

    def test_a_third_busy_and_irregular_feels_nearly_full(self):
        assert reference("same_wait", 0.3, 50) == pytest.approx(0.95625, abs=5e-6)

    def test_thirty_per_cent_busy_waits_eleven_service_times(self):
        waiting = reference("khinchine", 0.3, 1.0, np.sqrt([0, 1, 10, 50]))
        assert waiting == pytest.approx([0.214, 0.429, 2.357, 10.929], abs=5e-4)

    def test_buses_a_minute_or_ninety_one_apart(self):
        assert reference("bus", 60, 91 * 60, 0.1) == pytest.approx(41.45 * 60)

    def test_ten_sites_of_forty_save_fifty_eight(self):
        assert reference("pooling", 10, 40, 0.2) == 58

    @pytest.mark.parametrize(("servers", "waiting"), [(1, 0.8), (2, 0.7111), (4, 0.5964)])
    def test_pooled_servers_at_eighty_per_cent(self, servers, waiting):
        assert reference("must_wait", servers, 0.8 * servers) == pytest.approx(waiting, abs=5e-5)

    def test_network_helps_the_movie_clips_more_than_the_processor(self):
        exam = 20, 30, np.array([0.15, 0.95]), 10, np.array([1.0, 0.08])
        upgraded, seconds = reference("upgrade", *exam)
        assert (upgraded, seconds) == ("network", pytest.approx(2.4867, abs=5e-5))

    def test_fresh_job_overtakes_one_with_four_seconds_left(self):
        assert reference("gittins", 1, 13, 0.5, 9) == ("fresh", 2)
        assert reference("gittins", 1, 13, 0.5, 11.5)[0] == "old"

    def test_inception_and_mobilenet_on_an_edge_accelerator(self):
        rates, services = np.array([3.455, 16.62]), np.array([0.12513, 0.00491])
        response = reference("edge", rates, services, np.array([0.01943, 0.01043]))
        assert response == pytest.approx([0.2281, 0.0936], abs=5e-5)

    def test_cores_that_feed_a_gpu(self):
        limit, cores = reference("capacity", 8, 0.006, 0.0015, 0.0003, 32)
        assert (limit, cores) == ("cpu", pytest.approx(17.3, abs=0.05))

    def test_launches_that_queue(self):
        total = reference("launch", 300, 2.2605e-6, 8e-6, 10e-6)
        assert total == pytest.approx(90_378.15e-6)


class TestOtherWays:
    """The same answers by a way that the bank does not go."""

    def test_demand_is_visits_times_service_time(self):
        for p in drawn("station_log"):
            table = reference("station_log", *p.values())
            visits = p["completions"] / p["requests"]
            demand = operational_laws.service_demand(visits, table["service_time"])
            assert table["service_demand"] == pytest.approx(demand)
            seen = operational_laws.utilization(p["requests"] / p["elapsed"], demand)
            assert table["utilization"] == pytest.approx(seen)

    def test_saturated_station_completes_what_its_servers_can(self):
        for p in drawn("saturation"):
            table = reference("saturation", *p.values())
            busy = table["throughput"] * p["service_time"] / p["servers"]
            assert table["utilization"] == pytest.approx(busy)
            assert (table["throughput"] <= p["arrival_rates"]).all()
            assert ((table["utilization"] == 1) == (table["throughput"] < p["arrival_rates"])).all()

    def test_promised_mean_is_that_of_all_requests(self):
        for p in drawn("promise"):
            requests = np.repeat(p["mean_response"], p["completions"])
            assert reference("promise", *p.values())[1] == pytest.approx(requests.mean())

    def test_equal_jobs_wait_as_long(self):
        for p in drawn("same_wait"):
            busy = reference("same_wait", *p.values())
            waits = reference(
                "khinchine", np.array([p["utilization"], busy]), 1.0, np.sqrt([p["scv"], 0])
            )
            assert waits[0] == pytest.approx(waits[1])

    def test_passenger_waits_for_a_residual(self):
        gaps = Empirical((100.0,) * 4 + (2000.0,))
        assert reference("bus", 100, 2000, 0.2) == pytest.approx(mean_residual(gaps))

    def test_late_trains_hold_the_late_passengers(self):
        for trains, passengers in (p.values() for p in drawn("who_counts")):
            full = reference("who_counts", trains, passengers)
            assert trains * full / (trains * full + 1 - trains) == pytest.approx(passengers)

    def test_jobs_by_the_clock_wait_by_lindley(self):
        for jobs, service, period in (p.values() for p in drawn("by_the_clock")):
            waiting = [0.0]
            for job in range(1, 5 * jobs):
                gap = 0 if job % jobs else period
                waiting.append(max(0.0, waiting[-1] + service - gap))
            expected = reference("by_the_clock", jobs, service, period)
            assert np.mean(waiting) == pytest.approx(expected)

    def test_percentile_agrees_with_the_package(self):
        for rate, service, share in (p.values() for p in drawn("percentile")):
            expected = mmc.mmc_response_quantile(share, rate, 1 / service, 1)
            assert reference("percentile", rate, service, share) == pytest.approx(float(expected))

    def test_pool_is_near_the_square_root_rule(self):
        for sites, work, late in (p.values() for p in drawn("pooling")):
            rule = staffing.square_root_staffing(np.array([work, sites * work]), late)
            saved = reference("pooling", sites, work, late)
            assert abs(saved - (sites * rule[0] - rule[1])) <= sites + 1

    def test_offers_compared_by_the_package(self):
        for rate, service, speed in (p.values() for p in drawn("fast_or_second")):
            second = mmc.mmc(rate, 1 / service, 2).response_time
            fast = mmc.mm1(rate, speed / service).response_time
            word, ratio = reference("fast_or_second", rate, service, speed)
            assert ratio == pytest.approx(float(second / fast))
            assert word == ("second" if second < fast else "fast")

    def test_asymptotes_cross_at_the_knee(self):
        for demands, think, users in (p.values() for p in drawn("knee")):
            word, knee = reference("knee", demands, think, users)
            assert knee / (demands.sum() + think) == pytest.approx(1 / demands.max())
            assert word == ("users" if users < knee else "bottleneck")

    def test_mean_values_agree_with_convolution(self):
        for case in cases("queueing", BANK.question("mva"), "ada", ""):
            network = closed([case["demands"]], [case["population"]], [case["think_time"]])
            expected = convolution.convolution_algorithm(network).throughput[0]
            assert reference("mva", *case.values()) == pytest.approx(expected)

    def test_load_test_is_a_repair_shop(self):
        for users, think, service in (p.values() for p in drawn("load_test")):
            shop = birth_death.machine_repair(users, think, service)
            expected = float(shop.response_time)
            assert reference("load_test", users, think, service) == pytest.approx(expected)

    def test_upgrade_agrees_with_convolution(self):
        for users, think, web, jobs, batch in (p.values() for p in drawn("upgrade")[:6]):
            seconds = [
                convolution.convolution_algorithm(
                    closed(np.array([web, batch]) / speeds, [users, jobs], [think, 0])
                ).response_time[0]
                for speeds in ([2, 1], [1, 2])
            ]
            best = ("processor", "network")[int(np.argmin(seconds))]
            expected = best, pytest.approx(min(seconds))
            assert reference("upgrade", users, think, web, jobs, batch) == expected

    def test_launches_one_by_one(self):
        for n, latency, host, kernel in (p.values() for p in drawn("launch")):
            done, total = 0.0, 0.0
            for launched in host * np.arange(n):
                start = max(launched + latency, done)
                total, done = total + start - launched, start + kernel
            assert reference("launch", n, latency, host, kernel) == pytest.approx(total)

    def test_hosts_by_size_agree_with_the_package(self):
        law = Empirical((1.0,) * 19 + (30.0,))
        farm = size_interval(0.5, law, cutoffs=[2.0])
        mean, scv = law.moment(1), law.moment(2) / law.moment(1) ** 2 - 1
        waiting = mmc.mmc(0.5, 1 / mean, 2).waiting_time * (1 + scv) / 2
        _, ratio = reference("dispatch", 0.5, 1.0, 30.0, 0.05)
        assert ratio == pytest.approx(float((mean + waiting) / farm.response_time))

    def test_gittins_rank_agrees_with_the_package(self):
        law = Empirical((2.0,) * 3 + (15.0,) * 7)
        fresh, old = gittins_rank([0, 9], law)
        assert reference("gittins", 2.0, 15.0, 0.3, 9.0) == ("old", pytest.approx(fresh))
        assert old == pytest.approx(serpt_rank(9, law)) == pytest.approx(6)

    def test_own_queue_is_the_area_under_the_number_in_system(self):
        for arrivals, departures in (p.values() for p in drawn("own_queue")):
            moments = np.linspace(arrivals[0], departures.max(), 20_001)
            inside = np.searchsorted(arrivals, moments, "right")
            inside = inside - np.searchsorted(np.sort(departures), moments, "right")
            expected = pytest.approx(inside.mean(), rel=2e-3)
            assert reference("own_queue", arrivals, departures) == expected


class TestBank:
    def test_has_all_sorts_of_questions_and_many_misconceptions(self):
        kinds = [question.kind for question in BANK.questions]
        assert min(kinds.count(kind) for kind in ("function", "number", "array", "choice")) >= 3
        assert len(kinds) >= 14
        assert sum(len(question.mistakes) for question in BANK.questions) >= 30


@pytest.mark.parametrize(
    ("arrivals", "departures", "complaint"),
    [
        (np.arange(10.0)[::-1], np.arange(10.0) + 20, "order"),
        (np.arange(10.0), np.arange(10.0), "leave after"),
        (np.arange(10.0), np.arange(10.0) + 1, ""),
    ],
)
def test_impossible_measurements_are_named(arrivals, departures, complaint):
    said = BANK.question("own_queue").plausible(arrivals, departures)
    assert complaint in said
    assert bool(complaint) == bool(said)
