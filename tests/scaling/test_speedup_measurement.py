"""The measured kernel, with a simulated machine instead of a clock and once for real."""

import numpy as np
import pytest

from perfmodel.measurement.load import usable_cores
from perfmodel.scaling import speedup_measurement
from perfmodel.scaling.amdahl_fit import fit_serial_fraction
from perfmodel.scaling.laws import amdahl_speedup
from perfmodel.scaling.speedup_measurement import (
    busy_work,
    busy_work_each,
    measure_speedup,
    worker_counts,
)


class FakeMachine:
    """A clock that a run moves on by Amdahl's time, slowed by a drift and capped by its cores."""

    def __init__(self, serial=10, work=90, cores=64, drift=0.0, noise=0.0):
        self.now, self.order = 0.0, []
        self.serial, self.work, self.cores, self.drift = serial, work, cores, drift
        self.noise, self.rng = noise, np.random.default_rng(3)

    def clock(self) -> int:
        return round(1e9 * self.now)

    def run(self, workers: int) -> int:
        self.order.append(workers)
        seconds = self.serial + self.work / min(workers, self.cores)
        slower = 1 + self.drift * len(self.order) + self.noise * self.rng.standard_normal()
        self.now += seconds * slower
        return 99

    def measure(self, workers, **arguments):
        return measure_speedup(workers, clock=self.clock, run=self.run, **arguments)


class TestWork:
    def test_xorshift_by_hand(self, monkeypatch):
        monkeypatch.setattr(speedup_measurement, "STEPS_PER_UNIT", 1)
        # 1 ^ 1 << 13 = 8193; ^ >> 7 = 8193 ^ 64 = 8257; ^ << 17 = 8257 ^ 1082261504
        assert busy_work(1, seed=1) == 1082269761
        assert busy_work(3, seed=1) == busy_work(2, seed=busy_work(1, seed=1))

    @pytest.mark.parametrize("seed", [1, 2**64 - 1, 2.0**64, 2.0**70])
    def test_state_stays_in_64_bits_and_off_zero(self, monkeypatch, seed):
        monkeypatch.setattr(speedup_measurement, "STEPS_PER_UNIT", 5)
        assert 0 < busy_work(1, seed) < 2**64

    def test_shares_are_independent_of_how_they_are_cut(self, monkeypatch):
        monkeypatch.setattr(speedup_measurement, "STEPS_PER_UNIT", 5)
        whole = busy_work_each(1, 10)
        assert whole == busy_work_each(1, 3) ^ busy_work_each(4, 7)
        assert whole != busy_work_each(1, 9)


class TestMeasuring:
    def test_speedups_of_a_perfect_machine_are_amdahl_s(self):
        measured = FakeMachine().measure([1, 2, 4, 8])
        assert measured.serial_fraction == 0.1
        assert measured.speedups == pytest.approx(amdahl_speedup(0.1, [1, 2, 4, 8]))
        assert measured.intervals == pytest.approx(np.stack([measured.speedups] * 2, axis=1))
        assert fit_serial_fraction(measured.workers, measured.speedups).unclipped == pytest.approx(
            0.1
        )

    def test_planted_fraction_is_that_of_the_units(self):
        measured = FakeMachine(30, 30).measure([1, 2], work_units=30, serial_units=30)
        assert measured.serial_fraction == 0.5
        assert measured.speedups[1] == pytest.approx(4 / 3)

    def test_more_workers_than_cores_stay_flat(self):
        measured = FakeMachine(cores=2).measure([1, 2, 3, 4])
        assert measured.speedups[1:] == pytest.approx([measured.speedups[1]] * 3)

    def test_rounds_alternate_in_direction(self):
        machine = FakeMachine()
        measured = machine.measure([1, 2, 4], repeats=3)
        assert machine.order == [1, 2, 4, 4, 2, 1, 1, 2, 4]
        assert measured.times.shape == (3, 3)
        assert measured.times[1] == pytest.approx([100, 55, 32.5])

    def test_drift_is_shared_by_all_counts(self):
        measured = FakeMachine(drift=0.01).measure([1, 2, 4], repeats=6)
        assert measured.times[-1, 0] > 1.1 * measured.times[0, 0]
        assert measured.speedups == pytest.approx(amdahl_speedup(0.1, [1, 2, 4]), rel=0.02)

    def test_interval_holds_the_truth_and_the_estimate(self):
        measured = FakeMachine(noise=0.03).measure([1, 2, 4], repeats=9)
        low, high = measured.intervals.T
        truth = amdahl_speedup(0.1, [1, 2, 4])
        assert measured.intervals[0].tolist() == [1, 1]
        assert (low[1:] < truth[1:]).all()
        assert (truth[1:] < high[1:]).all()
        assert (low <= measured.speedups).all()
        assert (measured.speedups <= high).all()
        wider = FakeMachine(noise=0.03).measure([1, 2, 4], repeats=9, confidence=0.999)
        assert (wider.intervals[1:, 1] > high[1:]).all()

    def test_baseline_may_stand_anywhere(self):
        measured = FakeMachine().measure([4, 1])
        assert measured.speedups == pytest.approx([amdahl_speedup(0.1, 4), 1])

    def test_says_where_and_when(self):
        measured = FakeMachine().measure([1, 2])
        assert measured.cores == usable_cores()
        assert measured.provenance.versions["python"].startswith("3.")
        assert measured.provenance.date.endswith("+00:00")

    def test_names_oversubscribed_counts(self):
        measured = FakeMachine().measure([1, usable_cores(), usable_cores() + 1])
        assert measured.oversubscribed == (usable_cores() + 1,)

    def test_a_run_that_skips_work_is_an_error(self):
        machine = FakeMachine()
        with pytest.raises(RuntimeError, match=r"one checksum, got \[1, 2\]"):
            measure_speedup([1, 2], clock=machine.clock, run=lambda w: machine.run(w) * 0 + w)

    def test_a_clock_that_stands_still_is_an_error(self):
        with pytest.raises(RuntimeError, match="clock did not advance"):
            measure_speedup([1, 2], clock=lambda: 5, run=lambda workers: 0)

    @pytest.mark.parametrize(
        ("changed", "message"),
        [
            ({"workers": []}, "workers must hold 1 and no count twice"),
            ({"workers": [2, 4]}, "workers must hold 1 and no count twice"),
            ({"workers": [1, 2, 2]}, "workers must hold 1 and no count twice"),
        ],
    )
    def test_workers_without_a_baseline_are_refused(self, changed, message):
        machine = FakeMachine()
        arguments = {"workers": [1, 2], "clock": machine.clock, "run": machine.run} | changed
        with pytest.raises(ValueError, match=message):
            measure_speedup(**arguments)

    def test_refuses_far_more_workers_than_cores(self):
        most = 2 * usable_cores()
        with pytest.raises(ValueError, match=f"workers must be at most {most}, twice the cores"):
            measure_speedup([1, most + 1])


def test_worker_counts():
    assert worker_counts(1) == (1, 2)
    assert worker_counts(16) == tuple(range(1, 9))
    assert worker_counts() == worker_counts(usable_cores())
    with pytest.raises(ValueError, match="cores must be a whole number, 1 or more, got 0"):
        worker_counts(0)


def test_real_processes_do_the_whole_job():
    measured = measure_speedup((1, 2), work_units=8, serial_units=2, repeats=2)
    assert measured.times.shape == (2, 2)
    assert measured.startup > 0
    # However busy the machine, no two processes do a fifth-serial job in under a third of the
    # time; the checksums that measure_speedup compares show that no part was left out.
    assert 0 < measured.speedups[1] < 3
