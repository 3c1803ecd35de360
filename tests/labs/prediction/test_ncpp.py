"""PerfCast: the sample of servers, composites, predictors and the drawing of folds."""

from importlib import resources

import numpy as np
import pandas as pd
import pooch
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats
from sklearn.base import clone

from perfmodel import data
from perfmodel.labs.prediction.ncpp import claims, perfcast
from perfmodel.labs.prediction.ncpp.capacity import RankOneFactors, capacity, entries
from perfmodel.labs.prediction.ncpp.folds import (
    PROTOCOLS,
    RUNS,
    fold_drawing,
    folded_error,
    rows,
    synthetic_runs,
    tree,
)
from perfmodel.live.drawing import Cells
from perfmodel.measurement.concurrency import lines_in_flight
from perfmodel.prediction.arena.contest import FAMILIES, compete
from perfmodel.prediction.arena.dataset import LeakError, repeat_noise
from perfmodel.prediction.arena.splits import few_shot_split, unseen_split

WORK = {"a": 2.0, "b": 3.0, "c": 5.0}
SPEED = {"x": 1.0, "y": 1.5}


def table(pairs):
    rows = pd.DataFrame(pairs, columns=["component", "machine"])
    new = rows["machine"] == "y"
    rows["cores"] = np.where(new, 48.0, 96.0)
    rows["all_core_clock"] = np.where(new, 3e9, 2e9)
    rows["base_clock"] = 2e9
    rows["memory_bandwidth"] = np.where(new, 6e11, 3e12)
    return rows


def product(rows):
    return rows["component"].map(WORK).to_numpy() * rows["machine"].map(SPEED).to_numpy()


EVERY = table([(c, m) for m in SPEED for c in WORK])


def test_capacity_by_hand():
    assert capacity(EVERY)[[0, 3]] == pytest.approx([192e9, 144e9])


def test_a_table_of_rank_one_is_completed_from_a_row_a_column():
    seen = table([("a", "x"), ("b", "x"), ("c", "x"), ("a", "y")])
    fitted = RankOneFactors(["component", "machine"]).fit(seen, product(seen))
    assert fitted.predict(EVERY) == pytest.approx(product(EVERY))


def test_scores_in_proportion_to_capacity_need_one_machine():
    target = capacity(EVERY) * EVERY["component"].map(WORK).to_numpy()
    fitted = RankOneFactors(["component"], capacity).fit(EVERY[:3], target[:3])
    assert fitted.predict(EVERY) == pytest.approx(target)


def test_an_unseen_machine_has_the_factor_one():
    fitted = RankOneFactors(["component", "machine"]).fit(EVERY[:3], product(EVERY[:3]))
    # The components explain what one machine leaves open.
    assert fitted.predict(EVERY[3:]) == pytest.approx(product(EVERY[:3]), rel=1e-3)


def test_rows_that_leave_a_choice_are_explained_by_the_columns_named_first():
    seen = table([("a", "x"), ("b", "x"), ("c", "y")])
    fitted = RankOneFactors(["component", "machine"]).fit(seen, product(seen))
    other = table([("c", "x"), ("a", "y")])
    expected = [WORK["c"] * SPEED["y"], WORK["a"]]
    assert fitted.predict(other) == pytest.approx(expected, rel=1e-3)


def test_an_unseen_component_has_the_geometric_mean():
    seen = EVERY[:2]
    fitted = RankOneFactors(["component"]).fit(seen, product(seen))
    assert fitted.predict(EVERY[2:3]) == pytest.approx([6**0.5])


@settings(max_examples=12)
@given(st.lists(st.floats(0.1, 10), min_size=6, max_size=6), st.floats(0.01, 100))
def test_a_score_in_another_unit_scales_the_prediction(target, unit):
    factors = RankOneFactors(["component", "machine"], capacity)
    plain = clone(factors).fit(EVERY, target).predict(EVERY)
    assert clone(factors).fit(EVERY, np.multiply(unit, target)).predict(EVERY) == pytest.approx(
        unit * plain
    )


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_every_entry_learns_a_table_and_answers_for_a_new_component(entry):
    fitted = clone(entry.estimator).fit(EVERY, product(EVERY))
    answers = fitted.predict(table([("a", "x"), ("new", "y")]))
    assert answers.shape == (2,)
    assert (answers > 0).all()


RATIOS = st.lists(st.floats(1, 1000), min_size=2, max_size=13)


class TestComposite:
    def test_by_hand(self):
        assert float(perfcast.composite([2.0, 8.0])) == pytest.approx(4)

    @settings(max_examples=20)
    @given(RATIOS, st.floats(0.1, 10))
    def test_a_faster_component_counts_by_its_root(self, ratios, factor):
        changed = [factor * ratios[0], *ratios[1:]]
        gain = float(perfcast.composite(changed) / perfcast.composite(ratios))
        assert gain == pytest.approx(factor ** (1 / len(ratios)))

    @settings(max_examples=20)
    @given(RATIOS, RATIOS)
    def test_the_reference_machine_does_not_matter(self, ratios, reference):
        n = min(len(ratios), len(reference))
        scored, base = np.array(ratios[:n]), np.array(reference[:n])
        assert float(perfcast.composite(scored) / perfcast.composite(base)) == pytest.approx(
            float(perfcast.composite(scored / base))
        )


def test_variation_of_each_test_of_each_run():
    frame = pd.DataFrame({"run": ["a"] * 4, "test": list("xxyy"), "value": [1.0, 3.0, 5.0, 5.0]})
    assert perfcast.coefficients_of_variation(frame).tolist() == pytest.approx([2**0.5 / 2, 0])


def test_intensity_is_rate_over_bandwidth():
    assert float(perfcast.intensity(82e9, 410e9)) == pytest.approx(0.2)


class TestFolds:
    def test_rows_of_a_run_on_both_sides_bring_the_error_down_to_the_noise(self):
        runs = synthetic_runs(4, 4, seed=0)
        by_rows, by_runs = (folded_error(runs, tree(), protocol) for protocol in PROTOCOLS)
        # Of an iteration against one other, by normal noise of 0.3 %.
        assert by_rows < 2 * 0.003
        assert by_runs > 0.08

    def test_a_model_without_memory_of_servers_has_nothing_to_leak(self):
        runs = synthetic_runs(12, 2, seed=0)
        plain = RankOneFactors(["component"])
        by_rows, by_runs = (folded_error(runs, plain, protocol) for protocol in PROTOCOLS)
        assert by_rows == pytest.approx(by_runs, rel=0.2)

    def test_two_runs_are_two_folds(self):
        runs = synthetic_runs(2, 1, seed=0)
        first, other = (runs["run"] == run for run in (0, 1))
        expected = []
        for train, test in ((first, other), (other, first)):
            fitted = tree().fit(runs[train], runs["value"][train])
            error = np.abs(fitted.predict(runs[test]) / runs["value"][test] - 1)
            expected.append(error.mean())
        assert folded_error(runs, tree(), "whole runs") == pytest.approx(np.mean(expected))


class TestMadeUp:
    def test_rows_and_columns(self):
        runs = synthetic_runs(3, 2, seed=0)
        assert len(runs) == 3 * 10 * 2
        assert set(runs) == {*perfcast.UNITS, "run", "iteration", "value"}

    def test_without_noise_iterations_agree(self):
        runs = synthetic_runs(3, 2, seed=0, noise=0)
        assert float(runs.groupby(["run", "component"])["value"].std().max()) < 1e-9

    def test_the_hidden_factor_is_the_servers(self):
        plain, hidden = (synthetic_runs(3, 1, seed=0, hidden=h, noise=0)["value"] for h in (0, 0.1))
        factor = (hidden / plain).to_numpy().reshape(3, 10)
        assert np.ptp(factor, axis=1) == pytest.approx(0, abs=1e-9)
        assert np.ptp(factor[:, 0]) > 0.01


PEAK = perfcast.peak_bandwidth("(16x64GB DDR5 4800 MT/s [4800 MT/s])")
"""What the servers below have installed, or half or a quarter of it on as many channels."""


class TestSample:
    def test_printed_composites_are_those_of_the_files(self):
        assert set(claims.PRINTED) == set(perfcast.SPECRATE)
        for machine, printed in claims.PRINTED.items():
            computed = perfcast.published_composites(machine)
            assert computed == pytest.approx([float(text) for text in printed], abs=5e-5)

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
        ratios = perfcast.ratios(machine)
        assert len(ratios) == {"int": 10, "fp": 13}[perfcast.SPECRATE[machine]]
        assert ratios.mean() == pytest.approx(arithmetic, abs=0.005)
        assert stats.hmean(ratios) == pytest.approx(harmonic, abs=0.005)

    def test_one_component_doubled(self):
        ratios = perfcast.ratios("8474C")
        ratios["548.exchange2_r"] *= 2
        assert float(perfcast.composite(ratios)) == pytest.approx(416.94, abs=0.005)

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
        assert perfcast.measured_value(machine, test) / PEAK == pytest.approx(share, abs=0.0005)

    def test_lines_in_flight(self):
        idle = perfcast.measured_value("8487C", "Local socket local cluster memory latency Random")
        assert idle == pytest.approx(122.575e-9, rel=1e-5)
        lines = float(lines_in_flight(perfcast.measured_value("8476C", "All Sockets 100R"), idle))
        assert lines == pytest.approx(1008, abs=0.5)
        assert lines / 96 == pytest.approx(10.5, abs=0.05)

    def test_intensity_is_carried_to_another_machine(self):
        per_byte = perfcast.intensity(
            perfcast.measured_value("8472C", "GFLOPS"), perfcast.measured_value("8472C", "Triad")
        )
        assert float(per_byte) == pytest.approx(0.1756, rel=0.001)
        needed = perfcast.measured_value("Max 9460", "GFLOPS") / float(per_byte)
        # The calculation by hand goes on from four rounded digits.
        assert needed == pytest.approx(693e9, rel=0.001)
        there = perfcast.measured_value("Max 9460", "All Sockets 100R")
        assert needed / there == pytest.approx(0.93, abs=0.005)

    def test_iterations_of_a_composite_differ_by_a_hundredth_at_most(self):
        for machine in perfcast.SPECRATE:
            assert np.ptp(printed := perfcast.published_composites(machine)) <= 0.01 * printed.min()

    def test_two_sockets_read_twice_as_fast_as_one(self):
        socket = perfcast.measured_value("8476C", "Socket 0 100R")
        assert perfcast.measured_value("8476C", "All Sockets 100R") / socket == pytest.approx(
            2, rel=0.02
        )

    def test_faster_memory_makes_up_for_less_cores_and_clock(self):
        assert perfcast.cycles("Max 9468") == pytest.approx(96 * 2.6e9)
        assert perfcast.cycles("Max 9468") < perfcast.cycles("8487C") == pytest.approx(112 * 2.8e9)
        first, other = (
            float(perfcast.composite(perfcast.ratios(m))) for m in ("Max 9468", "8487C")
        )
        assert first > other

    def test_folds_of_rows_hide_most_of_the_error(self):
        table = synthetic_runs(8, 3, seed=1)
        by_rows, by_runs = (folded_error(table, tree(), protocol) for protocol in PROTOCOLS)
        assert by_rows < by_runs / 5

    def test_a_name_that_many_tests_have_is_refused(self):
        with pytest.raises(ValueError, match="one of 8476C, got '100R', which names [2-9]"):
            perfcast.measured_value("8476C", "100R")

    def test_iterations_differ_by_little(self):
        variation = perfcast.coefficients_of_variation(perfcast.scores())
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


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_is_readable_and_tests_one_row_in_five(protocol):
    scene = fold_drawing(protocol)
    assert scene.faults() == []
    (cells,) = (shape for shape in scene.shapes if isinstance(shape, Cells))
    assert len(cells.filled) == cells.rows * cells.columns
    tested = {cell for cell, (_, fill) in cells.filled.items() if fill == "hatch"}
    assert len(tested) == len(cells.filled) / RUNS
    runs = {row for row, _ in tested}
    assert (len(runs) == 1) is (protocol == "whole runs")


DDR = "1024GB (16x64GB DDR5 4800 MT/s [4800 MT/s])"
SCORES = perfcast.scores()
HBM = "128GB (8x16GB HBM2 3200 MT/s [3200 MT/s])"


def test_files_are_those_that_were_published():
    for name in perfcast.FILES:
        path = resources.files(perfcast.__package__) / name
        assert pooch.file_hash(str(path)) == data.DATASETS["ncpp"].files[name].sha256


class TestPeakBandwidth:
    def test_channels_times_transfers_times_bytes(self):
        assert perfcast.peak_bandwidth(DDR) == 16 * 4.8e9 * 8

    def test_stacks_are_wider_than_dimms(self):
        assert perfcast.peak_bandwidth(HBM) == 8 * 3.2e9 * 128
        assert perfcast.peak_bandwidth(f"{DDR}; {HBM}") == 8 * 3.2e9 * 128

    def test_text_without_modules(self):
        with pytest.raises(ValueError, match=r"installed must list modules .*, got 64 GB"):
            perfcast.peak_bandwidth("64 GB")


class TestScores:
    def test_the_run_that_is_there_twice_counts_once(self):
        assert (len(SCORES), SCORES["run"].nunique()) == (280 - 24, 12)
        assert not SCORES.duplicated(["run", "iteration", "test"]).any()

    def test_values_are_in_si_units(self):
        medians = SCORES.groupby("unit")["value"].median()
        assert sorted(medians.index) == ["1", "FLOP/s", "bytes/s", "s"]
        assert 1e-9 < medians["s"] < 1e-6
        assert 1e11 < medians["bytes/s"] < 1e12
        assert 5e10 < medians["FLOP/s"] < 2e11

    def test_composites_are_marked(self):
        marked = SCORES[SCORES["composite"]]
        assert len(marked) == 11
        assert set(marked["test"]) == set(perfcast.SUITES["rate"])

    def test_caches_are_those_of_all_sockets_whatever_the_unit_in_the_file(self):
        caches = SCORES.drop_duplicates("machine").set_index("machine")["l3"] / 2**20
        assert caches["Max 9468"] == 210
        assert caches["8487C"] == 2 * 107520 / 1024
        assert caches["8472C"] == 2 * 99840 / 1024

    def test_servers(self):
        known = SCORES.drop_duplicates("machine").set_index("machine")
        assert sorted(known.index) == [
            *("8463B", "8472C", "8474C", "8476C", "8487C", "Max 9460", "Max 9468")
        ]
        assert known.loc["8487C", ["cores", "base_clock", "all_core_clock"]].tolist() == [
            *(112, 1.9e9, 2.8e9)
        ]
        assert known.loc["Max 9460", "memory_bandwidth"] == 3.2768e12
        # The sample knows no server without its memory in the operating system's count.
        assert (known["memory"] > 1e11).all()


class TestDataset:
    @pytest.mark.parametrize(
        ("suite", "rows", "machines"),
        [
            ("int", 20, {"8474C", "8463B"}),
            ("fp", 26, {"8487C", "Max 9468"}),
            ("rate", 46, {"8474C", "8463B", "8487C", "Max 9468"}),
        ],
    )
    def test_a_row_for_each_component_of_each_server(self, suite, rows, machines):
        runs = perfcast.dataset(suite)
        assert len(runs) == rows
        assert set(runs.group("machine")) == machines
        assert not set(runs.group("workload")) & set(perfcast.SUITES["rate"])
        assert runs.features.duplicated(["machine", "component"]).sum() == 0

    def test_target_is_the_mean_of_the_iterations(self):
        runs = perfcast.dataset("int")
        row = (runs.group("machine") == "8474C") & (runs.group("workload") == "505.mcf_r")
        assert runs.target[row] == pytest.approx((315.9899 + 317.5700) / 2, abs=1e-3)

    def test_noise_is_that_of_the_iterations(self):
        assert 0.001 < perfcast.dataset("fp").noise < 0.003
        assert 0.004 < perfcast.dataset("int").noise < 0.008


def test_noise_weighs_every_test_alike():
    def run(name, values):
        rows = [(name, f"{name}{i}", j, v) for i, row in enumerate(values) for j, v in row]
        return pd.DataFrame(rows, columns=["run", "test", "iteration", "value"])

    two = [[(0, 1.0), (1, 1.1)]]
    three = [[(0, 2.0), (1, 2.0), (2, 2.3)], [(0, 5.0), (1, 5.0), (2, 5.0)]]
    runs = perfcast.noise(pd.concat([run("a", two), run("b", three)]))
    by_hand = (repeat_noise([[1.0, 1.1]]) + 2 * repeat_noise([[2, 2, 2.3], [5, 5, 5]])) / 3
    assert runs == pytest.approx(by_hand)


def chosen(*names):
    return [entry for entry in perfcast.contestants("rate") if entry.name in names]


class TestContestants:
    def test_every_family_takes_part(self):
        runs = perfcast.contestants("rate")
        assert {entry.family for entry in runs} == set(FAMILIES)
        assert len({entry.name for entry in runs}) == len(runs)

    def test_structure_beats_the_forest_once_a_server_has_shown_four_components(self):
        runs = perfcast.dataset("int")
        split = few_shot_split(runs, "machine", "8463B", 4, 10, 0)
        mape = compete(runs, chosen("component x machine", "forest"), [(14, 0, split)])
        mape = mape.set_index("contestant")["mape"]
        assert mape["component x machine"] < 0.03
        assert mape["forest"] > 2 * mape["component x machine"]

    def test_cores_and_clock_say_nothing_of_faster_memory(self):
        runs = perfcast.dataset("fp")
        split = unseen_split(runs, "machine", "Max 9468", 13, 0)
        mape = compete(runs, chosen("cores x clock"), [(13, 0, split)])
        assert mape.set_index("contestant").loc["cores x clock", "mape"] > 0.2

    def test_a_row_of_an_iteration_more_is_a_leak(self):
        runs = perfcast.dataset("int")
        doubled = runs.take([*range(20), *range(20)])
        split = unseen_split(doubled, "workload", "505.mcf_r", 10, 0)
        split.tests["beyond"] = np.append(split.tests["beyond"], (split.train[0] + 20) % 40)
        with pytest.raises(LeakError):
            split.check(doubled)
