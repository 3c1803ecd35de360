"""Layered services: decomposition against the Markov chain, and the chain against other methods."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.queueing import machine_repair
from perfmodel.queueing.network import mva
from perfmodel.queueing.network.layered import ServerLayer, exact_layers, solve_layers
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.network.solution import TooBigError


class TestDecomposition:
    def test_ample_threads_are_a_plain_network(self):
        web = ServerLayer("web", 0.5, threads=12, processors=1, calls=2)
        base = ServerLayer("database", 0.4, threads=12, processors=2)
        solved = solve_layers([web, base], 12, think_time=5)
        users = JobClass("users", population=12, think_time=5)
        stations = [Station("web"), Station("database", servers=2)]
        plain = mva.exact_mva(Network(stations, [users], [0.5, 0.4], visits=[1, 2]))
        assert solved.throughput == pytest.approx(plain.throughput[0], rel=1e-12)
        assert solved.utilization == pytest.approx(plain.utilization[0], rel=1e-12)

    def test_one_thread_serialises_both_layers(self):
        web, base = (
            ServerLayer("web", 0.5, threads=1, calls=2),
            ServerLayer("database", 0.4, threads=1),
        )
        solved = solve_layers([web, base], 1000, think_time=5)
        assert solved.throughput == pytest.approx(1 / 1.3, rel=1e-9)

    def test_more_threads_help_until_processors_are_full(self):
        base = ServerLayer("database", 0.4, threads=50)
        rates = [
            solve_layers([ServerLayer("web", 0.1, n, calls=1), base], 200).throughput
            for n in (1, 2, 4, 40)
        ]
        assert rates == sorted(rates)
        assert rates[-1] == pytest.approx(1 / 0.4, rel=1e-3)

    def test_little(self):
        solved = solve_layers([ServerLayer("web", 0.5, threads=3)], 20, think_time=4)
        assert solved.throughput * (solved.response_time + 4) == pytest.approx(20)
        assert solved.queue_length + 4 * solved.throughput == pytest.approx(20)
        assert solved.response_time - solved.waiting_time == pytest.approx(0.5)

    @pytest.mark.parametrize("layers", [[], [ServerLayer("web", 0.5, threads=3, calls=1)]])
    def test_a_chain_must_end(self, layers):
        with pytest.raises(ValueError, match="layers must end with one that makes no calls"):
            solve_layers(layers, 5)

    @pytest.mark.parametrize(
        ("values", "message"),
        [
            ({"service_time": 0}, "service_time of layer 'web' must be above 0"),
            ({"threads": 0}, "threads of layer 'web'.*got 0"),
            ({"processors": 1.5}, "processors of layer 'web'.*got 1.5"),
            ({"calls": -1}, "calls of layer 'web' must be 0 or more"),
        ],
    )
    def test_bad_layer(self, values, message):
        with pytest.raises(ValueError, match=message):
            ServerLayer(**{"name": "web", "service_time": 1.0, "threads": 2, **values})

    def test_processor_utilization_never_exceeds_one(self):
        rng = np.random.default_rng(3)
        for _ in range(10):
            web = ServerLayer(
                "web", rng.uniform(0.1, 1), int(rng.integers(1, 9)), 2, rng.uniform(0, 3)
            )
            base = ServerLayer("base", rng.uniform(0.1, 1), int(rng.integers(1, 9)), 1)
            busy = solve_layers([web, base], 60).utilization
            assert (busy <= 1 + 1e-12).all()


layer = st.builds(
    ServerLayer,
    st.just("layer"),
    service_time=st.floats(0.05, 1),
    threads=st.integers(1, 5),
    processors=st.integers(1, 3),
    calls=st.sampled_from([0.5, 1.0, 3.0]),
)
last = st.builds(
    ServerLayer,
    st.just("last"),
    service_time=st.floats(0.05, 1),
    threads=st.integers(1, 5),
    processors=st.integers(1, 3),
)


class TestChain:
    def test_by_hand(self):
        # One client, no waiting: a cycle of 1 s thinking, 0.5 s above and 2 calls of 0.2 s.
        web, base = ServerLayer("web", 0.5, 3, calls=2), ServerLayer("base", 0.2, 2)
        solved = exact_layers([web, base], 1, think_time=1)
        assert solved.throughput == pytest.approx(1 / 1.9)
        assert solved.threads_busy == pytest.approx([0.9 / 1.9, 0.4 / 1.9])
        assert solved.utilization == pytest.approx([0.5 / 1.9, 0.4 / 1.9])

    def test_one_layer_is_the_machine_repair_model(self):
        solved = exact_layers([ServerLayer("web", 0.5, threads=2, processors=2)], 7, think_time=2)
        known = machine_repair(7, 2.0, 0.5, servers=2)
        assert solved.throughput == pytest.approx(float(known.throughput))

    def test_ample_threads_are_a_plain_network(self):
        web = ServerLayer("web", 0.5, threads=8, processors=1, calls=2)
        base = ServerLayer("database", 0.4, threads=8, processors=2)
        stations = [Station("web"), Station("database", servers=2)]
        users = JobClass("users", population=8, think_time=5)
        plain = mva.exact_mva(Network(stations, [users], [0.5, 0.4], visits=[1, 2]))
        solved = exact_layers([web, base], 8, think_time=5)
        assert solved.throughput == pytest.approx(plain.throughput[0], rel=1e-10)

    def test_one_thread_serialises_without_thinking(self):
        web, base = ServerLayer("web", 0.5, 1, calls=2), ServerLayer("base", 0.4, 1)
        solved = exact_layers([web, base], 5)
        assert solved.throughput == pytest.approx(1 / 1.3)
        assert solved.threads_busy == pytest.approx([1, 0.8 / 1.3])

    def test_a_state_that_hardly_occurs_is_no_measure_for_the_others(self):
        # Empty has a share of about 1e-17 here; see `balance.steady_state`.
        layers = [
            ServerLayer("0", 0.0815618681746153, 8, 1, 1.0),
            ServerLayer("1", 0.29559519710222687, 5, 2, 0.5),
            ServerLayer("2", 0.5879665890520195, 2, 1),
        ]
        solved = exact_layers(layers, 17, think_time=0.1)
        assert solved.throughput == pytest.approx(
            float(solve_layers(layers, 17, 0.1).throughput), rel=0.05
        )

    @given(st.lists(layer, min_size=1, max_size=2), last, st.integers(1, 12))
    @settings(max_examples=40, deadline=None)
    def test_the_decomposition_is_near_and_hardly_ever_below(self, layers, base, clients):
        near = float(solve_layers([*layers, base], clients, think_time=1).throughput)
        exact = float(exact_layers([*layers, base], clients, think_time=1).throughput)
        assert exact * (1 - 1e-3) <= near <= 1.15 * exact

    @given(layer, last, st.integers(1, 12))
    @settings(max_examples=20, deadline=None)
    def test_laws(self, web, base, clients):
        solved = exact_layers([web, base], clients, think_time=2)
        rate = solved.throughput
        assert rate * (solved.response_time + 2) == pytest.approx(clients)
        demands = np.array([web.service_time, web.calls * base.service_time])
        assert solved.utilization * [web.processors, base.processors] == pytest.approx(
            rate * demands
        )
        assert (solved.threads_busy <= [web.threads + 1e-9, base.threads + 1e-9]).all()

    def test_more_calls_of_the_same_work_bring_the_decomposition_nearer(self):
        def error(calls):
            layers = [
                ServerLayer("web", 0.3, 6, 2, calls),
                ServerLayer("application", 0.4 / calls, 3, 2, calls),
                ServerLayer("database", 0.4 / calls**2, 1),
            ]
            exact = exact_layers(layers, 20, think_time=1).throughput
            return float(solve_layers(layers, 20, think_time=1).throughput / exact - 1)

        errors = [error(calls) for calls in (0.1, 1, 10, 50)]
        assert errors == sorted(errors, reverse=True)
        assert errors[0] > 0.01
        assert errors[-1] < 0.001

    def test_bad_input(self):
        with pytest.raises(ValueError, match="layers must end with one that makes no calls"):
            exact_layers([], 2)

    def test_too_many_states_are_refused(self):
        layers = [ServerLayer(str(i), 1.0, 60, 4, 1.0) for i in range(3)]
        with pytest.raises(TooBigError, match="more than 50000 states"):
            exact_layers([*layers, ServerLayer("last", 1.0, 60)], 200, think_time=1)
