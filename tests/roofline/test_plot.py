"""Every kernel and ceiling is named on the plot, and no two names overlap."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel import live, machines
from perfmodel.live import svg
from perfmodel.roofline import intensity, labels
from perfmodel.roofline.layer_conditions import stencil_kernel
from perfmodel.roofline.model import Ceiling, Kernel, Roofline, machine_roofline
from perfmodel.roofline.plot import MeasuredKernel, roofline_plot

ROOF = Roofline(
    "toy", 1e11, 2e10, (Ceiling("no SIMD", 2e10, "compute"), Ceiling("one core", 8e9, "memory"))
)
KERNELS = [
    intensity.stream_kernel("triad", 10),
    intensity.spmv_kernel(1000, 10_000),
    stencil_kernel((100, 100, 100)),
    intensity.fft_kernel(2**20, 2**10),
    intensity.gemm_kernel(1000, 1000, 1000, block=(50, 50)),
]


GEMM = [MeasuredKernel(Kernel("GEMM", 64, 1), 9e10)]


def boxes(plot):
    """Where the drawing puts each note on a phone: letters 32 units high and 17 wide."""
    for x, y, text, anchor in svg.notes(plot):
        wide = 17 * len(text)
        left = {"start": x, "middle": x - wide / 2, "end": x - wide}[anchor]
        yield text, left, left + wide, y - 25, y + 6


def overlaps(plot):
    drawn = list(boxes(plot))
    return [
        (one[0], other[0])
        for i, one in enumerate(drawn)
        for other in drawn[:i]
        if one[1] < other[2] and other[1] < one[2] and one[3] < other[4] and other[3] < one[4]
    ]


def test_everything_is_named_once_inside_the_frame():
    plot = roofline_plot([ROOF], KERNELS)
    names = [kernel.name for kernel in KERNELS] + ["no SIMD", "one core"]
    assert sorted(note.text for note in plot.notes) == sorted(names)
    assert overlaps(plot) == []
    for _, left, right, top, bottom in boxes(plot):
        assert left >= svg.LEFT
        assert right <= svg.WIDTH - svg.RIGHT
        assert top >= svg.TOP
        assert bottom <= svg.HEIGHT - svg.BOTTOM


@settings(max_examples=15)
@given(st.lists(st.floats(0.01, 300), min_size=1, max_size=6))
def test_no_overlaps_wherever_the_kernels_lie(places):
    kernels = [Kernel(f"kernel {i}", at, 1) for i, at in enumerate(places)]
    plot = roofline_plot([ROOF], kernels, x=(0.01, 1000), y=(1e7, 1e12))
    assert overlaps(plot) == []
    assert len(plot.notes) == len(kernels) + 2


def test_each_name_stands_beside_its_own_point():
    plot = roofline_plot([Roofline("toy", 1e11, 2e10)], KERNELS)
    placed = {text: box for text, *box in boxes(plot)}
    for kernel in KERNELS:
        x = svg.LEFT + labels.WIDE * plot.x.place([kernel.intensity])[0]
        y = svg.TOP + labels.HIGH * (1 - plot.y.place([ROOF.attainable(kernel.intensity)])[0])
        left, right, top, bottom = placed[kernel.name]
        across, down = max(left - x, x - right, 0), max(top - y, y - bottom, 0)
        assert across < 30, kernel.name
        assert down < 90, kernel.name


def leaders(plot):
    """The ends of the thin lines, in drawing units: at the point, at the label."""
    thin = plot.marks[-1]
    x = svg.LEFT + labels.WIDE * plot.x.place(thin.x).reshape(-1, 3)
    y = svg.TOP + labels.HIGH * (1 - plot.y.place(thin.y).reshape(-1, 3))
    return np.stack([x, y], axis=-1)[:, :2]


def away(box, place):
    left, right, top, bottom = box
    x, y = place
    return np.hypot(max(left - x, x - right, 0), max(top - y, y - bottom, 0))


@given(st.lists(st.floats(-1.3, 0), min_size=6, max_size=6))
@settings(max_examples=30, deadline=None)
def test_nearest_to_a_name_is_its_own_point_or_a_leader_ties_it(shares):
    seen = [
        MeasuredKernel(kernel, float(ROOF.attainable(kernel.intensity)) * 10**share)
        for kernel, share in zip([*KERNELS, Kernel("dot", 2, 16)], shares, strict=True)
    ]
    plot = roofline_plot([ROOF], measured=seen)
    spots = {
        point.kernel.name: (
            svg.LEFT + labels.WIDE * plot.x.place([point.kernel.intensity])[0],
            svg.TOP + labels.HIGH * (1 - plot.y.place([point.rate])[0]),
        )
        for point in seen
    }
    placed = {text: box for text, *box in boxes(plot) if text in spots}
    for name, box in placed.items():
        near = min(spots, key=lambda other: away(box, spots[other]))
        tied = [np.hypot(*(start - spots[name])) < 11 for start, _ in leaders(plot)]
        assert near == name or any(tied), (name, near)


def test_names_of_ceilings_stand_on_one_side_in_the_colours_of_their_lines():
    held = [Ceiling(name, 1e11 / by, "compute") for name, by in (("A", 2), ("B", 8), ("C", 16))]
    plot = roofline_plot([Roofline("toy", 1e11, 2e10, tuple(held))], measured=GEMM)
    lines = {mark.name: mark for mark in plot.marks if mark.style == "dashed"}
    notes = {note.text: note for note in plot.notes if note.text in lines}
    lifts = {round(notes[name].y / lines[name].y[0], 6) for name in "ABC"}
    assert len(lifts) == 1
    assert [notes[name].colour for name in "ABC"] == [lines[name].colour for name in "ABC"]
    assert len({mark.colour for mark in plot.marks if mark.name}) == len(plot.marks) - 1


def test_ceilings_are_drawn_where_they_are_below_the_roof():
    low, high = (mark for mark in roofline_plot([ROOF]).marks if mark.style == "dashed")
    assert list(low.y) == [2e10, 2e10]
    assert low.x[0] == 1
    assert list(high.y)[1] == pytest.approx(1e11)
    assert list(high.x)[1] == 12.5


def test_points_lie_on_the_roof_and_the_values_say_so():
    plot = roofline_plot([ROOF], KERNELS)
    dots = next(mark for mark in plot.marks if mark.name == "attainable")
    assert list(dots.y) == [float(ROOF.attainable(k.intensity)) for k in KERNELS]
    assert plot.values["toy: ridge point (FLOP/byte)"] == 5
    assert plot.values["triad: attainable (FLOP/s)"] == 2e10 / 16
    assert plot.says.startswith("toy, bound by memory: triad, SpMV")


def test_the_roof_bends_at_its_ridge():
    roof = roofline_plot([ROOF], KERNELS).marks[0]
    assert list(roof.x)[1] == 5
    assert list(roof.y)[1:] == [1e11, 1e11]


def test_a_measured_point_stands_at_its_rate_without_a_second_name():
    plot = roofline_plot([ROOF], KERNELS[:1], [MeasuredKernel(KERNELS[0], 9e8)])
    assert [note.text for note in plot.notes].count("triad") == 1
    assert list(plot.marks[-2].y) == [9e8]


def test_several_machines_share_the_axes():
    names = ("h200-sxm-141gb", "tpu-v5e")
    roofs = [machine_roofline(machines.get(name), "bf16") for name in names]
    plot = roofline_plot(roofs)
    assert [mark.name for mark in plot.marks if mark.name] == ["H200 bf16", "TPU v5e bf16"]
    assert "ridge point at 206 FLOP/byte" in plot.says


def test_fits_a_live_figure():
    def draw(bandwidth):
        return roofline_plot(
            [Roofline("toy", 1e11, bandwidth)], KERNELS, x=(0.01, 1000), y=(1e8, 1e12)
        )

    slider = live.Slider("Bandwidth", [1e10, 2e10, 4e10], unit="GB/s", scale=1e-9)
    shown = live.figure(draw, "A roofline.", "Rate against operational intensity", bandwidth=slider)
    assert "bound by memory" in shown.text


def test_refuses_what_cannot_be_drawn():
    with pytest.raises(ValueError, match="roofs must have at least one roofline"):
        roofline_plot([])
    with pytest.raises(ValueError, match="kernels must have operations to be drawn"):
        roofline_plot([ROOF], [intensity.stream_kernel("copy")])
    crowd = [Kernel(f"a kernel with a long name {i}", 1, 1) for i in range(60)]
    with pytest.raises(ValueError, match="labels must find a free place each, got none for"):
        roofline_plot([ROOF], crowd)
