import numpy as np
import pytest

from perfmodel.labs.offloading.cxl_alloc import tasks


def small_number_under_the_root(w, m, v, g):
    m[:] = 0.9 * m + 0.1 * g
    v[:] = 0.95 * v + 0.05 * g * g
    w -= 1e-4 * m / np.sqrt(v + 1e-8)
    return w


def no_small_number(w, m, v, g):
    m[:] = 0.9 * m + 0.1 * g
    v[:] = 0.95 * v + 0.05 * g * g
    w -= 1e-4 * m / np.sqrt(v)
    return w


def gradient_overwritten(w, m, v, g):
    m *= 0.9
    g *= 0.1
    m += g
    v *= 0.95
    v += 0.05 * g * g
    w -= 1e-4 * m / (np.sqrt(v) + 1e-8)
    return w


@pytest.mark.parametrize(
    ("slip", "said"),
    [
        (small_number_under_the_root, "not under it"),
        (no_small_number, "Where is the 1e-8"),
        (gradient_overwritten, "before its square is taken"),
    ],
)
def test_slips_of_an_adam_step_in_place_are_named(slip, said):
    outcome = tasks.quick_adam.results.judge(slip)
    assert outcome.state == "wrong"
    assert said in outcome.said


@pytest.mark.parametrize(
    ("task", "answer", "said"),
    [
        (tasks.stays, lambda parameters, budget: (budget - 12 * parameters) / 2, "not of what is"),
        (tasks.stays, lambda parameters, budget: budget - 16 * parameters, "are the fourth"),
        (tasks.page_share, lambda dram, cxl, cards: dram / (cards * cxl), "a share of 4/5"),
        (tasks.page_share, lambda dram, cxl, cards: 1 - cxl / dram, "the sum of all rates"),
        (tasks.ratio, lambda share, update: share * (update - 1) / (1 - share), "Multiply out"),
    ],
)
def test_usual_first_answers_are_told_what_they_are(task, answer, said):
    assert said in task.judge(answer).said
