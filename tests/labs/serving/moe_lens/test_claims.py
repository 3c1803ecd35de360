import numpy as np
import pytest

from perfmodel.labs.serving.moe_lens.claims import (
    GIGA,
    SHEET,
    TABLE_2_TOKENS,
    TERA,
    device_memory,
    device_tokens,
    stage_bytes,
    utilization,
)
from perfmodel.labs.serving.moe_lens.inputs import (
    CACHE,
    DEVICES,
    FULL,
    KV_BYTES,
    cache_tokens,
    server,
)
from perfmodel.serving import capacity_throughput


def test_which_rows_are_met():
    met = [claim.printed for claim in SHEET.claims if claim.check().met]
    assert met == ["1.57"]
    assert all(bool(claim.miss) != claim.check().met for claim in SHEET.claims)


def test_rows_have_si_units():
    assert device_tokens("A40") == 150e12 / 32e9 * 4 == 18_750
    assert device_memory("A40", 256) == pytest.approx(18_750 * 256 * 131_072 / 1e9)


def test_table_2_is_cut_off_and_then_doubled():
    """What the misses say: the units that land on all of it, which the paper doesn't state."""
    tokens = [device_tokens(name, TERA) for name in DEVICES]
    assert tokens == [19_200, 23_168, 39_936]
    cut = [np.floor(device_memory(name, 256, TERA, GIGA)) for name in DEVICES]
    assert cut == [614, 741, 1277]
    assert [2 * one for one in cut] == [1228, 1482, 2554]


def test_four_readings_of_the_units():
    units = ((1e12, 1e9), (TERA, 1e9), (TERA, 2**30), (TERA, GIGA))
    readings = np.array([[device_memory(n, 256, *unit) for n in DEVICES] for unit in units])
    assert readings.round().tolist() == [
        [629, 759, 1309],
        [644, 777, 1340],
        [600, 724, 1248],
        [614, 741, 1278],
    ]


def test_hand_values():
    assert KV_BYTES == 131_072
    assert stage_bytes(18_500) == 18_500 * 2 * 6144
    assert server().full_tokens == pytest.approx(FULL)
    assert server().sweep == pytest.approx(4.82, abs=0.005)
    rate = float(capacity_throughput(server(), 98, 32, cache_tokens(CACHE)))
    assert rate == pytest.approx(942.4, abs=0.05)


def test_share_depends_on_what_it_is_of():
    assert utilization(CACHE, TABLE_2_TOKENS) == pytest.approx(0.961, abs=5e-4)
    assert utilization(CACHE, FULL) == pytest.approx(0.998, abs=5e-4)
    assert utilization(2 * CACHE, FULL) == 1


def test_a_faster_link_leaves_the_device_as_it_is():
    assert server(39e9).token_rate == server().token_rate
    assert server(39e9).sweep == pytest.approx(server().sweep / 2)
