"""What load generators print: ab, h2load, httperf, wrk, hey, k6, vegeta, loadtest."""

from __future__ import annotations

import re
from pathlib import Path

from perfmodel.readers.load_generators.steps import (
    K6_TRAPS,
    VEGETA_TRAPS,
    LoadStep,
    LoadTest,
    seconds,
)
from perfmodel.readers.refusal import UnreadableFileError, text_of


class Lines:
    """A tool's text, searched line by line."""

    def __init__(self, path: Path) -> None:
        self.path, self.lines = path, text_of(path).splitlines()

    def find(self, pattern: str, wanted: str) -> re.Match[str]:
        """Return the first match of a line, refusing a text without one."""
        found = self.look(pattern)
        if found is None:
            raise UnreadableFileError(
                self.path,
                len(self.lines),
                f"the file ends without {wanted!r}",
                "the output may be cut off, or of another language: save all of it",
            )
        return found

    def look(self, pattern: str) -> re.Match[str] | None:
        """Return the first match of a line, None if there is none."""
        return next((m for line in self.lines if (m := re.search(pattern, line))), None)

    def number(self, label: str, pattern: str = r"\s*([\d.]+)") -> float:
        """Return the number behind a label."""
        found = self.find(re.escape(label) + pattern, label)
        line = next(i for i, one in enumerate(self.lines, 1) if found.group(0) in one)
        rest = found.string[found.end(1) :]
        if re.match(r",\d", rest):
            what = f"{label!r} holds a decimal comma"
            raise UnreadableFileError(self.path, line, what, "run the tool with LC_ALL=C")
        return float(found[1])

    def answered(self, requests: float) -> None:
        """Refuse a text of a run without an answer."""
        if not requests:
            what, cure = "no request was answered", "see that the server runs, and test again"
            raise UnreadableFileError(self.path, None, what, cure)

    def rows(self, pattern: str, scale: float) -> dict[float, float]:
        """Return quantiles from rows of a percentage and a time."""
        found = [m for line in self.lines if (m := re.search(pattern, line))]
        return {float(m[1]) / 100: float(m[2]) * scale for m in found}


def read_ab(path: Path) -> LoadTest:
    """Return the step that a file of ab holds."""
    text = Lines(path)
    done = text.number("Complete requests:")
    bad = text.look(r"Non-2xx responses:\s+(\d+)")
    step = LoadStep(
        throughput=text.number("Requests per second:"),
        users=text.number("Concurrency Level:"),
        mean_response=text.number("Total:", r"\s+\d+\s+(\d+)") / 1e3
        if text.look(r"Total:\s+\d+\s+\d+")
        else text.number("Time per request:") / 1e3,
        quantiles=text.rows(r"^\s*(\d+)%\s+(\d+)", 1e-3),
        failed=float(bad[1]) / done if bad else 0.0,
    )
    traps = (
        "ab counts every answer as complete, errors of the server too; 'Failed' are also pages of "
        "another length.",
        "ab's percentage rows aren't interpolated, and its median isn't the 50 % row.",
    )
    return LoadTest("ab", (step,), traps)


def read_h2load(path: Path) -> LoadTest:
    """Return the step that a file of h2load holds."""
    text = Lines(path)
    counts = text.find(
        r"requests: .*? (\d+) started, (\d+) done, \d+ succeeded, (\d+) failed, (\d+) errored",
        "requests:",
    )
    sent, done, failed, errored = (float(counts[part]) for part in range(1, 5))
    text.answered(done)
    row = text.find(r"time for request:\s+\S+\s+\S+\s+(\S+)", "time for request:")
    clients = re.findall(r"(\d+) total client\(s\)", "\n".join(text.lines))
    step = LoadStep(
        throughput=float(text.find(r"finished in .*?([\d.]+) req/s", "finished in")[1]),
        users=float(sum(map(int, clients))) if clients else None,
        mean_response=seconds(row[1]),
        failed=(failed - errored + (sent - done if errored else 0)) / sent,
    )
    traps = (
        *(["h2load's failed requests include those that it never sent."] if errored else []),
        "h2load's rate leaves out the warm-up, but its headers and data count it.",
        "h2load's req/s has answers of 4xx and 5xx in it, and it prints no percentiles.",
    )
    return LoadTest("h2load", (step,), traps)


def read_httperf(path: Path) -> LoadTest:
    """Return the step that a file of httperf holds."""
    text = Lines(path)
    total = text.find(r"Total: .*?replies (\d+) test-duration ([\d.]+) s", "Total:")
    bad = text.find(r"Reply status:.*4xx=(\d+) 5xx=(\d+)", "Reply status:")
    times = text.find(r"Reply time \[ms\]: response ([\d.]+) transfer ([\d.]+)", "Reply time [ms]")
    replies = float(total[1])
    text.answered(replies)
    errors = text.look(r"Errors: total (\d+)")
    lost = float(errors[1]) if errors else 0.0
    step = LoadStep(
        throughput=replies / float(total[2]),
        mean_response=(float(times[1]) + float(times[2])) / 1e3,
        failed=(float(bad[1]) + float(bad[2]) + lost) / (replies + lost),
        open_loop="--rate" in text.lines[0],
    )
    traps = (
        "httperf counts a 5xx as a reply, not as an error; requests that timed out are in no time.",
    )
    return LoadTest("httperf", (step,), traps)


def read_wrk(path: Path) -> LoadTest:
    """Return the step that a file of wrk holds."""
    text = Lines(path)
    connections = text.find(r"threads and (\d+) connections", "threads and")
    latency = text.find(r"^\s*Latency\s+(\S+)", "Latency")
    done = text.look(r"^\s*(\d+) requests in")
    bad = text.look(r"Non-2xx or 3xx responses:\s+(\d+)")
    socket = text.look(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)")
    lost = sum(int(socket[part]) for part in (1, 2, 3)) if socket else 0
    late = int(socket[4]) if socket else 0
    if done:
        text.answered(float(done[1]))
    corrected = text.look(r"Recorded Latency|Thread calibration")
    rows = [m for line in text.lines if (m := re.match(r"\s*([\d.]+)%\s+([\d.]+\w+)$", line))]
    step = LoadStep(
        throughput=text.number("Requests/sec:"),
        users=float(connections[1]),
        mean_response=seconds(latency[1]),
        quantiles={float(m[1]) / 100: seconds(m[2]) for m in rows},
        failed=((float(bad[1]) if bad else 0.0) + lost) / (float(done[1]) + lost) if done else 0.0,
        open_loop=corrected is not None,
    )
    trap = (
        "wrk adds computed latencies to those that it measured, a correction for stalls: its mean "
        "can exceed the time that the connections had."
    )
    if corrected:
        trap = "wrk2 sends by the clock and times a request from when it was due."
    missing = (
        f"wrk left {late} requests out of its latencies, because they took its timeout or longer, "
        "2 s by default."
    )
    return LoadTest("wrk", (step,), (missing, trap) if late else (trap,))


def read_hey(path: Path) -> LoadTest:
    """Return the step that a file of hey holds."""
    text = Lines(path)
    codes = [m for line in text.lines if (m := re.match(r"\s*\[(\d{3})\]\s+(\d+) responses", line))]
    total = sum(int(m[2]) for m in codes)
    bad = sum(int(m[2]) for m in codes if not 200 <= int(m[1]) < 400)
    errors = [m for line in text.lines if (m := re.match(r"\s*\[(\d+)\]\s+(?!\d+ resp)\S", line))]
    lost = sum(int(m[1]) for m in errors)
    if lost:
        text.answered(total)
    step = LoadStep(
        throughput=text.number("Requests/sec:") * (total / (total + lost) if lost else 1),
        mean_response=text.number("Average:"),
        quantiles=text.rows(r"^\s*([1-9]\d*)% in ([\d.]+) secs", 1.0),
        failed=(bad + lost) / (total + lost) if total else 0.0,
    )
    traps = (
        *(["hey's rate includes requests without an answer, its times don't."] if lost else []),
        "hey doesn't print its number of workers; without -q it is rate times mean response.",
        "hey keeps the times of the first 1,000,000 requests only.",
    )
    return LoadTest("hey", (step,), traps)


def read_k6(path: Path) -> LoadTest:
    """Return the step that a file of k6 holds."""
    text = Lines(path)
    row = text.find(r"http_req_duration\W*:(.*avg=.*)", "http_req_duration")[1]
    times = {name: seconds(value) for name, value in re.findall(r"(\S+?)=([\d.a-zµμ]+)", row)}
    users = text.look(r"\bvus\.*:\s+\S+\s+min=\S+\s+max=(\d+)")
    bad = text.look(r"http_req_failed\.*:\s+([\d.]+)%")
    rate = text.find(r"http_reqs\.*:\s+\d+\s+([\d.]+)/s", "http_reqs")
    step = LoadStep(
        throughput=float(rate[1]),
        users=float(users[1]) if users else None,
        mean_response=times["avg"],
        quantiles={
            0.5 if name == "med" else float(name[2:-1]) / 100: value
            for name, value in times.items()
            if name == "med" or name.startswith("p(")
        },
        failed=float(bad[1]) / 100 if bad else 0.0,
    )
    return LoadTest("k6", (step,), K6_TRAPS)


def read_vegeta(path: Path) -> LoadTest:
    """Return the step that a file of vegeta holds."""
    text = Lines(path)
    total = text.find(r"Requests\s+\[total, rate.*\]\s+(\d+)", "Requests")
    length = text.find(r"Duration\s+\[total, .*\]\s+([^,\s]+)", "Duration")
    times = text.find(r"^Latencies\s+\[(.*?)\]\s+(.*)$", "Latencies")
    names = [name.strip() for name in times[1].split(",")]
    named = dict(zip(names, map(seconds, times[2].split(",")), strict=True))
    success = text.find(r"Success\s+\[ratio\]\s+([\d.]+)%", "Success")
    quantiles = {float(name) / 100: value for name, value in named.items() if name[0].isdigit()}
    step = LoadStep(
        throughput=float(total[1]) * float(success[1]) / 100 / seconds(length[1]),
        mean_response=named["mean"],
        quantiles=quantiles,
        failed=1 - float(success[1]) / 100,
        open_loop=True,
    )
    return LoadTest("vegeta", (step,), VEGETA_TRAPS)


def read_loadtest(path: Path) -> LoadTest:
    """Return the step that a file of loadtest holds."""
    text = Lines(path)
    done = text.number("Completed requests:")
    step = LoadStep(
        throughput=done / text.number("Total time:"),
        users=text.number("Concurrent clients:"),
        mean_response=text.number("Mean latency:") / 1e3,
        quantiles=text.rows(r"^\s*(\d+)%\s+(\d+) ms", 1e-3),
        failed=text.number("Total errors:") / done,
        open_loop=text.look(r"Target rps:") is not None,
    )
    traps = ("loadtest cuts times to whole ms, so its mean is about 0.5 ms too low.",)
    return LoadTest("loadtest", (step,), traps)
