import numpy as np
import pytest

from perfmodel.labs.serving.moe_lens.inputs import cache_tokens, server
from perfmodel.labs.serving.moe_lens.learners import (
    CLOSED,
    FOREST,
    LARGEST,
    MODELS,
    PLANE,
    batches,
    errors,
    predictions,
)
from perfmodel.serving import capacity_throughput


def test_no_batch_beats_the_device():
    played = batches()
    roof = server().token_rate * played.generated / (played.prompt + played.generated)
    assert (played.rate < roof).all()
    bound = [
        float(capacity_throughput(server(), int(p), int(g), cache_tokens(size)))
        for p, g, size, _ in zip(*played, strict=True)
    ]
    assert (played.rate <= np.array(bound) * (1 + 1e-9)).all()


def test_learners_see_small_caches_only():
    """A forest predicts nothing above what it has seen, wherever it is asked."""
    played, said = batches(), predictions(FOREST)
    seen = played.rate[played.cache <= LARGEST]
    assert said.min() >= seen.min() * (1 - 1e-9)
    assert said.max() <= seen.max() * (1 + 1e-9)
    assert played.rate.max() > seen.max()


def test_plane_is_straight_in_logarithms():
    played, said = batches(), np.log(predictions(PLANE))
    inputs = np.column_stack([np.ones(said.size), *np.log(played[:3])])
    assert np.linalg.lstsq(inputs, said)[1] == pytest.approx(0, abs=1e-9)


def test_closed_form_carries_furthest():
    outside = {name: errors(name)[1] for name in MODELS}
    assert min(outside, key=outside.get) == CLOSED


def test_refuses():
    with pytest.raises(ValueError, match="model must be one of closed form"):
        predictions("oracle")
