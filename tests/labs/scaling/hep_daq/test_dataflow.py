"""The graph of rates: what goes in comes out or is rejected, and watts are joules times rates."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.scaling.hep_daq.dataflow import Node, flows, total_power

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
    found = flows(nodes)
    assert found[before[0]].rate_out == pytest.approx(rate)
    assert found[before[0]].size == pytest.approx(sum(samples))
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
        ([Node("a", rate=1, ratio=0.5)], "ratio must be 1 or more"),
        ([Node("a", rate=1, sample=-1)], "sample must be 0 or more"),
    ],
)
def test_bad_graph_is_refused_by_name(nodes: list[Node], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        flows(nodes)
