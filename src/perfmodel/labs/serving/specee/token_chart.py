"""Early exit, token by token: the layers that each one ran, and where the last one was asked.

A column is a token: its layers on the GPU and on the CPU, and dashed those it skipped. Dots beside
the axis are the layers after which the last token is asked whether it leaves.
"""

from __future__ import annotations

import numpy as np

from perfmodel.labs.serving.specee.devices import GPU_LAYER, cpu_layer, released
from perfmodel.labs.serving.specee.logs import LAYERS, Ints, exits
from perfmodel.live.drawing import Box, Circle, Scale, Scene, Shape, Text
from perfmodel.validation import whole, within

LAST = LAYERS["7B"]
FIRST, COUNT = 7, 12
"""Index of the first token drawn, of the first prompt, and how many are."""
_LEFT, _WIDTH, _STEP, _TOP, _HEIGHT = 62.0, 17.0, 24.5, 30.0, 192.0


def drawn() -> Ints:
    """Return the exits of the tokens that are drawn.

    >>> drawn().size
    12
    """
    return exits()[0][FIRST : FIRST + COUNT]


def token_steps(tokens: int, on_gpu: int) -> Scene:
    """Draw the layers that the first tokens ran, on GPU and CPU, and those asked for the last one.

    >>> token_steps(12, 16).values["layers run"] < 12 * 32
    True
    """
    count = int(within("tokens", whole("tokens", tokens, 1), 1, COUNT))
    split = int(within("on_gpu", whole("on_gpu", on_gpu), 0, LAST))
    layers = drawn()[:count]
    up = Scale(0, LAST, _TOP + _HEIGHT, _TOP)
    shapes: list[Shape] = up.beside(40, "layer")
    asked = {n for n in released(exits()[0][: FIRST + count - 1]) if n < LAST}
    shapes += [Circle(50, up(layer), 2.2, "", 3, "solid") for layer in sorted(asked)]
    for column, layer in enumerate(layers.tolist()):
        shapes += _token(_LEFT + column * _STEP, layer, split, up)
    low = _TOP + _HEIGHT
    shapes.append(Text("left after layer", _LEFT, low + 30, "start"))
    shapes += [
        Box(60, low + 46, 18, 12, "", 1, "light"),
        Text("GPU", 83, low + 52, "start"),
        Box(125, low + 46, 18, 12, "", 2, "solid"),
        Text("CPU", 148, low + 52, "start"),
        Circle(199, low + 52, 2.2, "", 3, "solid"),
        Text("asked for the last", 207, low + 52, "start"),
    ]
    return _scene(layers, split, len(asked), low + 64, shapes)


def _token(left: float, layer: int, split: int, up: Scale) -> list[Shape]:
    """Return a token's column: layers on the GPU, on the CPU, and those that it skipped."""
    parts = [(0, min(layer, split), 1, "light"), (min(layer, split), layer, 2, "solid")]
    shapes: list[Shape] = [
        Box(left, up(last), _WIDTH, up(first) - up(last), "", colour, fill)  # type: ignore[arg-type]
        for first, last, colour, fill in parts
        if last > first
    ]
    if layer < LAST:
        shapes.append(Box(left, up(LAST), _WIDTH, up(layer) - up(LAST), "", 0, "none", dashed=True))
    return [*shapes, Text(str(layer), left + _WIDTH / 2, up(0) + 13)]


def _scene(layers: Ints, split: int, asked: int, height: float, shapes: list[Shape]) -> Scene:
    gpu = float(np.minimum(layers, split).sum())
    cpu = float(layers.sum()) - gpu
    seconds = gpu * GPU_LAYER + cpu * cpu_layer()
    full = layers.size * (split * GPU_LAYER + (LAST - split) * cpu_layer())
    many = f"{layers.size} token{'s' * (layers.size > 1)}"
    says = (
        f"The last is checked after {asked} layers at most and leaves after {layers[-1]}. {many}: "
        f"{gpu:.0f} layers on the GPU, {cpu:.0f} on the CPU, {1e3 * seconds:.0f} ms of layers. "
        f"With all layers {1e3 * full:.0f} ms, {full / seconds:.2f} times as long; by counting "
        f"layers it would be {LAST * layers.size / layers.sum():.2f} times."
    )
    values = {"layers run": float(layers.sum()), "time saved (times)": full / seconds}
    return Scene(height, shapes, says, values)
