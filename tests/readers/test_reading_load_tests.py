from pathlib import Path

import pytest

from perfmodel.readers.detect import detect
from perfmodel.readers.load_generators import FORMATS, read_load_test, texts
from perfmodel.readers.load_generators.steps import seconds
from perfmodel.readers.refusal import UnreadableFileError

SAMPLES = Path(__file__).parent / "samples"
ONE_STEP = {
    # file: requests per second, users, mean response in s, share failed
    "ab.txt": (40.36, 2, 0.048, 0.1),
    "h2load.txt": (39.47, 2, 0.04459, 0.1),
    "h2load-warm-up.txt": (43.67, 2, 0.04512, 14 / 131),
    "httperf.txt": (120 / 6.101, None, 0.0476, 0.1),
    "loadtest.txt": (60 / 1.474, 2, 0.0475, 0.1),
    "siege.json": (41.67, None, 0.02, 0.0),
    "wrk2.txt": (2000.28, 100, 0.0066, 0.0),
    "vegeta.txt": (0.5542 * 1200 / 10.094965987, None, 0.113172398, 0.4458),
    "vegeta.json": (100 / 0.993507166, None, 0.002371194, 0.0),
    "hey.txt": (159.936, None, 0.05, 0.1),
    "k6.txt": (24.55, 50, 0.0875, 0.05),
    "k6.json": (50.5, 20, 0.0125, 0.012),
    "locust_stats.csv": (100.0, None, 0.12, 0.01),
}


def read(name):
    return read_load_test(SAMPLES / name, detect(SAMPLES / name))


@pytest.mark.parametrize("name", ONE_STEP)
def test_a_summary_is_one_step(name):
    (step,) = read(name).steps
    throughput, users, response, failed = ONE_STEP[name]
    assert step.throughput == pytest.approx(throughput)
    assert step.users == users
    assert step.mean_response == pytest.approx(response)
    assert step.failed == pytest.approx(failed, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "level", "value"),
    [
        ("ab.txt", 0.9, 0.204),
        ("wrk2.txt", 0.999, 0.0123),
        ("vegeta.txt", 0.99, 0.247771566),
        ("vegeta.json", 0.95, 0.003478629),
        ("hey.txt", 0.99, 0.2054),
        ("k6.txt", 0.5, 0.04225),
        ("k6.json", 0.95, 0.0805),
        ("loadtest.txt", 0.95, 0.204),
        ("locust_stats.csv", 0.99, 0.3),
    ],
)
def test_percentiles_are_read_in_seconds(name, level, value):
    (step,) = read(name).steps
    found = [time for q, time in step.quantiles.items() if abs(q - level) < 1e-9]
    assert found == pytest.approx([value])


def test_requests_sent_by_the_clock_are_told():
    by_clock = {name for name in ONE_STEP if read(name).steps[0].open_loop}
    assert by_clock == {"httperf.txt", "wrk2.txt", "vegeta.txt", "vegeta.json"}


def test_locust_history_has_a_step_for_each_number_of_users_kept():
    steps = read("locust_stats_history.csv").steps
    assert [step.users for step in steps] == [10, 20, 40, 80, 160]
    assert [step.throughput for step in steps] == pytest.approx([20, 39, 72, 90, 91], rel=0.02)


def test_jmeter_is_one_step_with_all_samples():
    (step,) = read("jmeter.csv").steps
    assert step.users == 20
    assert 0.02 < step.mean_response < 0.3


def test_every_format_has_a_sample_and_a_trap():
    names = [path.name for path in SAMPLES.iterdir() if path.suffix in (".txt", ".csv", ".json")]
    found = {detect(SAMPLES / name) for name in names}
    # The readers of texts know wrk2 as wrk.
    assert set(FORMATS) <= found
    assert all(read(name).traps for name in ONE_STEP)


def test_a_decimal_comma_is_refused_with_line_and_cure(tmp_path):
    path = tmp_path / "ab.txt"
    path.write_text((SAMPLES / "ab.txt").read_text().replace("40.36", "40,36"))
    with pytest.raises(UnreadableFileError, match=r"ab.txt, line 23: .*comma; run .* LC_ALL=C"):
        read_load_test(path, detect(path))


@pytest.mark.parametrize("text", ["", "5", "5 parsecs", "m5", "1s2"])
def test_what_is_no_duration_is_refused(text):
    with pytest.raises(ValueError, match="no duration"):
        seconds(text)


def test_fio_keeps_littles_law():
    (step,) = read("fio.json").steps
    assert step.users == 256
    assert step.throughput * step.mean_response == pytest.approx(256, rel=0.01)
    assert step.quantiles[0.99] == pytest.approx(2.244608e-3)


@pytest.mark.parametrize("name", ["fio-merged-depths.json", "fio-merged-jobs.json"])
def test_fio_sections_put_together_have_no_known_depth(name):
    test = read_load_test(SAMPLES / name, detect(SAMPLES / name))
    (step,) = test.steps
    assert step.users is None
    assert "group_reporting" in test.traps[0]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("vegeta.txt", "mean, 50, 95", "mean, , 95"),
        ("vegeta.txt", "113.172398ms", "113 parsecs"),
        ("wrk2.txt", "6.60ms", "6.60"),
        ("k6.json", '"avg": 12.5', '"avg": "fast"'),
        ("fio.json", '"mean": 1500000.0', '"mean": null'),
        ("vegeta.json", '"wait": 3507222', '"wait": -989999944'),
    ],
)
def test_a_damaged_number_is_refused_with_the_file(name, old, new, tmp_path):
    path = tmp_path / name
    path.write_text((SAMPLES / name).read_text().replace(old, new))
    with pytest.raises(UnreadableFileError, match=name) as refused:
        read_load_test(path, detect(path))
    assert "\n" not in str(refused.value)


# What each tool printed on 29 November 2026 of requests that were closed, refused or too slow.
H2LOAD_CLOSED = """\
spawning thread #0: 1 total client(s). 9 total requests
finished in 96.48ms, 20.73 req/s, 1.86KB/s
requests: 9 total, 3 started, 2 done, 2 succeeded, 7 failed, 7 errored, 0 timeout
status codes: 2 2xx, 0 3xx, 0 4xx, 0 5xx
traffic: 184B (184) total, 114B (114) headers (space savings 0.00%), 10B (10) data
                     min         max         mean         sd        +/- sd
time for request:    30.46ms     30.58ms     30.52ms        86us   100.00%
time for connect:      516us       516us       516us         0us   100.00%
time to 1st byte:    31.11ms     31.11ms     31.11ms         0us   100.00%
req/s           :      20.78       20.78       20.78        0.00   100.00%
"""
HTTPERF_CLOSED = """\
httperf --client=0/1 --server=127.0.0.1 --port=8000 --uri=/ --num-conns=9 --num-calls=1
Total: connections 9 requests 9 replies 6 test-duration 0.345 s
Reply time [ms]: response 39.0 transfer 0.0
Reply status: 1xx=0 2xx=6 3xx=0 4xx=0 5xx=0
Errors: total 3 client-timo 0 socket-timo 0 connrefused 0 connreset 3
"""
WRK_LATE = """\
Running 6s test @ http://127.0.0.1:8000/
  1 threads and 1 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency    21.63ms    3.15ms  30.95ms   91.67%
    Req/Sec    18.00     17.48    40.00     60.00%
  Latency Distribution
     99%   30.95ms
  14 requests in 6.07s, 1.26KB read
  Socket errors: connect 0, read 0, write 0, timeout 2
Requests/sec:      2.31
"""
HEY_LATE = """\
Summary:
  Total:	3.2129 secs
  Average:	0.0230 secs
  Requests/sec:	3.7349
Latency distribution:
  75% in 0.0281 secs
  0% in 0.0000 secs
Status code distribution:
  [200]	9 responses
Error distribution:
  [3]	Get "http://127.0.0.1:8000/": context deadline exceeded
"""


@pytest.mark.parametrize(
    ("reader", "text", "throughput", "failed", "trap"),
    [
        (texts.read_h2load, H2LOAD_CLOSED, 20.73, 1 / 3, "failed requests include those"),
        (texts.read_httperf, HTTPERF_CLOSED, 6 / 0.345, 1 / 3, "timed out are in no time"),
        (texts.read_wrk, WRK_LATE, 2.31, 0, "wrk left 2 requests out of its latencies"),
        (texts.read_hey, HEY_LATE, 9 / 3.2129, 1 / 4, "rate includes requests without an answer"),
    ],
)
def test_requests_without_an_answer_are_failures_and_no_answers(
    reader, text, throughput, failed, trap, tmp_path
):
    path = tmp_path / "run.txt"
    path.write_text(text)
    found = reader(path)
    (step,) = found.steps
    assert step.throughput == pytest.approx(throughput, rel=1e-4)
    assert step.failed == pytest.approx(failed)
    assert 0 not in step.quantiles
    assert trap in found.traps[0]


@pytest.mark.parametrize(
    ("reader", "text"),
    [
        (texts.read_h2load, H2LOAD_CLOSED.replace("2 done", "0 done")),
        (texts.read_httperf, HTTPERF_CLOSED.replace("replies 6", "replies 0")),
        (texts.read_wrk, WRK_LATE.replace("14 requests", "0 requests")),
        (texts.read_hey, HEY_LATE.replace("  [200]\t9 responses\n", "")),
    ],
)
def test_a_run_without_an_answer_is_refused(reader, text, tmp_path):
    path = tmp_path / "run.txt"
    path.write_text(text)
    with pytest.raises(UnreadableFileError, match="no request was answered"):
        reader(path)
