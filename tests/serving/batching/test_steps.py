import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.interpolate import RegularGridInterpolator

from perfmodel.serving import BatchRules, StepPieces, StepTable

SIZES = st.floats(0, 1e5)
PARTS = st.lists(st.floats(0, 10), min_size=5, max_size=5)


@given(st.lists(PARTS, min_size=1, max_size=4), SIZES, SIZES, SIZES, SIZES)
def test_pieces_are_the_largest_of_lines(pieces, tokens, sequences, cached, pairs):
    pieces[0][0] = 1.0
    found = StepPieces(*np.transpose(pieces)).seconds(tokens, sequences, cached, pairs)
    work = [1, tokens, sequences, cached, pairs]
    assert found == pytest.approx(max(float(np.dot(piece, work)) for piece in pieces))


def test_pieces_broadcast() -> None:
    steps = StepPieces([0, 1], 0.5, [0.25, 0], 0)
    assert steps.prompt_token.tolist() == [0.5, 0.5]
    assert steps.seconds([[0], [4]], [0, 8, 16]).tolist() == [[1, 2, 4], [3, 4, 6]]


@given(st.floats(0, 100), st.floats(0, 100), st.floats(0, 50))
def test_table_is_scipys_interpolation(prompt, cached, sequences):
    tokens, read = np.array([1.0, 10, 40, 151]), np.array([0.0, 3, 100])
    grid = np.random.default_rng(0).random((4, 3))
    peer = RegularGridInterpolator((tokens, read), grid)
    found = StepTable(tokens, read, grid).seconds(prompt, sequences + 1, cached)
    assert found == pytest.approx(float(peer([prompt + sequences + 1, cached])[0]))


def test_bad_steps() -> None:
    with pytest.raises(ValueError, match="sequence must be 0 or more"):
        StepPieces(1, 1, -1, 0)
    with pytest.raises(ValueError, match="one coefficient must be above 0"):
        StepPieces(0, 0, [0, 0], 0)
    with pytest.raises(ValueError, match="as many for each coefficient"):
        StepPieces([1, 2], [1, 2, 3], 0, 0)
    with pytest.raises(ValueError, match="prompt_tokens must be 0 or more"):
        StepPieces(1, 1, 1, 1).seconds(-1)
    with pytest.raises(ValueError, match="tokens must rise from 1"):
        StepTable([0, 10], [0, 10], np.ones((2, 2)))
    with pytest.raises(ValueError, match="cached must rise from 0"):
        StepTable([1, 10], [0, 10, 10], np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"grid must be of shape .2, 3., got .3, 2."):
        StepTable([1, 10], [0, 10, 20], np.ones((3, 2)))
    with pytest.raises(ValueError, match="one value of grid must be above 0"):
        StepTable([1, 2], [0, 10], np.zeros((2, 2)))
    with pytest.raises(ValueError, match="cached must be between 0 and 10, the ends of the grid"):
        StepTable([1, 10], [0, 10], np.ones((2, 2))).seconds(1, 1, 11)
    with pytest.raises(ValueError, match="tokens must be between 1 and 10.*, got 0 to 5"):
        StepTable([1, 10], [0, 10], np.ones((2, 2))).seconds(0, [0, 5])


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"policy": "fastest"}, "policy must be one of static, prefill first"),
        ({"preempt": "kill"}, "preempt must be one of recompute, swap"),
        ({"order": "last"}, "order must be one of arrival"),
        ({"reserve": "all"}, "reserve must be one of prompt, whole"),
        ({"policy": "priority", "order": "shortest predicted"}, "order must agree with policy"),
        ({"cache_tokens": 15}, "cache_tokens must hold a block of 16, got 15"),
        ({"max_prefill_tokens": [1, 2]}, "max_prefill_tokens must be one number"),
    ],
)
def test_bad_rules(setting, message) -> None:
    with pytest.raises(ValueError, match=message):
        BatchRules(**setting)


def test_rules_say_what_a_policy_means() -> None:
    assert BatchRules(policy="priority").composition == "prefill first"
    assert BatchRules(policy="priority").turn == "priority"
    assert BatchRules(policy="static", order="shortest predicted").turn == "shortest predicted"
    assert BatchRules(cache_tokens=100, block_size=16).num_blocks == 6
    assert BatchRules().num_blocks == 10**15
    assert BatchRules(cache_tokens=1600, watermark=0.07).watermark_blocks == 7, "not 8 by rounding"
    assert BatchRules(cache_tokens=1600, watermark=0.071).watermark_blocks == 8
