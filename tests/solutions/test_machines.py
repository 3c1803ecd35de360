"""Measured questions give full marks for a right answer, whatever machine it was measured on."""

from pathlib import Path

import numpy as np
import pytest

from perfcourse.bank.loader import load
from perfcourse.judge import judge

SOLUTIONS = Path(__file__).parents[2] / "solutions"

LAPTOP = {
    "overhead": 2e-6,
    "levels": {48e3: 60e9, 1.2e6: 35e9, 8e6: 20e9, np.inf: 10e9},
    "spread": 0.1,
}
SERVER = {
    "overhead": 3e-7,
    "levels": {32e3: 90e9, 1e6: 50e9, 256e6: 25e9, np.inf: 12e9},
    "spread": 0.004,
}
"""Two cores that other programs disturb, and one of 64 quiet cores whose cache holds every array:
seconds of a call, bytes/s by the working set that a level holds, scatter of a run."""


def transfers(machine, rng):
    moved = np.array([1e4, 1e5, 1e6, 1e7, 1e8])
    rates = [next(r for size, r in machine["levels"].items() if b <= size) for b in moved]
    best = np.abs(rng.normal(0, machine["spread"] / 5, moved.size))
    seconds = (machine["overhead"] + moved / rates) * (1 + best)
    return {"bytes_moved": moved, "seconds": seconds}


def pairs(machine, rng):
    shared = np.exp(rng.normal(0, machine["spread"], 20))
    own = np.exp(rng.normal(0, machine["spread"] / 4, (2, 20)))
    return {"first": 0.02 * shared * own[0], "second": 0.023 * shared * own[1]}


@pytest.mark.parametrize("machine", [LAPTOP, SERVER], ids=["2 cores", "64 cores"])
@pytest.mark.parametrize(
    ("topic", "id", "record"),
    [("roofline", "own_memory", transfers), ("measurement", "own_pairs", pairs)],
)
def test_full_marks_on_a_small_machine_and_on_a_large_one(topic, id, record, machine):
    question = load(SOLUTIONS / f"{topic}.py").question(id)
    for seed in range(20):
        measured = record(machine, np.random.default_rng(seed))
        answer = {**measured, "answer": question.reference(**measured)}
        found = judge(topic, question, answer, "ada")
        assert found.right, found.message
