"""The tasks' answers agree with the lab's simulators, on which the reader can try them."""

import numpy as np
import pytest

from perfmodel.labs.roofline.gpu_cores import tasks
from perfmodel.labs.roofline.gpu_cores.load_queue import issue_cycles
from perfmodel.labs.roofline.gpu_cores.warp_issue import Instruction, simulate


@pytest.mark.parametrize("between", range(6))
def test_stall_count_is_the_least_that_is_safe(between):
    def stale(stall):
        program = [Instruction(stall=stall, writes=1), *[Instruction()] * between]
        return simulate([[*program, Instruction(reads=(1,))]]).stale

    least = tasks.stall_count.reference(4, between)
    assert not stale(least)
    assert least == 1 or stale(least - 1)


@pytest.mark.parametrize("active", [1, 2, 3, 4])
@pytest.mark.parametrize("loads", [6, 8, 25])
def test_last_load_agrees_with_the_simulated_queue(active, loads):
    assert tasks.last_load.reference(active, loads) == issue_cycles(active, loads).max()


def test_fewer_warps_than_needed_leave_empty_cycles_and_so_many_need_not():
    random = np.random.default_rng(3)
    for _ in range(20):
        stalls = random.integers(1, 8, size=4).tolist()
        least = tasks.warps_needed.reference(stalls)
        program = [Instruction(stall=s) for s in stalls] * 8
        if least > 1:
            assert simulate([program] * (least - 1), "round-robin").bubbles > 0
        shares = [
            len(stalls) * 8 * k / simulate([program] * k, "round-robin").cycles
            for k in (least, least + 3)
        ]
        assert shares[0] > 0.7
        assert shares[1] > 0.95
