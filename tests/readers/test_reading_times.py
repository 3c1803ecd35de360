import json
from pathlib import Path

import numpy as np
import pytest

from perfmodel.readers.detect import detect
from perfmodel.readers.refusal import UnreadableFileError
from perfmodel.readers.timing import FORMATS, read_timing

SAMPLES = Path(__file__).parent / "samples"


def read(name, **options):
    path = SAMPLES / name
    return read_timing(path, detect(path), **options)


def test_hyperfine_keeps_every_run_in_its_order():
    first = read("hyperfine.json").series[0]
    assert first.name == "./sorter --threads 1"
    assert first.samples[:2].tolist() == [1.281568868, 1.297850832]


def test_hyperfine_csv_has_no_runs_and_says_so():
    found = read("hyperfine.csv")
    assert found.series[0].samples is None
    assert found.series[0].count is None
    assert "--export-json" in found.traps[0]


@pytest.mark.parametrize("name", ["gbench.csv", "gbench-plain.csv"])
def test_google_benchmark_csv_keeps_repetitions_and_drops_aggregates(name):
    found = read(name)
    assert [one.name for one in found.series[:2]] == ["BM_Sum/1024", "BM_Sum/2048"]
    assert found.series[0].samples == pytest.approx([257.9482e-9, 254.6637e-9, 259.4182e-9])


def test_google_benchmark_reads_the_cpu_time_if_asked():
    assert read("gbench.json", field="cpu_time").series[0].samples == pytest.approx([256e-9] * 3)


def test_google_benchmark_aggregates_stay_aggregates(tmp_path):
    rows = [
        {"name": f"a_{kind}", "run_name": "a", "run_type": "aggregate", "aggregate_name": kind}
        | {"repetitions": 5, "real_time": value, "cpu_time": 1.0, "time_unit": "us"}
        for kind, value in (("mean", 4.0), ("median", 3.0), ("stddev", 1.0), ("cv", 0.25))
    ]
    path = tmp_path / "aggregates.json"
    path.write_text(json.dumps({"context": {}, "benchmarks": rows}))
    (found,) = read_timing(path, detect(path)).series
    assert (found.name, found.samples, found.count) == ("a", None, 5)
    assert [found.mean, found.median, found.stddev] == pytest.approx([4e-6, 3e-6, 1e-6])


def test_a_unit_that_is_unknown_is_refused(tmp_path):
    path = tmp_path / "unit.csv"
    path.write_text((SAMPLES / "gbench-plain.csv").read_text().replace(",ns,", ",ticks,"))
    with pytest.raises(UnreadableFileError, match=r"unit.csv, line 2: time_unit is 'ticks'"):
        read_timing(path, detect(path))


def test_pyperf_gives_one_sample_a_process():
    (found,) = read("pyperf.json").series
    assert found.name == "sort"
    assert found.samples == pytest.approx([0.011, 0.011, 0.012])


def test_pyperf_of_bytes_is_refused(tmp_path):
    path = tmp_path / "memory.json"
    path.write_text((SAMPLES / "pyperf.json").read_text().replace('"second"', '"byte"'))
    with pytest.raises(UnreadableFileError, match="measured in byte"):
        read_timing(path, detect(path))


def test_pytest_benchmark_has_rounds_or_their_summary():
    summary, rounds = read("pytest-benchmark.json").series
    assert (summary.count, summary.samples) == (16, None)
    assert rounds.samples.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("value", ["-1.0", "0", "NaN", '"1"', "true", "null", "Infinity"])
def test_a_time_that_is_none_is_refused(tmp_path, value):
    path = tmp_path / "bad.json"
    path.write_text((SAMPLES / "hyperfine.json").read_text().replace("1.281568868", value))
    with pytest.raises(UnreadableFileError, match="no time above 0"):
        read_timing(path, detect(path))


@pytest.mark.parametrize("value", ["1e400", "Infinity", "null"])
def test_a_count_of_rounds_that_is_none_is_refused(tmp_path, value):
    path = tmp_path / "bad.json"
    text = (SAMPLES / "pytest-benchmark.json").read_text()
    path.write_text(text.replace('"rounds": 16', f'"rounds": {value}'))
    with pytest.raises(UnreadableFileError, match="lacks something or holds no number"):
        read_timing(path, detect(path))


def test_every_format_has_a_sample():
    found = {detect(path) for path in SAMPLES.iterdir() if path.suffix in (".json", ".csv")}
    assert set(FORMATS) <= found


def test_samples_are_arrays_of_floats():
    assert read("gbench.json").series[0].samples.dtype == np.float64


def test_a_benchmark_without_a_name_is_refused(tmp_path):
    path = tmp_path / "nameless.json"
    path.write_text((SAMPLES / "gbench.json").read_text().replace('"BM_Sum/2048"', "5"))
    with pytest.raises(UnreadableFileError, match="called 5, which is no text"):
        read_timing(path, detect(path))
