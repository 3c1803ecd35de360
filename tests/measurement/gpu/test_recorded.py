"""The recorded H100: beside its data sheet, and what the chapter says of it."""

import pytest

from perfmodel import machines
from perfmodel.measurement.gpu import recorded

OURS, SHEET = recorded.h100(), machines.get("h100-sxm5-80gb")
CEILINGS = {
    "memory_bandwidth": "memory_bandwidth",
    "copy_bandwidth": "memory_bandwidth",
    "peak_fp64": "peak_fp64",
    "peak_fp32": "peak_fp32",
    "gemm_fp32": "peak_fp32",
    **{f"gemm_{p}": f"peak_{p}_matrix" for p in ("fp64", "tf32", "fp16", "bf16")},
}


@pytest.mark.parametrize("quantity", CEILINGS)
def test_nothing_passes_the_data_sheet_and_all_comes_near(quantity):
    assert 0.75 < OURS.value(quantity) / SHEET.value(CEILINGS[quantity]) < 1


def test_every_measured_capacity_has_an_interval():
    capacities = [item for name, item in OURS.figures.items() if name in CEILINGS]
    assert all(item.low < item.value < item.high for item in capacities)


def test_what_the_chapter_says_of_it():
    assert OURS.value("gemm_fp64") > 1.5 * OURS.value("peak_fp64")
    assert OURS.value("vector_fp16") == pytest.approx(OURS.value("peak_fp32"), rel=0.02)
    sizes = {p: OURS.figure(f"gemm_{p}").note for p in ("fp64", "tf32", "fp16", "bf16")}
    assert all(" 2048 x" in note or " 4096 x" in note for note in sizes.values())
    assert "power cap" in OURS.note
    fractions = [OURS.value(f"gemm_{p}") / SHEET.value(CEILINGS[f"gemm_{p}"]) for p in sizes]
    assert 0.75 < min(fractions) <= max(fractions) < 0.9


def test_its_size_is_the_registers():
    assert OURS.value("compute_units") == SHEET.value("compute_units")
    assert OURS.value("last_level_cache") == SHEET.value("last_level_cache")
