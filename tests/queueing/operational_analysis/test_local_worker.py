"""A worker by a fake clock: the same path as the model's, every task run once, bad input."""

import numpy as np
import pytest

from perfmodel.queueing.operational_analysis.local_worker import WORKER_POLICIES, serve_tasks
from perfmodel.queueing.operational_analysis.sample_path import departures


class FakeTime:
    def __init__(self):
        self.now, self.done = 100.0, []

    def sleep(self, seconds):
        self.now += seconds + 1e-9  # as a real clock, it ends a hair late

    def task(self, number, size):
        def run():
            self.done.append(number)
            self.now += size

        return run


@pytest.mark.parametrize("policy", WORKER_POLICIES)
def test_worker_follows_the_path_of_the_model(policy):
    rng = np.random.default_rng(3)
    arrivals, sizes = np.cumsum(rng.exponential(1.2, 60)), rng.exponential(1.0, 60)
    fake = FakeTime()
    tasks = [fake.task(n, size) for n, size in enumerate(sizes)]
    done = serve_tasks(tasks, arrivals, sizes, policy, clock=lambda: fake.now, sleep=fake.sleep)
    np.testing.assert_allclose(done.departures, departures(arrivals, sizes, policy))
    np.testing.assert_allclose(done.sizes, sizes)
    assert done.response_time == pytest.approx((done.departures - arrivals).mean())
    assert sorted(fake.done) == list(range(60))


def test_worker_goes_by_the_estimates():
    fake = FakeTime()
    tasks = [fake.task(n, size) for n, size in enumerate([2, 1, 1])]
    serve_tasks(tasks, [0, 1, 1], [2, 9, 1], "SJF", clock=lambda: fake.now, sleep=fake.sleep)
    assert fake.done == [0, 2, 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([int], [0.0], [1.0], "SRPT"), "policy must be one of FCFS, LCFS, SJF, got 'SRPT'"),
        (([int], [0.0, 1.0], [1.0, 1.0]), "tasks must have the length 2"),
        (([int, int], [1.0, 0.0], [1.0, 1.0]), "arrivals must not fall"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        serve_tasks(*arguments)
