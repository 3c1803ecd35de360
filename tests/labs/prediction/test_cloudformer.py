"""CloudFormer: surrogate hosts, predictors and what the paper prints."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.prediction.cloudformer import hosts, study
from perfmodel.labs.prediction.cloudformer.hosts import (
    BANDWIDTH,
    CACHE,
    DEMAND,
    cache_share,
    performance,
    wait_bars,
)
from perfmodel.labs.prediction.cloudformer.study import (
    InverseGamma,
    contention,
    from_slowdown,
    ipc_against_alone,
)
from perfmodel.prediction.arena.dataset import LeakError
from perfmodel.prediction.arena.estimators import Formula, Priced
from perfmodel.prediction.arena.mixtures import Corrected
from perfmodel.prediction.arena.splits import Split
from perfmodel.prediction.nets import learners


@pytest.fixture(scope="module")
def windows():
    return hosts.hosts(440, seed=3)


class TestPerformance:
    def test_nine_machines_that_ask_for_more_than_there_is(self):
        assert performance(180e9, 0.6) == pytest.approx(1 / (0.4 + 0.6 * 180 / 140))

    def test_alone_it_keeps_everything(self):
        assert performance(BANDWIDTH / 2, 0.9) == 1

    @given(st.floats(1e9, 1e12), st.floats(0.01, 0.99), st.floats(1, 3))
    @settings(max_examples=20)
    def test_more_demand_or_more_waiting_never_helps(self, demand, share, growth):
        here = performance(demand, share, growth=growth)
        assert 0 < here <= 1
        assert performance(demand * 1.1, share, growth=growth) <= here
        assert performance(demand, min(share * 1.1, 1), growth=growth) <= here
        # At worst all of the time is spent waiting.
        assert here >= 1 / (max(1, demand / BANDWIDTH) * growth) * (1 - 1e-12)

    def test_idle_neighbours_leave_their_cache(self):
        assert cache_share(np.array([1.0, 0.0])) == pytest.approx([CACHE / 9, 1.5 * CACHE / 9])


class TestHosts:
    def test_shapes_and_seeds(self, windows):
        assert windows.counters.shape == (440, 8, 24)
        assert len(np.unique(windows.application)) == 11
        assert windows.performance.max() <= 100 + 1e-9
        again = hosts.hosts(440, seed=3)
        assert (again.counters == windows.counters).all()

    def test_own_instructions_slow_down_as_performance_says(self, windows):
        """The counter's mean over that of a run alone is the performance, but for noise."""
        ratio = 100 * windows.means["own ipc"] / windows.alone / windows.performance
        assert ratio.mean() == pytest.approx(1, abs=0.02)
        assert ratio.std() < 0.05

    def test_traffic_never_exceeds_what_memory_serves_but_for_noise(self, windows):
        own, beside = windows.counters[:, :, 0], windows.counters[:, :, 12]
        assert np.mean(own + 8 * beside > 1.15 * BANDWIDTH) < 0.01

    def test_is_a_data_set_of_the_arena(self, windows):
        data = hosts.dataset(windows)
        assert data.units["own traffic"] == "B/s"
        assert "no measurement" in data.provenance
        with pytest.raises(LeakError):
            Split("bad", np.arange(9), {"inside": np.arange(8, 12)}).check(data)


class TestSplits:
    def test_hold_out_whole_applications_or_rows(self, windows):
        data = hosts.dataset(windows)
        unseen, mixed = hosts.splits(data, seed=0, budget=200)
        of = windows.application
        assert not set(of[unseen.train]) & set(of[unseen.tests["beyond"]])
        assert len(set(of[unseen.tests["beyond"]])) == 4
        assert set(of[mixed.train]) == set(of[mixed.tests["inside"]])
        assert not set(mixed.train) & set(mixed.tests["inside"])
        assert len(unseen.train) == len(mixed.train) == 200
        assert len(unseen.tests["beyond"]) == len(mixed.tests["inside"]) == 100


class TestPredictors:
    def test_gamma_regression_finds_an_inverse_line(self):
        x = np.random.default_rng(0).uniform(0, 1, (200, 2))
        mean = 1 / (0.1 + x @ [0.3, 0.05])
        assert InverseGamma().fit(x, mean).predict(x) == pytest.approx(mean, rel=1e-6)

    def test_gamma_regression_has_no_bound_where_its_line_is_near_zero(self):
        x = np.linspace(0.2, 1, 50)[:, None]
        net = InverseGamma().fit(x, 1 / (0.1 + x[:, 0]))
        assert net.predict([[-0.0999]])[0] > 1000

    def test_model_finds_its_prices_where_nothing_is_noisy(self, windows):
        frame = windows.means
        counts = contention(frame)
        stretch = counts["alone"] + 0.2 * counts["traffic"] + 0.5 * counts["lost cache"]
        model = from_slowdown(Priced(contention)).fit(frame, 100 / stretch)
        assert list(model.regressor_.prices_.values()) == pytest.approx([1, 0.2, 0.5])
        assert model.predict(frame) == pytest.approx(100 / stretch)

    def test_correction_is_added_to_the_model(self, windows):
        frame = windows.means.assign(alone=windows.alone)

        class Two:
            def get_params(self, deep=True):
                return {}

            def fit(self, X, y):
                self.left = np.asarray(y)
                return self

            def predict(self, X):
                return self.left

        predicted = (
            Corrected(Formula(ipc_against_alone), Two())
            .fit(frame, windows.performance)
            .predict(frame)
        )
        assert predicted == pytest.approx(windows.performance)


class TestStudy:
    def test_random_rows_flatter_a_forest_and_not_a_constant(self):
        entries = [entry for entry in study.contestants(10) if entry.name in ("constant", "forest")]
        scores = study.study(entries, range(3), 660)
        mean = scores.groupby(["contestant", "split"])["mae"].mean()
        assert mean["forest", study.UNSEEN] > 3 * mean["forest", study.MIXED]
        assert mean["constant", study.UNSEEN] < 1.5 * mean["constant", study.MIXED]
        assert len(scores) == 2 * 2 * 3

    def test_a_run_alone_is_worth_the_same_for_every_application(self):
        entries = [entry for entry in study.contestants() if entry.name == "ipc over ipc alone"]
        mean = study.study(entries, range(3), 660).groupby("split")["mae"].mean()
        assert mean[study.UNSEEN] == pytest.approx(mean[study.MIXED], rel=0.5)
        assert mean.max() < 4


class TestPaper:
    @pytest.mark.parametrize(
        ("before", "share", "digits"),
        [
            ("random forest", 0.28, 0.005),
            ("temporal branch only", 0.079, 0.0005),
            ("system branch only", 0.098, 0.0005),
        ],
    )
    def test_shares_of_the_error_saved(self, before, share, digits):
        assert study.error_reduction(before, "CloudFormer") == pytest.approx(share, abs=digits)

    def test_errors_have_a_heavier_tail_than_normal_ones(self):
        squared, absolute = study.ERRORS["CloudFormer"]
        assert squared**0.5 / absolute == pytest.approx(1.53, abs=0.005)

    def test_parameters_of_an_encoder_by_hand(self):
        # 206 x 64 weights and 64 offsets, a class token, four blocks.
        assert study.encoder_parameters(206, 64, 4) == 13_248 + 64 + 4 * 49_984

    def test_parameters_of_a_net_that_is_built(self):
        """Against the net of this package, which is made by other code."""
        if not learners.jax_installed():
            pytest.skip("JAX is not installed: pip install jax")
        from perfmodel.prediction.nets import layers

        built = layers.attention_parameters(np.random.default_rng(0), 24, 16, 3, 4)
        built.pop("head")
        assert layers.size(built) == study.encoder_parameters(24, 16, 3)


@pytest.mark.parametrize("machines", [1, 7, 9, 14])
@pytest.mark.parametrize("memory_share", [0.0, 0.3, 0.6, 1.0])
def test_only_the_wait_is_stretched(machines, memory_share):
    scene = wait_bars(machines, memory_share)
    assert scene.faults() == []
    stretch = max(1, machines * DEMAND / BANDWIDTH)
    time = 1 - memory_share + memory_share * stretch
    assert scene.values["performance kept (%)"] == pytest.approx(100 / time)
