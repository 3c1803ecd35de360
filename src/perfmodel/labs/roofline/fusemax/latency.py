"""What bounds the latency of attention on a spatial accelerator, design by design.

The chip has an array of 256 x 256 units for matrix products, a row of 256 units for everything
else, and a memory. A design says which work goes where and what may overlap; its latency is the
busy time of the resource that is busy longest, phase by phase.

After Nayak, Wu, Odemuyiwa, Pellauer, Emer and Fletcher, "FuseMax: leveraging extended Einsums to
optimize attention accelerator design", MICRO 2024, arXiv 2406.10491. The closed forms were derived
from the latencies and traffic in the authors' artifact, at one size of array. These come from an
analytical tool chain and not from silicon (github.com/FPSG-UIUC/micro24-fusemax-artifact, MIT
licence). Only `linear_latency` follows from the shapes and the chip alone.

Seconds and bytes come from `latency`, and joules from the authors' artifact (`inputs`).
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np

from perfmodel.labs.roofline.fusemax.inputs import (
    ATTENTION_ENERGY,
    FLAT_CHIP,
    FUSEMAX_CHIP,
    LENGTHS,
    LINEAR_ENERGY,
    MODELS,
    Chip,
    Transformer,
)
from perfmodel.live.drawing import Box, Fill, Line, Scene, Shape, Text
from perfmodel.validation import Floats, one_of, whole

Design = Literal["unfused", "FLAT", "+cascade", "+architecture", "FuseMax"]
DESIGNS: tuple[Design, ...] = get_args(Design)
"""In the order of the paper's ablation; only the last two move softmax onto the matrix array."""


class Slots(NamedTuple):
    """Seconds that one operation takes of a resource, for the whole of the attention."""

    matrix: float
    """One operation a score on the matrix array."""
    vector: float
    """One operation a score on the vector array."""
    tile: float
    """One operation a query and tile of keys on the vector array."""
    output: float
    """One operation an output element on the vector array."""


def slots(model: Transformer, length: int, chip: Chip = FUSEMAX_CHIP) -> Slots:
    """Return the seconds of one operation of each kind; `length` fills the array's side.

    >>> from perfmodel.labs.roofline.fusemax.inputs import BERT
    >>> costs = slots(BERT, 4096)
    >>> costs.tile == costs.matrix, costs.vector / costs.matrix
    (True, 256.0)
    """
    rows = _heads(model) * _tiled(length, chip)
    rate = chip.side * chip.clock
    return Slots(
        rows * length / chip.side / rate,
        rows * length / rate,
        rows * (length / chip.side) / rate,
        rows * model.head_width / rate,
    )


def latency(design: Design, model: Transformer, length: int) -> float:
    """Return the latency of attention in seconds.

    `length`, the number of queries and of keys, is a multiple of 256. The result agrees exactly
    with the artifact, except for "unfused" with 256K tokens or more, where the artifact moves up to
    0.4 % more data. In "FuseMax" the vector array is always the busier one, by one slot a score and
    the divisions at the end.

    >>> from perfmodel.labs.roofline.fusemax.inputs import BERT
    >>> print(f"{latency('FLAT', BERT, 1024):.7f} {latency('FuseMax', BERT, 1024):.8f}")
    0.0133861 0.00201314
    """
    cost, width = slots(model, length), model.head_width
    if design == "unfused":
        scores = _heads(model) * length**2
        softmax = max(4 * cost.vector, 2 * _seconds(FUSEMAX_CHIP, scores))
        product = _seconds(FUSEMAX_CHIP, scores + 2 * _heads(model) * length * width)
        return softmax + 2 * max(product, width * cost.matrix)
    if design == "FLAT":
        moved = traffic(design, model, length) if spills(length) else 0.0
        return max(4 * cost.vector, 2 * width * cost.matrix, moved / FLAT_CHIP.bandwidth)
    if design == "+cascade":
        return 4 * cost.vector + (5 + 2 * width) * cost.tile + cost.output
    if design == "+architecture":
        first = max((width + 1) * cost.matrix, cost.tile + cost.output)
        filling = FUSEMAX_CHIP.side * cost.matrix
        weights = max(8 * cost.matrix, 8 * cost.tile)
        return (
            first + filling + cost.tile + weights + max(width * cost.matrix, 2 * width * cost.tile)
        )
    _known(design)
    return fusemax_latency(model, length)


def fusemax_latency(model: Transformer, length: int, chip: Chip = FUSEMAX_CHIP) -> float:
    """Return FuseMax's latency in seconds, bound by the chip's arrays and not by its memory.

    >>> from perfmodel.labs.roofline.fusemax.inputs import BERT
    >>> print(round(fusemax_latency(BERT, 262144, Chip(side=64)), 3))
    1891.827
    """
    cost, width = slots(model, length, chip), model.head_width
    return max((2 * width + 9) * cost.matrix, (10 + 2 * width) * cost.tile + cost.output)


def utilization(design: Design, model: Transformer, length: int) -> tuple[float, float]:
    """Return the shares of the latency for which the matrix and the vector array do useful work.

    >>> from perfmodel.labs.roofline.fusemax.inputs import BERT
    >>> print("{:.4f} {:.4f}".format(*utilization("FuseMax", BERT, 1024)))
    0.8896 1.0000
    """
    cost, width = slots(model, length), model.head_width
    fused = _known(design) in ("+architecture", "FuseMax")
    matrix = (2 * width + (9 if fused else 0)) * cost.matrix
    vector = 4 * cost.vector
    if design == "+cascade":
        vector += (5 + 2 * width) * cost.tile + cost.output
    if fused:
        vector = (10 + 2 * width) * cost.tile + cost.output
    time = latency(design, model, length)
    return matrix / time, vector / time


def spills(length: int, chip: Chip = FLAT_CHIP) -> bool:
    """Return whether the rows of scores of 256 queries are too large for the chip's buffer.

    >>> spills(65536), spills(131072)
    (False, True)
    """
    return chip.side * _tiled(length, chip) * chip.word > chip.buffer


def traffic(design: Design, model: Transformer, length: int) -> float:
    """Return the bytes that attention moves to and from DRAM.

    "FLAT" only at lengths whose scores spill. Below, its traffic depends on the authors' search
    over mappings and bounds nothing: a ValueError.

    >>> from perfmodel.labs.roofline.fusemax.inputs import BERT
    >>> int(traffic("FuseMax", BERT, 1024)), int(traffic("FuseMax", BERT, 65536))
    (402653184, 38654705664)
    """
    rows, width = _heads(model) * _tiled(length, FUSEMAX_CHIP), model.head_width
    if design == "unfused":
        return float(8 * rows * (length + width))
    if design == "FLAT":
        if not spills(length):
            raise ValueError(f"length must be 131072 or more for the traffic of FLAT, got {length}")
        return rows * (8 * length + 4 * width * (1 + length / 1024))
    extra = 2 * FUSEMAX_CHIP.side if _known(design) == "+cascade" else 0
    tiles = length // FUSEMAX_CHIP.side
    return rows * 4.0 * width * (1 + tiles / _resident(width, tiles, extra))


def _resident(width: int, tiles: int, extra: int) -> int:
    """Return how many tiles of 256 queries the buffer holds: a divisor of all `tiles`."""
    chip = FUSEMAX_CHIP
    free = chip.buffer - chip.word * chip.side * 2 * width
    fitting = free // (chip.word * chip.side * (2 * width + 2 + extra))
    return max(d for d in range(1, min(fitting, tiles) + 1) if tiles % d == 0)


def linear_latency(model: Transformer, length: int, chip: Chip = FUSEMAX_CHIP) -> float:
    """Return the seconds of a layer's six matrix products outside attention.

    Four of width x width (queries, keys, values, output) and two of width x hidden, one after the
    other, each bound by the matrix array or by DRAM.

    >>> from perfmodel.labs.roofline.fusemax.inputs import T5
    >>> print(f"{linear_latency(T5, 1024):.8f}")
    0.00348590
    """
    tokens, d, s = model.batch * _tiled(length, chip), model.width, model.hidden
    return 4 * _product(tokens, d, d, chip) + 2 * _product(tokens, d, s, chip)


def _product(tokens: int, inner: int, outer: int, chip: Chip) -> float:
    words = tokens * (inner + outer) + inner * outer
    return max(tokens * inner * outer / (chip.side**2 * chip.clock), _seconds(chip, words))


def _heads(model: Transformer) -> int:
    return model.batch * model.heads


def _seconds(chip: Chip, words: float) -> float:
    return chip.word * words / chip.bandwidth


def _tiled(length: int, chip: Chip) -> int:
    if whole("length", length, low=1) % chip.side:
        raise ValueError(f"length must be a multiple of {chip.side}, got {length}")
    return int(length)


def _known(design: str) -> str:
    one_of("design", design, DESIGNS)
    return design


_TOP, _BASE = 118.0, 218.0


def busy_arrays(design: Design, model: Transformer, length: int) -> Scene:
    """Draw memory, buffer and both arrays, and how long each array works in a design.

    >>> from perfmodel.labs.roofline.fusemax.inputs import BERT
    >>> busy_arrays("FLAT", BERT, 1024).values["vector array busy (%)"]
    100.0
    """
    matrix, vector = (100 * fraction for fraction in utilization(design, model, length))
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
        f"The {which} array is the busier one. The matrix array works {matrix:.0f} % of the time, "
        f"the vector array {vector:.0f} %. The latency is {milliseconds:.3g} ms."
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


def speedups(baseline: Design, end_to_end: bool = False) -> Floats:
    """Return FuseMax's speedup over a design, (4, 6), with linear layers if `end_to_end`."""

    def ratio(model: Transformer, length: int) -> float:
        rest = linear_latency(model, length) if end_to_end else 0.0
        slow = latency(baseline, model, length)
        return (slow + rest) / (latency("FuseMax", model, length) + rest)

    return np.array([[ratio(model, length) for length in LENGTHS] for model in MODELS])


def intensity(design: Design, model: Transformer, length: int) -> float:
    """Return the multiply-accumulates of attention's two products per byte of DRAM traffic.

    >>> from perfmodel.labs.roofline.fusemax.inputs import BERT
    >>> print(round(intensity("unfused", BERT, 65536), 2), intensity("FuseMax", BERT, 1024))
    15.98 256.0
    """
    operations = 2.0 * model.batch * model.heads * length**2 * model.head_width
    return operations / traffic(design, model, length)


def energy_ratios(baseline: Literal["unfused", "FLAT"], end_to_end: bool = False) -> Floats:
    """Return FuseMax's energy over a design's, (4, 6); end to end it is known over "FLAT" only.

    >>> print(round(energy_ratios("FLAT").mean(), 4))
    0.7875
    """
    known = ("FLAT",) if end_to_end else ("unfused", "FLAT")
    one_of("baseline", baseline, known)
    ours, baseline_energy = ATTENTION_ENERGY["FuseMax"], ATTENTION_ENERGY[baseline]
    if end_to_end:
        ours, baseline_energy = (
            ours + LINEAR_ENERGY["FuseMax"],
            baseline_energy + LINEAR_ENERGY[baseline],
        )
    return ours / baseline_energy
