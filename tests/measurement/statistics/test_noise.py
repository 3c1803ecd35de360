"""Diagnosis: what was planted is named, what is clean is left in peace."""

import numpy as np
import pytest
from scipy.signal import lfilter

from perfmodel.measurement.load import Load, Snapshot, between, snapshot
from perfmodel.measurement.simulated import SimulatedMachine
from perfmodel.measurement.statistics import noise
from perfmodel.measurement.timing import repeat


def clean(count=150, seed=1, spread=0.05):
    return np.random.default_rng(seed).lognormal(0, spread, count)


@pytest.mark.parametrize("find", [noise.drift, noise.dependence, noise.bimodality])
def test_clean_samples_are_left_in_peace(find):
    labels = [find(clean(seed=seed)).label for seed in range(8)]
    assert labels.count("ok") == 8


def test_drift_is_found_and_sized():
    samples = clean() * np.linspace(1, 1.2, 150)
    result = noise.drift(samples)
    assert result.label == "problem"
    assert 0.13 < float(result.evidence.split("%")[0]) / 100 < 0.23
    assert "A B B A" in result.advice
    assert noise.drift(samples[::-1]).evidence.startswith("-")


def shares(label, sample, seeds=100):
    return sum(noise.drift(sample(seed)).label == label for seed in range(seeds)) / seeds


def taken(seed, count=200, **kind):
    """Times of jobs of a tenth of a second, one after the other on a simulated machine."""
    machine = SimulatedMachine(seed=seed, **kind)
    job, ends = machine.job(0.1), [0.0]
    for _ in range(count):
        job()
        ends.append(machine.seconds)
    return np.diff(ends)


def alike(seed, likeness=0.8, count=200):
    """Samples each of which resembles the one before, without a trend."""
    steps = np.random.default_rng(seed).standard_normal(count)
    steps[1:] *= np.sqrt(1 - likeness**2)
    return np.exp(0.03 * lfilter([1], [1, -likeness], steps))


UNDRIFTING = {
    "steady": lambda seed: taken(seed, spread=0.03),
    "switching": lambda seed: taken(seed, spread=0.03, step=0.3, dwell=2.0),
    "switching slowly": lambda seed: taken(seed, spread=0.02, step=0.2, dwell=4.0),
    "autocorrelated": alike,
}


@pytest.mark.parametrize("name", UNDRIFTING)
def test_dependent_samples_are_not_taken_for_a_drift(name, monkeypatch):
    assert shares("problem", UNDRIFTING[name]) <= 0.02
    monkeypatch.setattr(noise, "P_LIMIT", 0.05)
    assert shares("problem", UNDRIFTING[name]) <= 0.12


def test_a_trend_that_may_be_dependence_is_left_open():
    result = [noise.drift(UNDRIFTING["switching slowly"](seed)) for seed in range(20)]
    open_ = [item for item in result if item.label == "unknown"]
    assert len(open_) > 4
    assert "independent samples" in open_[0].evidence
    assert "measure for longer" in open_[0].advice


def test_drifts_are_found_in_dependent_samples_and_where_they_end():
    warming = 1 - 0.2 * np.exp(-np.arange(200) / 40)
    assert shares("problem", lambda seed: taken(seed, spread=0.03, drift=0.01)) == 1
    assert shares("problem", lambda seed: alike(seed, 0.5) * np.linspace(1, 1.15, 200)) > 0.95
    assert shares("problem", lambda seed: clean(200, seed, 0.03) * warming) > 0.95


def test_samples_that_are_all_alike_show_no_drift():
    assert noise.drift(np.ones(50)).label == "unknown"
    assert noise.drift(np.linspace(1, 2, 50)).label == "problem"


def test_many_samples_give_the_same_slope():
    samples = clean(5000) * np.linspace(1, 1.2, 5000)
    assert 15 < float(noise.drift(samples).evidence.split(" %")[0]) < 21


def test_a_slow_state_that_lasts_makes_samples_alike():
    machine = SimulatedMachine(spread=0.05, step=0.3, dwell=20, seed=2)
    samples = repeat(machine.job(1.0), 200, clock=machine.clock).samples
    assert noise.dependence(samples).label == "problem"
    assert noise.bimodality(samples).label == "problem"
    assert "fresh processes" in noise.dependence(samples).advice


def test_two_modes_are_found_and_a_long_tail_is_not_taken_for_one():
    mixed = np.concatenate([clean(100), 1.5 * clean(50, seed=2)])
    result = noise.bimodality(mixed)
    assert result.label == "problem"
    assert result.evidence.startswith("33 % of the samples in a second mode, 5")
    tail = 1 + np.random.default_rng(3).exponential(0.3, 300)
    assert noise.bimodality(tail).label == "ok"


def test_outliers_are_counted_and_weighed():
    samples = clean(100)
    assert noise.outliers(samples).label == "ok"
    samples[[10, 60]] = 2.5, 2.5
    assert noise.outliers(samples).label == "notice"
    assert noise.outliers(samples).evidence.startswith("2.0 %")
    samples[10] = 30
    assert noise.outliers(samples).label == "problem"


def test_too_few_samples_are_said_to_be_too_few():
    for find in (noise.drift, noise.dependence, noise.bimodality):
        assert find(clean(10)).label == "unknown"
    assert noise.bimodality(np.ones(50)).label == "unknown"


def test_load_beside():
    busy = Load(average=5.0, cores=2, preemptions=500, stolen=0.1, frequency_change=0.3)
    labels = {item.name: item.label for item in noise.other_load(busy, 2.0)}
    assert labels == {
        "preemption": "problem",
        "load": "problem",
        "stolen time": "problem",
        "frequency": "notice",
    }
    idle = Load(average=0.2, cores=2, preemptions=1, stolen=0.0, frequency_change=0.0)
    assert {item.label for item in noise.other_load(idle, 2.0)} == {"ok"}
    hidden = Load(average=None, cores=2, preemptions=0, stolen=None, frequency_change=None)
    assert [item.label for item in noise.other_load(hidden, 2.0)] == ["ok"] + ["unknown"] * 3


def test_a_diagnosis_holds_all_findings():
    machine = SimulatedMachine(spread=0.1)
    result = noise.diagnose(repeat(machine.job(0.01), 60, clock=machine.clock))
    assert len(list(result)) == 9
    assert result["clock"].label == "ok"
    assert str(result).count("\n") == 8
    assert "<table>" in result._repr_html_()
    bad = noise.Diagnosis((noise.clock(1e-7, 1e-7),))
    assert not bad.clean
    with pytest.raises(StopIteration):
        bad["drift"]


def test_counters_of_the_system_are_read_from_files(tmp_path):
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/stat").write_text("cpu  10 0 20 60 0 0 0 10 5 0\ncpu0 1\n")
    folder = tmp_path / "sys/devices/system/cpu/cpu0/cpufreq"
    folder.mkdir(parents=True)
    (folder / "scaling_cur_freq").write_text("2000000\n")
    before = snapshot(tmp_path)
    assert (before.stolen, before.ticks, before.frequencies) == (10, 100, (2e9,))
    (tmp_path / "proc/stat").write_text("cpu  30 0 60 180 0 0 0 30 15 0\n")
    (folder / "scaling_cur_freq").write_text("1500000\n")
    result = between(before, snapshot(tmp_path))
    assert result.stolen == pytest.approx(0.1)
    assert result.frequency_change == pytest.approx(0.25)


def test_a_system_that_shows_nothing(tmp_path):
    shown = snapshot(tmp_path)
    assert (shown.stolen, shown.ticks, shown.frequencies) == (None, None, ())
    nothing = between(shown, Snapshot(None, 0, None, None, ()))
    assert nothing.stolen is None
    assert nothing.frequency_change is None
