"""The sample of PerfCastDB is read without its traps, and all families compete on it."""

from importlib import resources

import numpy as np
import pandas as pd
import pooch
import pytest

from perfmodel import data
from perfmodel.labs.prediction.ncpp import perfcast
from perfmodel.prediction.arena.contest import FAMILIES, compete
from perfmodel.prediction.arena.dataset import LeakError, repeat_noise
from perfmodel.prediction.arena.splits import few_shot_split, unseen_split

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

    def test_unknown_suite(self):
        with pytest.raises(ValueError, match="suite must be one of int, fp, rate, got 'stream'"):
            perfcast.dataset("stream")
        with pytest.raises(ValueError, match="suite must be one of"):
            perfcast.contestants("stream")


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
