"""The trigger: graphs of rates, designs by hand, selection against drawn events, filters run."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.scaling.hep_daq import cascade, inputs, tasks, wall_time
from perfmodel.labs.scaling.hep_daq.dataflow import Node, flows, total_power
from perfmodel.labs.scaling.hep_daq.designs import (
    BASELINE,
    DESIGNS,
    Design,
    funnel,
    productivity,
    technology,
)
from perfmodel.labs.scaling.hep_daq.selection import passed, two_stages


def test_prediction_is_the_sum_over_what_arrives() -> None:
    costs = cascade.Costs(1.0, 9.0)
    assert cascade.predicted(costs, 10, 5, 2) == (10 * (1 + 9 / 5), 10 * (9 + 1 / 2))


def test_both_orders_keep_the_same_events() -> None:
    events = cascade.drawn()[: 3 * cascade.BLOCK + 5]
    (a, b), limits = cascade.SCORES, (1.0, 0.5)
    one = cascade._kept(cascade._kept(events, a, limits[0]), b, limits[1])
    other = cascade._kept(cascade._kept(events, b, limits[1]), a, limits[0])
    assert np.array_equal(one, other)
    assert 0 < len(one) < len(events)


def test_cheap_filter_in_front_is_measured_faster() -> None:
    result = cascade.measured(10, 10, repeats=3)
    assert 0 < result.cheap_first < result.costly_first


def test_smaller_cost_of_a_rejection_goes_first() -> None:
    rng = np.random.default_rng(1)
    for cost_a, ratio_a, cost_b, ratio_b in rng.uniform(1.01, 50, (200, 4)):
        first = tasks.both_orders.reference(cost_a, ratio_a, cost_b, ratio_b)
        rule = cost_a / (1 - 1 / ratio_a) <= cost_b / (1 - 1 / ratio_b)
        assert (first == "a") == rule


ratios = st.floats(1, 1e3)
sizes = st.floats(1, 1e6)


@given(st.lists(sizes, min_size=1, max_size=5), st.lists(ratios, min_size=1, max_size=4))
def test_rates_and_watts_of_a_chain_are_those_by_hand(
    samples: list[float], chain: list[float]
) -> None:
    sources = [Node(f"s{i}", sample=s, rate=1e3, link=1e-9) for i, s in enumerate(samples)]
    nodes = [*sources]
    before = tuple(source.name for source in sources)
    for i, ratio in enumerate(chain):
        nodes.append(Node(f"f{i}", before, ratio=ratio, energy=lambda size: 2 * size))
        before = (f"f{i}",)
    rate, watts = 1e3, 8e-9 * sum(samples) * 1e3
    for ratio in chain:
        watts += 2 * sum(samples) * rate
        rate /= ratio
    result = flows(nodes)
    assert result[before[0]].rate_out == pytest.approx(rate)
    assert result[before[0]].size == pytest.approx(sum(samples))
    assert total_power(nodes) == pytest.approx(watts)


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ([Node("a", sample=1)], "rate into a must be one and above 0"),
        ([Node("a", ("b",))], "inputs of a must come before it"),
        ([Node("a", rate=1), Node("a", rate=1)], "a name of their own"),
        (
            [Node("a", rate=1), Node("b", rate=2), Node("c", ("a", "b"))],
            "rate into c must be one",
        ),
    ],
)
def test_a_graph_that_cannot_flow_is_refused(nodes: list[Node], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        flows(nodes)


def test_stages_are_those_of_arithmetic_by_hand() -> None:
    flows = BASELINE.flows()
    first, last = flows["first trigger"], flows["last trigger"]
    assert first.size == pytest.approx(8.425e6)
    assert first.compute_power == pytest.approx(8.425e6 / 2e6 * 0.003 * 40e6)
    assert last.rate_in == pytest.approx(40e6 / 53.3)
    links = sum(flow.link_power for flow in flows.values())
    assert links == pytest.approx(124.6e3, rel=1e-3)


def test_power_is_inverse_to_the_first_ratio_and_halved_on_gpus() -> None:
    fixed = Design(first_ratio=1e12).power()
    for ratio in (60.0, 120.0, 400.0):
        last = Design(first_ratio=ratio).power() - fixed
        assert last * ratio == pytest.approx((BASELINE.power() - fixed) * 53.3, rel=1e-9)
    assert Design(gpu=True).power() - fixed == pytest.approx(
        (BASELINE.power() - fixed) / 2, rel=1e-4
    )


def test_fewer_bytes_cost_less_than_their_share() -> None:
    halved = Design(tracker_share=0.5)
    bytes_left = halved.event_bytes() / BASELINE.event_bytes()
    assert halved.power() / BASELINE.power() < bytes_left**2


def test_links_without_energy_leave_computing_only() -> None:
    computing = sum(flow.compute_power for flow in BASELINE.flows().values())
    assert Design(link_share=0).power() == pytest.approx(computing / technology(2032))
    assert Design(link_share=0).power() < BASELINE.power()


def test_cubic_passes_its_own_data_and_predicts_as_a_polynomial_fit_does() -> None:
    size = np.linspace(1e6, 9e6, 20)
    planted = 0.5 * (size / 1e6) ** 3 + 2 * (size / 1e6)
    assert wall_time.cubic_terms(size, planted) == pytest.approx([0.5, 0, 2], abs=1e-9)
    result = wall_time.cubic(size, planted)(np.array(12e6))
    assert float(result) == pytest.approx(0.5 * 12**3 + 24)


@pytest.mark.parametrize("name", list(wall_time.FORMS))
def test_forms_follow_the_data_they_were_fitted_to(name: str) -> None:
    size, time = wall_time.wall_times()
    fitted = wall_time.FORMS[name](size, time)(size)
    assert np.corrcoef(fitted, time)[0, 1] > 0.9


def test_technology_is_one_in_its_first_year_and_grows_as_printed() -> None:
    assert technology(inputs.FIRST_YEAR) == 1
    assert technology(2032) == pytest.approx(6.49957, abs=5e-6)


def test_productivity_counts_recall_once_and_divides_by_watts() -> None:
    wanted = 40e6 / 5330
    assert productivity(1, 1, 1, BASELINE) == pytest.approx(wanted / BASELINE.power())
    assert productivity(0.5, 0.8, 1, BASELINE) == pytest.approx(0.4 * wanted / BASELINE.power())


def test_a_cubic_needs_four_events() -> None:
    with pytest.raises(ValueError, match="dropped must leave 4"):
        wall_time.wall_times(31)


@pytest.mark.parametrize("design", DESIGNS)
def test_every_design_can_be_read(design: str) -> None:
    scene = funnel(design)
    assert scene.faults() == []
    assert scene.values["power (MW)"] == pytest.approx(DESIGNS[design].power() / 1e6)


@given(st.floats(1, 1e4), st.floats(1, 1e6), st.floats(1.01, 1e3), st.floats(0, 6))
def test_as_many_pass_as_the_ratio_says(
    wanted: float, unwanted: float, ratio: float, skill: float
) -> None:
    result = passed(wanted, unwanted, ratio, skill)
    assert result.wanted + result.unwanted == pytest.approx((wanted + unwanted) / ratio, rel=1e-6)
    assert result.precision >= wanted / (wanted + unwanted) * (1 - 1e-6)


def test_shares_are_those_of_drawn_events() -> None:
    rng = np.random.default_rng(0)
    good, bad = rng.normal(2, 1.5, 50_000), rng.normal(0, 1, 950_000)
    threshold = np.quantile(np.r_[good, bad], 1 - 1 / 20)
    result = passed(50_000, 950_000, 20, 2, 1.5)
    assert result.threshold == pytest.approx(threshold, abs=0.01)
    assert result.wanted == pytest.approx(np.sum(good > threshold), rel=0.01)


def test_two_stages_get_better_with_either_skill_and_reach_the_limits() -> None:
    f1 = [[two_stages(4e7, 53.3, 100, a, b).f1 for a in (1, 2, 3, 4)] for b in (1, 2, 4)]
    assert np.all(np.diff(f1, axis=0) > 0)
    assert np.all(np.diff(f1, axis=1) > 0)
    assert two_stages(4e7, 53.3, 100, 15, 15).f1 == pytest.approx(1, abs=1e-3)
    assert two_stages(4e7, 53.3, 100, 0, 0).recall == pytest.approx(1 / 5330, rel=1e-6)


def test_stages_that_let_all_through_are_refused() -> None:
    with pytest.raises(ValueError, match="first_ratio x last_ratio must be above 1"):
        two_stages(4e7, 1, 1, 1, 1)
