"""The iterations one by one agree with the simulator, which was written without them."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.drawings.serving.iterations import play_iterations, token_gaps
from perfmodel.serving import BatchRules, Requests, StepPieces, simulate_serving

POLICIES = ["static", "prefill first", "decode first", "chunked prefill"]
STEPS = StepPieces(
    fixed=[0.01, 0.0],
    prompt_token=[0.0, 1e-3],
    sequence=[2e-3, 1e-3],
    cache_token=[1e-4, 0.0],
    prompt_pair=[0.0, 1e-5],
)


@st.composite
def mixes(draw: st.DrawFn) -> Requests:
    count = draw(st.integers(1, 12))
    lengths = st.lists(st.integers(1, 9), min_size=count, max_size=count)
    when = st.lists(st.floats(0, 0.5), min_size=count, max_size=count)
    return Requests(draw(when), draw(lengths), draw(lengths))


@given(mixes(), st.sampled_from(POLICIES), st.integers(1, 5), st.integers(1, 12))
@settings(max_examples=200, deadline=None)
def test_it_is_the_run_of_the_simulator(requests, policy, batch, chunk):
    rules = BatchRules(batch=batch, policy=policy, chunk=chunk)
    run = simulate_serving(requests, STEPS, rules)
    played = play_iterations(requests, STEPS, rules)
    ends = [[one.end for one in played if r in one.tokens] for r in range(len(requests))]
    assert [len(each) for each in ends] == requests.output.tolist()
    np.testing.assert_allclose([each[0] for each in ends], run.first)
    np.testing.assert_allclose([each[-1] for each in ends], run.finish)
    assert len(played) == run.iterations
    assert sum(one.end - one.start for one in played) == pytest.approx(run.busy)
    assert sum(share for one in played for _, share in one.read) == requests.prompt.sum()


@given(mixes(), st.sampled_from(POLICIES), st.integers(1, 5))
@settings(deadline=None)
def test_the_mean_of_a_requests_gaps_is_its_time_per_token(requests, policy, batch):
    rules = BatchRules(batch=batch, policy=policy, chunk=8)
    who, gap = token_gaps(play_iterations(requests, STEPS, rules))
    counts = np.bincount(who, minlength=len(requests))
    assert counts.tolist() == (requests.output - 1).tolist()
    sums = np.bincount(who, gap, minlength=len(requests))
    more = counts > 0
    run = simulate_serving(requests, STEPS, rules)
    np.testing.assert_allclose(sums[more] / counts[more], run.per_token[more])


def test_prefill_first_makes_others_wait_and_decode_first_does_not():
    requests = Requests([0.0, 0.5], [1, 50], [3, 1])
    steps = StepPieces(1, 0.1, 0, 0)
    first, mixed = (
        token_gaps(play_iterations(requests, steps, BatchRules(batch=2, policy=policy)))[1]
        for policy in ("prefill first", "decode first")
    )
    np.testing.assert_allclose(first, [6 + 1, 1])
    np.testing.assert_allclose(mixed, [6, 1])


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"policy": "priority"}, "one of the policies static, prefill first"),
        ({"order": "priority"}, "in the order of arrival, got 'prefill first' and 'priority'"),
        ({"cache_tokens": 160}, "no limit of the cache .* got cache_tokens=160"),
        ({"prompt_limit": 100}, "prompt_limit=100"),
    ],
)
def test_bad_input(rules, message):
    with pytest.raises(ValueError, match=message):
        play_iterations(Requests([0], 1, 1), STEPS, BatchRules(**rules))
