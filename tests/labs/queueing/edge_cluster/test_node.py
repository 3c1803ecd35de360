"""A node of the edge cluster: each rule refuses by itself, and only then."""

from dataclasses import replace

import numpy as np
import pytest

from perfmodel.labs.queueing.edge_cluster.inputs import EDGE_TPU, GPU_RATES
from perfmodel.labs.queueing.edge_cluster.node import (
    GPU_NODE,
    TPU_NODE,
    Application,
    Node,
    admission,
    cpu_stage,
    gpu_network,
)
from perfmodel.labs.queueing.edge_cluster.shared_accelerator import fcfs_with_switching
from perfmodel.queueing.station.markovian import mm1

MOBILE, BIG = EDGE_TPU["mobilenet_v2"], EDGE_TPU["inception_v4"]


def app(network=MOBILE, rate=5.0, limit=1.0):
    return Application(network, rate, limit)


def test_cpu_stage():
    assert cpu_stage(10, 0.02) == pytest.approx(0.025)
    assert cpu_stage(10, 0.02) == pytest.approx(mm1(10, 50).response_time)
    assert cpu_stage(40, 0.02, cores=4) == pytest.approx(cpu_stage(10, 0.02))


def test_stages_add_up():
    found = admission(TPU_NODE, [app(BIG, 2.0), app(MOBILE, 8.0)])
    tpu = fcfs_with_switching(
        [2.0, 8.0],
        [BIG.service_time, MOBILE.service_time],
        [BIG.switch_overhead, MOBILE.switch_overhead],
    )
    expected = tpu.response_time + cpu_stage([2.0, 8.0], 0.020) + 0.010
    assert found.response_time == pytest.approx(expected)
    assert found.utilization == pytest.approx(float(tpu.utilization))
    assert found.admitted


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
    found = admission(TPU_NODE, [app(BIG, 9.0)])
    assert found.utilization > 1
    assert np.isinf(found.response_time).all()
    slow = admission(TPU_NODE, [app(rate=60.0)])
    assert np.isinf(slow.response_time).all()
    assert slow.utilization < 1


def test_the_gpu_example_by_the_two_formulas():
    four = [Application(gpu_network(name), 10.0, 0.15) for name in GPU_RATES]
    paper, exact = admission(GPU_NODE, four), admission(replace(GPU_NODE, fair=True), four)
    outside = float(cpu_stage(10.0, 0.024)) + 0.010
    assert paper.response_time[-1] - outside == pytest.approx(0.0809, abs=5e-5)
    assert exact.response_time[-1] - outside == pytest.approx(0.1117, abs=5e-5)
    assert paper.response_time.mean() == pytest.approx(exact.response_time.mean())


def test_bad_input():
    with pytest.raises(ValueError, match="applications must be one or more"):
        admission(TPU_NODE, [])
    with pytest.raises(ValueError, match="arrival_rate must be above 0, got 0"):
        app(rate=0.0)
    with pytest.raises(ValueError, match="response_limit must be above 0"):
        app(limit=-1)
    with pytest.raises(ValueError, match="name must be one of resnet18, .*, got 'vgg'"):
        gpu_network("vgg")
    with pytest.raises(ValueError, match="memory must be finite"):
        admission(Node("FCFS", 0.02, memory=1e9), [app(EDGE_TPU["ssd_mobilenet_v2"])])
    with pytest.raises(ValueError, match="cores must be a whole number"):
        cpu_stage(1, 0.1, cores=0)
