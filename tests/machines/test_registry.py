"""The registry's figures: found, missing, sourced, plausible against each other."""

import math

import pandas as pd
import pytest

from perfmodel import machines
from perfmodel.machines.machine import PRECISIONS, Machine, MachineFigure


@pytest.fixture(autouse=True)
def no_own_machine(tmp_path, monkeypatch):
    monkeypatch.setenv("PERFMODEL_MACHINES_DIR", str(tmp_path / "machines"))


def every_figure():
    for name in machines.ids():
        for quantity, figure in machines.get(name).figures.items():
            yield machines.get(name), quantity, figure


class TestLookUp:
    def test_values_are_in_si_units(self):
        h200 = machines.get("h200-sxm-141gb")
        assert h200.memory_bandwidth == 4.8e12
        assert h200.memory_capacity == 141 * 2**30
        assert h200.power_limit == 700
        assert h200.peak("bf16") == 989e12
        assert machines.get("v100-sxm2-32gb").last_level_cache == 6 * 2**20

    def test_memory_is_what_the_chips_hold(self):
        """A card sold with 24 GB has 24 GiB: 25.8e9 bytes. A measured machine has any number."""
        assert machines.get("rtx-4090").memory_capacity == 24 * 2**30
        found = [f for _, q, f in every_figure() if q == "memory_capacity" and f.kind == "vendor"]
        assert len(found) > 30
        assert [one.value for one in found if one.value % 2**30] == []
        assert all("sold as" in one.note for one in found)

    def test_peak_takes_the_faster_unit_unless_told(self):
        h100 = machines.get("h100-sxm5-80gb")
        assert h100.peak("fp64") == 67e12
        assert h100.peak("fp64", "vector") == 34e12
        assert h100.peak_quantity("fp64") == "peak_fp64_matrix"

    @pytest.mark.parametrize(
        ("name", "quantity"), [("a64fx", "power_limit"), ("apple-m4-max", "peak_fp32")]
    )
    def test_a_missing_figure_names_machine_and_quantity(self, name, quantity):
        with pytest.raises(ValueError, match=f"{name} has no {quantity}"):
            machines.get(name).value(quantity)

    def test_a_misspelt_figure_is_answered_with_the_near_one(self):
        with pytest.raises(ValueError, match="did you mean memory_bandwidth"):
            machines.get("t4").value("memory_bandwith")

    def test_missing_peak_and_bad_arguments(self):
        with pytest.raises(ValueError, match="v100-sxm2-32gb has no peak_fp8"):
            machines.get("v100-sxm2-32gb").peak("fp8")
        with pytest.raises(ValueError, match="precision must be one of .*, got 'fp13'"):
            machines.get("t4").peak("fp13")
        with pytest.raises(ValueError, match="unit must be any, vector or matrix, got 'tensor'"):
            machines.get("t4").peak("fp16", "tensor")

    @pytest.mark.parametrize(
        ("asked", "near"), [("h200", "h200-sxm-141gb"), ("H100", "h100-sxm5"), ("a10", "a100")]
    )
    def test_unknown_id_is_answered_with_near_ones(self, asked, near):
        with pytest.raises(ValueError, match=f"got '{asked}'; near: {near}"):
            machines.get(asked)

    def test_hopeless_id_lists_all(self):
        with pytest.raises(ValueError, match="v100-sxm2-32gb, .*, example-2vcpu"):
            machines.get("~~~~")


class TestFigures:
    def test_every_machine_has_some_and_every_figure_a_source(self):
        assert all(machines.get(name).figures for name in machines.ids())
        for machine, quantity, figure in every_figure():
            assert figure.source, machine.id
            assert figure.unit == machines.QUANTITIES[quantity]
            assert math.isfinite(figure.value)
            assert not (figure.verified and "from memory" in figure.source), machine.id
            assert not (figure.verified and "unverified" in figure.note), machine.id

    def test_source_says_what_is_not_verified(self):
        assert "not verified" in machines.get("rtx-3090").source("host_link_one_way")
        assert "not verified" not in machines.get("h200-sxm-141gb").source("memory_bandwidth")

    def test_what_was_reached_stays_below_its_ceiling(self):
        for machine, quantity, figure in every_figure():
            if quantity == "reached_bf16_matrix":
                assert 0.4 < figure.value / machine.peak("bf16") < 1, machine.id
            if quantity == "reached_copy_bandwidth":
                assert 0.4 < figure.value / machine.memory_bandwidth < 1, machine.id

    def test_lower_precision_is_never_slower(self):
        for name in machines.ids():
            order = [f"peak_{p}_matrix" for p in PRECISIONS if p not in ("fp32", "int8")]
            peaks = [machines.get(name).value(q) for q in order if machines.get(name).has(q)]
            assert peaks == sorted(peaks), name

    def test_arithmetic_peaks_are_whole_operations_per_cycle(self):
        for machine, quantity, figure in every_figure():
            if quantity in ("peak_fp64", "peak_fp32") and machine.kind == "cpu":
                per_cycle = figure.value / machine.clock / machine.compute_units
                assert math.isclose(per_cycle, round(per_cycle), rel_tol=0.005), machine.id

    def test_bad_figures_are_refused(self):
        with pytest.raises(ValueError, match="source must say something"):
            MachineFigure(1, "W", "vendor", " ", "2026", True)
        with pytest.raises(ValueError, match="low and high must enclose the value 3"):
            MachineFigure(3, "W", "measured", "meter", "2026", True, low=1, high=2)
        with pytest.raises(ValueError, match="low and high must enclose"):
            MachineFigure(3, "W", "measured", "meter", "2026", True, low=1)

    def test_id_must_be_fit_for_a_file_name(self):
        with pytest.raises(ValueError, match="id must be lower-case words with hyphens"):
            Machine("../x", "x", {})


class TestTables:
    def test_table_is_blank_where_a_figure_is_unknown(self):
        table = machines.table()
        assert list(table.index) == machines.ids()
        assert table.loc["t4", "memory_bandwidth"] == 320e9
        assert pd.isna(table.loc["a64fx", "power_limit"])
        assert not (table.select_dtypes("number") == 0).any().any()

    def test_table_of_an_unknown_quantity(self):
        with pytest.raises(ValueError, match="quantities must be among .*, got 'colour'"):
            machines.table(["colour"])

    def test_figures_has_a_row_a_value(self):
        frame = machines.figures()
        assert len(frame) == sum(1 for _ in every_figure())
        assert not frame.duplicated(["machine", "quantity"]).any()
        assert {"unit", "kind", "source", "date", "verified"} <= set(frame.columns)

    @pytest.mark.parametrize(
        ("name", "quantity", "text"),
        [
            ("h200-sxm-141gb", "memory_bandwidth", "4.8 TB/s"),
            ("rtx-3090", "host_link_one_way", "31.5 GB/s†"),
            ("epyc-9654", "clock", "2.4 GHz"),
            ("a100-sxm4-80gb", "last_level_cache", "40 MiB"),
            ("a100-sxm4-80gb", "compute_units", "108"),
            ("tpu-v5e", "peak_int8_matrix", "393 TOP/s"),
        ],
    )
    def test_shown_has_a_unit_and_a_dagger_where_not_verified(self, name, quantity, text):
        assert machines.shown(machines.get(name), quantity) == text
