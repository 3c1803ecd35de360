"""Peak: what a run counts, and that it lies where an independent count of time puts it."""

import time

import pytest

from perfmodel.measurement.cpu import peak
from perfmodel.measurement.cpu.team import Team, usable


def test_a_run_counts_the_operations_of_all_threads():
    members = usable()[:2]
    with Team(members) as team:
        found = peak.measure_peak(peak.widest("fp64"), team, runs=3, seconds=2e-4)
    per_turn = peak.MultiplyAdds(peak.widest("fp64")).flops_per_turn
    assert found.unit == "FLOP"
    assert found.threads == len(members)
    assert found.work % (per_turn * len(members)) == 0


def test_the_rate_agrees_with_one_long_run():
    kernel = peak.MultiplyAdds(peak.widest("fp64"))
    with Team(1) as team:
        found = peak.measure_peak(kernel.variant, team, runs=20, seconds=1e-3)
    turns = 200_000
    lasted = []
    for _ in range(10):
        began = time.process_time()
        kernel(turns)
        lasted.append(time.process_time() - began)
    rate = kernel.flops_per_turn * turns / min(lasted)
    assert found.best / 2 < rate < found.best * 2


def test_wider_registers_do_more_at_a_time():
    slow, fast = peak.Variant("fp64", 0, peak.widest("fp64").fused), peak.widest("fp64")
    if fast.lanes < 4:
        pytest.skip("the widest registers hold only two doubles")
    with Team(1) as team:
        rates = [peak.measure_peak(one, team, runs=15, seconds=5e-4).best for one in (slow, fast)]
    assert rates[1] > 1.5 * rates[0]


def test_a_variant_without_fma_is_labelled():
    with Team(1) as team:
        found = peak.measure_peak(peak.Variant("fp32", 0, False), team, runs=2, seconds=1e-4)
    assert found.note == "multiply and add as two instructions"
