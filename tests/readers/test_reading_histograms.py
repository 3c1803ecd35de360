import json
from math import inf
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.readers.detect import detect
from perfmodel.readers.histograms import Histogram, read_histogram
from perfmodel.readers.refusal import UnreadableFileError

SAMPLES = Path(__file__).parent / "samples"
PROM = SAMPLES / "requests.prom"


def read(path):
    return read_histogram(path, detect(path))


def test_prometheus_is_summed_over_its_labels():
    found = read(PROM)
    assert found.edges == (0.1, 0.5, 1.0)
    assert found.counts == (900, 150, 40, 10)
    assert found.total == 125


def test_one_of_several_is_chosen_by_a_part_of_its_name(tmp_path):
    """As vLLM names its metrics, with a colon."""
    path = tmp_path / "metrics.prom"
    first = PROM.read_text().replace("http_request_duration", "vllm:time_to_first_token")
    path.write_text(first + PROM.read_text().replace("http_request", "vllm:queue"))
    found = read_histogram(path, detect(path), "first_token")
    assert found.name == "vllm:time_to_first_token_seconds"
    assert (found.counts, found.total) == (read(PROM).counts, 125)
    with pytest.raises(UnreadableFileError, match="it holds 2 histograms: vllm:queue_duration_sec"):
        read(path)
    with pytest.raises(UnreadableFileError, match="holds 'itl'; there are vllm:queue_duration_sec"):
        read_histogram(path, detect(path), "itl")


def test_opentelemetrys_default_edges_put_all_seconds_into_one_bucket():
    found = read(SAMPLES / "otel-default-bounds.json")
    assert found.quantile_bounds(0.01) == found.quantile_bounds(0.99) == (0.0, 5.0)
    assert any("one bucket" in trap for trap in found.traps)


@given(st.lists(st.floats(0.001, 100), min_size=1, max_size=50), st.floats(0.01, 0.99))
def test_the_bucket_holds_the_sample_quantile(times, level):
    edges = (0.01, 0.1, 1.0, 10.0)
    counts = np.bincount(np.searchsorted(edges, times), minlength=5)
    low, high = Histogram("t", edges, tuple(counts.tolist()), None, ()).quantile_bounds(level)
    value = np.quantile(times, level, method="inverted_cdf")
    assert low <= value + 1e-12
    assert value <= high + 1e-12


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('le="+Inf"', 'le="2"', "has no bucket le"),
        ("duration_seconds", "duration", "states no unit of time"),
        ("duration_seconds", "size_bytes", "is in bytes; export times"),
        ("} 990", "} 9x0", "line 5: '9x0' is no number"),
        ("} 950", "} 1950", "the buckets of http_request_duration_seconds fall"),
        ('"/list",le', '"/list",ge', "line 9: the bucket has no le"),
    ],
)
def test_a_damaged_histogram_is_refused(old, new, told, tmp_path):
    path = tmp_path / "requests.prom"
    path.write_text(PROM.read_text().replace(old, new))
    with pytest.raises(UnreadableFileError, match=told):
        read(path)


@pytest.mark.parametrize(
    ("old", "new", "line"), [("0,", "", ""), ("4,", '"four",', ", line [0-9]+")]
)
def test_damaged_counts_of_opentelemetry_are_refused(old, new, line, tmp_path):
    path = tmp_path / "otel.json"
    start, counts, end = (
        (SAMPLES / "otel-default-bounds.json").read_text().partition('"bucket_counts": [')
    )
    path.write_text(start + counts + end.replace(old, new, 1))
    with pytest.raises(UnreadableFileError, match=f"otel.json{line}: the OpenTelemetry histogram"):
        read(path)


def test_two_histograms_are_refused(tmp_path):
    path = tmp_path / "two.prom"
    path.write_text(PROM.read_text() + PROM.read_text().replace("http", "rpc"))
    with pytest.raises(UnreadableFileError, match="it holds 2 histograms: http"):
        read(path)


def test_labels_may_hold_braces(tmp_path):
    """Routes such as /items/{id} stand in quotation marks; no series may be passed over."""
    path = tmp_path / "requests.prom"
    path.write_text(PROM.read_text().replace('"/list"', '"/items/{id}\\"}"'))
    assert path.read_text() != PROM.read_text()
    assert read(path) == read(PROM)


def test_the_last_bucket_has_no_end():
    assert read(PROM).quantile_bounds(0.999) == (1.0, inf)


BUCKETS = (("0.1", 24_000), ("0.25", 24_050), ("1", 24_054), ("+Inf", 24_054))
NATIVE = "{count:12, sum:0.6, [0.015625,0.03125):3, [0.0625,0.125):9}"


def query(*results, kind="vector"):
    return json.dumps({"status": "success", "data": {"resultType": kind, "result": list(results)}})


def test_an_answer_of_prometheus_is_a_histogram(tmp_path):
    """Buckets of two instances, and a native histogram, as /api/v1/query gives them."""
    name, file = "t_seconds_bucket", tmp_path / "query.json"
    file.write_text(
        query(
            *(
                {"metric": {"__name__": name, "le": le, "instance": host}, "value": [0, str(n)]}
                for le, n in BUCKETS
                for host in "ab"
            )
        )
    )
    found = read_histogram(file, detect(file))
    assert (found.name, found.edges, found.counts) == (
        "t_seconds", (0.1, 0.25, 1.0), (48_000, 100, 8, 0),
    )  # fmt: skip
    cells = [[0, "0.015625", "0.03125", "3"], [0, "0.0625", "0.125", "9"]]
    histogram = [0, {"count": "12", "sum": "0.6", "buckets": cells}]
    file.write_text(query({"metric": {"__name__": "t_seconds"}, "histogram": histogram}))
    native = read_histogram(file, detect(file))
    file.write_text(f"t_seconds {NATIVE} @[1700000000]\n")
    assert read_histogram(file, detect(file)) == native
    assert (native.count, native.total) == (12, 0.6)
    assert native.quantile_bounds(0.2) == (0.015625, 0.03125)
    assert native.quantile_bounds(0.5) == (0.0625, 0.125)


def test_a_native_histogram_may_count_zeros(tmp_path):
    file = tmp_path / "native.txt"
    file.write_text("t_seconds {count:5, sum:0.4, [-0.001,0.001]:2, (0.0625,0.125]:3}\n")
    found = read(file)
    assert (found.edges, found.counts) == ((0.001, 0.0625, 0.125), (2, 0, 3, 0))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            f"t_seconds {NATIVE}\nt_seconds {{count:1, sum:0.1, (0.0625,0.09]:1}}",
            "t_seconds have buckets of different widths",
        ),
        (query(kind="matrix"), "query one instant"),
        (query(), "it holds no histogram; query or export"),
        (query({"metric": {}, "histogram": [0, {"sum": "1", "buckets": []}]}), "no unit of time"),
        (f"requests {NATIVE}", "requests states no unit of time"),
    ],
)
def test_a_query_that_is_no_histogram_of_times_is_refused(tmp_path, text, told):
    file = tmp_path / "query.json"
    file.write_text(text)
    with pytest.raises(UnreadableFileError, match=told):
        read_histogram(file, detect(file))
