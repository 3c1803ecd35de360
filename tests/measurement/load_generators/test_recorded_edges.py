"""Edge cases recorded on 29 November 2026 on Debian 12: what each tool printed, from its requests.

The server answers after a known time, with another status, an empty body, a redirect or not at all.
Times come from the tool's own log; hey and httperf keep none, so their counts are tested alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from perfmodel.measurement import (
    HttpRequests,
    ab_report,
    autocannon_report,
    h2load_report,
    hey_report,
    httperf_report,
    loadtest_report,
    locust_report,
    siege_report,
    wrk_report,
)
from perfmodel.units import amount

REPORTS = {
    "ab 2.3 (apache2-utils 2.4.71-1~deb12u1)": ab_report,
    "siege 4.0.7-1+b1": siege_report,
    "httperf 0.9.0-9+b2": httperf_report,
    "h2load 1.52.0-1+deb12u3": h2load_report,
    "loadtest 8.2.1": loadtest_report,
    "hey 0.1.4-2+b4": hey_report,
    "wrk 4.1.0-3+b2": wrk_report,
    "locust 2.47.0": locust_report,
    "autocannon 9.0.0": autocannon_report,
}
AB, SIEGE, HTTPERF, H2LOAD, LOADTEST, HEY, WRK, LOCUST, AUTOCANNON = REPORTS


@dataclass(frozen=True)
class Run:
    """One recorded run."""

    tool: str
    command: str
    what: str
    times: list[float]
    """In s."""
    printed: dict[str, str]
    status: list[int] | int = 200
    body: list[int] | int = 5
    waits: list[float] | None = None
    connects: list[float] | float = 0.0
    options: dict[str, Any] = field(default_factory=dict)
    absent: tuple[str, ...] = ()
    """Fields that the tool didn't print."""
    step: float = 0.0
    """Seconds by which the log is rounded."""


def ms(*times: float) -> list[float]:
    return [time / 1e3 for time in times]


def us(*times: float) -> list[float]:
    return [time / 1e6 for time in times]


def hundredths(*times: float) -> list[float]:
    return [time / 1e2 for time in times]


RUNS = [
    Run(
        AB,
        "ab -n 1 -c 1",
        "one request has no rows of percentages",
        ms(36),
        {
            "Complete requests": "1",
            "Total min": "36 ms",
            "Total sd": "0.0 ms",
            "Total max": "36 ms",
        },
        waits=ms(34),
        absent=("50%", "99%", "100%"),
    ),
    Run(
        AB,
        "ab -n 2 -c 1",
        "two requests have the slower one as median and in all rows",
        ms(50, 91),
        {"Total median": "91 ms", "Total mean": "70 ms", "50%": "91 ms", "100%": "91 ms"},
        step=1e-3,
    ),
    Run(
        AB,
        "ab -n 8 -c 1",
        "a full body after an empty one fails",
        ms(21, 24, 24, 31, 31, 35, 45, 49),
        {"Failed requests": "2", "HTML transferred": "8", "50%": "31 ms", "90%": "49 ms"},
        body=[0, 0, 4, 0, 0, 0, 4, 0],
    ),
    Run(
        AB,
        "ab -l -n 8 -c 1",
        "-l accepts bodies of any length",
        ms(24, 29, 30, 36, 36, 39, 44, 48),
        {"Failed requests": "0", "HTML transferred": "56", "75%": "44 ms"},
        body=[5, 9] * 4,
        options={"any_length": True},
    ),
    Run(
        AB,
        "ab -n 8 -c 1",
        "a redirect isn't followed and doesn't fail",
        ms(21, 21, 21, 21, 21, 21, 22, 45),
        {"Failed requests": "0", "Non-2xx responses": "4", "75%": "22 ms", "80%": "22 ms"},
        status=[302, 200] * 4,
    ),
    Run(
        AB,
        "ab -n 8 -c 1",
        "a closed connection is a complete request that fails by its length",
        ms(21, 21, 21, 21, 21, 21, 29, 38),
        {
            "Complete requests": "8",
            "Failed requests": "2",
            "Non-2xx responses": "0",
            "HTML transferred": "30",
            "Waiting min": "0 ms",
            "Waiting mean": "17 ms",
            "75%": "29 ms",
        },
        status=[200, 200, 200, 200, 0, 0, 200, 200],
        body=[5, 5, 5, 5, 0, 0, 5, 5],
        waits=ms(20, 21, 21, 20, 0, 0, 29, 24),
        connects=ms(0, 0, 0, 0, 0, 0, 0, 14),
    ),
    Run(
        SIEGE,
        "siege -b -c 1 -r 6",
        "401 is successful, 403 is neither",
        hundredths(3, 3, 4, 3, 3, 3, 4, 3, 3),
        {
            "Transactions": "9",
            "Availability": "100.00 %",
            "Successful transactions": "6",
            "Failed transactions": "0",
            "Transaction rate": "31.03",
            "Concurrency": "1.00",
        },
        status=[401, 403, 200] * 3,
        options={"elapsed": 0.29},
    ),
    Run(
        SIEGE,
        "siege -b -c 1 -r 4",
        "407 is successful",
        hundredths(5, 5, 5, 6, 6, 5, 4, 6),
        {"Successful transactions": "8", "Shortest transaction": "0.04 s"},
        status=407,
    ),
    Run(
        SIEGE,
        "siege -b -c 1 -r 4",
        "without a success the shortest time is 0",
        hundredths(4, 6, 2, 4),
        {
            "Transactions": "4",
            "Successful transactions": "0",
            "Response time": "0.04 s",
            "Concurrency": "0.89",
            "Longest transaction": "0.06 s",
            "Shortest transaction": "0.00 s",
        },
        status=403,
        options={"elapsed": 0.18},
    ),
    Run(
        SIEGE,
        "siege -b -c 1 -r 5",
        "if all fail, the mean and the shortest are 0",
        hundredths(3, 3, 4, 3, 3),
        {
            "Availability": "0.00 %",
            "Response time": "0.00 s",
            "Concurrency": "1.00",
            "Longest transaction": "0.04 s",
            "Shortest transaction": "0.00 s",
        },
        status=500,
        options={"elapsed": 0.16},
    ),
    Run(
        SIEGE,
        "siege -b -c 1 -r 6",
        "the time of a fast failure is the shortest",
        hundredths(2, 7, 11, 6, 9, 8),
        {
            "Response time": "0.11 s",
            "Availability": "66.67 %",
            "Longest transaction": "0.11 s",
            "Shortest transaction": "0.02 s",
        },
        status=[500, 200, 200] * 2,
        options={"elapsed": 0.43},
    ),
    Run(
        SIEGE,
        "siege -b -c 1 -r 9",
        "a closed connection is a failure without a time",
        hundredths(4, 2, 3, 3, 3, 5, 3, 3, 3),
        {
            "Transactions": "6",
            "Availability": "66.67 %",
            "Response time": "0.03 s",
            "Concurrency": "0.67",
            "Failed transactions": "3",
            "Longest transaction": "0.05 s",
        },
        status=[200] * 6 + [0] * 3,
        options={"elapsed": 0.30},
    ),
    Run(
        SIEGE,
        "siege -b -c 1 -r 4",
        "a redirect and its target are two transactions",
        hundredths(5, 1, 5, 2, 5, 1, 5, 2),
        {"Transactions": "8", "Response time": "0.03 s", "Concurrency": "1.00"},
        status=[302, 200] * 4,
        options={"elapsed": 0.26},
    ),
    Run(
        HTTPERF,
        "httperf --num-conns 9",
        "a closed connection is an error without a reply",
        ms(32, 30.4, 40.7, 35.5, 30.3, 31.9, 39.5, 32.1, 33.7),
        {
            "connections": "9",
            "replies": "6",
            "Connection rate": "26.1",
            "Reply status 2xx": "6",
            "Errors total": "3",
            "Errors client-timo": "0",
            "Errors connreset": "3",
        },
        status=[200, 200, 0] * 3,
        options={"elapsed": 0.345},
    ),
    Run(
        HTTPERF,
        "httperf --num-conns 4 --rate 4 --timeout 0.1",
        "without a reply all times are 0",
        ms(504, 501, 500, 500),
        {
            "replies": "0",
            "Connection rate": "4.7",
            "Connection time avg": "0.0 ms",
            "Connection time median": "0.0 ms",
            "Reply time response": "0.0 ms",
            "Errors client-timo": "4",
        },
        options={"timeout": 0.1, "elapsed": 0.858},
    ),
    Run(
        HTTPERF,
        "httperf --num-conns 1",
        "one connection: the median is the middle of its bin",
        ms(23.3),
        {
            "Connection time avg": "23.3 ms",
            "Connection time median": "23.5 ms",
            "Connection time stddev": "0.0 ms",
            "Connection rate": "42.9",
            "Reply rate samples": "0",
        },
        options={"elapsed": 0.0233},
    ),
    Run(
        H2LOAD,
        "h2load --h1 -c 1 -t 1 -n 9",
        "the first closed connection fails all that are left",
        us(30580, 30457, 30000),
        {
            "total": "9",
            "done": "2",
            "succeeded": "2",
            "failed": "7",
            "errored": "7",
            "req/s": "20.73",
            "time for request min": "30.46 ms",
            "time for request max": "30.58 ms",
            "time for request mean": "30.52 ms",
            "time for request sd": "86 us",
            "time for request +/- sd": "100.00 %",
        },
        status=[200, 200, 0],
        options={"asked": 9, "elapsed": 0.09648},
        step=1e-6,
    ),
    Run(
        H2LOAD,
        "h2load --h1 -c 2 -t 1 -n 20",
        "4xx and requests that were never sent are one number",
        us(33934, 33948, 58977, 43790, 30405, 34121),
        {
            "done": "6",
            "succeeded": "4",
            "failed": "16",
            "errored": "14",
            "4xx": "2",
            "req/s": "20.16",
            "time for request mean": "39.20 ms",
            "time for request sd": "10.68 ms",
            "time for request +/- sd": "83.33 %",
        },
        status=[404, 200, 200, 200, 404, 200],
        options={"asked": 20, "elapsed": 0.29755},
    ),
    Run(
        H2LOAD,
        "h2load --h1 -c 1 -t 1 -n 8",
        "a redirect succeeds and isn't followed",
        us(32611, 31240, 33750, 32038, 30604, 33267, 30505, 35464),
        {
            "succeeded": "8",
            "3xx": "4",
            "data": "40",
            "time for request mean": "32.44 ms",
            "time for request sd": "1.70 ms",
            "time for request +/- sd": "62.50 %",
        },
        status=[302, 200] * 4,
        step=1e-6,
    ),
    Run(
        H2LOAD,
        "h2load --h1 -c 1 -t 1 -n 1",
        "one request has no deviation",
        us(31353),
        {
            "done": "1",
            "time for request mean": "31.35 ms",
            "time for request sd": "0 us",
            "time for request +/- sd": "100.00 %",
        },
    ),
    Run(
        LOADTEST,
        "loadtest -n 20 -c 2 -k",
        "with connections kept the rules are the same",
        ms(48, 74, 33, 34, 62, 31, 61, 34, 62, 34, 61, 31, 61, 31, 60, 31, 61, 31, 61, 61),
        {"Completed requests": "20", "50%": "60 ms", "90%": "62 ms", "95%": "74 ms"},
    ),
    Run(
        LOADTEST,
        "loadtest -n 1 -c 1",
        "one request is in each row, and its rate is rounded",
        ms(36),
        {"Effective rps": "26", "Mean latency": "36.0 ms", "50%": "36 ms", "99%": "36 ms"},
        options={"elapsed": 0.038},
    ),
    Run(
        LOADTEST,
        "loadtest -n 9 -c 1",
        "a closed connection is completed, and an error",
        ms(108, 40, 41, 40, 32, 41, 44, 43, 41),
        {"Completed requests": "9", "Total errors": "3", "Effective rps": "19", "90%": "108 ms"},
        status=[200, 200, 0] * 3,
        options={"elapsed": 0.471},
    ),
    Run(
        HEY,
        "hey -n 12 -c 1 -t 1",
        "a timeout is in the rate and in no time",
        ms(20, 20, 24, 1000, 20, 28, 28, 1000, 20, 20, 20, 1000),
        {
            "Requests/sec": "3.7349",
            "Total data": "45",
            "Size/request": "5",
            "[200]": "9",
            "errors": "3",
        },
        status=[200, 200, 200, 0] * 3,
        body=[5, 5, 5, 0] * 3,
        options={"elapsed": 3.2129},
        absent=("90%", "95%", "99%", "[0]"),
    ),
    Run(
        HEY,
        "hey -n 1 -c 1",
        "one request is in no row",
        [0.0316],
        {"Average": "0.0316 s", "Slowest": "0.0316 s", "histogram 1": "1", "histogram 11": "0"},
        absent=("10%", "50%", "99%"),
    ),
    Run(
        WRK,
        "wrk -t1 -c1 -d6s --latency",
        "requests of 2 s are requests, but not in the latency",
        us(20334, 20351, 20367, 20368, 20415, 20425, 20458)
        + us(20473, 20484, 20553, 24393, 30954, 2501100, 2502900),
        {
            "requests": "14",
            "timeouts": "2",
            "Requests/sec": "2.31",
            "Latency Avg": "21.63 ms",
            "Latency Stdev": "3.15 ms",
            "Latency Max": "30.95 ms",
            "Latency +/- Stdev": "91.67 %",
            "50%": "20.46 ms",
            "75%": "20.55 ms",
            "90%": "24.39 ms",
            "99%": "30.95 ms",
        },
        options={"elapsed": 6.065373},
    ),
    Run(
        LOCUST,
        "locust -u 1 -r 1 -t 2s",
        "a closed connection is a failure with a time",
        ms(225.63, 61.22, 60.45, 57.03, 62.72, 59.69, 54.2, 69.59, 63.63, 59.1, 51.88, 170.85),
        {
            "# reqs": "12",
            "# fails": "4",
            "Avg": "82 ms",
            "Min": "51 ms",
            "Max": "225 ms",
            "Med": "61 ms",
            "66%": "63 ms",
            "75%": "70 ms",
            "90%": "170 ms",
            "95%": "230 ms",
        },
        status=[200, 200, 0] * 4,
    ),
    Run(
        LOCUST,
        "locust -u 2 -r 2 -t 4s",
        "rows are rounded to two digits, the mean isn't",
        ms(299.77, 167.78, 1248.65, 159.87, 1247.85, 163.86, 1255.82, 273.78),
        {"Avg": "602 ms", "Min": "159 ms", "Max": "1255 ms", "50%": "300 ms", "90%": "1300 ms"},
    ),
    Run(
        AUTOCANNON,
        "autocannon -a 9 -c 1",
        "a closed connection is in no time and in no count of answers",
        ms(90.683303, 30.921235, 71.193239, 88.434671, 121.983973, 123.241087, 30, 30, 30),
        {
            "2.5%": "30 ms",
            "50%": "88 ms",
            "97.5%": "123 ms",
            "Avg": "87.17 ms",
            "Stdev": "31.54 ms",
            "Max": "123 ms",
            "2xx": "6",
            "non 2xx": "0",
        },
        status=[200] * 6 + [0] * 3,
    ),
    Run(
        AUTOCANNON,
        "autocannon -a 6 -c 1 -t 1",
        "a timeout is in no time",
        ms(76.476685, 34.682181, 38.0089, 37.525009, 1000, 1000),
        {"50%": "37 ms", "99%": "76 ms", "Avg": "46.25 ms", "Stdev": "17.24 ms", "2xx": "4"},
        status=[200] * 4 + [0] * 2,
    ),
]


@pytest.mark.parametrize("run", [pytest.param(run, id=f"{run.tool}: {run.what}") for run in RUNS])
def test_each_printed_number_follows_from_the_requests(run):
    requests = HttpRequests(
        run.times, run.status, run.body, connects=np.array(run.connects), waits=run.waits
    )
    report = REPORTS[run.tool](requests, **run.options)
    for name, text in run.printed.items():
        shown = amount(text)
        slack = run.step if shown.unit == "s" else 0.0
        assert report[name] == pytest.approx(
            shown.value, abs=shown.half_unit * (1 + 1e-6) + slack + 1e-12
        ), (run.command, name)
    assert not set(run.absent) & set(report)


@pytest.mark.parametrize("tool", [H2LOAD, HEY, WRK, AUTOCANNON])
def test_a_run_without_an_answer_has_no_times(tool):
    with pytest.raises(ValueError, match="status must hold an answer, got 0 alone"):
        REPORTS[tool](HttpRequests([0.03] * 3, status=0))


def test_a_status_is_0_or_of_three_digits():
    with pytest.raises(ValueError, match="status must"):
        HttpRequests([0.1], status=99)


def test_without_a_time_below_its_limit_wrk_prints_zeros():
    report = wrk_report(HttpRequests([2.5] * 3), timeout=1.0)
    assert (report["requests"], report["timeouts"], report["Latency Max"]) == (3, 3, 0)
    assert "Latency +/- Stdev" not in report


def test_there_are_more_than_fifteen_runs_of_all_nine_tools():
    assert {run.tool for run in RUNS} == set(REPORTS)
    assert len(RUNS) > 15
