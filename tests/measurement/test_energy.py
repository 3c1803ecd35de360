"""Energy from fake counters, from a stated estimate, or refused; carbon by hand."""

import math

import pytest
from hypothesis import given, strategies as st

from perfmodel.measurement import energy
from perfmodel.measurement.energy import Energy, GridIntensity, PowerModel, Rapl, measure_energy
from perfmodel.measurement.errors import EnergyUnavailable, Unavailable
from perfmodel.measurement.load import usable_cores
from perfmodel.measurement.simulated import SimulatedMachine

GRID = GridIntensity(400, "an example grid")


@pytest.fixture
def powercap(tmp_path):
    for name, label in (("intel-rapl:0", "package-0"), ("intel-rapl:0:0", "core")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "name").write_text(f"{label}\n")
        (folder / "energy_uj").write_text("5000000\n")
        (folder / "max_energy_range_uj").write_text("262143328850\n")
    return tmp_path


def test_only_packages_are_counted(powercap, monkeypatch):
    monkeypatch.setattr(energy, "gpu_counters", tuple)
    assert [item.name for item in energy.energy_counters(powercap)] == ["RAPL package-0"]
    assert energy.energy_counters(powercap / "none") == ()


def test_a_counter_may_wrap_around(powercap):
    meter = Rapl(powercap / "intel-rapl:0")
    assert meter.read() == 5.0
    assert meter.between(5.0, 7.5) == 2.5
    assert meter.between(262143.0, 1.0) == pytest.approx(1.32885)


def test_joules_of_a_run(powercap):
    machine = SimulatedMachine(spread=0.0)
    job, meter = machine.job(0.5), Rapl(powercap / "intel-rapl:0")

    def work():
        job()
        (meter.folder / "energy_uj").write_text(f"{5_000_000 + round(20e6 * machine.seconds)}")

    result = measure_energy(work, seconds=2, sources=[meter], clock=machine.clock)
    assert (result.joules, result.seconds, result.calls) == pytest.approx((40, 2, 4))
    assert result.power == pytest.approx(20)
    assert result.per(1e9) == pytest.approx(10e-9)
    assert not result.estimated
    assert str(result) == "40 J in 2 s, measured: RAPL package-0"


def test_an_estimate_says_so_and_is_never_used_unasked():
    machine = SimulatedMachine(spread=0.0)
    job = machine.job(1.0)
    with pytest.raises(EnergyUnavailable, match="energy is unavailable: .* pass `estimate`"):
        measure_energy(job, sources=[], clock=machine.clock)
    model = PowerModel(10, 50, "data sheet")
    result = measure_energy(
        job, sources=[], estimate=model, clock=machine.clock, busy=lambda: 0.5 * machine.seconds
    )
    fraction = 0.5 / usable_cores()
    assert result.estimated
    assert result.power == pytest.approx(10 + 40 * fraction)
    assert str(result).count("estimate: data sheet")


def test_a_counter_goes_before_an_estimate(powercap):
    result = measure_energy(
        lambda: sum(range(1000)),
        seconds=0.001,
        estimate=PowerModel(1, 2, "guess"),
        sources=[Rapl(powercap / "intel-rapl:0")],
    )
    assert not result.estimated
    assert result.joules == 0


def test_carbon_by_hand():
    # 121 W for 1000 s is 33.61 Wh; 112 W for 700 s is 21.78 Wh; at 400 g/kWh 4.73 g lie between.
    fp32, mixed = Energy(121e3, 1000, "example"), Energy(112 * 700, 700, "example")
    assert 1e3 * fp32.carbon(GRID) == pytest.approx(13.44, abs=5e-3)
    assert 1e3 * (fp32.carbon(GRID) - mixed.carbon(GRID)) == pytest.approx(4.73, abs=5e-3)
    year = Energy(7 * 8760 * 3600, 8760 * 3600, "7 W for a year")
    assert year.carbon(GRID) == pytest.approx(24.5, abs=0.05)


@given(st.floats(1, 1e6), st.floats(0.1, 1000), st.floats(0.1, 10))
def test_carbon_is_linear(joules, grams, factor):
    base = Energy(joules, 1, "example").carbon(GridIntensity(grams, "example"))
    more = Energy(factor * joules, 1, "example").carbon(GridIntensity(grams, "example"))
    cleaner = Energy(joules, 1, "example").carbon(GridIntensity(factor * grams, "example"))
    assert math.isclose(more, factor * base)
    assert math.isclose(cleaner, factor * base)


def test_figures_without_a_source_are_refused():
    with pytest.raises(ValueError, match="source must say where"):
        GridIntensity(400, " ")
    with pytest.raises(ValueError, match="busy must be at least idle, 50 W, got 10 W"):
        PowerModel(50, 10, "example")
    assert issubclass(EnergyUnavailable, Unavailable)


def test_joules_and_seconds_are_of_the_same_stretch():
    """A counter that takes 10 ms to read, of a machine that draws 20 W all the time."""

    class Slow:
        name = "slow"

        def __init__(self, machine):
            self.machine = machine

        def read(self):
            self.machine.seconds += 0.005
            joules = 20 * self.machine.seconds
            self.machine.seconds += 0.005
            return joules

        def between(self, before, after):
            return after - before

    machine = SimulatedMachine(spread=0.0)
    result = measure_energy(
        machine.job(0.001), seconds=0.002, sources=[Slow(machine)], clock=machine.clock
    )
    assert result.power == pytest.approx(20)
    assert result.seconds >= 100 * 0.01
    assert result.calls == pytest.approx(1000, abs=2)
