"""ZeRO's stages as bars: what each GPU holds between two steps of training, for each parameter."""

from __future__ import annotations

from perfmodel.live.drawing import Box, Fill, Line, Scene, Shape, Text
from perfmodel.roofline.training import ADAM_STATES, ZERO_STAGES, state_bytes
from perfmodel.validation import whole

MOST = 8
"""GPUs that the sheet has room for."""
_KINDS: dict[str, tuple[int, Fill]] = {
    "weights": (1, "solid"),
    "gradients": (2, "hatch"),
    "optimizer": (3, "light"),
}
_TOP, _BASE, _LEFT, _RIGHT = 56.0, 232.0, 40.0, 356.0


def memory_bars(parameters: float, stage: int, gpus: int) -> Scene:
    """Draw the bytes of states that each GPU holds for a parameter.

    By ZeRO stage, 0 (nothing divided) to 3, for up to `MOST` GPUs that share the states.

    >>> memory_bars(7e9, 3, 8).values["bytes a parameter on each GPU"]
    2.0
    """
    whole("gpus", gpus, low=1, high=MOST)
    held = state_bytes(parameters, gpus=gpus, stage=stage)
    shapes = _legend()
    for size in (0, 4, 8, 12, 16):
        shapes.append(Line([(_LEFT, _up(size)), (_RIGHT, _up(size))], style="thin"))
        shapes.append(Text(f"{size} B", _LEFT - 6, _up(size), anchor="end"))
    for place in range(gpus):
        shapes += _bar(place, stage, gpus)
    each = held / parameters
    says = (
        f"Each of {gpus} GPUs holds {each:.3g} bytes a parameter: {held / 1e9:.3g} GB of the "
        f"{state_bytes(parameters) / 1e9:.3g} GB that one copy of all states takes."
    )
    values = {"bytes a parameter on each GPU": each, "on each GPU (GB)": held / 1e9}
    return Scene(266, shapes, says, values)


def _up(size: float) -> float:
    return _BASE - (_BASE - _TOP) * size / sum(ADAM_STATES.values())


def _legend() -> list[Shape]:
    shapes: list[Shape] = []
    for x, (kind, (colour, fill)) in zip((40.0, 140.0, 250.0), _KINDS.items(), strict=True):
        shapes.append(Box(x, 12, 14, 14, "", colour, fill))
        shapes.append(Text(kind, x + 20, 19, anchor="start"))
    return shapes


def _bar(place: int, stage: int, gpus: int) -> list[Shape]:
    slot = (_RIGHT - _LEFT) / MOST
    x, height = _LEFT + (place + 0.15) * slot, 0.0
    shapes: list[Shape] = []
    for kind, size in ADAM_STATES.items():
        own = size / gpus if kind in ZERO_STAGES[stage] else size
        colour, fill = _KINDS[kind]
        top = _up(height + own)
        shapes.append(Box(x, top, 0.7 * slot, _up(height) - top, "", colour, fill))
        height += own
    return [*shapes, Text(f"{place + 1}", x + 0.35 * slot, _BASE + 17)]
