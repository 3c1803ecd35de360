import os
import re
import time

import numpy as np
import pytest

from perfcourse.book import quiet
from perfcourse.book.quiet import Quietness, Usage


def test_an_idle_machine_is_quiet():
    assert Quietness({"cron (7)": 0.02, "sshd (8)": 0.01}, 0.002, 0.04).reasons() == []


@pytest.mark.parametrize(
    ("seen", "reason"),
    [
        (Quietness({"a (1)": 0.06, "b (2)": 0.06}, 0, 0), r"use 0\.12 of a core .*a \(1\) 0\.06"),
        (Quietness({}, 0.33, 0), r"waited 33 % of its time for a core \(at most 3 %\)"),
        (
            Quietness({}, 0, 0.4),
            r"took 40 % longer than its best \(at most 15 %\)",
        ),
    ],
)
def test_each_reason_is_given_with_its_figure_and_limit(seen, reason):
    [said] = seen.reasons()
    assert re.search(reason, said), said


def test_only_the_three_busiest_are_named():
    [said] = Quietness({f"p ({n})": 0.1 * n for n in range(1, 6)}, 0, 0).reasons()
    assert said.endswith(": p (5) 0.50, p (4) 0.40, p (3) 0.30")


def test_a_process_id_used_again_counts_from_its_own_start():
    before = Usage(0.0, {(7, 1.0): ("old", 100.0)})
    after = Usage(4.0, {(7, 2.0): ("new", 2.0)})
    assert quiet.others(before, after) == {"new (7)": 0.5}


def test_work_that_shares_its_core_waits_and_scatters():
    alone = np.tile([0.004, 0.004], (100, 1))
    assert quiet._judged(alone) == (0.0, 0.0)
    shared = alone.copy()
    shared[::4, 0] = 0.008
    waited, scatter = quiet._judged(shared)
    assert waited == pytest.approx(0.2)
    assert scatter == pytest.approx(1)


def test_own_work_is_not_held_against_the_machine():
    before = quiet.usage()
    end = time.thread_time() + 0.05
    while time.thread_time() < end:
        pass
    used = quiet.others(before, quiet.usage())
    assert used
    assert not [name for name in used if name.endswith(f"({os.getpid()})")]
