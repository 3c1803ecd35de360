import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.serving import (
    BatchRules,
    Requests,
    StepPieces,
    StreamedPass,
    simulate_serving,
    simulate_weight_streaming,
)

TIMES = StreamedPass(100.0, 100.0, token_rate=30.0, cache_bytes=0.5, memory=200.0)
REQUESTS = st.lists(st.tuples(st.integers(1, 12), st.integers(1, 9)), min_size=1, max_size=14)


class Sequence:
    def __init__(self, number, prompt, left):
        self.number, self.prompt, self.left, self.held = number, prompt, left, 0

    def blocks(self, block, more=0):
        return -(-(self.held + more) // block)


def by_hand(requests, room, block, fill, begin):
    """Play the rule one sequence and one token at a time, with nothing kept but who holds what."""
    waiting = [Sequence(i, p, g) for i, (p, g) in enumerate(requests)]
    running, rows, finish = [], [], {}

    def used():
        return sum(one.blocks(block) for one in running + waiting)

    while waiting or running:
        growth = {one: one.blocks(block, 1) - one.blocks(block) for one in running}
        out = 0
        while used() + sum(growth[one] for one in running) > room:
            if waiting and waiting[0].held:
                waiting[0].held = 0
            else:
                last = running.pop()
                last.prompt, last.held = last.held, 0
                waiting.insert(0, last)
            out += 1
        for one in running:
            one.held += 1
            one.left -= 1
        decoded, taken, begun, joined = len(running), 0, 0, []
        while not out and waiting and taken + decoded < fill:
            head = waiting[0]
            if (head.held == 0 and begun == begin) or used() + sum(
                one.blocks(block) for one in joined
            ) + head.blocks(block, 1) - head.blocks(block) > room:
                break
            begun += head.held == 0
            head.held += 1
            taken += 1
            if head.held == head.prompt:
                joined.append(waiting.pop(0))
        held = sum(one.held for one in running + waiting + joined)
        rows.append((taken, decoded, held, out))
        finish |= {one.number: len(rows) for one in running if not one.left}
        running = [one for one in running if one.left] + joined
    return rows, [finish[i] for i in range(len(requests))]


@given(REQUESTS, st.integers(1, 5), st.integers(0, 60), st.integers(1, 40), st.integers(1, 6))
def test_agrees_with_one_token_at_a_time(requests, block, spare, fill, begin):
    room = max(-(-(p + g) // block) for p, g in requests) + spare // block
    prompt, generated = np.array(requests).T
    run = simulate_weight_streaming(
        prompt, generated, room * block, TIMES, tokens=fill, block=block, admitted=begin
    )
    rows, finish = by_hand(requests, room, block, fill, begin)
    got = np.stack([run.prompt_tokens, run.decoded, run.cached, run.preempted], axis=-1)
    assert got.tolist() == [list(row) for row in rows]
    ends = np.cumsum(run.seconds)
    assert run.finish == pytest.approx([ends[passes - 1] for passes in finish])


@given(REQUESTS, st.integers(1, 5), st.integers(0, 60), st.integers(1, 40))
def test_keeps_to_room_and_loses_nothing(requests, block, spare, fill):
    room = max(-(-(p + g) // block) for p, g in requests) + spare // block
    prompt, generated = np.array(requests).T
    run = simulate_weight_streaming(
        prompt, generated, room * block, TIMES, tokens=fill, block=block
    )
    assert (run.blocks <= room).all()
    assert (run.cached <= block * run.blocks).all()
    assert (run.tokens <= np.maximum(fill, run.decoded)).all()
    assert (run.tokens > 0).all()
    assert run.decoded.sum() == generated.sum()
    assert run.prompt_tokens.sum() >= prompt.sum()
    if not run.preempted.any():
        assert run.repeated == 0
    assert run.makespan == pytest.approx(run.finish.max())
    assert run.seconds == pytest.approx(TIMES.seconds(run.tokens, run.cached))


@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_the_player_of_iterations_where_room_is_ample(seed):
    """It counts the token that ends a prompt as put out: one pass less for as many tokens."""
    rng = np.random.default_rng(seed)
    prompt, generated = rng.integers(1, 40, 60), rng.integers(1, 30, 60)
    steps = StepPieces([1.0], [0.0], [0.0], [0.0])
    rules = BatchRules(
        max_num_seqs=60, cache_tokens=10**6, block_size=4, policy="chunked prefill", chunk_size=100
    )
    other = simulate_serving(Requests(np.zeros(60), prompt, generated + 1), steps, rules)
    link = StreamedPass(1.0, 1.0, 1e9)
    run = simulate_weight_streaming(prompt, generated, 10**6, link, tokens=100, block=4)
    assert run.seconds.size == other.iterations
    assert run.finish == pytest.approx(other.finish)


def test_hand_run():
    """Two fit; the third is begun in two parts, thrown out once, and the second one too."""
    times = StreamedPass(100.0, 100.0, token_rate=8.0)
    run = simulate_weight_streaming([4, 4, 4], [3, 3, 3], 12, times, block=1)
    assert run.prompt_tokens.tolist() == [8, 2, 0, 0, 8, 2, 0, 0, 0]
    assert run.preempted.tolist() == [0, 0, 1, 1, 0, 0, 0, 0, 0]
    assert run.finish.tolist() == [4, 6, 9]
    assert run.throughput == 1
    assert run.repeated == pytest.approx((20 - 12) / 29)
    assert run.device == pytest.approx(29 / 8 / 9)


def test_a_lone_request_takes_its_passes():
    run = simulate_weight_streaming([10], [5], 15, TIMES, tokens=4, block=1)
    assert run.tokens.tolist() == [4, 4, 2, 1, 1, 1, 1, 1]


def test_more_room_never_preempts_where_less_does_not():
    sizes = [60, 90, 150, 400]
    runs = [simulate_weight_streaming([20] * 20, [10] * 20, size, TIMES, block=1) for size in sizes]
    assert runs[0].preempted.any()
    assert not runs[-1].preempted.any()
    assert runs[0].makespan > runs[-1].makespan


def test_refuses():
    with pytest.raises(ValueError, match="cache must hold the longest request, 3 blocks of 4"):
        simulate_weight_streaming([5, 2], [4, 1], 11, TIMES, block=4)
    with pytest.raises(ValueError, match=r"prompt must have shape \(requests,\)"):
        simulate_weight_streaming(3, 4, 11, TIMES)
    with pytest.raises(ValueError, match="admitted must be a whole number, 1 or more"):
        simulate_weight_streaming([3], [4], 32, TIMES, admitted=0)
    with pytest.raises(ValueError, match="tokens must be a whole number, 1 or more"):
        simulate_weight_streaming([3], [4], 32, TIMES, tokens=0)
