"""Reports of load generators, from requests and from printed logs."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.measurement import (
    LOAD_GENERATORS,
    NOT_IN_REQUESTS,
    REPORT_QUANTITIES,
    HttpRequests,
    ab_report,
    autocannon_report,
    closed_loop,
    from_report,
    h2load_report,
    hey_report,
    httperf_report,
    loadtest_report,
    locust_report,
    locust_rounded,
    siege_report,
    why_lost,
    wrk_corrected,
    wrk_measured,
    wrk_report,
    wrk_summary,
)

TIMES = st.lists(st.integers(1, 2_000_000), min_size=1, max_size=60)


class TestAb:
    def test_the_median_of_three_is_the_mean_of_the_slower_two(self):
        report = ab_report(HttpRequests([0.01, 0.05, 1.0]))
        assert (report["Total median"], report["50%"]) == (0.525, 0.05)

    def test_the_median_of_four_is_the_upper_middle_one(self):
        assert ab_report(HttpRequests([0.01, 0.02, 0.03, 0.04]))["Total median"] == 0.03

    def test_another_length_fails_and_a_status_does_not(self):
        report = ab_report(HttpRequests([0.1] * 3, [500, 404, 200], [3, 3, 9]))
        assert (report["Failed requests"], report["Non-2xx responses"]) == (1, 2)

    def test_times_are_rounded_to_whole_ms_after_the_mean(self):
        report = ab_report(HttpRequests([0.0014, 0.0014, 0.0020]))
        assert report["Total mean"] == 0.002
        assert report["Total min"] == 0.001

    @given(times=st.lists(st.integers(1, 2_000_000), min_size=2, max_size=60))
    def test_rows_never_fall_and_stay_among_the_extremes(self, times):
        report = ab_report(HttpRequests(np.array(times) / 1e6))
        rows = [report[f"{p}%"] for p in (50, 66, 75, 80, 90, 95, 98, 99, 100)]
        assert rows == sorted(rows)
        assert report["Total min"] <= rows[0]
        assert rows[-1] == report["Total max"]


class TestSiege:
    def test_failed_requests_are_in_the_time_alone(self):
        report = siege_report(HttpRequests([0.3] * 16, [200] * 4 + [500] * 12))
        assert report["Response time"] == pytest.approx(1.2)
        assert report["Longest transaction"] == pytest.approx(0.3)
        assert report["Availability"] == 0.25

    def test_404_is_neither_success_nor_failure(self):
        report = siege_report(HttpRequests([0.1] * 5, 404))
        kinds = ("Transactions", "Successful transactions", "Failed transactions", "Availability")
        assert [report[kind] for kind in kinds] == [5, 0, 0, 1]

    def test_all_failed(self):
        assert siege_report(HttpRequests([0.1], 500))["Response time"] == 0

    def test_its_clock_ticks_in_hundredths(self):
        assert siege_report(HttpRequests([0.0049]))["Longest transaction"] == 0


class TestHttperf:
    def test_timed_out_requests_have_no_time(self):
        report = httperf_report(HttpRequests([0.02, 2.0], starts=[0, 0.05]), timeout=1)
        assert report["Connection time avg"] == 0.02
        assert report["Errors client-timo"] == 1
        assert report["test-duration"] == pytest.approx(1.05)

    def test_the_median_is_the_middle_of_its_bin(self):
        report = httperf_report(HttpRequests([0.1, 0.0209, 0.005]))
        assert report["Connection time median"] == 0.0205

    def test_reply_rates_are_of_whole_windows_of_five_seconds(self):
        steady = HttpRequests([0.01] * 140, starts=np.arange(140) / 20)
        report = httperf_report(steady)
        assert (report["Reply rate samples"], report["Reply rate avg"]) == (1, 20)
        assert httperf_report(HttpRequests([0.01]))["Reply rate avg"] == 0

    def test_the_mean_size_is_cut(self):
        report = httperf_report(HttpRequests([0.1] * 10, body=[3] * 9 + [2]))
        assert report["Reply size content"] == 2


class TestH2load:
    def test_the_warm_up_stays_in_time_and_bytes(self):
        report = h2load_report(closed_loop([0.1] * 40, body=3), warm_up=1.95)
        assert report["finished in"] == pytest.approx(4)
        assert report["done"] == 20
        assert report["data"] == 120
        assert report["req/s"] == pytest.approx(20 / 2.05)

    def test_deviation_by_n_minus_one(self):
        assert h2load_report(HttpRequests([0.1, 0.3]))["time for request sd"] == pytest.approx(
            0.2 / np.sqrt(2)
        )

    def test_times_within_a_deviation_of_the_mean_are_counted(self):
        report = h2load_report(HttpRequests([0.1, 0.2, 0.3, 0.4, 1.5]))
        assert report["time for request +/- sd"] == 0.8

    def test_a_warm_up_of_all_the_run_is_refused(self):
        with pytest.raises(ValueError, match="warm_up must be below the run's 0.1 s, got 0.1"):
            h2load_report(HttpRequests([0.1]), warm_up=0.1)


class TestLoadtest:
    def test_a_percentile_of_zero_becomes_the_next_time(self):
        report = loadtest_report(HttpRequests([0.0002] * 95 + [0.0401] * 5))
        assert [report[row] for row in ("50%", "90%", "95%", "99%")] == [0.04] * 4

    def test_times_are_cut_before_the_mean(self):
        assert loadtest_report(HttpRequests([0.0209, 0.0219]))["Mean latency"] == 0.0205

    def test_rates_are_rounded_to_whole_numbers(self):
        assert loadtest_report(HttpRequests([0.1] * 2), elapsed=5)["Effective rps"] == 0
        assert loadtest_report(HttpRequests([0.1] * 23), elapsed=5)["Effective rps"] == 5

    def test_all_below_a_millisecond(self):
        assert loadtest_report(HttpRequests([0.0002] * 3))["50%"] == 0


class TestHey:
    def test_ninety_nine_needs_a_hundred_requests(self):
        assert "99%" not in hey_report(HttpRequests([0.02] * 99))
        assert hey_report(HttpRequests(np.arange(1, 101) / 1e3))["99%"] == 0.1

    def test_each_row_takes_a_request_of_its_own(self):
        report = hey_report(HttpRequests([0.01, 0.02, 0.03]))
        assert {row: report[row] for row in report if row.endswith("%")} == {
            "10%": 0.02,
            "25%": 0.03,
        }

    def test_bars_hold_all_requests_and_the_first_the_fastest(self):
        report = hey_report(HttpRequests([0.01, 0.01, 0.02, 0.11]))
        bars = [report[f"histogram {bar}"] for bar in range(1, 12)]
        assert bars[0] == 2
        assert sum(bars) == 4


class TestWrk:
    def test_correction_by_hand(self):
        assert wrk_corrected({1000: 2, 100: 1}, 300) == {1000: 2, 700: 2, 400: 2, 100: 1}
        assert wrk_corrected({599: 1}, 300) == {599: 1}
        assert wrk_corrected({600: 1}, 300) == {600: 1}, "300 itself isn't above the interval"

    @given(times=TIMES, interval=st.integers(200, 3_000_000))
    def test_the_correction_can_be_undone(self, times, interval):
        counts = dict(Counter(times))
        assert wrk_measured(wrk_corrected(counts, interval), interval) == counts

    def test_another_interval_is_refused(self):
        with pytest.raises(ValueError, match="interval must be the run's, got 250: no 750 us"):
            wrk_measured(wrk_corrected({1000: 1}, 300), 250)

    def test_summary_by_hand(self):
        seen = wrk_summary({100: 99, 1100: 1})
        assert seen["Latency Avg"] == pytest.approx(110e-6)
        assert (seen["50%"], seen["99%"]) == (100e-6, 1100e-6)
        assert seen["Latency +/- Stdev"] == 0.99

    def test_a_stall_fills_the_tail(self):
        report = wrk_report(closed_loop([0.001] * 3000 + [1.0]))
        assert report["99%"] == pytest.approx(0.95, abs=0.002)
        assert report["requests"] == 3001

    def test_without_a_stall_nothing_is_added(self):
        report = wrk_report(closed_loop([0.01] * 50))
        assert report["Latency Avg"] == pytest.approx(0.01)


class TestLocust:
    def test_percentiles_are_of_rounded_times(self):
        report = locust_report(HttpRequests(10.5 + np.arange(10) / 1000))
        assert (report["50%"], report["95%"]) == (11, 11)
        assert (report["Med"], report["Max"], report["Avg"]) == (10.509, 10.509, 10.504)

    def test_two_digits(self):
        given = np.array([99.4, 147.0, 3432.0, 58760.0, 995.0])
        assert locust_rounded(given).tolist() == [99, 150, 3400, 59000, 1000]

    def test_five_at_the_end_goes_to_the_even_digit(self):
        assert locust_rounded(np.array([20.5, 21.5, 145.0, 155.0])).tolist() == [20, 22, 140, 160]


class TestAutocannon:
    def test_a_fast_server_has_a_median_below_its_minimum(self):
        report = autocannon_report(HttpRequests([0.0002] * 98 + [0.005] * 2))
        assert (report["Min"], report["50%"]) == (0.005, 0)

    def test_the_mean_is_rounded_up(self):
        assert autocannon_report(HttpRequests([0.001] * 999 + [0.002]))["Avg"] == 0.00101

    def test_at_a_rate_each_request_counts_as_all_shorter_ones(self):
        report = autocannon_report(HttpRequests([0.0205] * 10), at_a_rate=True)
        assert (report["Min"], report["50%"], report["Avg"]) == (0.001, 0.01, 0.0105)


REPORTS = {
    "ab": ab_report,
    "siege": siege_report,
    "httperf": httperf_report,
    "h2load": h2load_report,
    "loadtest": loadtest_report,
    "hey": hey_report,
    "wrk": wrk_report,
    "locust": locust_report,
    "autocannon": autocannon_report,
}


@given(times=st.lists(st.floats(0.002, 5), min_size=1, max_size=30), seed=st.integers(0, 99))
@pytest.mark.parametrize("tool", REPORTS)
def test_no_report_depends_on_the_order_of_requests(tool, times, seed):
    given_times = np.array(times)
    order = np.random.default_rng(seed).permutation(given_times.size)
    first, second = (REPORTS[tool](HttpRequests(t)) for t in (given_times, given_times[order]))
    assert first == pytest.approx(second)


def test_fields_that_requests_do_not_determine_are_named_with_a_reason():
    assert set(NOT_IN_REQUESTS) == set(LOAD_GENERATORS)
    assert all(reason for fields in NOT_IN_REQUESTS.values() for reason in fields.values())


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

    def test_wrks_longest_is_refused_after_a_timeout(self):
        assert from_report("wrk", {"Latency Max": 0.2, "timeouts": 0}, "longest") == 0.2
        with pytest.raises(ValueError, match="must hold every time for 'longest' of wrk"):
            from_report("wrk", wrk_report(HttpRequests([0.1, 2.5])), "longest")

    def test_a_missing_field_is_named(self):
        with pytest.raises(ValueError, match="report must hold 'Slowest' for 'longest' of hey"):
            from_report("hey", {}, "longest")
