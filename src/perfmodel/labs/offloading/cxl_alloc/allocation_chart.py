"""The allocator at work: a bar for each tensor, placed in DRAM while there is room."""

from __future__ import annotations

from perfmodel.labs.offloading.cxl_alloc.allocation import ORDER
from perfmodel.labs.offloading.cxl_alloc.inputs import DRAM_BUDGET, GIB, LFM, NEMO, QWEN
from perfmodel.labs.offloading.cxl_alloc.training_step import Setting, placed
from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.validation import one_of, whole

DRAWN = {model.name: model for model in (LFM, QWEN, NEMO)}
_LEFT, _RIGHT, _TOP, _ROW = 130.0, 350.0, 12.0, 24.0
_TENSOR = Scale(0, 50, _LEFT, _RIGHT)
_MEMORY = Scale(0, 256, _LEFT, _RIGHT)


def allocation_steps(model: str, step: int, cards: int = 1) -> Scene:
    """Draw where the first `step` tensors lie, latency first, and how full DRAM and cards are.

    A batch of 1, 4,096 tokens, 100 GiB of DRAM, and a model of `DRAWN`.

    >>> scene = allocation_steps("LFM2.5 8B-A1B", 4)
    >>> round(scene.values["master weights in DRAM (GiB)"], 3)
    5.294
    """
    one_of("model", model, DRAWN)
    count = whole("step", step, 0, len(ORDER))
    where = placed(Setting(DRAWN[model], cards=cards), "latency first") / GIB
    near, far = where[:, 0], where[:, 1:].sum(axis=1)
    shapes: list[Shape] = []
    for row, name in enumerate(ORDER):
        y = _TOP + row * _ROW
        shapes.append(Text(name, 2, y + 8, "start"))
        if row < count:
            shapes += _parts(_TENSOR, y, float(near[row]), float(far[row]))
        else:
            shapes += _outline(_TENSOR, y, float(near[row] + far[row]))
    low = _TOP + len(ORDER) * _ROW + 2
    shapes += _TENSOR.below(low, "GiB of a tensor")
    top = low + 52
    in_dram, in_cxl = float(near[:count].sum()), float(far[:count].sum())
    shapes += [Text("DRAM", 2, top + 8, "start"), Text("CXL", 2, top + 32, "start")]
    if in_dram:
        shapes.append(Box(_LEFT, top, _MEMORY.length(in_dram), 16, "", 1, "solid"))
    if in_cxl:
        shapes.append(Box(_LEFT, top + 24, _MEMORY.length(in_cxl), 16, "", 2, "hatch"))
    edge = _MEMORY(DRAM_BUDGET / GIB)
    shapes.append(Line([(edge, top - 4), (edge, top + 20)], style="dashed"))
    shapes.append(Text("100 GiB", edge + 6, top + 8, "start"))
    shapes += _MEMORY.below(top + 46, "GiB in use")
    shapes += legend(2, top + 62, [("DRAM", 1, "solid"), ("CXL", 2, "hatch")])
    if count:
        name = ORDER[count - 1]
        to_dram, to_cxl = float(near[count - 1]), float(far[count - 1])
        says = f"{name.capitalize()}: {to_dram:.4g} GiB to DRAM, {to_cxl:.4g} GiB to CXL."
    else:
        says = "No tensor is placed yet."
    values = {
        f"{name} in DRAM (GiB)": float(near[row]) if row < count else 0.0
        for row, name in enumerate(ORDER)
    }
    return Scene(
        top + 92, shapes, f"{says} DRAM holds {in_dram:.4g} GiB, CXL {in_cxl:.4g}.", values
    )


def _parts(scale: Scale, y: float, near: float, far: float) -> list[Shape]:
    shapes: list[Shape] = []
    if near:
        shapes.append(Box(_LEFT, y, scale.length(near), 16, "", 1, "solid"))
    if far:
        shapes.append(scale.bar(near, y, far, 16, "", 2, "hatch"))
    return shapes


def _outline(scale: Scale, y: float, size: float) -> list[Shape]:
    return [Box(_LEFT, y, scale.length(size), 16, "", 0, "none")]
