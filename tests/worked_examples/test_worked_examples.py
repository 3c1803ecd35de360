"""Worked examples: two a chapter, right by hand, and each mistake told apart from the answer."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from perfmodel.live import Problem, SolutionLine, WorkedExample, worked

TOPICS = (
    "measurement",
    "scaling",
    "roofline",
    "queueing",
    "communication",
    "offloading",
    "serving",
    "prediction",
    "forecasting",
    "benchmarking",
)
BOOK = Path(__file__).parents[2] / "book"
BY_HAND = {
    "measurement-bytes-moved": (8 * 4 * 50, 8 * 4 * 30 / 80),
    "measurement-in-flight": (12 * 100, 16 * 120 / 64),
    "scaling-fixed-work": (0.8 * 60 / 8, 10 + 190 / 10),
    "scaling-peak-users": (30, 70 / (1 + 0.02 * 69 + 0.0002 * 70 * 69)),
    "roofline-attainable-rate": (3 / 40, 6 / 48 * 120),
    "roofline-time-and-energy": (0.9, 4 + 8 + 50 * 0.8),
    "queueing-mean-wait": (5 * 0.1, 0.8 / 0.2 * 3 * 0.02),
    "queueing-closed-response": (90 / 6, 300 / 20 - 12),
    "communication-ring-time": (2 * 7 / 8 * 40, 30 * 0.020 + 2 * 15 / 16 * 20 / 25),
    "communication-bubble": (15, 100 * 5 / 17),
    "offloading-memory-needed": (
        2 * 2 * 40 * 5120 * 8 * 4000 / 1e9,
        2 * 68.977 + 2 * 2 * 80 * 8 * 128 * 128 * 2500 / 1e9,
    ),
    "offloading-chunked-step": (6 / 3, 30 + 20 / 5),
    "serving-slots": (500 + 300, 54_000 / (0.8 * 500)),
    "serving-speculation": (
        1 + 0.7 + 0.49 + 0.343,
        (1 + 0.6 + 0.36 + 0.216 + 0.1296 + 0.07776) / 1.5,
    ),
    "prediction-percentage-error": (50 + 10 + 10, (50 + 25 + 25) / 3),
    "prediction-power-law": (1.5, 8 * 3**3),
    "forecasting-above-floor": (1 / 3, 1.5 + 1 / 4),
    "forecasting-split-compute": (4000**0.5, 20 * 20),
    "benchmarking-mean-speedup": (0.5 * 4 * 6, 3),
    "benchmarking-passing": (5 * 4 / 2, 1 - 4 / 20),
}
"""What the gap and the last problem ask for, from their numbers with a pencil."""


def examples(topic: str) -> list[WorkedExample]:
    module = importlib.import_module(f"perfmodel.worked_examples.{topic}")
    return [thing for thing in vars(module).values() if isinstance(thing, WorkedExample)]


EXAMPLES = {example.key: example for topic in TOPICS for example in examples(topic)}


@pytest.mark.parametrize("topic", TOPICS)
def test_each_chapter_shows_its_two(topic: str) -> None:
    assert [example.key.startswith(f"{topic}-") for example in examples(topic)] == [True, True]
    module = importlib.import_module(f"perfmodel.worked_examples.{topic}")
    named = {name for name, thing in vars(module).items() if isinstance(thing, WorkedExample)}
    shown = re.findall(r"^live\.worked\((\w+)\)$", (BOOK / f"{topic}.md").read_text("utf-8"), re.M)
    assert sorted(shown) == sorted(named)


@pytest.mark.parametrize("key", EXAMPLES)
def test_gap_and_last_answer_are_right_by_hand(key: str) -> None:
    example = EXAMPLES[key]
    _, gap, alone = example.problems()
    by_hand = pytest.approx(BY_HAND[key], rel=1e-3)
    assert (gap.lines[example.gap].value, alone.lines[-1].value) == by_hand


@pytest.mark.parametrize("key", EXAMPLES)
def test_three_sets_of_numbers_differ_and_every_reply_is_a_sentence(key: str) -> None:
    problems = EXAMPLES[key].problems()
    assert len({problem.text for problem in problems}) == 3
    assert len({problem.lines[-1].shown for problem in problems}) == 3
    for problem in problems:
        assert problem.text.endswith("?")
        for reply in (reply for line in problem.lines for reply in line.mistakes):
            assert reply[0].isupper()
            assert reply.endswith(".")


def test_a_mistake_as_large_as_the_answer_is_refused() -> None:
    def half(whole: float) -> Problem:
        line = SolutionLine("Half", "", whole / 2, "s", {"No.": whole / 2 * 1.01})
        return Problem("Half?", [line])

    with pytest.raises(ValueError, match=r"must differ by more than 4%, got 1 and 1.01"):
        worked(WorkedExample("half", half, 0, {"whole": 2}, {"whole": 2}, {"whole": 2}))


def test_an_answer_without_any_mistake_is_refused() -> None:
    def half(whole: float) -> Problem:
        return Problem("Half?", [SolutionLine("Half", "", whole / 2)])

    with pytest.raises(ValueError, match="must be one or more, got none"):
        worked(WorkedExample("half", half, 0, {"whole": 2}, {"whole": 2}, {"whole": 2}))
