from pathlib import Path

import pytest

from perfmodel.readers.detect import detect
from perfmodel.readers.load_generators import FORMATS, read_load_test
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
