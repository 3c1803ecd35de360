"""FuseMax's chip as a drawing: two arrays, each filled to the share of the time it is busy."""

from __future__ import annotations

from perfmodel.labs.roofline.fusemax.inputs import Transformer
from perfmodel.labs.roofline.fusemax.latency import Design, latency, utilization
from perfmodel.live.drawing import Box, Fill, Line, Scene, Shape, Text

_TOP, _BASE = 118.0, 218.0


def busy_arrays(design: Design, model: Transformer, length: int) -> Scene:
    """Draw memory, buffer and both arrays, and how long each array works in a design.

    >>> from perfmodel.labs.roofline.fusemax.inputs import BERT
    >>> busy_arrays("FLAT", BERT, 1024).values["vector array busy (%)"]
    100.0
    """
    matrix, vector = (100 * share for share in utilization(design, model, length))
    milliseconds = 1e3 * latency(design, model, length)
    shapes: list[Shape] = [
        Box(110, 8, 140, 30, "DRAM", 0, "none"),
        Line([(180, 38), (180, 58)], head=True),
        Box(70, 60, 220, 30, "buffer on the chip", 0, "none"),
        Line([(130, 90), (130, _TOP - 2)], head=True),
        Line([(266, 90), (266, _TOP - 2)], head=True),
    ]
    shapes += _array(40, 180, "matrix: 256 x 256 units", matrix, 1, "solid")
    shapes += _array(256, 20, "vector: 256", vector, 2, "hatch")
    which = "vector" if vector > matrix else "matrix"
    says = (
        f"{design}: {milliseconds:.3g} ms. The {which} array is the busier one; the matrix array "
        f"works {matrix:.0f} % of the time, the vector array {vector:.0f} %."
    )
    values = {
        "latency (ms)": milliseconds,
        "matrix array busy (%)": matrix,
        "vector array busy (%)": vector,
    }
    return Scene(262, shapes, says, values)


def _array(x: float, width: float, name: str, busy: float, colour: int, fill: Fill) -> list[Shape]:
    height, middle = (_BASE - _TOP) * min(busy, 100) / 100, x + width / 2
    return [
        Box(x, _BASE - height, width, height, "", colour, fill),
        Line([(x, _TOP), (x, _BASE), (x + width, _BASE), (x + width, _TOP), (x, _TOP)]),
        Text(name, middle, _BASE + 14),
        Text(f"{busy:.0f} % busy", middle, _BASE + 32, bold=True),
    ]
