"""Numbers and units as text, and printed amounts back as numbers."""

import math
import subprocess
import sys

import pytest
from hypothesis import given, strategies as st

from perfmodel.units import amount, prefixed


@pytest.mark.parametrize(
    ("printed", "value", "unit", "half_unit"),
    [
        ("853", 853, "1", 0.5),
        ("15.10 ms", 0.0151, "s", 5e-6),
        ("-0.2", -0.2, "1", 0.05),
        ("38.38 %", 0.3838, "1", 5e-5),
        ("1e6", 1e6, "1", 5e5),
        ("222e3", 222_000, "1", 500),
        ("1,015,701 h", 1_015_701 * 3600, "s", 1800),
        ("900 GB/s", 9e11, "bytes/s", 5e8),
        ("14.8 GiB", 14.8 * 2**30, "bytes", 0.05 * 2**30),
        ("6168.094 GFLOP/s", 6168.094e9, "FLOP/s", 5e5),
        ("87.9 MFLOP/s/W", 87.9e6, "FLOP/s/W", 5e4),
        ("3.5 mWh", 12.6, "J", 0.18),
        ("1.9 GHz", 1.9e9, "1/s", 5e7),
        ("4 µs", 4e-6, "s", 5e-7),
        ("4 us", 4e-6, "s", 5e-7),
        ("5 min", 300, "s", 30),
        ("13 cycles", 13, "cycles", 0.5),
        ("2.6 kg", 2.6, "kg", 0.05),
        (".5", 0.5, "1", 0.05),
    ],
)
def test_printed_amounts(printed, value, unit, half_unit):
    shown = amount(printed)
    assert shown.value == pytest.approx(value, rel=1e-12)
    assert shown.unit == unit
    assert shown.half_unit == pytest.approx(half_unit, rel=1e-12)
    assert shown.scale * float(printed.split()[0].replace(",", "")) == pytest.approx(value)


@pytest.mark.parametrize("printed", ["", "fast", "nan", "inf", "4ms", "1.2.3", "ms 4", "4 "])
def test_what_is_no_amount_is_refused(printed):
    with pytest.raises(ValueError, match="printed must be a number with or without a unit"):
        amount(printed)


@given(st.floats(1e-8, 1e18))
def test_a_prefix_leaves_one_to_999_and_reads_back(value):
    text = prefixed(value, "bytes", digits=6)
    assert 1 <= float(text.split()[0]) < 1000
    assert amount(text).value == pytest.approx(value, rel=1e-5)


def test_what_has_no_prefix():
    assert prefixed(0.0, "s") == "0 s"
    assert prefixed(math.inf, "s") == "inf s"
    assert prefixed(1e-12, "s") == "0.001 ns"


def test_needs_no_other_module_of_ours_and_no_library():
    code = "import sys; import perfmodel.units; print([m for m in sys.modules if m[:5] in HEAVY])"
    code = code.replace("HEAVY", "('numpy', 'panda', 'IPyth', 'anywi', 'scipy')")
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


@pytest.mark.parametrize("printed", ["1,5 MB", "12,34 s", "1,5,000", "1,5e3", ",5", "1234,567"])
def test_a_decimal_comma_is_no_amount(printed):
    with pytest.raises(ValueError, match="must be a number"):
        amount(printed)
