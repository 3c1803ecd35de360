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


def test_go_gives_a_time_for_each_run(tmp_path):
    found = read("go-bench.txt")
    assert [one.name for one in found.series] == [
        "example.com/x BenchmarkEncode-8",
        "example.com/x BenchmarkSum/n=10-8",
    ]
    assert found.series[0].samples == pytest.approx([983.241e-6, 981.1e-6])
    assert any("-count=10" in trap for trap in found.traps)
    path = tmp_path / "bench.txt"
    path.write_text((SAMPLES / "go-bench.txt").read_text().replace("130.5", "130,5"))
    with pytest.raises(UnreadableFileError, match=r"bench.txt, line 7: '130,5' is no number"):
        read_timing(path, "Go benchmark")


def test_jmh_gives_a_time_for_each_fork_and_turns_rates_round(tmp_path):
    times, rates = read("jmh.json").series
    assert times.name == rates.name == "org.example.Sum.all n=9"
    assert times.samples == pytest.approx([2e-6, 5e-6])
    assert rates.samples == pytest.approx([1e-4, 5e-5])
    path = tmp_path / "jmh.json"
    path.write_text((SAMPLES / "jmh.json").read_text().replace('"avgt"', '"sample"'))
    with pytest.raises(
        UnreadableFileError, match="is in us/op by mode sample; run it in mode avgt"
    ):
        read_timing(path, "JMH JSON")


def test_pyperf_gives_one_sample_a_process():
    (found,) = read("pyperf.json").series
    assert found.name == "sort"
    assert found.samples == pytest.approx([0.011, 0.011, 0.012])


def test_pytest_benchmark_has_rounds_or_their_summary():
    summary, rounds = read("pytest-benchmark.json").series
    assert (summary.count, summary.samples) == (16, None)
    assert rounds.samples.tolist() == [1.0, 2.0, 3.0]


NO_TIMES = ("-1.0", "0", "NaN", '"1"', "true", "null", "Infinity")
NO_COUNTS = ("1e400", "Infinity", "null")
DAMAGES = [
    ("gbench-plain.csv", ",ns,", ",ticks,", r"gbench-plain.csv, line 2: time_unit is 'ticks'"),
    ("gbench.json", '"BM_Sum/2048"', "5", "called 5, which is no text"),
    ("pyperf.json", '"second"', '"byte"', "measured in byte"),
    *(("hyperfine.json", "1.281568868", value, "no time above 0") for value in NO_TIMES),
    *(
        ("pytest-benchmark.json", '"rounds": 16', f'"rounds": {value}', "lacks something or holds")
        for value in NO_COUNTS
    ),
]


@pytest.mark.parametrize(("sample", "right", "wrong", "said"), DAMAGES)
def test_a_damaged_file_is_refused(tmp_path, sample, right, wrong, said):
    path = tmp_path / sample
    path.write_text((SAMPLES / sample).read_text().replace(right, wrong))
    with pytest.raises(UnreadableFileError, match=said):
        read_timing(path, detect(path))


def test_every_format_has_a_sample():
    found = {detect(path) for path in SAMPLES.iterdir() if path.is_file()}
    assert set(FORMATS) <= found


def test_samples_are_arrays_of_floats():
    assert read("gbench.json").series[0].samples.dtype == np.float64
