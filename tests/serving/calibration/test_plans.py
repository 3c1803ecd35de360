"""Plans of serving: the same times as one at a time, those that fit, and the order."""

from __future__ import annotations

import numpy as np
import pytest

from perfmodel.roofline import LLAMA_2_70B
from perfmodel.serving.calibration.plans import Device, serving_plans
from perfmodel.serving.calibration.token_time import TokenTime, step_terms

KNOWN = TokenTime((1.25, 6e-5, 1.2e-5, 2.0, 30.0, 0.0), held_out_quantiles=(0.8, 1.5))
WEIGHTS = 2.0 * LLAMA_2_70B.parameters


def device(bandwidth: float = 3.35e12, memory: float = 75e9) -> Device:
    return Device(bandwidth, 989e12, memory, WEIGHTS, lambda tokens: np.array(WEIGHTS), KNOWN)


def plans(*devices: Device, concurrency=(1, 8, 64, 512)):
    return serving_plans(
        LLAMA_2_70B, devices, prompt=1000, output=500, counts=[1, 2, 4, 8], concurrency=concurrency
    )


def test_times_are_those_of_one_plan_at_a_time():
    found = plans(device(), device(8e12, 170e9))
    for i, index in enumerate(found.device):
        terms = step_terms(
            LLAMA_2_70B, weight_bytes=WEIGHTS, bandwidth=(3.35e12, 8e12)[index], peak=989e12,
            concurrency=found.concurrency[i], prompt=1000, output=500, tensor=int(found.count[i]),
        )  # fmt: skip
        least = max(
            float(terms.bandwidth),
            found.concurrency[i] * LLAMA_2_70B.operations_per_token / 989e12 / found.count[i],
        )
        assert found.seconds[i] == pytest.approx(max(float(KNOWN.seconds(terms)), least))
        assert found.high[i] == pytest.approx(max(1.5 * found.seconds[i], least))
        assert found.low[i] >= least * (1 - 1e-12)


def test_only_what_fits_is_a_plan():
    """138 GB of weights: two devices of 75 GB leave 12 GB, for 48 sequences of 246 MB."""
    found = plans(device(), concurrency=np.arange(1, 200))
    assert set(found.count) == {2, 4, 8}
    cache = 1500 * 2 * 80 * 8 * 128 * 2 / 2
    assert found.concurrency[found.count == 2].max() == (75e9 - WEIGHTS / 2) // cache
    nothing = plans(device(memory=1e9))
    assert nothing.seconds.shape == (0,)
    assert nothing.best(1.0).size == 0


def test_the_best_stays_within_and_is_sure_first():
    found = plans(device(), concurrency=np.arange(1, 400))
    limit = 0.03
    order = found.best(limit)
    assert (found.seconds[order] <= limit).all()
    sure = found.high[order] <= limit
    assert (np.diff(sure.astype(int)) <= 0).all()
    for part in (order[sure], order[~sure]):
        assert (np.diff(found.per_device[part]) <= 0).all()
    first = found.per_device[order[0]]
    by_hand = found.per_device[found.high <= limit].max()
    assert first == pytest.approx(by_hand)


def test_a_price_can_turn_the_order():
    found = plans(device(), device(8e12, 75e9), concurrency=[32])
    cheap = np.where(found.device == 0, 1.0, 10.0)
    assert found.device[found.best(1.0)[0]] == 1
    assert found.device[found.best(1.0, cheap)[0]] == 0


def test_refuses():
    with pytest.raises(ValueError, match="counts must be"):
        serving_plans(LLAMA_2_70B, [device()], prompt=1, output=1, counts=[0], concurrency=[1])
    with pytest.raises(ValueError, match="within must be above 0"):
        plans(device()).best(0.0)
