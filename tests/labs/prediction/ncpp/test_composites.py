"""The sample's figures, worked out by hand too, and folds that leak and folds that don't."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from perfmodel.labs.prediction.ncpp import claims, composites as ncpp, perfcast
from perfmodel.labs.prediction.ncpp.capacity import Factors
from perfmodel.labs.prediction.ncpp.folds import PROTOCOLS, folded_error, made_up, rows, tree
from perfmodel.measurement.concurrency import lines_in_flight

RATIOS = st.lists(st.floats(1, 1000), min_size=2, max_size=13)


class TestComposite:
    def test_by_hand(self):
        assert float(ncpp.composite([2.0, 8.0])) == pytest.approx(4)

    @settings(max_examples=20)
    @given(RATIOS, st.floats(0.1, 10))
    def test_a_faster_component_counts_by_its_root(self, ratios, factor):
        changed = [factor * ratios[0], *ratios[1:]]
        gain = float(ncpp.composite(changed) / ncpp.composite(ratios))
        assert gain == pytest.approx(factor ** (1 / len(ratios)))

    @settings(max_examples=20)
    @given(RATIOS, RATIOS)
    def test_the_reference_machine_does_not_matter(self, ratios, reference):
        n = min(len(ratios), len(reference))
        one, base = np.array(ratios[:n]), np.array(reference[:n])
        assert float(ncpp.composite(one) / ncpp.composite(base)) == pytest.approx(
            float(ncpp.composite(one / base))
        )

    def test_ratios_must_be_positive(self):
        with pytest.raises(ValueError, match="ratios must be above 0"):
            ncpp.composite([1.0, 0.0])


def test_variation_of_each_test_of_each_run():
    frame = pd.DataFrame({"run": ["a"] * 4, "test": list("xxyy"), "value": [1.0, 3.0, 5.0, 5.0]})
    assert ncpp.variation(frame).tolist() == pytest.approx([2**0.5 / 2, 0])


def test_intensity_refuses_a_bandwidth_of_zero():
    assert float(ncpp.intensity(82e9, 410e9)) == pytest.approx(0.2)
    with pytest.raises(ValueError, match="bandwidth must be above 0"):
        ncpp.intensity(1.0, 0.0)


class TestFolds:
    def test_rows_of_a_run_on_both_sides_bring_the_error_down_to_the_noise(self):
        found = made_up(4, 4, seed=0)
        by_rows, by_runs = (folded_error(found, tree(), protocol) for protocol in PROTOCOLS)
        # Of an iteration against one other, by normal noise of 0.3 %.
        assert by_rows < 2 * 0.003
        assert by_runs > 0.08

    def test_a_model_without_memory_of_servers_has_nothing_to_leak(self):
        found = made_up(12, 2, seed=0)
        plain = Factors(["component"])
        by_rows, by_runs = (folded_error(found, plain, protocol) for protocol in PROTOCOLS)
        assert by_rows == pytest.approx(by_runs, rel=0.2)

    def test_two_runs_are_two_folds(self):
        found = made_up(2, 1, seed=0)
        one, other = (found["run"] == run for run in (0, 1))
        expected = []
        for train, test in ((one, other), (other, one)):
            fitted = tree().fit(found[train], found["value"][train])
            error = np.abs(fitted.predict(found[test]) / found["value"][test] - 1)
            expected.append(error.mean())
        assert folded_error(found, tree(), "whole runs") == pytest.approx(np.mean(expected))

    def test_unknown_protocol(self):
        with pytest.raises(ValueError, match="protocol must be one of random rows, whole runs"):
            folded_error(made_up(2, 1, 0), tree(), "any")


class TestMadeUp:
    def test_rows_and_columns(self):
        found = made_up(3, 2, seed=0)
        assert len(found) == 3 * 10 * 2
        assert set(found) == {*perfcast.UNITS, "run", "iteration", "value"}

    def test_without_noise_iterations_agree(self):
        found = made_up(3, 2, seed=0, noise=0)
        assert float(found.groupby(["run", "component"])["value"].std().max()) < 1e-9

    def test_the_hidden_factor_is_the_servers(self):
        plain, hidden = (made_up(3, 1, seed=0, hidden=h, noise=0)["value"] for h in (0, 0.1))
        factor = (hidden / plain).to_numpy().reshape(3, 10)
        assert np.ptp(factor, axis=1) == pytest.approx(0, abs=1e-9)
        assert np.ptp(factor[:, 0]) > 0.01

    def test_bad_numbers(self):
        with pytest.raises(ValueError, match="runs must be a whole number, 2 or more"):
            made_up(1, 1, 0)
        with pytest.raises(ValueError, match="noise must be 0 or more"):
            made_up(2, 1, 0, noise=-1)


PEAK = perfcast.peak_bandwidth("(16x64GB DDR5 4800 MT/s [4800 MT/s])")
"""What the servers below have installed, or half or a quarter of it on as many channels."""


class TestSample:
    def test_printed_composites_are_those_of_the_files(self):
        assert set(claims.PRINTED) == set(ncpp.SPECRATE)
        for machine, printed in claims.PRINTED.items():
            ours = ncpp.printed_composites(machine)
            assert ours == pytest.approx([float(text) for text in printed], abs=5e-5)

    @pytest.mark.parametrize(
        ("machine", "arithmetic", "harmonic"),
        [
            ("8487C", 534.09, 389.12),
            ("8474C", 418.22, 366.24),
            ("Max 9468", 575.12, 477.77),
            ("8463B", 460.10, 405.42),
        ],
    )
    def test_other_means_are_not_the_composite(self, machine, arithmetic, harmonic):
        ratios = ncpp.ratios(machine)
        assert len(ratios) == {"int": 10, "fp": 13}[ncpp.SPECRATE[machine]]
        assert ratios.mean() == pytest.approx(arithmetic, abs=0.005)
        assert stats.hmean(ratios) == pytest.approx(harmonic, abs=0.005)

    def test_one_component_doubled(self):
        ratios = ncpp.ratios("8474C")
        ratios["548.exchange2_r"] *= 2
        assert float(ncpp.composite(ratios)) == pytest.approx(416.94, abs=0.005)

    def test_peak_of_sixteen_channels(self):
        assert pytest.approx(614.4e9, abs=0.05e9) == PEAK

    @pytest.mark.parametrize(
        ("machine", "test", "share"),
        [
            ("8487C", "Triad", 0.642),
            ("8472C", "Triad", 0.764),
            ("8476C", "All Sockets 100R", 0.856),
        ],
    )
    def test_share_of_the_peak(self, machine, test, share):
        assert ncpp.reading(machine, test) / PEAK == pytest.approx(share, abs=0.0005)

    def test_lines_in_flight(self):
        idle = ncpp.reading("8487C", "Local socket local cluster memory latency Random")
        assert idle == pytest.approx(122.575e-9, rel=1e-5)
        lines = float(lines_in_flight(ncpp.reading("8476C", "All Sockets 100R"), idle))
        assert lines == pytest.approx(1008, abs=0.5)
        assert lines / 96 == pytest.approx(10.5, abs=0.05)

    def test_intensity_is_carried_to_another_machine(self):
        per_byte = ncpp.intensity(ncpp.reading("8472C", "GFLOPS"), ncpp.reading("8472C", "Triad"))
        assert float(per_byte) == pytest.approx(0.1756, rel=0.001)
        needed = ncpp.reading("Max 9460", "GFLOPS") / float(per_byte)
        # The calculation by hand goes on from four rounded digits.
        assert needed == pytest.approx(693e9, rel=0.001)
        there = ncpp.reading("Max 9460", "All Sockets 100R")
        assert needed / there == pytest.approx(0.93, abs=0.005)

    def test_iterations_of_a_composite_differ_by_a_hundredth_at_most(self):
        for machine in ncpp.SPECRATE:
            assert np.ptp(printed := ncpp.printed_composites(machine)) <= 0.01 * printed.min()

    def test_two_sockets_read_twice_as_fast_as_one(self):
        one = ncpp.reading("8476C", "Socket 0 100R")
        assert ncpp.reading("8476C", "All Sockets 100R") / one == pytest.approx(2, rel=0.02)

    def test_faster_memory_makes_up_for_less_cores_and_clock(self):
        assert ncpp.cycles("Max 9468") == pytest.approx(96 * 2.6e9)
        assert ncpp.cycles("Max 9468") < ncpp.cycles("8487C") == pytest.approx(112 * 2.8e9)
        ours, other = (float(ncpp.composite(ncpp.ratios(m))) for m in ("Max 9468", "8487C"))
        assert ours > other

    def test_folds_of_rows_hide_most_of_the_error(self):
        table = made_up(8, 3, seed=1)
        by_rows, by_runs = (folded_error(table, tree(), protocol) for protocol in PROTOCOLS)
        assert by_rows < by_runs / 5

    def test_unknown_machines_and_tests(self):
        with pytest.raises(ValueError, match="machine must be one of 8487C, .*, got '486'"):
            ncpp.ratios("486")
        with pytest.raises(ValueError, match="one of 8476C, got '100R', which names [2-9]"):
            ncpp.reading("8476C", "100R")

    def test_iterations_differ_by_little(self):
        variation = ncpp.variation(perfcast.scores())
        assert variation.median() == pytest.approx(0.0016, abs=0.0001)
        assert variation.max() == pytest.approx(0.0133, abs=0.0001)

    def test_the_second_copy_answers_for_the_first(self):
        scores = perfcast.scores(copies=True)
        assert scores["run"].nunique() == 13
        means = scores.pivot_table("value", "test", "run")
        twins = [name for name in means if name.startswith("001a6ff3")]
        assert len(twins) == 2
        assert means[twins[0]].dropna().tolist() == means[twins[1]].dropna().tolist()

    @pytest.mark.parametrize("suite", ["int", "fp"])
    def test_random_rows_reach_the_noise_and_whole_runs_do_not(self, suite):
        floor = perfcast.dataset(suite).noise
        by_rows, by_runs = (folded_error(rows(suite), tree(), protocol) for protocol in PROTOCOLS)
        assert by_rows < 1.5 * floor
        assert by_runs > 10 * floor

    def test_unknown_suite(self):
        with pytest.raises(ValueError, match="suite must be one of int, fp, rate, got 'hpcg'"):
            rows("hpcg")
