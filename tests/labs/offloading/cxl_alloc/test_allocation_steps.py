import pytest

from perfmodel.labs.offloading.cxl_alloc.allocation_steps import DRAWN, allocation_steps


@pytest.mark.parametrize("model", list(DRAWN))
@pytest.mark.parametrize("step", range(8))
def test_every_state_can_be_read(model, step):
    scene = allocation_steps(model, step)
    assert scene.faults() == []
    assert scene.height == allocation_steps("Qwen2.5 7B", 0).height


def test_last_state_tells_the_allocators_numbers():
    scene = allocation_steps("LFM2.5 8B-A1B", 7)
    assert scene.values["master weights in DRAM (GiB)"] == pytest.approx(5.294, abs=5e-4)
    assert "DRAM holds 100 GiB, CXL 58.22" in scene.says
    assert allocation_steps("LFM2.5 8B-A1B", 0).says.startswith("Nothing is placed yet")


def test_bad_input():
    with pytest.raises(ValueError, match="model must be one of"):
        allocation_steps("GPT", 1)
    with pytest.raises(ValueError, match="step must be 7 or less, got 8"):
        allocation_steps("Qwen2.5 7B", 8)
