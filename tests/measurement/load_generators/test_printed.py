"""Reading printed reports and logs, and what can be computed from a report alone."""

import numpy as np
import pytest

from perfmodel.measurement import (
    LOAD_GENERATORS,
    NOT_IN_REQUESTS,
    REPORT_QUANTITIES,
    from_report,
    read_log,
    read_report,
    why_lost,
)

AB = """Time taken for tests:   1.392 seconds
Complete requests:      60
Failed requests:        6
Time per request:       46.394 [ms] (mean)
Time per request:       23.197 [ms] (mean, across all concurrent requests)
Connect:        0    0   0.1      0       0
Total:         21   45  62.0     21     206
  50%     21
 100%    206 (longest request)
"""


def test_a_report_of_ab():
    result = read_report("ab", AB)
    assert result["Time per request (mean)"] == "46.394 ms"
    assert result["Time per request (across all)"] == "23.197 ms"
    assert [result[f"Total {word}"] for word in ("min", "mean", "sd", "median", "max")] == [
        "21 ms",
        "45 ms",
        "62.0 ms",
        "21 ms",
        "206 ms",
    ]
    assert (result["50%"], result["100%"]) == ("21 ms", "206 ms")
    assert "Non-2xx responses" not in result


def test_units_that_stand_at_the_number():
    result = read_report("wrk", "    Latency   101.73ms  237.52us   1.00s    86.84%\n")
    assert result == {
        "Latency Avg": "101.73 ms",
        "Latency Stdev": "237.52 us",
        "Latency Max": "1.00 s",
        "Latency +/- Stdev": "86.84 %",
    }


def test_siege_writes_text_or_json():
    text = "Transactions:\t 36 hits\nAvailability:\t 90.00 %\nData transferred:\t 0.03 MB\n"
    json = (
        '{\t"transactions":\t\t 36,\n\t"availability":\t 90.00,\n\t"data_transferred":\t 0.03,\n}'
    )
    assert read_report("siege", text) == read_report("siege", json)
    assert read_report("siege", json)["Data transferred"] == "0.03 MiB"


def test_fields_that_requests_do_not_determine_are_named_with_a_reason():
    assert set(NOT_IN_REQUESTS) == set(LOAD_GENERATORS)
    assert all(reason for fields in NOT_IN_REQUESTS.values() for reason in fields.values())


@pytest.mark.parametrize("tool", LOAD_GENERATORS)
def test_another_text_is_refused(tool):
    with pytest.raises(ValueError, match=f"text must be a report of {tool}, got 'hello'"):
        read_report(tool, "hello")


def test_logs():
    hey = (
        "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset"
    )
    line = "0.0285,0.0002,0.0000,0.0001,0.0280,0.0002,503,0.0028"
    read = read_log("hey", f"{hey}\n{line}\n")
    assert (read.times[0], read.status[0], read.starts[0]) == (0.0285, 503, 0.0028)
    read = read_log("siege", "HTTP/1.1 404     0.21 secs:       3 bytes ==> GET  /\n")
    assert (read.times[0], read.status[0], read.body[0]) == (0.21, 404, 3)
    with pytest.raises(ValueError, match="text must hold requests of hey, got ''"):
        read_log("hey", "")


def test_abs_file_of_percentiles_gives_back_the_microseconds():
    log = "starttime\tseconds\tctime\tdtime\tttime\twait\n" + "".join(
        f"Sun Nov 29\t100\t0\t{t}\t{t}\t{t}\n" for t in (20, 21, 200)
    )
    rows = "Percentage served,Time in ms\n0,20.123\n20,21.456\n50,200.499\n"
    np.testing.assert_allclose(read_log("ab", log, rows).times, [0.020123, 0.021456, 0.200499])
    np.testing.assert_allclose(read_log("ab", log).times, [0.02, 0.021, 0.2])


class TestQuantities:
    def test_siege_and_h2load(self):
        siege = {"Response time": 1.21, "Transactions": 4, "Failed transactions": 12}
        assert from_report("siege", siege, "mean time") == pytest.approx(0.3025)
        h2load = {"req/s": 43.33, "succeeded": 117, "done": 130}
        assert from_report("h2load", h2load, "rate of successes") == pytest.approx(39.0, abs=0.01)

    @pytest.mark.parametrize("tool", LOAD_GENERATORS)
    @pytest.mark.parametrize("quantity", REPORT_QUANTITIES)
    def test_each_is_computed_or_refused_with_its_reason(self, tool, quantity):
        reason = why_lost(tool, quantity)
        with pytest.raises(ValueError, match="must be in the report" if reason else "must hold"):
            from_report(tool, {}, quantity) if tool != "hey" or reason else from_report(
                "hey", {}, "longest"
            )

    def test_a_missing_field_is_named(self):
        with pytest.raises(ValueError, match="report must hold 'Slowest' for 'longest' of hey"):
            from_report("hey", {}, "longest")
