"""Seconds of a step, with a clock that each step moves by a millisecond."""

from perfmodel.labs.benchmarking.algoperf import step_seconds
from perfmodel.labs.benchmarking.algoperf.problems import small_problems


def test_a_step_takes_its_share_of_the_measurement(monkeypatch):
    monkeypatch.setattr(step_seconds, "_seconds", lambda problem, rule, steps: 1e-3 * steps)
    found = step_seconds.measure_steps(small_problems()[:2], rounds=3, steps=50)
    assert found.shape == (3, 4, 2)
    assert found.min() == found.max() == 1e-3
