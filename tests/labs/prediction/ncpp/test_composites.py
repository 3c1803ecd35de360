"""The sample's figures, folds that leak and folds that don't, and the files behind the ledger."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfmodel.labs.prediction.ncpp import composites as ncpp
from perfmodel.labs.prediction.ncpp import inputs, perfcast
from perfmodel.labs.prediction.ncpp.capacity import Factors
from perfmodel.labs.prediction.ncpp.folds import PROTOCOLS, folded_error, made_up, rows, tree

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


class TestSample:
    def test_ratios_and_composites(self, sample_scores):
        for machine, ratios in inputs.FIRST.items():
            own = sample_scores[
                (sample_scores["machine"] == machine)
                & sample_scores["suite"].str.startswith("SPEC")
            ]
            first = own[(own["iteration"] == 0) & ~own["composite"]].sort_values("test")
            assert list(first["test"]) == inputs.COMPONENTS[inputs.SUITE[machine]]
            assert first["value"].to_numpy() == pytest.approx(ratios, abs=0.0051)
            composites = own[own["composite"]].sort_values("iteration")["value"].tolist()
            assert composites == pytest.approx(inputs.COMPOSITES[machine], abs=0.0051)
            capacity = own["cores"].iloc[0] * own["all_core_clock"].iloc[0]
            assert capacity == pytest.approx(inputs.CAPACITY[machine])

    def test_every_composite_is_the_geometric_mean_of_its_components(self, sample_scores):
        rate = sample_scores[sample_scores["suite"].str.startswith("SPEC")]
        count = 0
        for _, one in rate.groupby(["run", "iteration"]):
            ours = float(ncpp.composite(one["value"][~one["composite"]]))
            assert ours == pytest.approx(float(one["value"][one["composite"]].iloc[0]), abs=0.01)
            count += 1
        assert count == 11

    @pytest.mark.parametrize(
        ("table", "machine", "test"),
        [
            ("TRIAD", "8487C", "Triad"),
            ("TRIAD", "8472C", "Triad"),
            ("READ", "8476C", "All Sockets 100R"),
            ("READ", "Max 9460", "All Sockets 100R"),
            ("HPCG", "8472C", "GFLOPS"),
            ("HPCG", "Max 9460", "GFLOPS"),
        ],
    )
    def test_means(self, sample_scores, table, machine, test):
        own = sample_scores[
            (sample_scores["machine"] == machine) & sample_scores["test"].str.contains(test)
        ]
        assert getattr(inputs, table)[machine] == pytest.approx(own["value"].mean(), rel=1e-5)

    def test_one_socket_and_latency(self, sample_scores):
        means = sample_scores.groupby(["machine", "test"])["value"].mean()
        one = means["8476C", "Peak Bandwidth Socket 0 100R (MB/s)"]
        assert one == pytest.approx(inputs.READ_ONE_SOCKET, rel=1e-5)
        idle = means["8487C", "Local socket local cluster memory latency Random (ns)"]
        assert idle == pytest.approx(inputs.IDLE_LATENCY, rel=1e-5)

    def test_iterations_differ_by_little(self, sample_scores):
        found = ncpp.variation(sample_scores)
        assert found.median() == pytest.approx(0.0016, abs=0.0001)
        assert found.max() == pytest.approx(0.0133, abs=0.0001)

    def test_the_second_copy_answers_for_the_first(self, sample_folder):
        found = perfcast.scores(sample_folder, copies=True)
        assert found["run"].nunique() == 13
        means = found.pivot_table("value", "test", "run")
        twins = [name for name in means if name.startswith("001a6ff3")]
        assert len(twins) == 2
        assert means[twins[0]].dropna().tolist() == means[twins[1]].dropna().tolist()

    @pytest.mark.parametrize("suite", ["int", "fp"])
    def test_random_rows_reach_the_noise_and_whole_runs_do_not(self, sample_folder, suite):
        found = rows(suite, sample_folder)
        floor = perfcast.dataset(suite, sample_folder).noise
        by_rows, by_runs = (folded_error(found, tree(), protocol) for protocol in PROTOCOLS)
        assert by_rows < 1.5 * floor
        assert by_runs > 10 * floor

    def test_unknown_suite(self, sample_folder):
        with pytest.raises(ValueError, match="suite must be one of int, fp, rate, got 'hpcg'"):
            rows("hpcg", sample_folder)
