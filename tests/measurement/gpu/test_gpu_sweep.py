"""Sweeps and recordings of a GPU: written once, finished later, never mixed."""

import json

import pandas as pd
import pytest

from perfmodel import machines
from perfmodel.measurement.errors import CorruptFileError
from perfmodel.measurement.gpu import products, record, recorded
from perfmodel.measurement.gpu.simulated import SimulatedGpu
from perfmodel.measurement.gpu.timing import Watch

SHAPES = [(16, 32, 64), (1024, 1024, 1024), (17, 5000, 3)]
QUICK = {"runs": 2, "seconds": 1e-5}


def swept(path, report=lambda fraction: None):
    watch = Watch(SimulatedGpu(), lambda: {"power": 300.0})
    return products.sweep(watch, SHAPES, ["fp32", "bf16"], path, report=report, **QUICK)


def test_a_row_for_each_shape_and_precision(tmp_path):
    fractions = []
    table = swept(tmp_path / "sweep.csv", report=fractions.append)
    assert list(table.columns) == [*products.COLUMNS, "power"]
    assert len(table) == 6
    assert fractions[-1] == 1
    assert fractions == sorted(fractions)
    large = table[(table["m"] == 1024) & (table["precision"] == "bf16")].iloc[0]
    assert large["flop"] / large["best_seconds"] == pytest.approx(200e12)
    assert large["least_bytes"] == 6 << 20


def test_a_sweep_that_was_cut_off_goes_on(tmp_path, monkeypatch):
    path = tmp_path / "sweep.csv"
    before = swept(path)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:4]) + lines[4][:9])
    asked = []
    real = products.product
    monkeypatch.setattr(
        products, "product", lambda watch, *case: asked.append(case[:2]) or real(watch, *case)
    )
    after = swept(path)
    assert len(asked) == 3
    pd.testing.assert_frame_equal(after, before, rtol=1e-9)


def test_another_file_is_left_alone(tmp_path):
    path = tmp_path / "sweep.csv"
    path.write_text("name,price\nbread,3")
    with pytest.raises(ValueError, match=r"path must be a sweep with columns m, .* got .*price"):
        swept(path)
    assert path.read_text() == "name,price\nbread,3"


def recorded_of_gpu_sweep(folder, **given):
    made = {"count": 4, "sizes": (1 << 16, 1 << 30, 1 << 34), **QUICK, **given}
    return record.record(SimulatedGpu(), folder, **made)


def test_a_recording_is_read_back_with_its_provenance(tmp_path):
    result = record.load(recorded_of_gpu_sweep(tmp_path / "gpu"))
    assert set(result) == {"products", "bandwidth", "launches"}
    assert set(result["products"]["precision"]) == {"bf16", "fp32", "tf32"}
    assert len(result["products"]) == 12
    assert set(result["bandwidth"]["size"]) == {1 << 16, 1 << 30, 64 << 20}
    assert {"launch", "launch and wait", "null kernel", "peak fp32"} <= set(
        result["launches"]["name"]
    )
    about = result["products"].attrs
    assert about["gpu"]["name"] == "simulated GPU"
    (session,) = about["sessions"]
    assert {"host", "versions", "date"} <= set(session["provenance"])
    assert {"sm_clock", "power", "reasons"} <= set(result["products"].columns)


def test_a_recording_of_another_gpu_is_not_mixed_in(tmp_path):
    folder = recorded_of_gpu_sweep(tmp_path / "gpu")
    about = json.loads((folder / "about.json").read_text())
    about["gpu"]["name"] = "another"
    (folder / "about.json").write_text(json.dumps(about))
    with pytest.raises(ValueError, match="hold a recording with the same gpu, got .*another"):
        recorded_of_gpu_sweep(folder)


def test_other_settings_are_not_mixed_in_and_a_whole_recording_is_kept(tmp_path):
    folder = recorded_of_gpu_sweep(tmp_path / "gpu")
    before = (folder / "about.json").read_text()
    with pytest.raises(ValueError, match="a recording with the same settings, got .*'shapes': 4"):
        recorded_of_gpu_sweep(folder, count=5)
    recorded_of_gpu_sweep(folder)
    assert (folder / "about.json").read_text() == before


def test_half_a_recording_is_refused_and_can_be_finished(tmp_path, monkeypatch):
    folder = tmp_path / "gpu"

    def stop(*given):
        raise KeyboardInterrupt

    with monkeypatch.context() as cut:
        cut.setattr(products, "_row", stop)
        with pytest.raises(KeyboardInterrupt):
            recorded_of_gpu_sweep(folder)
    with pytest.raises(CorruptFileError, match="was cut off: record into it again"):
        record.load(folder)
    result = record.load(recorded_of_gpu_sweep(folder))["products"]
    assert len(result) == 12
    assert len(result.attrs["sessions"]) == 2


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
