"""Serving benchmarks: rates by Little's law, times in seconds, refusals by field."""

from __future__ import annotations

import json

import pytest

from perfmodel.readers.detect import detect
from perfmodel.readers.llm_benchmarks import is_serving, read_points, read_serving
from perfmodel.readers.refusal import UnreadableFileError

VLLM = {
    "date": "20260105-100000", "backend": "vllm", "num_prompts": 9, "max_concurrency": 4,
    "duration": 12.4, "completed": 8, "total_input_tokens": 4096, "total_output_tokens": 1024,
    "mean_ttft_ms": 310.0, "mean_tpot_ms": 22.1,
}  # fmt: skip
AIPERF = {
    "request_throughput": {"unit": "requests/sec", "avg": 2.0},
    "request_latency": {"unit": "ms", "avg": 3000.0},
    "request_count": {"unit": "requests", "avg": 20.0},
    "time_to_first_token": {"unit": "ms", "avg": 200.0},
    "inter_token_latency": {"unit": "ms", "avg": 20.0},
    "input_sequence_length": {"unit": "tokens", "avg": 500.0},
    "output_sequence_length": {"unit": "tokens", "avg": 141.0},
}
GUIDELLM = {
    "benchmarks": [
        {
            "metrics": {
                name: {"successful": {"mean": mean, "count": 30}}
                for name, mean in {
                    "requests_per_second": 2.0, "inter_token_latency_ms": 20.0,
                    "time_to_first_token_ms": 200.0, "prompt_token_count": 500.0,
                    "output_token_count": 141.0,
                }.items()
            }
        }
    ]
}  # fmt: skip


def written(folder, content):
    path = folder / "benchmark.json"
    path.write_text(json.dumps(content))
    return path


def test_sglang_is_not_vllm(tmp_path):
    """Its file has the concurrency, and no number of requests sent."""
    own = {"total_output_tokens_retokenized": 1020, "concurrency": 2.5}
    sent = {name: value for name, value in VLLM.items() if name != "num_prompts"}
    found = read_serving(written(tmp_path, sent | own))
    assert found.format == "SGLang bench_serving"
    assert found.mean_concurrency == pytest.approx(2.5)
    assert any("how many requests failed" in trap for trap in found.traps)


def test_vllm(tmp_path):
    """8 requests of 0.31 + 127 x 0.0221 s in 12.4 s: two at once, not the four allowed."""
    found = read_serving(written(tmp_path, VLLM))
    assert (found.format, found.completed) == ("vLLM bench serve", 8)
    assert (found.prompt, found.output) == (512, 128)
    assert found.time_per_token == pytest.approx(0.0221)
    assert found.mean_concurrency == pytest.approx(8 * (0.31 + 127 * 0.0221) / 12.4)
    assert any("though 4 were allowed" in trap for trap in found.traps)
    assert any("1 requests failed" in trap for trap in found.traps)


PRINTED = """INFO: starting
============ Serving Benchmark Result ============
Successful requests:                     8
Failed requests:                         1
Maximum request concurrency:             4
Benchmark duration (s):                  12.40
Total input tokens:                      4096
Total generated tokens:                  1024
Output token throughput (tok/s):         82.58
---------------Time to First Token----------------
Mean TTFT (ms):                          310.00
P99 TTFT (ms):                           400.10
-----Time per Output Token (excl. 1st token)------
Mean TPOT (ms):                          22.10
==================================================
"""


def test_a_printed_table_is_the_same_run_as_its_json(tmp_path):
    """A log with the tables of two runs; the second is SGLang's."""
    path = tmp_path / "log.txt"
    own = "Total generated tokens (retokenized):    1020\nConcurrency:   2.50\nMean TTFT"
    second = PRINTED.replace("Maximum request concurrency:             4", "Max request "
                             "concurrency:      not set").replace("Mean TTFT", own)  # fmt: skip
    path.write_text(PRINTED + second)
    assert detect(path) == "serving benchmark's table"
    first, sglang = read_points(path)
    assert first == read_serving(written(tmp_path, VLLM))
    assert (sglang.format, sglang.mean_concurrency) == ("SGLang bench_serving", 2.5)
    path.write_text(PRINTED.replace("Mean TPOT", "Mean tokens"))
    with pytest.raises(UnreadableFileError, match="line 2: the table has no row Mean TPOT"):
        read_points(path)


def test_a_file_of_several_runs_is_all_of_them(tmp_path):
    """guidellm lists its rates, SGLang adds a line for each run."""
    runs = GUIDELLM | {"benchmarks": GUIDELLM["benchmarks"] * 3}
    assert [one.output for one in read_points(written(tmp_path, runs))] == [141] * 3
    path = tmp_path / "sglang.jsonl"
    path.write_text(json.dumps(VLLM) + "\n" + json.dumps(VLLM | {"mean_tpot_ms": 30.0}) + "\n")
    assert [one.time_per_token for one in read_points(path)] == pytest.approx([0.0221, 0.03])


@pytest.mark.parametrize(("content", "name"), [(AIPERF, "aiperf"), (GUIDELLM, "guidellm")])
def test_others(content, name, tmp_path):
    found = read_serving(written(tmp_path, content))
    assert found.format == name
    assert (found.prompt, found.output) == (500, 141)
    assert found.time_per_token == pytest.approx(0.02)
    assert found.mean_concurrency == pytest.approx(6.0)
    assert is_serving(json.dumps(content))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"a": 1}, "no serving benchmark; read here: JSON of vLLM"),
        ([], "no serving benchmark"),
        (VLLM | {"completed": 0}, "completed is 0, not above 0"),
        (VLLM | {"mean_tpot_ms": "fast"}, "lacks or misnames 'mean_tpot_ms'"),
        ({k: v for k, v in VLLM.items() if k != "duration"}, "lacks or misnames 'duration'"),
        (AIPERF | {"inter_token_latency": {"unit": "ticks", "avg": 1}}, "the unit of inter_token"),
        ({"benchmarks": GUIDELLM["benchmarks"] * 2}, "the file holds 2 benchmarks"),
    ],
)
def test_refuses(content, message, tmp_path):
    with pytest.raises(UnreadableFileError, match=message):
        read_serving(written(tmp_path, content))
    assert not is_serving("a,b")
