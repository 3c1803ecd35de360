"""Each sentence is seen to come out in every way, on runs made up for it."""

import pytest

from perfmodel.labs.serving.continuous_batching.chat import CUT, POLICIES, UNCUT
from perfmodel.labs.serving.continuous_batching.inputs import STRICT
from perfmodel.labs.serving.continuous_batching.sentences import of_policies


class Made:
    """A run with these seconds; 90 % keep the strict limit on average, 20 % in all pauses."""

    def __init__(self, first, pause):
        self.first, self.long = first, pause

    def first_token(self, percent):
        return {50: self.first}[percent]

    def pause(self, percent):
        return {99: self.long}[percent]

    def per_token(self, percent):
        return {99: 0.25}[percent]

    def kept_on_average(self, limit):
        return {STRICT: 0.9}[limit]

    def kept_by_all(self, limit):
        return {STRICT: 0.2}[limit]


def said(static, whole, cut):
    """Return the words on three runs, each a median first token and a 99th percentile (s)."""
    seconds = {"static": static, UNCUT: whole, CUT: cut}
    return of_policies({policy: Made(*seconds[policy]) for policy in POLICIES})


def test_static_smooth_and_late():
    assert said((300.0, 0.1), (0.5, 2.0), (0.75, 0.2)) == (
        "The smoothest is static, and its users wait longest to begin. Chunks make the 99th "
        "percentile of pauses 10 times shorter than prefill first, and the median first token "
        "later (0.75 s against 0.50 s). A percentile of means is not a percentile of pauses. Under "
        "prefill first the mean pause of 99 in 100 requests is below 0.25 s, while one pause in a "
        "hundred is above 2.00 s. Ask for 0.2 s a token on average, and 90 % of the requests keep "
        "it; ask for no pause above 0.2 s, and 20 % do. Which of the two does your contract say?"
    )


@pytest.mark.parametrize(
    ("static", "cut", "says"),
    [
        ((0.6, 0.1), (0.7, 0.2), "The smoothest is static. Chunks"),
        ((300.0, 0.3), (0.7, 0.2), "The smoothest is chunked prefill. Chunks"),
        ((300.0, 3.0), (0.7, 2.5), "The smoothest is prefill first. Chunks"),
    ],
)
def test_others_may_be_smoothest_and_later(static, cut, says):
    assert said(static, (0.5, 2.0), cut).startswith(says)


@pytest.mark.parametrize("cut", [0.5, 0.4])
def test_chunks_need_not_delay_the_first_token(cut):
    words = said((300.0, 0.1), (0.5, 2.0), (cut, 0.2))
    assert f"the median first token no later ({cut:.2f} s against 0.50 s)" in words
