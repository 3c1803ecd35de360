"""The study's metrics by hand, the fit against SciPy's, the cells that the abstract is held to."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import linregress, t

from perfmodel.labs.benchmarking.efficientllm.inputs import (
    FREEZE_LATENCY,
    FREEZE_PARAMETERS,
    PRETRAINED,
    SCORES_14B,
    SERVED,
)
from perfmodel.labs.benchmarking.efficientllm.metrics import (
    compression_rate,
    energy_per_token,
    fit_power_law,
)

RATE = st.floats(0.01, 100)


@given(before=RATE, after=RATE, score=RATE, kept=RATE)
def test_compressing_and_undoing_it_comes_back(before, after, score, kept):
    there, back = (
        compression_rate(before, after, score, kept),
        compression_rate(after, before, kept, score),
    )
    assert there * back == pytest.approx(1)
    assert compression_rate(before, after, score, score / 2) == pytest.approx(before / after / 2)


def test_energy_per_token_of_the_tables():
    joules = {key: energy_per_token(s.power, s.rate) for key, s in SERVED.items()}
    assert list(joules.values()) == pytest.approx([15.91, 11.20, 8.57, 7.23], abs=0.01)
    before, after = (joules["DeepSeek-R1 14B", kind] for kind in ("bf16", "int4"))
    assert 1 - after / before == pytest.approx(0.156, abs=5e-4)


def test_numbers_of_the_audit_by_hand():
    assert compression_rate(16, 4, *SCORES_14B) == pytest.approx(3.697, abs=5e-4)
    mamba, dense = PRETRAINED["Mamba"], PRETRAINED["transformer"]
    step = [model.power * model.latency for model in (mamba, dense)]
    assert step == pytest.approx([52.4, 83.6], abs=0.05)
    assert mamba.perplexity / dense.perplexity == pytest.approx(1.172, abs=5e-4)


def test_the_exponent_is_scipys():
    fit = fit_power_law(FREEZE_PARAMETERS, FREEZE_LATENCY)
    line = linregress(np.log(FREEZE_PARAMETERS), np.log(FREEZE_LATENCY))
    assert fit.exponent == pytest.approx(line.slope) == pytest.approx(0.599, abs=5e-4)
    assert fit.high - fit.exponent == pytest.approx(t.ppf(0.975, 2) * line.stderr)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: compression_rate(16, 0, 1, 1), "bits_after must be above 0"),
        (lambda: energy_per_token(-1, 1), "power must be above 0"),
        (lambda: fit_power_law([1, 2], [1, 2]), "x must be a one-dimensional sample of 3"),
        (lambda: fit_power_law([2, 2, 2], [1, 2, 3]), "values that differ"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
