"""Percentiles of M/G/1: two independent methods, a Lindley run, means as areas."""

from decimal import Decimal, localcontext
from math import factorial

import numpy as np
import pytest

from perfmodel.queueing.distributions.quadrature import geometric_breaks, panel_nodes
from perfmodel.queueing.distributions.service import (
    BoundedPareto,
    Deterministic,
    Erlang,
    Exponential,
    Lognormal,
    scv,
)
from perfmodel.queueing.station.mg1 import mg1
from perfmodel.queueing.station.mmc import mmc_waiting_quantile, mmc_waiting_tail
from perfmodel.queueing.station.percentiles import (
    md1_waiting_tail,
    mg1_waiting_quantile,
    mg1_waiting_tail,
)

TIMES = np.array([0.0, 0.05, 0.4, 1.5, 3.3, 8.7, 20.2])


@pytest.mark.parametrize("load", [0.1, 0.5, 0.95])
def test_exponential_service(load):
    ours = mg1_waiting_tail(TIMES, load, Exponential(1.0))
    assert ours == pytest.approx(mmc_waiting_tail(TIMES, load, 1.0), abs=1e-8)
    p = [0.2, 0.96, 0.999]
    expected = mmc_waiting_quantile(p, load, 1.0)
    assert mg1_waiting_quantile(p, load, Exponential(1.0)) == pytest.approx(expected, abs=1e-4)


def test_exponential_service_near_saturation():
    load = 0.9999
    times = np.array([0.01, 1.0, 1e2, 1e4, 3e4, 9e4])
    ours = mg1_waiting_tail(times, load, Exponential(1.0))
    assert ours == pytest.approx(mmc_waiting_tail(times, load, 1.0), abs=1e-8)
    p = [0.5, 0.9999]
    expected = mmc_waiting_quantile(p, load, 1.0)
    assert mg1_waiting_quantile(p, load, Exponential(1.0)) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize(("load", "time"), [(0.1, 10.25), (0.5, 0.3), (0.5, 30.0), (0.9, 60.5)])
def test_constant_service_by_erlangs_sum_in_many_digits(load, time):
    exact = 1 - sum(_erlang_terms(Decimal(load), Decimal(time)))
    assert md1_waiting_tail(time, load, 1.0) == pytest.approx(float(exact), rel=1e-12, abs=0)


def _erlang_terms(load, time):
    with localcontext(prec=120):
        for n in range(int(time) + 1):
            power = (load * (n - time)) ** n if n else Decimal(1)
            yield (1 - load) * power / factorial(n) * (load * (time - n)).exp()


@pytest.mark.parametrize("load", [0.2, 0.9, 0.9999])
def test_constant_service_passes_smoothly_to_its_last_exponential(load):
    before, after, later = md1_waiting_tail([255.99, 256.0, 256.01], load, 1.0)
    assert after / before == pytest.approx(later / after, rel=1e-9)
    assert md1_waiting_tail(1e9, load, 1.0) == 0


@pytest.mark.parametrize("load", [0.3, 0.8, 0.97])
def test_constant_service_by_two_methods(load):
    # Away from the kink at one service time the inversion is good to 1e-4.
    franx = md1_waiting_tail(TIMES, load, 1.0)
    assert mg1_waiting_tail(TIMES, load, Deterministic(1.0)) == pytest.approx(franx, abs=1e-4)
    assert franx[0] == pytest.approx(load)


@pytest.mark.parametrize("load", [0.2, 0.7, 0.9])
def test_constant_service_tail_integrates_to_the_mean(load):
    times = np.linspace(0, 150, 15_001)
    area = np.trapezoid(md1_waiting_tail(times, load, 1.0), times)
    assert area == pytest.approx(
        mg1(arrival_rate=load, mean_service=1.0, scv=0.0).waiting_time, rel=1e-4
    )


def test_constant_service_scales_with_the_unit():
    assert md1_waiting_tail(0.01 * TIMES, 70.0, 0.01) == pytest.approx(
        md1_waiting_tail(TIMES, 0.7, 1.0)
    )


@pytest.mark.parametrize("law", [Erlang(1.0, 3), Lognormal(1.0, 4.0), BoundedPareto(1.5, 0.4, 40)])
def test_tails_integrate_to_the_mean(law):
    rate = 0.6 / law.moment(1)
    mean = mg1(arrival_rate=rate, mean_service=law.moment(1), scv=scv(law)).waiting_time
    breaks = geometric_breaks(0.01 * mean, 600 * mean, 3.0)
    times, weights = panel_nodes(breaks[:-1], breaks[1:])
    area = (weights * mg1_waiting_tail(times, rate, law)).sum()
    assert area == pytest.approx(mean, rel=1e-3)


def test_heavy_tail_against_lindley():
    law, rng = Lognormal(1.0, 4.0), np.random.default_rng(3)
    steps = law.sample(rng, 1_000_000) - rng.exponential(2.0, 1_000_000)
    walk = np.cumsum(steps)
    waited = walk - np.minimum.accumulate(np.minimum(walk, 0))
    late = mg1_waiting_tail(np.quantile(waited, [0.6, 0.9, 0.99]), 0.5, law)
    assert late == pytest.approx([0.4, 0.1, 0.01], rel=0.08)
