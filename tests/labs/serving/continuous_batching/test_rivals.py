from perfmodel.labs.serving.continuous_batching.claims import mixed
from perfmodel.labs.serving.continuous_batching.inputs import (
    CHUNKED_SECONDS,
    FOUR_SECONDS,
    MIXED_SECONDS,
)
from perfmodel.labs.serving.continuous_batching.rivals import MODELS, rivals
from perfmodel.labs.serving.continuous_batching.step_fit import chunked_seconds, yi_steps


def test_the_whitebox_has_the_errors_of_the_ledger_rows():
    ours = [chunked_seconds(yi_steps(), prompt, 512) for prompt in CHUNKED_SECONDS]
    ours += [mixed(), float(yi_steps().seconds(sequences=4))]
    measured = [*CHUNKED_SECONDS.values(), MIXED_SECONDS, FOUR_SECONDS]
    off = [abs(a / b - 1) for a, b in zip(ours, measured, strict=True)]
    white = rivals()[0]
    assert abs(white.unseen - sum(off) / len(off)) < 1e-12
    assert abs(white.worst - max(off)) < 1e-12


def test_a_learned_model_is_nearest_where_it_was_fitted():
    assert [one.model for one in rivals()] == list(MODELS)
    fitted = [one.fitted for one in rivals()]
    assert fitted[2] == min(fitted)
    assert all(one.worst >= one.unseen for one in rivals())
