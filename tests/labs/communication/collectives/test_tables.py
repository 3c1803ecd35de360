"""The tables say what was published, and fits to them find breaks, latencies and bandwidths."""

from __future__ import annotations

import numpy as np
import pytest

from perfmodel.communication import collective_cost
from perfmodel.labs.communication.collectives.fits import (
    break_between,
    bus_factor,
    fitted,
    largest_over_measured,
    protocol_row,
)
from perfmodel.labs.communication.collectives.inputs import RINGS
from perfmodel.labs.communication.collectives.tables import PAIRS, collective_times


def test_rows_by_hand():
    sizes, times = collective_times("H100", "all-reduce").of(2)
    printed = [8, 8, 8, 8, 9, 9, 9, 9, 10, 12, 25, 28, 34, 48, 79, 139, 248, 465]
    assert times * 1e6 == pytest.approx(printed)
    assert sizes / 1024 == pytest.approx(2.0 ** np.arange(18))
    sizes, times = collective_times("V100", "all-reduce").of(2)
    assert (sizes[-1], times[-1]) == (2**28, pytest.approx(71_418e-6))


@pytest.mark.parametrize("pair", PAIRS)
def test_every_table_can_be_fitted(pair):
    table = collective_times(*pair)
    assert table.counts == ([2] if pair[1] == "send and receive" else table.counts)
    for ranks in table.counts:
        sizes, times = table.of(ranks)
        assert sizes.size == np.unique(sizes).size >= 18
        assert times.min() > 4e-6
        assert protocol_row(pair[0], pair[1], ranks)[:2] == (pair[0], str(ranks))


def test_bus_bandwidth_of_the_largest_vectors():
    """At 128 MiB by hand: 2 (p - 1) / p n / t is 289, 329 and 393 GB/s on 2, 4 and 8 H100."""
    for ranks, expected in ((2, 289), (4, 329), (8, 393)):
        sizes, times = collective_times("H100", "all-reduce").of(ranks)
        rate = bus_factor("all-reduce", ranks) * sizes[-1] / times[-1] / 1e9
        assert rate == pytest.approx(expected, abs=1)
        low, high = fitted("H100", "all-reduce", ranks).bandwidth()
        assert 0.9 * low < rate * 1e9 / bus_factor("all-reduce", ranks) < 1.1 * high


def test_what_the_page_says_of_the_fits():
    two, eight = (fitted("H100", "all-reduce", ranks).fit for ranks in (2, 8))
    assert eight.latencies[0] / two.latencies[0] == pytest.approx(2.1, abs=0.1)
    share = bus_factor("all-reduce", 8) / bus_factor("all-reduce", 2)
    assert share * eight.bandwidths[-1] > 1.2 * two.bandwidths[-1]
    for ranks in (2, 4):
        old, new = (fitted(gpu, "all-reduce", ranks).fit for gpu in ("V100", "H100"))
        assert new.bandwidths[-1] / old.bandwidths[-1] == pytest.approx(80, rel=0.1)
        assert old.latencies[0] < 2 * new.latencies[0]
    assert (break_between(eight), break_between(two)) == ("256 and 512", "512 and 1,024")


@pytest.mark.parametrize("mebibytes", [0.5, 1, 4])
def test_just_past_the_break_a_fit_is_sure_and_wrong(mebibytes):
    sizes, times = collective_times("H100", "all-reduce").of(8)
    low, _ = fitted("H100", "all-reduce", 8, mebibytes * 2.0**20).time(sizes[-1])
    assert low > 1.5 * times[-1]


def test_what_the_page_says_of_eight_up_to_4_mebibytes():
    assert not fitted("H100", "all-reduce", 8, 4 * 2.0**20).fit.breaks.size
    fit, low, high = largest_over_measured("H100", "all-reduce", 8, 4 * 2.0**20)
    assert (round(fit, 1), round(low, 1)) == (2.3, 1.6)
    assert low < fit < high


def test_bus_factor_is_the_rings_volume():
    assert bus_factor("send and receive", 2) == 1
    for collective, algorithm in RINGS.items():
        volume = collective_cost(collective, algorithm, 6, 60.0).volume
        assert bus_factor(collective, 6) == pytest.approx(volume / 60)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: collective_times("H100", "reduce-scatter"), "gpu and collective must be one of"),
        (lambda: collective_times("H100", "all-reduce").of(3), r"ranks must be one of \[2, 4, 8\]"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
