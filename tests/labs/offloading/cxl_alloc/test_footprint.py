import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.offloading.cxl_alloc.footprint import ORDER, tensor_bytes, tensor_traffic
from perfmodel.labs.offloading.cxl_alloc.inputs import GIB, LFM, NEMO, QWEN


@pytest.mark.parametrize(
    ("model", "first", "total"),
    [(QWEN, 28.37, 142.62), (NEMO, 45.63, 229.70), (LFM, 31.57, 158.22)],
)
def test_gib_by_hand(model, first, total):
    size = tensor_bytes(model, 1, 4096) / GIB
    assert size[0] == pytest.approx(first, abs=0.005)
    assert size.sum() == pytest.approx(total, abs=0.01)


def test_activations_of_a_long_batch():
    size = dict(zip(ORDER, tensor_bytes(NEMO, 8, 32768), strict=True))
    assert size["activations"] == 2 * 8 * 32768 * 5120 * 40
    assert size["activations"] / GIB == 100


@given(batch=st.integers(1, 64), tokens=st.integers(1, 65536), gpus=st.integers(1, 8))
def test_twenty_bytes_a_parameter_and_linear_activations(batch, tokens, gpus):
    size = tensor_bytes(QWEN, batch, tokens, gpus)
    activations = 2 * batch * tokens * gpus * 3584 * 28
    assert size.sum() == 20 * QWEN.parameters + activations


def test_update_moves_28_bytes_a_parameter_and_the_copy():
    traffic = tensor_traffic(QWEN, 1, 4096)
    assert traffic.update.sum() == 30 * QWEN.parameters
    assert traffic.update[ORDER.index("compute weights")] == 2 * QWEN.parameters
    assert traffic.forward.sum() == 2 * QWEN.parameters + tensor_bytes(QWEN, 1, 4096)[5]
    assert np.all(traffic.backward[:2] == 0)


def test_bad_input():
    with pytest.raises(ValueError, match="batch must be a whole number, 1 or more, got 0"):
        tensor_bytes(QWEN, 0, 4096)
    with pytest.raises(ValueError, match="tokens must be a whole number"):
        tensor_bytes(QWEN, 1, 0.5)
