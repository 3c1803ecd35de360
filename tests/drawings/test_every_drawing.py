"""Every drawing in every state that a page may show: readable, told apart, of one size."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import partial
from itertools import product

import numpy as np
import pytest

from perfmodel import drawings, live
from perfmodel.live.drawing import WIDTH, Scene
from perfmodel.live.drawing.shapes import LETTER
from perfmodel.roofline import Roofline

PHONE = 328
"""CSS pixels that a page leaves for a figure on a screen 360 wide."""
TOUCHED = {"K": (0,), "QK": (0, 1), "SN": (1, 2), "A": (2,), "V": (2,)}
ISSUES = {
    n: [(cycle, cycle % max(n, 4)) for cycle in range(24) if cycle % max(n, 4) < n]
    for n in (1, 2, 4, 10)
}
RUNS = {"kernels": 8, "cost": 4e-6, "latency": 2e-6}


def launches(duration: float) -> Scene:
    came = RUNS["cost"] * np.arange(RUNS["kernels"])
    start = np.empty(came.size)
    free = 0.0
    for i, when in enumerate(came + RUNS["latency"]):
        start[i] = max(when, free)
        free = start[i] + duration
    return drawings.launch_timeline(came, start, start + duration, 80e-6)


def warps(warps: int, until: int) -> Scene:
    return drawings.warp_schedule(ISSUES[warps], until)


POLICIES = ["FCFS", "LCFS", "SJF", "PLCFS", "PSJF", "SRPT", "PS"]
LAPTOP = Roofline("laptop", peak=2e11, bandwidth=4e10)
STATES: dict[str, tuple[Callable[..., Scene], list[list[object]]]] = {
    "amdahl_bars": (drawings.amdahl_bars, [[0.0, 0.01, 0.1, 0.5, 1.0], [1, 2, 4, 8, 16, 32]]),
    "gustafson_bars": (drawings.gustafson_bars, [[0.0, 0.1, 0.5, 1.0], [1, 2, 4, 8, 16]]),
    "drifting_runs": (
        drawings.drifting_runs,
        [["AABB", "ABBA", "ABAB", "ABBABAAB"], [0.0, 0.02, 0.05, 0.1], [0.8, 0.95, 1.0]],
    ),
    "area_under_queue": (drawings.area_under_queue, [[1.0, 3.5, 4.5, 9.0, 10.0], POLICIES]),
    "residual_triangles": (drawings.residual_triangles, [[0.0, 0.5, 1.0, 1.5, 2.0]]),
    "cache_line_journey": (drawings.cache_line_journey, [["load", "store"], [*range(5)]]),
    "closed_network": (drawings.closed_network, [[1, 5, 10, 20, 40, 80, 200]]),
    "attention_passes": (partial(drawings.attention_passes, TOUCHED), [[*range(19)]]),
    "warp_schedule": (warps, [[1, 2, 4, 10], [1, 4, 9, 16, 24]]),
    "log_ruler": (drawings.log_ruler, [[0.0, 0.01, 0.1, 0.5, 1.0], [*range(3, 8)]]),
    "launch_timeline": (launches, [[1e-6, 3e-6, 4e-6, 6e-6, 9e-6]]),
    "batch_forming": (drawings.batch_forming, [[1, 2, 4, 8], [0.0, 0.5, 1.0, 2.0, 4.0]]),
    "batch_gantt": (drawings.batch_gantt, [drawings.GANTT_POLICIES, [1, 3, 6, 10, 13, 99]]),
    "checkpoint_timeline": (
        drawings.checkpoint_timeline,
        [[0.2, 0.25, 0.5, 1.0, 2.0, 4.0], [0.0, 0.05, 0.1, 0.25, 1.0]],
    ),
    "lru_stack": (drawings.lru_stack, [[*range(15)], [1, 2, 3, 4, 5]]),
    "memory_tiers": (
        drawings.memory_tiers,
        [["t4", "rtx-4090", "a100-sxm4-80gb", "h100-sxm5-80gb"], [7, 13, 30, 70, 175, 540, 1000]],
    ),
    "task_trace": (drawings.task_trace, [[1, 2, 3, 4]]),
    "roofline_pipes": (
        partial(drawings.roofline_pipes, LAPTOP),
        [[1 / 12, 1 / 4, 1.0, 4.0, 5.0, 10.0, 64.0]],
    ),
    "worker_messages": (drawings.worker_messages, [[*range(1, 17)], [0.0, 0.05, 0.2]]),
    "clock_ticks": (drawings.clock_ticks, [[0.1, 0.4, 1.0, 2.5, 7.3], [1, 4, 20]]),
    "queue_path": (drawings.queue_path, [[*range(1, 21)], [0.5, 0.8, 0.9]]),
    "table_split": (drawings.table_split, [["random", "larger", "unseen machine", "few-shot"]]),
    "tree_steps": (drawings.tree_steps, [[1, 2, 3, 4], [0.5, 1.0, 3.0]]),
    "tile_residency": (drawings.tile_residency, [[1, 2, 4, 8], [1, 5, 9, 16]]),
    "suite_mix": (drawings.suite_mix, [drawings.MIXES, [1.0, 2.0, 4.0, 16.0, 64.0]]),
    "service_order": (
        lambda policy, until: drawings.service_order(policy, until=until),
        [POLICIES, [0.5, 3.0, 7.0, 13.0, None]],
    ),
}


def scenes(name: str) -> list[Scene]:
    draw, values = STATES[name]
    return [draw(*state) for state in product(*values)]


def test_every_public_drawing_is_looked_at_here() -> None:
    returning = {
        name
        for name in drawings.__all__
        if callable(getattr(drawings, name))
        and inspect.signature(getattr(drawings, name)).return_annotation == "Scene"
    }
    assert returning == set(STATES)
    assert len(returning) >= 15


@pytest.mark.parametrize("name", STATES)
def test_every_state_can_be_read(name: str) -> None:
    for scene in scenes(name):
        assert scene.faults() == []
        assert LETTER * PHONE / WIDTH >= 11


@pytest.mark.parametrize("name", STATES)
def test_sheet_and_values_are_the_same_in_every_state(name: str) -> None:
    drawn = scenes(name)
    assert len({scene.height for scene in drawn}) == 1
    assert len({tuple(scene.values) for scene in drawn}) == 1
    assert drawn[0].height <= 1.1 * WIDTH


@pytest.mark.parametrize("name", STATES)
def test_every_state_says_one_of_its_values(name: str) -> None:
    for scene in scenes(name):
        assert 20 <= len(scene.says) <= 160
        assert scene.says.endswith(".")
        said = [float(n.replace(",", "")) for n in re.findall(r"\d[\d,]*\.?\d*", scene.says)]
        values = [abs(value) for value in dict(scene.values).values()]
        near = [n for n in said for v in values if abs(n - v) <= 0.006 * max(v, 1)]
        assert near, scene


@pytest.mark.parametrize("name", STATES)
def test_no_colour_stands_alone(name: str) -> None:
    """Filled shapes of two colours differ in their fill too, or are told apart by words."""
    for scene in scenes(name):
        markup = scene.markup()
        filled = set(re.findall(r'class="live-c(\d)[^>]*fill-opacity="([\d.]+)"', markup))
        looks = {opacity for _, opacity in filled} | {*re.findall("live-hatch", markup)}
        words = len(re.findall("<text", markup))
        assert len(looks) > 1 or len({colour for colour, _ in filled}) < 2 or words > 3


@pytest.mark.parametrize("name", STATES)
def test_it_is_shown_with_a_step_slider_within_the_weight(name: str) -> None:
    drawn = scenes(name)
    drawing = live.drawing(
        lambda step: drawn[step],
        "A mechanism.",
        "Shapes that show how the mechanism works",
        step=live.Slider("Step", [*range(min(len(drawn), 20))]),
    )
    assert drawing.text == drawn[min(len(drawn), 20) // 2].says
    assert '<svg class="live-scene"' in drawing.html
