"""The edge cluster: traces, formulas against simulation and measurement, admission, placement."""

import threading
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel import data
from perfmodel.labs.queueing.edge_cluster.claims import ALONE
from perfmodel.labs.queueing.edge_cluster.inputs import (
    EDGE_TPU,
    FCFS_AT_ONCE,
    GPU_RATES,
    MIXTURES,
    PS_AT_ONCE,
    mean_responses,
    read_services,
    read_trace,
)
from perfmodel.labs.queueing.edge_cluster.node import (
    TPU_NODE,
    UTILIZATION_LIMIT,
    Application,
    Node,
    admission,
    cpu_stage,
)
from perfmodel.labs.queueing.edge_cluster.placement import demand, in_time, place
from perfmodel.labs.queueing.edge_cluster.real_tasks import in_slices, in_turns
from perfmodel.labs.queueing.edge_cluster.shared_accelerator import (
    REQUESTS,
    at_once,
    fcfs_with_switching,
    reload_turns,
    replay,
    sharing_by_size,
    sharing_with_mean_wait,
    simulated_switching,
    wait_of_correlation,
)
from perfmodel.queueing.operational_analysis.sample_path import departures
from perfmodel.queueing.station.mg1 import mg1
from perfmodel.queueing.station.mmc import mm1


@pytest.mark.parametrize("name", MIXTURES)
def test_means_of_the_traces(name, third_party):
    mixture = MIXTURES[name]
    means, errors = mean_responses(third_party("edge-queue", mixture.file), mixture)
    assert means == pytest.approx(mixture.response_time, abs=0.00006)
    assert errors == pytest.approx(mixture.standard_error, abs=0.00006)


@pytest.mark.parametrize("sent", [FCFS_AT_ONCE, PS_AT_ONCE], ids=["FCFS", "PS"])
def test_means_of_the_requests_at_once(sent, third_party):
    table = pd.read_csv(third_party("edge-queue", sent.file))
    groups = table.groupby(["process_type", "model"])["response_time"]
    means, errors = groups.mean() / 1000, groups.sem() / 1000
    networks = list(sent.networks)
    assert errors["Concurrent"][networks].to_numpy() == pytest.approx(sent.standard_error, abs=6e-7)
    for kind, computed in (("Sequential", sent.alone), ("Concurrent", sent.together)):
        assert means[kind][networks].to_numpy() == pytest.approx(computed, abs=0.00006)


@pytest.mark.parametrize("name", MIXTURES)
def test_rates_of_the_traces(name, third_party):
    mixture = MIXTURES[name]
    table = pd.read_csv(third_party("edge-queue", mixture.file))
    rates = table.pivot_table("input_rate", "vary_rho", "model")
    assert rates[list(mixture.networks)].to_numpy() == pytest.approx(mixture.arrival_rate)


@pytest.mark.parametrize("claim", ALONE, ids=lambda claim: claim.quantity)
def test_times_of_networks_alone_are_those_of_the_traces(claim, third_party):
    kind = {"constant": "expected_time_md1", "exponential": "expected_time_mm1"}
    column = next(kind[distribution] for distribution in kind if distribution in claim.quantity)
    network = next(name for name in EDGE_TPU if f" {name} " in claim.quantity)
    mixture = next(m for m in MIXTURES.values() if network in m.networks)
    table = pd.read_csv(third_party("edge-queue", mixture.file))
    last = table[(table["model"] == network) & (table["vary_rho"] == 0.5)]
    assert last[column].unique() == pytest.approx([1e3 * claim.published.value], rel=1e-6)


def test_a_trace_is_in_the_order_of_arrival(third_party):
    path = third_party("edge-queue", MIXTURES["C"].file)
    names, came, response = read_trace(path, 0)
    assert len(names) == came.size == response.size
    assert came[0] == 0
    assert (np.diff(came) >= 0).all()
    assert (response > 0).all()


def test_what_the_traces_say_of_the_inputs(third_party):
    # The lab names these two where the better formula predicts worse.
    mixture = MIXTURES["C"]
    names, came, _ = read_trace(third_party("edge-queue", mixture.file), 4)
    assert len(names) / came[-1] == pytest.approx(0.94 * mixture.arrival_rate[4].sum(), rel=0.01)
    names, changed, seconds = read_services(third_party("edge-queue", MIXTURES["B"].file), 4)
    inception = np.array(names) == "inception_v3"
    network = EDGE_TPU["inception_v3"]
    assert seconds[inception & ~changed].mean() == pytest.approx(network.service_time, rel=0.01)
    short = network.service_time + network.switch_overhead - seconds[inception & changed].mean()
    assert short == pytest.approx(0.004, abs=0.0003)


def test_services_of_mixture_a_show_a_longer_reload(third_party):
    names, changed, seconds = read_services(third_party("edge-queue", MIXTURES["A"].file), 4)
    mobile = np.array(names) == "mobilenet_v2"
    network = EDGE_TPU["mobilenet_v2"]
    assert seconds[mobile & ~changed].mean() == pytest.approx(network.service_time, rel=0.02)
    reload = seconds[mobile & changed].mean() - network.service_time
    assert reload == pytest.approx(0.0128, rel=0.02)
    assert changed[0]


def test_inputs_are_complete():
    assert len(EDGE_TPU) == 9
    for mixture in MIXTURES.values():
        assert mixture.file in data.DATASETS["edge-queue"].files
        assert mixture.arrival_rate.shape == mixture.response_time.shape
        assert mixture.arrival_rate.shape == (5, len(mixture.networks))


MOBILE, BIG = EDGE_TPU["mobilenet_v2"], EDGE_TPU["inception_v4"]


def app(network=MOBILE, rate=5.0, limit=1.0):
    return Application(network, rate, limit)


def test_cpu_stage():
    assert cpu_stage(10, 0.02) == pytest.approx(0.025)
    assert cpu_stage(10, 0.02) == pytest.approx(mm1(10, 50).response_time)
    assert cpu_stage(40, 0.02, cores=4) == pytest.approx(cpu_stage(10, 0.02))


def test_stages_add_up():
    result = admission(TPU_NODE, [app(BIG, 2.0), app(MOBILE, 8.0)])
    tpu = fcfs_with_switching(
        [2.0, 8.0],
        [BIG.service_time, MOBILE.service_time],
        [BIG.switch_overhead, MOBILE.switch_overhead],
    )
    expected = tpu.response_time + cpu_stage([2.0, 8.0], 0.020) + 0.010
    assert result.response_time == pytest.approx(expected)
    assert result.utilization == pytest.approx(float(tpu.utilization))
    assert result.admitted


def test_applications_of_one_network_do_not_switch():
    halves = admission(TPU_NODE, [app(rate=4.0), app(rate=4.0)])
    whole = admission(TPU_NODE, [app(rate=8.0)])
    assert halves.utilization == pytest.approx(whole.utilization)
    assert halves.utilization == pytest.approx(8 * MOBILE.service_time)


def test_each_rule_refuses():
    fine = [app(BIG, 2.0), app(MOBILE, 8.0)]
    assert admission(TPU_NODE, fine).admitted
    late = admission(TPU_NODE, [fine[0], app(MOBILE, 8.0, limit=0.06)])
    assert [reason.split(",")[0] for reason in late.reasons] == [
        f"mobilenet_v2 takes {late.response_time[1]:.4g} s"
    ]
    full = admission(replace(TPU_NODE, memory=50e6), fine)
    assert full.reasons == ("memory is taken to 0.918, above 0.8",)
    roomy = admission(replace(TPU_NODE, memory=60e6), fine)
    assert roomy.admitted
    busy = admission(TPU_NODE, [app(BIG, 1.5, 9.0) for _ in range(5)])
    assert busy.utilization == pytest.approx(7.5 * BIG.service_time)
    assert busy.reasons[0] == f"utilization {busy.utilization:.3f} is above 0.8"
    waiting = admission(TPU_NODE, [app(BIG, 5.0, 9.0)])
    assert waiting.reasons == ("inception_v4 has more than 0.8 requests under way",)


def test_an_overloaded_node_answers_never():
    result = admission(TPU_NODE, [app(BIG, 9.0)])
    assert result.utilization > 1
    assert np.isinf(result.response_time).all()
    slow = admission(TPU_NODE, [app(rate=60.0)])
    assert np.isinf(slow.response_time).all()
    assert slow.utilization < 1


def test_no_application_and_unknown_memory_are_refused():
    with pytest.raises(ValueError, match="applications must be one or more"):
        admission(TPU_NODE, [])
    with pytest.raises(ValueError, match="memory must be finite"):
        admission(Node(0.02, memory=1e9), [app(EDGE_TPU["ssd_mobilenet_v2"])])


def test_demand_is_repeatable_and_in_range():
    first, again, other = demand(30, 4), demand(30, 4), demand(30, 5)
    assert first == again
    assert first != other
    assert all(1 <= app.arrival_rate <= 5 for app in first)
    wider = demand(30, 4, patience=12.0)
    assert wider[3].response_limit == pytest.approx(2 * first[3].response_limit)


@settings(max_examples=8)
@given(st.integers(0, 1000), st.floats(2, 12), st.sampled_from(["depth-first", "breadth-first"]))
def test_admitted_applications_are_in_time(seed, patience, policy):
    placed = place(demand(12, seed, patience), 2, TPU_NODE, policy)
    assert in_time(TPU_NODE, placed) == sum(map(len, placed))
    assert all(admission(TPU_NODE, there).admitted for there in placed if there)


def test_depth_first_fills_one_node_and_breadth_first_spreads():
    apps = [Application(EDGE_TPU[name], 1.0, 1.0) for name in ("mobilenet_v1", "mobilenet_v2")]
    assert place(apps, 2, TPU_NODE, "depth-first") == [apps, []]
    assert place(apps, 2, TPU_NODE, "breadth-first") == [[apps[0]], [apps[1]]]
    third = [*apps, Application(EDGE_TPU["mobilenet_v2"], 1.0, 1.0)]
    assert place(third, 2, TPU_NODE, "breadth-first")[1] == third[1:]


def test_utilization_counts_the_reloads_and_nothing_else():
    # Three times 0.35 of inferences fill two nodes by inference alone; with the reloads none of
    # two fit together, however late they are.
    times = [EDGE_TPU[name].service_time for name in ("inception_v4", "inception_v3")]
    apps = [
        Application(EDGE_TPU["inception_v4"], 0.39 / times[0], 1e-3),
        Application(EDGE_TPU["inception_v3"], 0.39 / times[1], 1e-3),
    ]
    assert place(apps, 1, TPU_NODE, "inference only") == [apps]
    assert place(apps, 2, TPU_NODE, "utilization") == [[apps[0]], [apps[1]]]
    assert place(apps, 2, TPU_NODE, "depth-first") == [[], []]


def test_packing_without_the_reloads_overloads():
    placed = place(demand(40, 1), 4, TPU_NODE, "inference only")
    assert max(admission(TPU_NODE, there).utilization for there in placed) > 1
    assert in_time(TPU_NODE, placed) < 10
    safe = place(demand(40, 1), 4, TPU_NODE, "utilization")
    assert max(admission(TPU_NODE, there).utilization for there in safe) <= 0.8


def test_in_turns_keeps_the_order():
    ran, ticks = [], iter([10.0, 11.0, 14.0, 14.5])
    done = in_turns([partial(ran.append, i) for i in range(3)], clock=lambda: next(ticks))
    assert ran == [0, 1, 2]
    assert done.tolist() == [1.0, 4.0, 4.5]


def test_in_slices_lets_all_progress_at_once():
    # Each task waits for the others: run in turns, the first would never end.
    meeting = threading.Barrier(3, timeout=10)
    done = in_slices([meeting.wait] * 3)
    assert done.shape == (3,)
    assert (done >= 0).all()


def test_times_count_from_the_common_start():
    ticks = iter([100.0, 101.0, 103.0])
    assert sorted(in_slices([int, int], clock=lambda: next(ticks))) == [1.0, 3.0]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_task_that_raises_is_not_passed_over():
    with pytest.raises(RuntimeError, match="task 1 raised"):
        in_slices([int, partial(int, "x")])


@pytest.mark.parametrize("row", [1, 2, 3, 4])
def test_every_order_can_be_read(row):
    scene = reload_turns(row)
    assert scene.faults() == []
    assert scene.values["reloads"] == -(-REQUESTS // row)  # noqa: PD011


@pytest.mark.parametrize("row", [1, 2, 4])
def test_the_last_answer_is_all_inferences_and_reloads(row):
    mixture, changes = MIXTURES["B"], REQUESTS // row // 2
    inferences = REQUESTS / 2 * mixture.service_time.sum()
    expected = 1e3 * (inferences + changes * mixture.switch_overhead.sum())
    last = reload_turns(row).values["last answer (ms)"]  # noqa: PD011
    assert last == pytest.approx(expected)


def solved(name):
    mixture = MIXTURES[name]
    return fcfs_with_switching(mixture.arrival_rate, mixture.service_time, mixture.switch_overhead)


BUSY = [(m.arrival_rate[4], m.service_time, m.switch_overhead) for m in MIXTURES.values()]
rates = st.lists(st.floats(0.1, 5), min_size=2, max_size=4)


def test_hand_worked_mixture():
    # Inception v4 at 3.455/s beside MobileNet v2 at 16.62/s: S = 141.22 and 6.705 ms, W = 86.91 ms.
    result = fcfs_with_switching([3.455, 16.62], [0.12513, 0.00491], [0.01943, 0.01043])
    assert result.utilization == pytest.approx(0.5993, abs=1e-4)
    assert result.service_time == pytest.approx([0.14122, 0.006705], abs=5e-6)
    assert result.response_time == pytest.approx([0.2281, 0.0936], abs=5e-5)


# Milliseconds by mixture and rate, worked out apart from this package.
PREDICTED = {
    "A": ((152.9, 14.4), (163.4, 26.1), (177.7, 41.4), (197.8, 62.4), (228.1, 93.6)),
    "B": ((87.2, 30.5), (92.7, 40.7), (100.8, 52.5), (113.0, 67.7), (132.1, 89.2)),
    "C": (
        (96.4, 115.8, 181.7),
        (107.4, 131.7, 196.7),
        (123.9, 151.1, 215.6),
        (149.3, 178.6, 242.7),
        (192.6, 223.4, 287.3),
    ),
}


@pytest.mark.parametrize("name", MIXTURES)
def test_every_mixture_at_every_rate(name):
    assert 1e3 * solved(name).response_time == pytest.approx(np.array(PREDICTED[name]), abs=0.05)


@pytest.mark.parametrize(("name", "error"), [("A", 0.063), ("B", 0.039), ("C", 0.020)])
def test_mean_absolute_error_of_the_formula(name, error):
    off = solved(name).response_time / MIXTURES[name].response_time - 1
    assert np.abs(off).mean() == pytest.approx(error, abs=0.0005)


def test_four_networks_on_the_gpu_at_two_rates():
    # Equations 6 and 7 by hand: 1 / mu = 18.417 ms, so W = 51.5 ms at 10 requests a second each.
    times = [1 / rate for rate in GPU_RATES.values()]
    below, above = (sharing_with_mean_wait(rate, times) for rate in (10, 11))
    assert below.response_time.mean() == pytest.approx(0.0699, abs=5e-5)
    assert below.response_time[-1] == pytest.approx(0.0809, abs=5e-5)
    assert below.utilization <= UTILIZATION_LIMIT < above.utilization
    exact = sharing_by_size(10, times)
    assert exact.response_time[-1] == pytest.approx(0.1117, abs=5e-5)
    assert exact.response_time.mean() == pytest.approx(below.response_time.mean())


def test_without_switching_it_is_pollaczek_and_khinchine():
    alone = fcfs_with_switching(20.0, 0.03, 0.5)
    assert alone.service_time == pytest.approx([0.03])
    assert alone.response_time == pytest.approx(
        mg1(arrival_rate=20.0, mean_service=0.03, scv=0.0).response_time
    )
    alike = fcfs_with_switching([5.0, 15.0], 0.03, 0.0)
    assert alike.response_time == pytest.approx([alone.response_time.item()] * 2)


def test_rates_broadcast():
    mixture = MIXTURES["C"]
    result = solved("C")
    assert result.utilization.shape == (5,)
    row = fcfs_with_switching(
        mixture.arrival_rate[2], mixture.service_time, mixture.switch_overhead
    )
    assert result.response_time[2] == pytest.approx(row.response_time)


@pytest.mark.parametrize("mixture", BUSY, ids=MIXTURES)
def test_true_switching_waits_longer_by_the_correlation(mixture):
    simple = fcfs_with_switching(*mixture).response_time
    better = simple + wait_of_correlation(*mixture)
    result = np.array([e.value for e in simulated_switching(*mixture, requests=200_000)])
    assert result == pytest.approx(better, rel=0.035)
    assert (result > simple).all()


def test_correlation_of_two_networks_by_hand():
    # Shares 1/2, S = 1.5 s for both: no covariance; variance of reloads 1/4 s^2 * (1/2 + 1/2) / 1.
    result = wait_of_correlation([0.1, 0.1], [1.0, 1.0], [1.0, 1.0])
    assert result == pytest.approx(0.2 * (0.25 / 2) / (1 - 0.3))
    assert wait_of_correlation([0.1, 0.1], [1.0, 2.0], [0.0, 0.0]) == 0


def test_covariance_agrees_with_a_long_row_of_services():
    rate, time, reload = np.array([[1.0, 9.0], [0.2, 0.01], [0.05, 0.05]])
    rng, share = np.random.default_rng(3), rate / rate.sum()
    network = rng.choice(2, 400_000, p=share)
    sizes = time[network] + reload[network] * np.append(True, network[1:] != network[:-1])
    covariance = np.cov(sizes[1:], sizes[:-1])[0, 1]
    within = share @ [sizes[network == i].var() for i in range(2)]
    expected = rate.sum() * (covariance + within / 2) / (1 - rate.sum() * sizes.mean())
    assert wait_of_correlation(rate, time, reload) == pytest.approx(expected, rel=0.02)


@given(rates, st.floats(0.05, 0.95))
def test_sharing_conserves_the_mean(rate, load):
    rate = np.array(rate)
    time = np.linspace(1, 2, rate.size)
    time *= load / (rate @ time)
    exact, paper = sharing_by_size(rate, time), sharing_with_mean_wait(rate, time)
    assert exact.utilization == pytest.approx(load)
    assert rate @ exact.response_time == pytest.approx(rate @ paper.response_time)
    assert exact.response_time / time == pytest.approx(1 / (1 - load))
    assert exact.response_time[-1] > paper.response_time[-1]


def test_sharing_by_size_agrees_with_a_shared_sample_path():
    rate, time, rng = np.array([6.0, 2.0]), np.array([0.05, 0.15]), np.random.default_rng(5)
    kind = rng.choice(2, 60_000, p=rate / rate.sum())
    came = rng.exponential(1 / rate.sum(), kind.size).cumsum()
    response = departures(came, time[kind], "PS") - came
    result = [response[kind == i].mean() for i in range(2)]
    assert result == pytest.approx(sharing_by_size(rate, time).response_time, rel=0.04)


def test_requests_at_once():
    assert at_once([3, 1, 2], "FCFS").tolist() == [3, 4, 6]
    assert at_once([3, 1, 2], "PS").tolist() == [6, 3, 5]
    for sent, order in ((FCFS_AT_ONCE, "FCFS"), (PS_AT_ONCE, "PS")):
        done = at_once(sent.alone, order)
        assert done.max() == pytest.approx(sent.alone.sum())
        assert done == pytest.approx(sent.together, rel=0.02)


def test_replay_reloads_only_on_a_change():
    response = replay([0, 0, 1, 0], [0, 10, 20, 30], [1.0, 2.0], [0.1, 0.2])
    assert response == pytest.approx([1.1, 1.0, 2.2, 1.1])


@pytest.mark.parametrize("name", MIXTURES)
def test_replay_of_the_authors_requests_is_near_their_measurement(name, third_party):
    mixture = MIXTURES[name]
    names, came, measured = read_trace(third_party("edge-queue", mixture.file), 4)
    network = np.array([mixture.networks.index(n) for n in names])
    computed = replay(network, came, mixture.service_time, mixture.switch_overhead)
    assert np.corrcoef(computed, measured)[0, 1] > 0.93
    for i in range(len(mixture.networks)):
        here = network == i
        assert computed[here].mean() == pytest.approx(measured[here].mean(), rel=0.07)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: sharing_by_size([5, 5], 0.1), "utilization must be below 1 .* got 1"),
        (lambda: sharing_with_mean_wait(11, 0.1), "utilization must be below 1 .* got 1.1"),
        (lambda: replay([0, 2], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]), "network must"),
    ],
)
def test_an_unstable_accelerator_and_an_unknown_network_are_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()
