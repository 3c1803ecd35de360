import numpy as np
import pytest

from perfmodel.queueing import Empirical, Exponential
from perfmodel.serving import Requests, bursty_requests, lognormal_tokens, poisson_requests


def test_sorted_by_arrival_with_all_that_belongs_to_it() -> None:
    requests = Requests([3, 1, 2, 1], [30, 10, 20, 11], 5, priority=[3, 1, 2, 0], predicted=7)
    assert requests.prompt.tolist() == [10, 11, 20, 30], "of one moment as given"
    assert requests.priority.tolist() == [1, 0, 2, 3]
    assert requests.predicted.tolist() == [7] * 4
    assert (len(requests), requests.tokens, requests.rate) == (4, 20, 1.5)
    assert Requests([1, 1], 2, 3).rate == np.inf
    assert Requests([0, 1], 2, [3, 4]).predicted.tolist() == [3, 4], "perfect if not told"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], 1, 1), "arrival must be a one-dimensional sample of 1 or more"),
        (([-1.0], 1, 1), "arrival must be 0 or more"),
        (([0, 1], [1, 2, 3], 1), "prompt must be one number or 2"),
        (([0, 1], 1, [1, 2.5]), "output must be whole numbers, got 2.5 of request 1"),
        (([0, 1], 1e19, 1), "prompt must be 100,000,000 or less, got 1e[+]19"),
    ],
)
def test_bad_requests(arguments, message) -> None:
    with pytest.raises(ValueError, match=message):
        Requests(*arguments)


def test_poisson_gaps_have_mean_and_variation_of_the_exponential() -> None:
    gaps = np.diff(poisson_requests(4.0, 100_000, 1, 1, 0).arrival)
    assert gaps.mean() == pytest.approx(0.25, rel=0.02)
    assert gaps.std() == pytest.approx(0.25, rel=0.02)
    assert abs(np.corrcoef(gaps[1:], gaps[:-1])[0, 1]) < 0.01


@pytest.mark.parametrize("variation", [1.0, 4.0, 16.0])
def test_bursty_gaps_have_the_variation_asked_for(variation) -> None:
    requests = bursty_requests(4.0, 400_000, 1, 1, 0, squared_variation=variation)
    gaps = np.diff(requests.arrival)
    assert gaps.mean() == pytest.approx(0.25, rel=0.03)
    assert gaps.var() / gaps.mean() ** 2 == pytest.approx(variation, rel=0.05)


def test_lengths_from_a_number_a_trace_or_a_law() -> None:
    prompt, output = np.array([10, 20, 30]), np.array([1, 2, 3])
    paired = poisson_requests(1.0, 200, prompt, output, 1)
    assert (paired.prompt == 10 * paired.output).all(), "rows of a trace stay together"
    apart = poisson_requests(1.0, 200, Empirical((10.0, 20.0, 30.0)), output, 1)
    assert set(apart.prompt) == {10, 20, 30}
    assert (apart.prompt != 10 * apart.output).any()
    drawn = poisson_requests(1.0, 200_000, 7, lognormal_tokens(300, 150), 1)
    assert set(drawn.prompt) == {7}
    assert drawn.output.mean() == pytest.approx(300, rel=0.01)
    assert drawn.output.std() == pytest.approx(150, rel=0.02)
    assert poisson_requests(1.0, 500, 1, Exponential(0.2), 1).output.min() == 1


def test_the_seed_alone_decides() -> None:
    lengths = lognormal_tokens(300, 150)
    one, same, other = (poisson_requests(1.0, 50, lengths, lengths, seed) for seed in (1, 1, 2))
    assert one.arrival.tolist() == same.arrival.tolist()
    assert one.output.tolist() == same.output.tolist()
    assert one.arrival.tolist() != other.arrival.tolist()
    assert one.prompt.tolist() != one.output.tolist()
    longer = poisson_requests(1.0, 50, 10, lengths, 1)
    assert longer.arrival.tolist() == one.arrival.tolist(), "lengths leave the arrivals alone"


def test_bad_generators() -> None:
    with pytest.raises(ValueError, match="must be of one length to be drawn in pairs"):
        poisson_requests(1.0, 10, [1, 2], [1, 2, 3], 0)
