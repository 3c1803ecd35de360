"""The line through two pilots, its noise against simulation, and the lab's study."""

import re

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, strategies as st

from perfmodel.labs.forecasting.projektor import projections, record, regressors, sentences
from perfmodel.labs.forecasting.projektor.mixtures import (
    PILOTS,
    TARGET,
    MixtureRuns,
    counted,
    measure,
    mixture_grid,
    shuffled_digits,
)
from perfmodel.labs.forecasting.projektor.moved_mass import MIXTURE, VALIDATION, moved_mass
from perfmodel.labs.forecasting.projektor.projections import (
    noise_amplification,
    projected,
    projection_weights,
)

SIZES = st.floats(10, 1e6)
RATIOS = st.floats(1.05, 50)
RHO = st.floats(-1, 1)


def test_worked_by_hand():
    """log(10)/log(1.5) and log(10/1.5)/log(1.5), of pilots at 1,000 and 1,500."""
    weights = projection_weights(1_000, 1_500, 10_000)
    assert weights.large == pytest.approx(5.67887, abs=5e-6)
    assert weights.small == pytest.approx(-4.67887, abs=5e-6)
    assert projected(0.40, 0.45, 1_000, 1_500, 10_000) == pytest.approx(0.68394, abs=5e-6)
    assert noise_amplification(1_000, 1_500, 10_000) == pytest.approx(7.358, abs=5e-4)


@given(SIZES, RATIOS, st.floats(0.1, 1000), st.floats(-5, 5), st.floats(-5, 5))
def test_a_line_in_the_logarithm_is_met(small, ratio, further, slope, level):
    large, target = small * ratio, small * further

    def line(size):
        return level + slope * np.log(size)

    result = projected(line(small), line(large), small, large, target)
    assert result == pytest.approx(line(target), rel=1e-6, abs=1e-6)


@given(SIZES, RATIOS)
def test_at_a_pilot_only_that_pilot_counts(small, ratio):
    large = small * ratio
    assert projected(0.3, 0.7, small, large, small) == pytest.approx(0.3)
    assert projected(0.3, 0.7, small, large, large) == pytest.approx(0.7)
    assert noise_amplification(small, large, large) == pytest.approx(1)


@given(SIZES, RATIOS, RATIOS, RHO)
def test_noise_by_units_and_what_is_shared(small, ratio, further, rho):
    large, target = small * ratio, small * ratio * further
    result = noise_amplification(small, large, target, rho)
    assert result == pytest.approx(
        noise_amplification(1000 * small, 1000 * large, 1000 * target, rho)
    )
    assert noise_amplification(small, large, target, 1) == pytest.approx(1, rel=1e-6)
    assert result <= noise_amplification(small, large, target, -1) + 1e-9
    assert noise_amplification(small, large, target) > 1


@given(SIZES, RATIOS, RATIOS)
def test_pilots_further_apart_are_better(small, ratio, further):
    target = small * ratio * further
    wide = noise_amplification(small / 2, small * ratio, target)
    assert wide <= noise_amplification(small, small * ratio, target) + 1e-9


@pytest.mark.parametrize("rho", [0.0, 0.6, -0.4])
def test_noise_as_simulated(rho):
    rng = np.random.default_rng(1)
    errors = rng.multivariate_normal([0, 0], 0.01**2 * np.array([[1, rho], [rho, 1]]), 40_000)
    ends = projected(0.4 + errors[:, 0], 0.45 + errors[:, 1], 60, 90, 300)
    expected = 0.01 * noise_amplification(60, 90, 300, rho)
    assert ends.std() == pytest.approx(expected, rel=4 / np.sqrt(2 * 40_000))


def test_many_targets_at_once():
    weights = projection_weights(10, 20, [20, 40])
    assert weights.large == pytest.approx([1, 2])
    assert weights.small == pytest.approx([0, -1])


@pytest.fixture(scope="module")
def beyond():
    return {
        name: np.array(
            [
                regressors.error_beyond(runs, size, name)
                for runs in record.recorded()
                for size in PILOTS
            ]
        )
        for name in regressors.REGRESSIONS
    }


def studied(draws, pilots=PILOTS, form="accuracy"):
    outs = [projections.projection_errors(r, draws, pilots, form) for r in record.recorded()]
    return projections.Projected(*np.mean(outs, axis=0))


def made(curve, scatter=0.0, draws=8, seed=0):
    """Return runs of a grid whose accuracy is `curve` of the size, with noise for pilots only."""
    rng, fractions = np.random.default_rng(seed), mixture_grid(10)
    accuracy = {
        size: curve(size) + rng.normal(0, scatter if size != TARGET else 0, (66, draws))
        for size in (30, *PILOTS, TARGET)
    }
    far = np.linspace(4, 8, 66)[:, None]
    return MixtureRuns(fractions, accuracy, dict.fromkeys(PILOTS, far))


def test_the_kept_study_is_computed_again():
    """Of one shuffle some mixtures at the smallest size, which is drawn first."""
    data, rng, kept = shuffled_digits(2), np.random.default_rng([2, 1]), record.recorded()[2]
    size, grid = record.SMALLEST, mixture_grid(record.PARTS)
    chosen = [[data.drawn(counted(p, size), rng) for _ in range(record.DRAWS)] for p in grid]
    for k in (3, 30, 50):
        again = [data.accuracy(draw) for draw in chosen[k]]
        assert kept.accuracy[size][k] == pytest.approx(again, abs=0.006)
        far = np.mean([data.distance(draw) for draw in chosen[k]])
        assert kept.distance[size][k, 0] == pytest.approx(far, abs=1e-5)


def test_origin_says_how_long_and_by_what():
    about = record.origin()
    assert about["command"] == record.COMMAND
    assert 0 < about["seconds"] < 1000
    assert about["host"]["processor"]


def test_command_keeps_what_is_read_back(tmp_path, monkeypatch):
    small = measure(0, parts=record.PARTS, draws=1, sizes=[30])
    monkeypatch.setattr(record, "measure", lambda *_: small)
    out = tmp_path / "study.csv"
    done = CliRunner().invoke(record.main, ["--shuffles", "1", "--out", str(out)])
    assert done.exit_code == 0, done.output
    import pandas as pd

    read = record._runs_of(pd.read_csv(out))
    assert read.fractions == pytest.approx(small.fractions)
    assert read.accuracy[30] == pytest.approx(small.accuracy[30])
    assert read.distance[30] == pytest.approx(small.distance[30], abs=1e-5)


class TestWhatTheTextSaysOfTheStudy:
    def test_distance_alone_beats_it_with_shares_and_ridge_helps_a_little(self, beyond):
        assert (beyond["distance alone"] < beyond["distance and shares"]).all()
        medians = {name: np.median(off) for name, off in beyond.items()}
        assert medians["distance alone"] < medians["the same, ridge"]
        assert 0.5 < medians["the same, ridge"] / medians["distance and shares"] < 0.9

    def test_the_forest_does_as_well_as_the_line(self, beyond):
        line, forest = (np.median(beyond[n]) for n in ("distance alone", "forest on both"))
        assert forest == pytest.approx(line, rel=0.1)
        assert np.median(beyond["forest on shares"]) > 3 * forest

    def test_pilots_left_out_do_not_warn(self):
        for runs in record.recorded()[:2]:
            out = regressors.errors(runs, 90, "distance and shares")
            line = regressors.errors(runs, 90, "distance alone")
            assert out.leave_one_out < line.leave_one_out
            assert out.beyond > 5 * out.leave_one_out

    def test_noise_is_as_computed_and_the_bias_stays(self):
        by_draws = {draws: studied(draws) for draws in (1, 2, 4, 8)}
        for out in by_draws.values():
            assert out.scatter == pytest.approx(out.noise, rel=0.1)
            assert out.bias == pytest.approx(by_draws[1].bias)
        assert by_draws[1].error > by_draws[1].last_value

    def test_pilots_apart_have_less_noise_and_more_bias_and_the_form_matters_more(self):
        near, wide = studied(8), studied(8, (30, 90))
        assert wide.noise < 0.6 * near.noise
        assert wide.bias > near.bias
        assert wide.error == pytest.approx(near.error, rel=0.03)
        assert studied(1, (30, 90)).error < 0.7 * studied(1).error
        assert studied(8, form="log of the error").error < min(near.error, wide.error) / 2

    def test_the_dull_rule_takes_the_best_mixtures(self):
        left = [projections.regrets(runs) for runs in record.recorded()]
        means = {rule: np.mean([item[rule] for item in left]) for rule in left[0]}
        assert min(means, key=means.get) == "highest large pilot"
        assert max(means, key=means.get) == "highest projection of both pilots"
        assert means["nearest to equal shares"] < 0.006

    def test_gains_are_unlike_and_the_order_holds(self):
        assert re.search(r"gain between 0\.00 and 0\.24\. The order holds", sentences.says_order(
            record.recorded()))  # fmt: skip


def test_a_line_in_the_logarithm_is_met_without_noise():
    out = projections.projection_errors(made(lambda n: 0.1 * np.log(n)), 8)
    assert out.error == pytest.approx(0, abs=1e-12)
    assert out.noise == pytest.approx(0, abs=1e-12)
    assert out.last_value == pytest.approx(0.1 * np.log(300 / 90))


def test_a_power_law_of_the_error_is_met_by_its_logarithm():
    runs = made(lambda n: 1 - 3 / n**0.7)
    assert projections.projection_errors(runs, 8, form="log of the error").error < 1e-12
    assert projections.projection_errors(runs, 8).bias > 0.02


@pytest.mark.parametrize(("draws", "pilots"), [(1, (60, 90)), (4, (60, 90)), (2, (30, 90))])
def test_scatter_is_the_noise_of_pilots_alone(draws, pilots):
    runs = made(lambda n: 0.1 * np.log(n), scatter=0.02, draws=80)
    out = projections.projection_errors(runs, draws, pilots)
    expected = 0.02 / draws**0.5 * float(noise_amplification(*pilots, TARGET))
    assert out.noise == pytest.approx(expected, rel=0.05)
    assert out.scatter == pytest.approx(expected, rel=0.1)


def test_rules_take_what_they_have_pilots_of_and_pay_for_them():
    runs = made(lambda n: 0.1 * np.log(n))
    few = runs.fractions[:, 1] < 0.45
    for size in PILOTS:
        runs.accuracy[size][:] = np.where(few, 0.2, 0.5)[:, None] + runs.accuracy[size] / 100
    runs.distance[90][~few] = 1.0
    chosen = projections.chosen_mixtures(runs)
    assert few[[chosen[rule] for rule in projections.OF_ITS_OWN]].all()
    assert not few[chosen["least distance, no pilot"]]
    paid = projections.runs_paid(runs)
    assert list(paid) == list(chosen)
    assert list(paid.values()) == [45 * 8, 2 * 45 * 8, 0, 2 * 45 * 8, 0]


def test_regret_is_of_the_mixture_taken():
    runs = made(lambda n: 0.1 * np.log(n), scatter=0.01)
    runs.accuracy[TARGET][:] = np.linspace(0.5, 0.9, 66)[:, None]
    chosen, left = projections.chosen_mixtures(runs), projections.regrets(runs)
    assert list(chosen) == list(left)
    for rule, index in chosen.items():
        assert left[rule] == pytest.approx(0.4 * (65 - index) / 65)
    assert chosen["least distance, no pilot"] == 0


def test_sentences_follow_the_outcome():
    errors = {
        "distance alone": regressors.Errors(0.03, 0.03, 0.02),
        "distance and shares": regressors.Errors(0.01, 0.02, 0.3),
    }
    said = sentences.says_regressions(errors, 90)
    assert "**distance and shares** is nearest on its own pilots (off by 0.010)" in said
    assert said.endswith("Nearest beyond is **distance alone**, off by 0.020.")
    one = {"distance alone": errors["distance alone"]}
    assert sentences.says_regressions(one, 90).endswith("There, too, nothing is nearer.")
    beyond = {"distance alone": np.array([1, 2, 9]), "distance and shares": np.array([3, 3, 3])}
    forests = {"forest on both": np.full(3, 9.0), "forest on shares": np.array([9.0, 20, 30])}
    said = sentences.says_shuffles(beyond | forests)
    assert "with eight, in 2. The forest has a median error of 9.000" in said
    assert said.endswith("20.000: it is the distance among its inputs that carries it beyond the "
                         "pilots.")  # fmt: skip
    alike = {"forest on both": np.ones(3), "forest on shares": np.ones(3)}
    assert "doesn't owe its place" in sentences.says_shuffles(beyond | alike)
    assert said.startswith("Of 3 studies (shuffles and sizes) distance")
    noisy = projections.Projected(0.2, 0.0, 0.2, 0.1, 0.1, 0.0)
    good = noisy._replace(error=0.05)
    assert "explains 50 % of it" in sentences.says_projection({1: noisy, 4: good})
    assert "from 4 draws of each pilot on" in sentences.says_projection({1: noisy, 4: good})
    assert "With no number of draws" in sentences.says_projection({1: noisy})
    same = {1: noisy._replace(noise=0.19)}
    assert "nearly all of it" in sentences.says_projection(same)
    assert "no less than 4 draws" in sentences.says_pilot_distance(
        {1: noisy, 4: good}, {1: good}, noisy
    )
    spread = sentences.says_pilot_distance({1: noisy, 4: noisy}, {1: good, 4: noisy}, good)
    assert "from 0.200 to 0.050 with 1 draw and from 0.200 to 0.200 with 4 draws" in spread
    assert "0.050, less than 4 draws" in spread
    cheap = sentences.says_sinkhorn({1.0: 1.2, 0.1: 0.99}, {1.0: 0.0, 0.1: 0.013})
    assert "a smoothing of 0.1" in cheap
    assert "0.990 of the least cost: 1.3 % of the mass" in cheap
    assert sentences.says_sinkhorn({1.0: 1.2}, {1.0: 0.1}).startswith("No plan is cheaper")
    choice = sentences.says_choice({"a": [0.0, 0.02], "b": [0.04]})
    assert "“a” leaves least, 0.010; “b” leaves most, 0.040" in choice


def test_order_is_said_to_hold_where_it_does():
    kept = made(lambda n: 0.1 * np.log(n))
    kept.accuracy[90][:] = np.linspace(0.2, 0.6, 66)[:, None]
    kept.accuracy[TARGET][:] = np.linspace(0.3, 0.9, 66)[:, None] ** 2
    said = sentences.says_order([kept])
    assert "gain between -0.11 and 0.21. The order holds all the same" in said
    kept.accuracy[TARGET][:] = kept.accuracy[TARGET][::-1]
    assert "The order changes: the correlation of ranks is -1.00 to -1.00" in (
        sentences.says_order([kept])
    )


def drawn(name, smoothing, steps):
    return dict(moved_mass(smoothing, steps).values)[name]


class TestTheDrawing:
    @pytest.mark.parametrize("smoothing", [0.05, 0.1, 0.5])
    def test_every_state_can_be_read(self, smoothing):
        scenes = [moved_mass(smoothing, steps) for steps in (1, 2, 3, 4, 6, 10, 20, 40)]
        assert not [fault for scene in scenes for fault in scene.faults()]
        assert len({scene.height for scene in scenes}) == 1
        assert drawn("misplaced mass", smoothing, 40) < drawn("misplaced mass", smoothing, 1)

    def test_what_the_text_says_of_it(self):
        """Two threes must become eights: 0.2 of the 0.203 that the cheapest plan costs."""
        threes = [sum(digit == "3" for _, digit in side) for side in (MIXTURE, VALIDATION)]
        assert threes == [4, 2]
        assert re.search(r"the cheapest one 0\.203\.$", moved_mass(0.1, 1).says)
        assert drawn("cost", 0.1, 1) < 0.203 < drawn("cost", 0.1, 40) < drawn("cost", 0.5, 40)

    def test_the_bars_are_the_sums(self):
        finished = moved_mass(0.5, 40).shapes
        widths = [shape.width for shape in finished if getattr(shape, "fill", "") == "hatch"]
        assert sum(w == pytest.approx(64 / 5, abs=1e-3) for w in widths) == 5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: studied(9), "draws must be 8 or fewer, got 9"),
    ],
)
def test_more_draws_than_there_are_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
