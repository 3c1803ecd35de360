"""A scene finds what can't be read before anyone looks at it."""

from __future__ import annotations

from hypothesis import given, strategies as st

from perfmodel.live.drawing import (
    WIDTH,
    Area,
    Box,
    Cells,
    Circle,
    Line,
    Queue,
    Scale,
    Scene,
    Server,
    Text,
)
from perfmodel.live.drawing.chart import stairs

places = st.floats(min_value=60, max_value=200)
sizes = st.floats(min_value=4, max_value=60)


def faults(*shapes):
    return Scene(300, shapes, "One thing is drawn.", {"things": 1}).faults()


def test_what_lies_apart_inside_the_sheet_is_without_fault():
    assert faults(Box(10, 10, 60, 30, "CPU"), Text("memory", 180, 100), Circle(300, 200, 20)) == []


def test_shape_outside_the_sheet_is_named_with_its_place():
    (fault,) = faults(Line([(10, 10), (WIDTH + 20, 10)]))
    assert "(10, 10) to (380, 10)" in fault


def test_texts_on_one_another_are_named():
    assert faults(Text("left", 100, 100), Text("right", 110, 104)) == [
        "texts overlap: 'left' and 'right'"
    ]


def test_label_wider_than_its_box_is_named():
    found = faults(Box(100, 100, 30, 20, "a long label"))
    assert "'a long label' doesn't fit in its Box" in found


@given(across=st.floats(min_value=-1, max_value=1), turn=st.booleans())
def test_line_through_a_text_is_found_from_any_side(across, turn):
    ways = [(150, 100 + 20 * across), (210, 100 - 20 * across)]
    line = Line(ways[::-1] if turn else ways)
    assert faults(Text("struck through", 180, 100), line) == [
        "a line runs through 'struck through'"
    ]
    assert faults(Text("words below", 180, 150), line) == []


def test_thin_line_is_paper_and_may_run_behind_words():
    assert faults(Text("on a grid", 180, 100), Line([(10, 100), (350, 100)], style="thin")) == []


@given(places, places, sizes, sizes)
def test_area_of_a_rectangle_is_width_times_height(x, y, width, height):
    corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
    assert abs(Area(corners).size - width * height) < 1e-6


@given(places, places, st.integers(1, 6), st.integers(0, 6))
def test_queue_holds_its_jobs_at_the_end_where_they_are_served(x, y, places, jobs):
    jobs = min(jobs, places)
    boxes = Queue(x, y, places, [str(i) for i in range(jobs)]).parts
    assert len(boxes) == places
    assert [box.label for box in boxes if box.label] == [str(i) for i in reversed(range(jobs))]
    assert all(box.fill == "solid" for box in boxes[places - jobs :])
    assert all(box.fill == "none" for box in boxes[: places - jobs])


@given(st.floats(min_value=0, max_value=1))
def test_server_is_filled_to_its_utilization(utilization):
    parts = Server(100, 100, 20, "disk", utilization).parts
    filled = [part.height for part in parts if isinstance(part, Box)]
    assert abs(sum(filled) - 40 * utilization) < 1e-9


def test_cells_are_filled_where_they_are_named():
    cells = Cells(10, 10, 2, 3, 20, {(1, 2): (1, "solid")}, [(0, 0)])
    (box,) = [part for part in cells.parts if isinstance(part, Box)]
    assert box.frame == (51, 31, 69, 49)
    assert any(isinstance(part, Line) and part.style == "thick" for part in cells.parts)


@given(
    st.floats(min_value=-1e3, max_value=1e3),
    st.floats(min_value=0.1, max_value=1e3),
    st.floats(min_value=0, max_value=1),
)
def test_scale_keeps_lengths_wherever_they_lie(low, span, share):
    scale = Scale(low, low + span, 20, 340)
    at = low + share * span
    assert abs(scale(at) - (20 + share * 320)) < 1e-6
    assert abs(scale.length(share * span) - share * 320) < 1e-6
    assert all(low - 1e-6 <= tick <= low + span + 1e-6 for tick in scale.ticks())


@given(st.lists(st.integers(0, 5), min_size=2, max_size=12))
def test_stairs_enclose_the_sum_of_their_steps(heights):
    across, up = Scale(0, len(heights), 0, 10 * len(heights)), Scale(0, 5, 50, 0)
    path = stairs(list(range(len(heights) + 1)), [*heights, 0], across, up)
    closed = [(across(0), up(0)), *path, (path[-1][0], up(0))]
    assert abs(Area(closed).size - 100 * sum(heights)) < 1e-6


def test_words_are_written_so_that_the_page_shows_them_as_they_are():
    markup = Scene(40, [Text("a < b & c", 180, 20)], "It is so.", {"b": 1}).markup()
    assert "a &lt; b &amp; c" in markup


def test_hatching_stays_inside_its_shape():
    strokes = Circle(100, 100, 20, fill="hatch").elements()[1].d
    ends = [(step.x, step.y) for step in strokes]
    assert len(ends) > 8
    assert all((x - 100) ** 2 + (y - 100) ** 2 <= 20.2**2 for x, y in ends)
