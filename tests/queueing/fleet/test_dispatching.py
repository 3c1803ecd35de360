"""Dispatching to a few servers: by size against a split run, limits, bad input."""

import numpy as np
import pytest

from perfmodel.queueing.distributions.service import (
    BoundedPareto,
    Exponential,
    Lognormal,
    Uniform,
    scv,
)
from perfmodel.queueing.fleet.dispatching import (
    equal_utilization_cutoffs,
    least_work_left,
    random_split,
    size_interval,
)
from perfmodel.queueing.station.mg1 import mg1
from perfmodel.queueing.station.mmc import mmc

HEAVY = BoundedPareto(1.0, 1.0, 1e4)


@pytest.mark.parametrize("law", [HEAVY, Exponential(2.0), Lognormal(1.0, 9.0)], ids=repr)
@pytest.mark.parametrize("servers", [1, 2, 5])
def test_equal_loads(law, servers):
    farm = size_interval(servers * 0.7 / law.moment(1), law, servers=servers)
    assert farm.host.utilization == pytest.approx([0.7] * servers)
    assert farm.job_fraction.sum() == pytest.approx(1)
    assert (np.diff(farm.job_fraction) < 0).all()
    assert farm.cutoffs == pytest.approx(equal_utilization_cutoffs(law, servers))


def test_one_host_is_mg1():
    rate = 0.6 / HEAVY.moment(1)
    farm = size_interval(rate, HEAVY, servers=1)
    whole = mg1(arrival_rate=rate, mean_service=HEAVY.moment(1), scv=scv(HEAVY))
    assert farm.response_time == pytest.approx(float(whole.response_time))


def test_hosts_of_uniform_sizes_by_hand():
    # Sizes 0 to 2 cut at 1: host means 0.5 and 1.5, variance 1/12 each, half of the jobs each.
    farm = size_interval(0.8, Uniform(0, 2), cutoffs=[1.0])
    hosts = [
        mg1(arrival_rate=0.4, mean_service=mean, scv=1 / 12 / mean**2).response_time
        for mean in (0.5, 1.5)
    ]
    assert farm.host.response_time == pytest.approx(hosts)
    assert farm.response_time == pytest.approx(np.mean(hosts))


def test_by_size_against_a_run():
    rng, jobs = np.random.default_rng(13), 300_000
    sizes = rng.uniform(0, 2, jobs)
    arrive = np.cumsum(rng.exponential(1 / 0.8, jobs))
    total = 0.0
    for part in (sizes <= 1, sizes > 1):
        steps = np.append(0.0, sizes[part][:-1] - np.diff(arrive[part]))
        walk = np.cumsum(steps)
        total += (walk - np.minimum.accumulate(walk) + sizes[part]).sum()
    farm = size_interval(0.8, Uniform(0, 2), cutoffs=[1.0])
    assert farm.response_time == pytest.approx(total / jobs, rel=0.02)


def test_the_ranking_flips_with_the_tail():
    heavy, light = 1.4 / HEAVY.moment(1), 1.4
    assert size_interval(heavy, HEAVY).response_time < 0.2 * float(
        least_work_left(heavy, HEAVY, 2).response_time
    )
    assert size_interval(light, Exponential(1.0)).response_time > float(
        least_work_left(light, Exponential(1.0), 2).response_time
    )


def test_exponential_sizes_are_mmc_and_exact():
    result = least_work_left(3.2, Exponential(1.0), 4)
    assert result.response_time == pytest.approx(mmc(3.2, 1.0, 4).response_time)
    assert result.exact
    assert not least_work_left(0.1, HEAVY, 4).exact


def test_random_splitting_keeps_the_load():
    result = random_split([1.0, 3.0], Exponential(1.0), 4)
    assert result.utilization == pytest.approx([0.25, 0.75])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: size_interval(0.8, Uniform(0, 2), [5.0]), "leave jobs to every host, got"),
        (lambda: size_interval(0.8, Uniform(0, 2), [1.5, 0.5]), "cutoffs must rise"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
