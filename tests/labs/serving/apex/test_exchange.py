import pytest

from perfmodel.labs.serving.apex.exchange import all_reduce, bus_bandwidth, looked_up


def test_line_of_eight_by_hand():
    line = all_reduce(8)
    assert 1e6 * line.latency == pytest.approx(18.3, rel=0.06)
    assert 1e-9 / line.byte_time == pytest.approx(187, rel=0.02)
    assert all_reduce(1) == (0, 0)


def test_bus_bandwidth_by_hand():
    """2 x 7/8 x 134,217,728 bytes / 597 us, and of 2 and 4 GPUs."""
    assert bus_bandwidth(8) == pytest.approx(2 * 7 / 8 * 134_217_728 / 597e-6)
    assert [round(bus_bandwidth(ranks) / 1e9) for ranks in (2, 4, 8)] == [289, 330, 393]


def test_lookup_holds_measured_points_and_goes_straight_between():
    assert looked_up(8, [1024, 2048]) * 1e6 == pytest.approx([15, 16])
    assert float(looked_up(8, 1536)) * 1e6 == pytest.approx(15.5)


def test_more_gpus_wait_longer():
    assert all_reduce(2).latency < all_reduce(4).latency < all_reduce(8).latency


def test_refuses():
    with pytest.raises(ValueError, match="ranks must be one of"):
        all_reduce(3)
    with pytest.raises(ValueError, match="size must be 0 or more"):
        looked_up(8, -1)
