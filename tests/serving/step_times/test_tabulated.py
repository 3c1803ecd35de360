import numpy as np
import pytest

from perfmodel.roofline import LLAMA_2_7B
from perfmodel.serving import (
    BatchRules,
    DecoderSteps,
    MeasuredTable,
    learn_steps,
    poisson_requests,
    simulate_serving,
    tabulated_steps,
)

TOKENS, CACHED = np.array([1.0, 2, 4, 8, 16, 32, 64, 128, 512]), np.linspace(0, 40_000, 21)
STEPS = DecoderSteps(LLAMA_2_7B, 1e15, 3e12)


def true(sizes):
    return STEPS.seconds(0, sizes[:, 0], sizes[:, 1])


def test_all_families_serve_the_same_requests_alike():
    """A grid, a table and a graybox made of the roofline's own times give nearly its run."""
    rows = np.array([(n, max(k, 1)) for n in TOKENS for k in CACHED])
    learned = learn_steps(rows, true(rows), lambda s: 0.7 * true(s), trees=5)
    table = MeasuredTable(rows, true(rows))
    families = {
        "itself": STEPS.table(TOKENS, CACHED),
        "grid": tabulated_steps(true, TOKENS, CACHED),
        "measured": tabulated_steps(table.seconds, TOKENS, CACHED),
        "learned": tabulated_steps(learned.seconds, TOKENS, CACHED),
    }
    requests = poisson_requests(8.0, 200, 100, 150, seed=0)
    rules = BatchRules(max_num_seqs=64)
    pieces = simulate_serving(requests, STEPS.pieces(), rules)
    for steps in families.values():
        run = simulate_serving(requests, steps, rules)
        assert run.per_token.mean() == pytest.approx(pieces.per_token.mean(), rel=0.02)


def test_points_of_the_grid_are_the_models():
    table = tabulated_steps(true, TOKENS, CACHED)
    assert float(table.seconds(0, 16, 4000)) == pytest.approx(true(np.array([[16.0, 4000.0]]))[0])
    # Where nothing is cached the model is asked for a single token.
    assert float(table.seconds(0, 16, 0)) == pytest.approx(true(np.array([[16.0, 1.0]]))[0])


def test_refuses():
    with pytest.raises(ValueError, match="model must be above 0"):
        tabulated_steps(lambda sizes: 0 * sizes[:, 0], [1, 2], [0, 1])
    with pytest.raises(ValueError, match="tokens must rise from 1"):
        tabulated_steps(true, [2, 4], [0, 10])
