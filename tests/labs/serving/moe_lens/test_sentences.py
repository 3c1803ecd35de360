"""The words on played batches are seen to come out in every way, on batches made up for it."""

import pytest

from perfmodel.labs.serving.moe_lens.sentences import PlayedBatch, of_batches


def batches(*busy, even=1000.0):
    """Return a small batch that keeps the GPU busy all the time, and large ones."""
    small = PlayedBatch(500, 16, 90, 1000.0, even, 950.0, 12, 1.0)
    return [small, *(PlayedBatch(20_000, 16, 90, 1000.0, 1000.0, 1080.0, 0, one) for one in busy)]


def test_the_reported_share_may_lie_between():
    assert of_batches(batches(0.88, 0.93, even=1020.0), 1200.0) == (
        "Played with q a pass, (7) is off by 1.96 % at most. Played by the rule, it is -5.0 to "
        "+8.0 % from it, and reaches 90 % of the 1200 tokens/s of (4) at best. K of 20,000 keeps "
        "the GPU busy 88 to 93 % of the time. Filling, draining and blocks that aren't full are "
        "enough to get from the bound to the 90 % reported; which of them it was there, these "
        "numbers don't say"
    )


@pytest.mark.parametrize("busy", [(0.8, 0.89), (0.91, 0.95)])
def test_the_reported_share_may_lie_outside(busy):
    """Whatever the small batch does: the largest is asked."""
    words = of_batches(batches(*busy), 1200.0)
    assert f"busy {100 * busy[0]:.0f} to {100 * busy[1]:.0f} % of the time." in words
    assert words.endswith("The 90 % reported lies outside")


def test_a_tiny_difference_is_given_as_the_least_shown():
    assert "(7) is off by 0.01 % at most" in of_batches(batches(0.9), 1200.0)
    assert "(7) is off by 0.02 % at most" in of_batches(batches(0.9, even=1000.2), 1200.0)
