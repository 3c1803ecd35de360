import numpy as np
import pytest

from perfmodel.labs.serving.moe_lens.claims import (
    GIGA,
    SHEET,
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
    assert met == ["19.2e3 tokens", "23.2e3 tokens", "614 GB", "741 GB", "1.57"]
    assert all(bool(claim.miss) != claim.check().met for claim in SHEET.claims)


def test_table_2_is_cut_off_and_then_doubled():
    """What the misses say: whole GB of 256 tokens, and twice those for 512."""
    cut = [np.floor(device_memory(name, 256)) for name in DEVICES]
    assert cut == [614, 741, 1277]
    assert [2 * one for one in cut] == [1228, 1482, 2554]
    assert device_tokens("A100") == 39_936


def test_three_readings_of_the_units():
    readings = [[device_memory(n, 256, giga=g) for n in DEVICES] for g in (1e9, 2**30, GIGA)]
    assert np.round(readings).tolist() == [[644, 777, 1340], [600, 724, 1248], [614, 741, 1278]]


def test_hand_values():
    assert KV_BYTES == 131_072
    assert stage_bytes(18_500) == 18_500 * 2 * 6144
    assert server().full_tokens == pytest.approx(FULL)
    assert server().sweep == pytest.approx(4.82, abs=0.005)
    rate = float(capacity_throughput(server(), 98, 32, cache_tokens(CACHE)))
    assert rate == pytest.approx(942.4, abs=0.05)


def test_share_depends_on_what_it_is_of():
    assert utilization(CACHE, 19_200) == pytest.approx(0.961, abs=5e-4)
    assert utilization(CACHE, FULL) == pytest.approx(0.998, abs=5e-4)
    assert utilization(2 * CACHE, FULL) == 1


def test_a_faster_link_leaves_the_device_as_it_is():
    assert server(39e9).token_rate == server().token_rate
    assert server(39e9).sweep == pytest.approx(server().sweep / 2)
