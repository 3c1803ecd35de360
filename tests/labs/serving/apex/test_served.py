import numpy as np
import pytest

from perfmodel.labs.serving.apex.served import accounted, alone, find, runs


def test_requests_are_those_that_were_counted():
    for run in runs():
        offered = run.offered()
        assert len(offered) == run.requests
        assert offered.prompt.sum() == run.prompt_tokens
        assert offered.tokens == run.output_tokens


def test_sums_of_times_are_accounted_for_but_where_a_server_was_not_started_anew():
    """n TTFT + m TPOT is the printed sum to a millionth for all, or for all since the start."""
    odd = [run for run in runs() if abs(accounted(run) - 1) > 1e-6]
    assert {(run.trace, run.tensor, run.replicas) for run in odd} == {
        ("creation_05", 4, 1),
        ("summarization_05", 4, 1),
    }
    for run in odd:
        parts = [*(find(trace, 4) for trace in run.before), run]
        n, m = sum(part.requests for part in parts), sum(part.output_tokens for part in parts)
        assert n * run.printed.first + m * run.printed.token == pytest.approx(run.printed.total)
        assert accounted(run, since_start=True) == pytest.approx(1, abs=1e-6)


def test_what_is_left_of_the_odd_ones_adds_up():
    for trace in ("creation_05", "summarization_05"):
        run = find(trace, 4)
        left = alone(run)
        total = run.requests * left.first + run.output_tokens * left.token
        assert total == pytest.approx(left.total)
    assert alone(find("lmsys_05", 4)) == find("lmsys_05", 4).printed


def test_first_tokens_are_in_order_only_when_taken_apart():
    """As printed, four GPUs were faster to the first token of summaries than eight."""
    eight, four, two = (find("summarization_05", tensor) for tensor in (8, 4, 2))
    assert four.printed.first < eight.printed.first < two.printed.first
    assert eight.printed.first < alone(four).first < two.printed.first


def test_traces_by_their_published_sums():
    creation = find("creation_05", 8).offered()
    assert (len(creation), creation.prompt.sum()) == (512, 157_563)
    assert creation.rate == pytest.approx(0.467, abs=0.002)
    assert find("creation_025", 8).offered().rate == pytest.approx(0.246, abs=0.002)
    chat = find("lmsys_05", 8).offered()
    assert chat.rate == pytest.approx(0.506, abs=0.001)
    gaps = np.diff(creation.arrival)
    assert gaps.var() / gaps.mean() ** 2 == pytest.approx(0.93, abs=0.01)


def test_names():
    assert find("creation_025", 8).name == "writing, 8 GPUs, half the rate"
    assert find("lmsys_05", 2, 4, 3).name == "chat, 4 x 2 GPUs"


def test_refuses():
    with pytest.raises(ValueError, match="must be those of a run, got"):
        find("creation_05", 2)
