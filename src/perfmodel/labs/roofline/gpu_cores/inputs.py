"""Sizes and latencies of modern GPU cores.

Huerta, Abaie Shoushtary, Cruz and Gonzalez, "Dissecting and modeling the architecture of modern GPU
cores", MICRO 2025, DOI 10.1145/3725843.3756041.
"""

from __future__ import annotations

REGISTER_FILE_BITS = 256 * 1024 * 8
"""The register file of a multiprocessor: 65,536 registers of 32 bits."""

TRACKED_REGISTERS = 255 + 63 + 7 + 7
"""Registers of a warp that a scoreboard must know: regular, uniform, two kinds of predicates."""

CONTROL_BITS = 6 * 6 + 4 + 1
"""Bits of a warp with compiler-set control bits: six counters of six bits, stall count, yield."""

PATH_BITS = 512
"""Width of the path on which words come back to the registers, bits a cycle."""

ONE_WORD_CYCLES = {
    "latency of a global load, uniform address": 29,
    "latency of a global load": 32,
    "time to read a global store's operands, uniform address": 10,
    "time to read a global store's operands": 14,
    "time to read a shared store's operands, uniform address": 10,
    "time to read a shared store's operands": 12,
    "latency of a shared load, uniform address": 23,
    "latency of a shared load": 24,
}
"""Cycles of an access of 32 bits a thread, Table 2."""
