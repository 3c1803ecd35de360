"""The exercise on the roofline: worked values and independent answers."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from solving import answer

from perfcourse.bank.loader import load
from perfcourse.judge import cases, parameters
from perfmodel.labs.roofline.energy_per_token.caps import CapModel
from perfmodel.roofline import intensity
from perfmodel.roofline.decoder import LLAMA_2_7B, decode_bytes

BANK = load(Path(__file__).parents[2] / "solutions" / "roofline.py")
STUDENTS = [f"student-{i}" for i in range(10)]
reference = partial(answer, BANK)


@pytest.mark.parametrize(
    ("id", "arguments", "by_hand"),
    [
        ("attainable", (2.0, 100.0, 25.0), 50.0),
        ("attainable", (8.0, 100.0, 25.0), 100.0),
        ("ridge", (100.0, 25.0, 8), 4.0),
        ("gemm_intensity", (64, 64, 8), 4.0),
        ("gemm_intensity", (64, 16, 8), 128 / (8 * (8 + 2))),
        ("block_side", (24 * 1024.0, 8), 32.0),
        ("cache_growth", (3.0,), 9.0),
        ("spmv", (10, 100, 1480.0), 200.0),
        ("decode", (8e9, 8.0, 10, 1000, 100_000, 12e9), 1.0),
        ("batch", (200e9, 50e9, 32.0), 8.0),
        ("flop_joules", (2.0, 1.0, 4.0, 10.0, 100.0, 10.0), 3.5),
        ("branches", (0.5, 5.0, 20.0, 0.42), 0.6 / 0.558),
    ],
)
def test_worked_values(id, arguments, by_hand):
    assert float(reference(id, *arguments)) == pytest.approx(by_hand)


def test_loops_by_hand():
    """A triad: two operations, two arrays read, one written, 8 bytes."""
    found = reference("loops", np.array([2]), np.array([2]), np.array([1]), 8)
    assert found.tolist() == [intensity.stream_kernel("triad").intensity]


def test_choices_by_hand():
    assert reference("bound", 100.0, 30.0, 10.0, 2.0) == ("memory", 15.0)
    assert reference("bound", 300.0, 30.0, 10.0, 2.0) == ("arithmetic", 30.0)
    assert reference("narrower", 1.0, 100.0, 10.0, 400.0) == ("memory", 2.0)
    assert reference("narrower", 50.0, 100.0, 10.0, 400.0) == ("arithmetic", 4.0)
    assert reference("narrower", 8.0, 100.0, 10.0, 120.0) == ("arithmetic", 1.5)


def test_talking_speed_agrees_with_the_package():
    m, context = LLAMA_2_7B, 32_768
    width = m.block.attention.kv_numbers // 2
    given = (m.streamed_parameters, 16.0, m.layers, width, context, 2e12)
    assert reference("decode", *given) == pytest.approx(2e12 / decode_bytes(m, 2, context))


@pytest.mark.parametrize("student", STUDENTS)
def test_heating_agrees_with_an_equation_solver(student):
    p = parameters("roofline", BANK.question("throttle"), student)

    def slope(_, now):
        return (p["power"] - (now - p["ambient"]) / p["resistance"]) / p["capacity"]

    def reached(_, now):
        return now[0] - p["limit_celsius"]

    reached.terminal = True
    solved = solve_ivp(slope, (0, 1e5), [p["ambient"]], events=reached, rtol=1e-9, atol=1e-9)
    assert solved.t_events[0][0] == pytest.approx(reference("throttle", *p.values()), rel=1e-5)


def test_energy_is_work_and_moving_and_being_on():
    """Worked out here once more, so that the reference isn't compared with itself."""
    for drawn in cases("roofline", BANK.question("flop_joules"), "ada", "secret"):
        i, flop, byte, static, peak, bandwidth = drawn.values()
        seconds = 1 / min(peak, i * bandwidth)
        expected = flop + byte / i + static * seconds
        assert float(reference("flop_joules", *drawn.values())) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({}, ""),
        ({"seconds": np.array([1e-3, 2e-3, 0.0, 4e-3, 5e-3])}, "above 0"),
        ({"bytes_moved": np.array([1.0, 2, 3, 4, 5])}, "a hundred times"),
        ({"seconds": np.array([5e-3, 4e-3, 3e-3, 2e-3, 1e-3])}, "take longer"),
    ],
)
def test_what_cannot_be_a_measurement_is_told_so(change, complaint):
    good = {
        "bytes_moved": np.array([1e4, 1e5, 1e6, 1e7, 1e8]),
        "seconds": np.array([1e-5, 3e-5, 3e-4, 3e-3, 3e-2]),
    }
    said = BANK.question("own_memory").plausible(**{**good, **change})
    assert (complaint in said) if complaint else said == ""


@pytest.mark.parametrize("student", ["ada", "ben", "cleo"])
def test_token_joules_are_those_of_the_amortised_step(student):
    p = parameters("roofline", BANK.question("token_joules"), student)
    small, large, few, many, new = p.values()
    fitted = np.linalg.solve([[1 / small, 1], [1 / large, 1]], [few, many])
    found = reference("token_joules", *p.values())
    assert [found["step"], found["floor"]] == pytest.approx(list(fitted))
    assert found["predicted"] == pytest.approx(fitted @ [1 / new, 1])


@pytest.mark.parametrize("student", ["ada", "ben", "cleo"])
def test_capped_energy_is_that_of_the_cap_model(student):
    p = parameters("roofline", BANK.question("capped"), student)
    power, static, clocked, cap = p.values()
    model = CapModel(1 - clocked, clocked * (power - static) ** (1 / 3), static)
    choice, ratio = reference("capped", *p.values())
    assert ratio == pytest.approx(cap * float(model.time(cap)) / (power * float(model.time(power))))
    assert choice == ("saves" if ratio < 1 else "costs")
