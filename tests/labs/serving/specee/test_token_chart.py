from itertools import product

import numpy as np
import pytest

from perfmodel.labs.serving.specee.devices import GPU_LAYER, cpu_layer
from perfmodel.labs.serving.specee.token_chart import COUNT, drawn, token_steps
from perfmodel.live.drawing import Box


@pytest.mark.parametrize(("tokens", "on_gpu"), [*product((1, 6, COUNT), (0, 16, 32))])
def test_boxes_are_the_layers_run(tokens, on_gpu):
    scene = token_steps(tokens, on_gpu)
    layers = drawn()[:tokens]
    columns = [box for box in scene.shapes if isinstance(box, Box) and box.width == 17]
    heights = {
        fill: sum(box.height for box in columns if box.fill == fill) / 6
        for fill in ("light", "solid", "none")
    }
    assert heights["light"] == pytest.approx(np.minimum(layers, on_gpu).sum())
    assert heights["solid"] == pytest.approx(np.maximum(layers - on_gpu, 0).sum())
    assert heights["none"] == pytest.approx((32 - layers).sum())
    assert scene.values["layers run"] == layers.sum()


def test_time_saved_by_hand():
    layers = drawn()
    time = np.minimum(layers, 16) * GPU_LAYER + np.maximum(layers - 16, 0) * cpu_layer()
    full = COUNT * 16 * (GPU_LAYER + cpu_layer())
    assert token_steps(COUNT, 16).values["time saved (times)"] == pytest.approx(full / time.sum())


def test_height_and_words_stay():
    scenes = [token_steps(tokens, 16) for tokens in (1, 5, COUNT)]
    assert len({scene.height for scene in scenes}) == 1
    assert "1 token:" in scenes[0].says
    assert f"{COUNT} tokens:" in scenes[2].says


def test_refuses():
    with pytest.raises(ValueError, match="tokens must be between 1 and 12, got 13"):
        token_steps(13, 16)
    with pytest.raises(ValueError, match="on_gpu must be between 0 and 32, got 40"):
        token_steps(3, 40)
