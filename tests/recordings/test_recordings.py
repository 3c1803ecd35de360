"""Recordings of machines: enough of them, each with its source, and none out of the range."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import perfmodel.recordings
from perfmodel import live, machines
from perfmodel.recordings import RECORDED, recorded, value_of

RANGES = {
    "triad_cpu": (5e9, 2e12),
    "triad_gpu": (1e10, 1e13),
    "linpack": (1e8, 1e13),
    "linpack_efficiency": (1e7, 1e11),
    "memory_latency": (1e-8, 1e-6),
    "core_to_core": (5e-9, 1e-6),
    "bf16_products": (1e13, 1e16),
}
"""Where values can lie on today's machines, in SI units: a wrong unit falls out."""


@pytest.mark.parametrize("name", RECORDED)
def test_eight_machines_or_more_each_with_a_source(name: str) -> None:
    recordings = recorded(name).recordings
    assert len(recordings) >= 8
    assert len({(r.machine, r.value) for r in recordings}) >= len(recordings) - 1
    low, high = RANGES[name]
    for recording in recordings:
        assert low < recording.value < high, recording
        assert "github.com/" in recording.source or "own" in recording.source or recording.note


def test_every_table_has_its_source_commit_and_licence() -> None:
    folder = Path(perfmodel.recordings.__file__).parent
    told = (folder / "README.md").read_text("utf-8")
    for path in folder.glob("*.csv"):
        line = next(line for line in told.splitlines() if line.startswith(f"| `{path.name}`"))
        assert re.search(r"(MIT|BSD 3-Clause), Copyright", line)
        assert "github.com/" in line
    assert "Permission is hereby granted, free of charge" in told
    assert "Redistribution and use in source and binary forms" in told


def test_values_agree_with_what_the_sources_print() -> None:
    triads = {r.machine: r.value for r in recorded("triad_cpu").recordings}
    assert triads["2 × Xeon Platinum 8176 (Skylake)"] == pytest.approx(206_991.23e6, rel=1e-3)
    times = {r.machine: r.value for r in recorded("core_to_core").recordings}
    printed = {"AMD Ryzen 9 7950X": 68, "AMD EPYC 7773X": 115, "Intel Core i7-6700K": 20}
    for machine, nanoseconds in printed.items():
        assert round(1e9 * times[machine]) == pytest.approx(nanoseconds, abs=1)
    per_watt = {r.machine: r.value for r in recorded("linpack_efficiency").recordings}
    assert per_watt["Raspberry Pi 4 (BCM2711)"] == pytest.approx(1.65e9, rel=3e-3)


def test_only_a_measured_figure_counts_as_a_machines_own() -> None:
    quantity = recorded("triad_cpu")
    assert value_of(machines.get("example-2vcpu"), quantity) == pytest.approx(69.9e9)
    assert value_of(machines.get("v100-sxm2-32gb"), quantity) is None


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(ValueError, match="name must be one of triad_cpu"):
        live.gallery("nothing")
