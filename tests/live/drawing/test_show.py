"""The call that shows a drawing: a still or states, and what it refuses."""

from __future__ import annotations

import json
import re

import pytest

from perfmodel import live
from perfmodel.live.drawing import Box, Scene, Text

ALT = "A row of boxes, one for each job"


def row(jobs=2, label=""):
    boxes = [Box(10 + 40 * i, 10, 30, 30, label) for i in range(jobs)]
    return Scene(50, boxes, f"{jobs} jobs are inside.", {"jobs": jobs})


def test_still_is_a_figure_without_controls_or_script():
    still = live.drawing(row, "Jobs.", ALT)
    assert still.text == "2 jobs are inside."
    assert f'aria-label="{ALT}"' in still.html
    assert "<script" not in still.html
    assert "<figcaption>Jobs.</figcaption>" in still.html


def test_states_hold_the_markup_of_every_place_in_order():
    shown = live.drawing(
        row,
        "Jobs.",
        ALT,
        jobs=live.Slider("Jobs", [1, 2, 3]),
        label=live.Options("Labels", {"none": "", "letters": "j"}),
    )
    states = json.loads(re.search(r"<script[^>]*>(.*)</script>", shown.html)[1])
    expected = [row(jobs, label) for jobs in (1, 2, 3) for label in ("", "j")]
    assert states == [[scene.markup(), scene.says] for scene in expected]
    assert shown.text == "2 jobs are inside."
    assert "<th" in shown.html


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda step: "a drawing", "draw must return a Scene, got str"),
        (
            lambda step: Scene(30, [Text("out", 359, 15)], "It is out.", {"x": 1}),
            "outside the sheet",
        ),
        (lambda step: Scene(30 + step, [], "It grows.", {"x": 1}), "keep its height"),
        (lambda step: Scene(30, [], "It is named.", {f"x{step}": 1}), "name the same values"),
    ],
)
def test_what_cannot_be_shown_is_refused(draw, message):
    with pytest.raises(ValueError, match=message):
        live.drawing(draw, "No.", ALT, step=live.Slider("Step", [0, 1]))


def test_short_alt_and_a_third_control_are_refused():
    with pytest.raises(ValueError, match="alt"):
        live.drawing(row, "Jobs.", "boxes")
    step = live.Slider("Step", [0, 1])
    with pytest.raises(ValueError, match="two at most, got 3"):
        live.drawing(lambda a, b, c: row(), "Jobs.", ALT, a=step, b=step, c=step)


def test_too_heavy_a_drawing_is_refused_with_its_weight():
    def many(step):
        boxes = [Box(5 + (i * step) % 340, 5 + i % 280, 1 + i % 7, 2) for i in range(400)]
        return Scene(300, boxes, f"{step} is the step.", {"step": step})

    with pytest.raises(ValueError, match="below 30,000 bytes compressed"):
        live.drawing(many, "Many.", ALT, step=live.Slider("Step", [*range(1, 41)]))
