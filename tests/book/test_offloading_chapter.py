"""The chapter on offloading: what it shows, and that it doesn't depend on what a solver returns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from perfcourse.book import sources
from perfmodel import live
from perfmodel.offloading import best_placement, link_times, placement_time
from tests.book.asking import recorder

CHAPTER = Path(__file__).parents[2] / "book" / "offloading.md"
CELLS = [c.source for c in sources.read(CHAPTER).cells if c.cell_type == "code"]
PLACING = slice(
    next(i for i, source in enumerate(CELLS) if "def offload(" in source),
    next(i for i, source in enumerate(CELLS) if "GOOD" in source) + 1,
)


@pytest.fixture
def run(monkeypatch):
    """Return a function that runs cells, and gives their names and what was shown or asked."""

    def running(cells, **names):
        shown = []
        for name in ("table", "says", "predict", "choose", "question"):
            monkeypatch.setattr(live, name, recorder(shown, name))
        for name in ("figure", "drawing", "quiz"):
            monkeypatch.setattr(live, name, lambda *_, **__: None)
        for source in cells:
            exec(source, names)
            names.update({key: names["_forced"][key] for key in names.get("_forced", {})})
        return names, shown

    return running


def placing(run, **forced):
    """Return names and shown of the cells on placement, some names put in the place of others."""
    first = next(source for source in CELLS if "BATCH, CONTEXT" in source)
    return run([CELLS[0], first, *CELLS[PLACING]], _forced=forced)


@pytest.mark.parametrize("cached", [0.0, 0.25, 0.6])
def test_what_is_shown_of_a_placement_is_the_same_for_another_optimum(run, cached):
    """The solver may put caches in the place of weights, as long as nobody waits for the link."""
    names, shown = placing(run)
    asked = []

    def other(problem):
        found = best_placement(problem)
        (weights, caches), (gpu, host, _) = problem.size[:, 0], problem.capacity
        held = np.array([(1 - cached) * gpu, cached * gpu])
        drive = np.array([weights + caches - gpu - host, 0])
        size = np.array([weights, caches])
        shares = np.stack([held, size - held - drive, drive], axis=1) / size[:, None]
        asked.append(shares)
        assert placement_time(problem, shares) == pytest.approx(found.time, rel=1e-9)
        return replace(found, fractions=shares, link_times=link_times(problem, shares))

    again, other_shown = placing(run, best_placement=other)
    assert len(asked) == 1
    assert len(shown) > 3
    assert other_shown == shown
    assert again["best"].used == pytest.approx(names["best"].used)


def test_placements_by_hand_fill_the_tiers_as_the_program_does(run):
    names, _ = placing(run)
    assert names["GOOD"].tolist() == [True, True, True, False]
    for shares in names["HAND"]:
        assert shares.sum(axis=1) == pytest.approx(1)
        assert (shares >= 0).all()
        filled = (names["today"].size * shares).sum(axis=0)
        assert filled == pytest.approx(names["best"].used)
    assert link_times(names["today"], names["HAND"][3])[1] > names["best"].time


def test_no_less_weights_in_the_gpu_than_said(run):
    names, _ = placing(run)
    gpu = names["GPU"]
    for more, good in ((0.01e9, True), (-0.01e9, False)):
        held = 1e9 * names["NEEDED"] + more
        shares = names["by_hand"]([held, gpu - held], [names["REST"], 0])
        assert np.isclose(placement_time(names["today"], shares), names["best"].time) == good


def test_answers_are_those_of_the_models(run):
    _, shown = run(CELLS)
    asked = {args[0]: args for kind, args in shown if kind in ("predict", "choose")}
    assert asked["offloading-cache"][3] == "0 %"
    assert asked["offloading-cache"][2] == ["about 99 %", "about 50 %", "0 %"]
    answers = [args[2] for kind, args in shown if kind == "question"]
    assert answers[:2] == ["a faster link", "two"]
    assert answers[3:] == pytest.approx([4000, 10])


def test_experts_by_hand(run):
    """Cached 3, 1, 2 by 1.5 ms; the host would do 5 by 1.8, the GPU 6 by 2.0; then 6 and 4."""
    cells = [source for source in CELLS if "HostDeviceJobs" in source or "PLACED" in source]
    cells += [source for source in CELLS if "BEFORE_IT" in source]
    _, shown = run([CELLS[0], *cells])
    ways, steps, said = (args for _, args in shown)
    assert [row[2] for row in ways[1]] == ["3.00", "6.80", "2.50", "2.50"]
    assert [row[1:] for row in steps[1]] == [
        (3, "GPU", "", "0.0", "0.5"),
        (1, "GPU", "", "0.5", "1.0"),
        (2, "GPU", "", "1.0", "1.5"),
        (5, "host", "", "0.0", "1.8"),
        (6, "GPU", "0.4", "1.5", "2.0"),
        (4, "GPU", "0.8", "2.0", "2.5"),
    ]
    assert "expert 5, which it would finish at 0.8 + 1 = 1.8 ms." in said[0]
    assert "next offer is expert 6. It would finish at 2.0 ms" in said[0]
    assert said[0].endswith("the layer is finished at 2.5 ms.")
