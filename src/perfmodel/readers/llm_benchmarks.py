"""What a serving benchmark measured: vLLM, SGLang, aiperf and guidellm.

JSON of each, and the tables that vLLM and SGLang print.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from perfmodel.readers.refusal import UnreadableFileError, json_of, text_of
from perfmodel.readers.tables import read_table

_TITLE = "= Serving Benchmark Result ="
_PRINTED = {
    "Successful requests": "completed",
    "Failed requests": "failed",
    "Benchmark duration (s)": "duration",
    "Total input tokens": "total_input_tokens",
    "Total generated tokens": "total_output_tokens",
    "Total generated tokens (retokenized)": "total_output_tokens_retokenized",
    "Maximum request concurrency": "max_concurrency",
    "Max request concurrency": "max_concurrency",
    "Concurrency": "concurrency",
    "Mean TTFT (ms)": "mean_ttft_ms",
    "Mean TPOT (ms)": "mean_tpot_ms",
}
"""Rows of the printed tables by the names of the same numbers in JSON."""


@dataclass(frozen=True)
class ServingBenchmark:
    """One run of a benchmark against a server, in seconds and tokens."""

    format: str
    completed: int
    duration: float
    prompt: float
    """Mean tokens of a prompt."""
    output: float
    """Mean generated tokens of a request."""
    time_per_token: float
    """Mean seconds between tokens after the first."""
    time_to_first_token: float | None
    """Mean seconds."""
    mean_concurrency: float
    """Requests that ran at once, on average over the run."""
    traps: tuple[str, ...]


def read_serving(path: Path | str) -> ServingBenchmark:
    """Return what a serving benchmark's JSON holds.

    Raises `UnreadableFileError` if it is of none of the four tools, lacks a field, or no request
    was completed.
    """
    return _read(path, json_of(path))


def _read(path: Path | str, content: Any) -> ServingBenchmark:
    if isinstance(content, dict):
        for matches, read in _READERS.values():
            if matches(content):
                try:
                    return read(Path(path), content)
                except (ArithmeticError, KeyError, TypeError, IndexError) as error:
                    what = f"the benchmark lacks or misnames {error}"
                    cure = "write the file again with the tool, unchanged"
                    raise UnreadableFileError(path, None, what, cure) from None
    cure = (
        "read here: JSON of vLLM bench serve (--save-result), SGLang bench_serving, aiperf and "
        "guidellm, and the tables that the first two print"
    )
    raise UnreadableFileError(path, None, "no serving benchmark", cure)


def read_points(path: Path | str) -> tuple[ServingBenchmark, ...]:
    """Return the runs of a CSV file, of printed tables, or of a benchmark's JSON.

    SGLang adds a line of JSON for each run, and guidellm writes a list of runs.

    The CSV has the columns `concurrency`, `prompt`, `output` (tokens) and `time_per_token`, the
    last with a unit, as in `time_per_token_ms`.

    Raises `UnreadableFileError` as `read_serving` does, or if the table lacks a column or a unit.
    """
    path = Path(path)
    if path.suffix.lower() != ".csv":
        text = text_of(path)
        if _TITLE in text:
            return _tables(path, text)
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) > 1 and all(is_serving(line) for line in lines):
            return tuple(_read(path, json.loads(line)) for line in lines)
        content = json_of(path)
        if isinstance(content, dict) and _READERS["guidellm"][0](content):
            runs = content["benchmarks"]
            return tuple(_read(path, content | {"benchmarks": [run]}) for run in runs)
        return (_read(path, content),)
    table = read_table(path)
    counts = [table.numbers(name)[0] for name in ("concurrency", "prompt", "output")]
    times, _ = table.numbers("time_per_token", "s")
    return tuple(
        ServingBenchmark(
            "table", 1, float("nan"), float(prompt), float(output),
            _number(path, "time_per_token", float(time)), None,
            _number(path, "concurrency", float(running)), (),
        )
        for running, prompt, output, time in zip(*counts, times, strict=True)
    )  # fmt: skip


def _tables(path: Path, text: str) -> tuple[ServingBenchmark, ...]:
    """Return the runs whose tables a log holds, in their order."""
    found = []
    lines = text.splitlines()
    for start in (i for i, line in enumerate(lines) if _TITLE in line):
        content: dict[str, Any] = {}
        for line in lines[start + 1 :]:
            if line.startswith("====="):
                break
            name, _, value = line.rpartition(":")
            try:
                content[_PRINTED[name.strip()]] = float(value)
            except (KeyError, ValueError):
                continue
        content["num_prompts"] = content.get("completed", 0.0) + content.pop("failed", 0.0)
        try:
            found.append(_vllm(path, content))
        except KeyError as error:
            row = next((row for row, name in _PRINTED.items() if name in error.args), error)
            what = f"the table has no row {row}"
            cure = "keep the whole table, or give the JSON of --save-result or --output-file"
            raise UnreadableFileError(path, start + 1, what, cure) from None
    return tuple(found)


def is_serving(text: str) -> bool:
    """Return whether a text is a serving benchmark's JSON."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError:
        return False
    return isinstance(content, dict) and any(matches(content) for matches, _ in _READERS.values())


def _number(path: Path, name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise KeyError(name)
    if not isfinite(value) or value <= 0:
        what, cure = f"{name} is {value!r}, not above 0", "run the benchmark again"
        raise UnreadableFileError(path, None, what, cure)
    return float(value)


def _vllm(path: Path, content: Mapping[str, Any]) -> ServingBenchmark:
    done = int(_number(path, "completed", content["completed"]))
    duration = _number(path, "duration", content["duration"])
    token = _number(path, "mean_tpot_ms", content["mean_tpot_ms"]) / 1e3
    first = _number(path, "mean_ttft_ms", content["mean_ttft_ms"]) / 1e3
    prompt = _number(path, "total_input_tokens", content["total_input_tokens"]) / done
    output = _number(path, "total_output_tokens", content["total_output_tokens"]) / done
    allowed = content.get("max_concurrency")
    sglang = "total_output_tokens_retokenized" in content
    traps = [
        "SGLang's TPOT is a mean over requests, first token left out."
        if sglang
        else "vLLM's TPOT is a mean over requests, first token left out; its ITL counts chunks, "
        "which hold several tokens under speculative decoding.",
    ]
    running = done * (first + max(output - 1, 0.0) * token) / duration
    if sglang:
        running = _number(path, "concurrency", content["concurrency"])
        traps.append("SGLang's file doesn't say how many requests failed; they are in no mean.")
    if isinstance(allowed, int | float) and running < 0.8 * allowed:
        traps.append(
            f"{running:.2g} requests ran at once on average, by Little's law, though "
            f"{allowed:g} were allowed: the run was too short to fill them."
        )
    if failed := int(content.get("num_prompts", done)) - done:
        traps.append(f"{failed} requests failed and are in no mean.")
    return ServingBenchmark(
        "SGLang bench_serving" if sglang else "vLLM bench serve", done, duration, prompt, output,
        token, first, max(running, 1.0), tuple(traps),
    )  # fmt: skip


def _aiperf(path: Path, content: Mapping[str, Any]) -> ServingBenchmark:
    def mean(name: str, *units: str) -> float:
        entry = content[name]
        if entry.get("unit") not in units:
            what = f"the unit of {name} is {entry.get('unit')!r}"
            raise UnreadableFileError(path, None, what, f"known: {', '.join(units)}")
        scale = {"ms": 1e-3, "us": 1e-6, "ns": 1e-9}.get(entry["unit"], 1.0)
        return _number(path, name, entry["avg"]) * scale

    times = ("ms", "us", "ns", "s", "sec")
    token, first = mean("inter_token_latency", *times), mean("time_to_first_token", *times)
    latency = mean("request_latency", *times)
    rate = mean("request_throughput", "requests/sec")
    done = int(_number(path, "request_count", content["request_count"]["avg"]))
    return ServingBenchmark(
        "aiperf", done, done / rate, mean("input_sequence_length", "tokens"),
        mean("output_sequence_length", "tokens"), token, first, max(rate * latency, 1.0),
        ("aiperf's inter-token latency is a mean over requests, first token left out.",),
    )  # fmt: skip


def _guidellm(path: Path, content: Mapping[str, Any]) -> ServingBenchmark:
    runs = content["benchmarks"]
    if len(runs) != 1:
        what = f"the file holds {len(runs)} benchmarks"
        raise UnreadableFileError(path, None, what, "give a file with one rate")
    metrics = runs[0]["metrics"]

    def mean(name: str) -> float:
        return _number(path, name, metrics[name]["successful"]["mean"])

    token, first = mean("inter_token_latency_ms") / 1e3, mean("time_to_first_token_ms") / 1e3
    rate = mean("requests_per_second")
    done = int(_number(path, "count", metrics["time_to_first_token_ms"]["successful"]["count"]))
    output = mean("output_token_count")
    running = rate * (first + max(output - 1, 0.0) * token)
    return ServingBenchmark(
        "guidellm", done, done / rate, mean("prompt_token_count"), output, token, first,
        max(running, 1.0),
        ("guidellm's inter-token latency leaves the first token out; its time per output token "
         "counts it.",),
    )  # fmt: skip


_READERS: dict[
    str,
    tuple[
        Callable[[Mapping[str, Any]], bool], Callable[[Path, Mapping[str, Any]], ServingBenchmark]
    ],
] = {
    "vLLM bench serve and SGLang bench_serving": (lambda content: "mean_tpot_ms" in content, _vllm),
    "aiperf": (
        lambda content: {"inter_token_latency", "request_throughput"} <= set(content), _aiperf
    ),
    "guidellm": (
        lambda content: isinstance(content.get("benchmarks"), list)
        and bool(content["benchmarks"])
        and isinstance(content["benchmarks"][0], dict)
        and "inter_token_latency_ms" in (content["benchmarks"][0].get("metrics") or {}),
        _guidellm,
    ),
}  # fmt: skip

FORMATS: dict[str, Callable[[str], bool]] = {
    "serving benchmark JSON": is_serving,
    "serving benchmark's table": lambda text: _TITLE in text,
}
"""Each format and the test of a file's text."""
