"""The exercise on prediction: worked values and independent answers."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsRegressor
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor
from solving import answer

from perfcourse.bank.loader import load
from perfcourse.judge import cases, judge, parameters
from perfmodel.prediction.arena import metrics
from perfmodel.prediction.arena.estimators import Columns, LogFeatures, Priced
from perfmodel.prediction.arena.mixtures import Residual

SOLUTIONS = Path(__file__).parents[2] / "solutions"
BANK = load(SOLUTIONS / "prediction.py")
STUDENTS = [f"student-{i}" for i in range(12)]
reference = partial(answer, BANK)


def drawn(id):
    question = BANK.question(id)
    if question.kind == "function":
        return cases("prediction", question, "ada", "")
    return [parameters("prediction", question, student) for student in STUDENTS]


class TestWorkedValues:
    """By hand, and from the exercises of the papers."""

    def test_twice_too_long_and_a_quarter_too_short(self):
        found = reference("build_mape", np.array([1.0, 4.0]), np.array([2.0, 3.0]))
        assert found == pytest.approx(0.625)

    def test_line_of_five_transfers(self):
        x = np.array([10.0, 20, 30, 40, 50, 64])
        t = np.array([13.5, 25.5, 37.5, 49.5, 61.5, 64.0])
        assert reference("forecast", x, t, 5) == pytest.approx([78.3])

    def test_twelve_of_thirty_transfers_after_the_change(self):
        assert reference("change", 30, 12, 0.6) == pytest.approx(0.24)

    def test_three_runs_and_their_nearest(self):
        sizes, seconds = np.array([1.0, 2.0, 8.0]), np.array([2.0, 4.0, 16.0])
        assert reference("one_out", sizes, seconds) == pytest.approx((1 + 0.5 + 0.75) / 3)

    def test_half_of_three_repeats(self):
        assert reference("both_sides", 3, 0.5) == pytest.approx(0.75)

    def test_one_row_more_needs_a_second_wave(self):
        assert reference("tiles", 512, 512, 128, 16) == 1
        assert reference("tiles", 513, 512, 128, 16) == pytest.approx(513 / 1024)

    def test_error_that_falls_with_the_root_of_the_runs(self):
        assert reference("overtake", 10, 40, 0.22, 0.12, 0.02, 0.07) == pytest.approx(160)

    def test_prices_of_a_circuit(self):
        counts = np.array(
            [[1, 1, 1, 0], [0, 1, 2, 3], [2, 0, 1, 0], [3, 1, 0, 2], [0, 0, 5, 1], [1, 3, 1, 0]]
        )
        times = 1.1330 + counts @ np.array([0, 0.5152, 1.2576, 0.4096])
        found = reference("additive", counts, times, np.array([0, 0, 6, 0]))
        assert found == pytest.approx(1.1330 + 6 * 1.2576)

    def test_error_inside_is_not_the_error_in_use(self):
        at_ten, floors = np.array([0.2, 0.3, 0.4, 0.25]), np.array([0.15, 0.25, 0.02, 0.05])
        given = 1000, at_ten, floors, np.ones(4), np.array([1.0, 1.1, 9.0, 4.0])
        assert reference("family", *given) == ("whitebox", pytest.approx(0.1505))


def test_some_runs_have_a_price_below_0():
    """So that a fit that allows none can't pass."""
    lowest = [reference("prices", *p.values()).min() for p in drawn("prices")]
    assert min(lowest) < 0 < max(lowest)


class TestOtherWays:
    """The same answers by a way that the bank does not go."""

    def test_scores_by_scikit_learn(self):
        from sklearn.metrics import (
            mean_absolute_error,
            mean_absolute_percentage_error,
            median_absolute_error,
            r2_score,
        )

        for y, guess in (p.values() for p in drawn("scores")):
            table = reference("scores", y, guess)
            assert table["mape"] == pytest.approx(mean_absolute_percentage_error(y, guess))
            assert table["median_ape"] == pytest.approx(
                median_absolute_error(np.ones(y.size), guess / y)
            )
            logs = mean_absolute_error(np.log(y), np.log(guess))
            assert table["log_error"] == pytest.approx(logs)
            assert table["r2"] == pytest.approx(r2_score(y, guess))

    def test_better_predictor_has_the_lower_r2(self):
        for seconds, first, second in (p.values() for p in drawn("which_score")):
            word, error = reference("which_score", seconds, first, second)
            best, other = (first, second) if word == "first" else (second, first)
            assert error == pytest.approx(metrics.mape(seconds, best))
            assert error < metrics.mape(seconds, other)
            assert metrics.r2(seconds, best) < metrics.r2(seconds, other)

    def test_noise_floor_by_simulation(self):
        rng = np.random.default_rng(1)
        first, second = rng.normal(0, 0.1, (2, 100_000))
        found = reference("noise_floor", np.std(second - first))
        assert found == pytest.approx(np.abs(first).mean(), rel=0.01)

    def test_half_of_the_errors_are_at_most_the_middle_one(self):
        for p in drawn("middle"):
            word, error = reference("middle", *p.values())
            assert (p[word] <= error).sum() == (p[word] >= error).sum() == 5

    def test_leak_has_the_rank_order_of_the_times(self):
        for p in drawn("leak"):
            word, seconds = reference("leak", *p.values())
            found = stats.spearmanr(p[word], p["seconds"]).statistic
            assert found == pytest.approx(-1)
            slope, shift = np.polyfit(np.log(p[word]), np.log(p["seconds"]), 1)
            new = p["new_run"][int(word[1]) - 1]
            assert np.exp(shift + slope * np.log(new)) == pytest.approx(seconds, rel=2e-3)

    def test_repeats_on_both_sides_by_simulation(self):
        rng = np.random.default_rng(1)
        train = rng.random((60_000, 4)) < 0.35
        seen = train.any(axis=1)[:, None] & ~train
        expected = seen.sum() / (~train).sum()
        assert reference("both_sides", 4, 0.35) == pytest.approx(expected, rel=0.01)

    def test_split_is_told_by_machine_and_size(self):
        for p in drawn("right_split"):
            seconds = reference("right_split", *p.values())
            for place in range(3):
                inside = p["asked_size"][place] <= p["trained_largest"]
                kind = "random" if inside else "larger"
                kind = "unseen" if p["asked_machine"][place] == 4 else kind
                assert seconds[place] == p["error_" + kind] * p["predicted_seconds"][place]

    def test_standardised_by_scikit_learn(self):
        for train, test in (p.values() for p in drawn("standardise")):
            expected = StandardScaler().fit(train[:, None]).transform(test[:, None])[:, 0]
            assert reference("standardise", train, test) == pytest.approx(expected)

    def test_one_out_by_scikit_learn(self):
        for sizes, seconds in (p.values() for p in drawn("one_out")[:4]):
            nearest = KNeighborsRegressor(1)
            guess = cross_val_predict(nearest, sizes[:, None], seconds, cv=LeaveOneOut())
            found = reference("one_out", sizes, seconds)
            assert found == pytest.approx(metrics.mape(seconds, guess))

    def test_prices_are_least_and_agree_with_the_package(self):
        for counts, seconds in (p.values() for p in drawn("prices")[:4]):
            found = reference("prices", counts, seconds)

            def loss(w, counts=counts, seconds=seconds):
                return np.sum((counts @ w / seconds - 1) ** 2)

            assert loss(optimize.minimize(loss, np.ones(2)).x) >= loss(found) - 1e-9
            if (found > 0).all():
                rows = pd.DataFrame(counts, columns=["a", "b"])
                fitted = Priced(lambda rows: {"a": rows["a"], "b": rows["b"]}).fit(rows, seconds)
                assert list(fitted.prices_.values()) == pytest.approx(found)

    def test_roofline_kernel_by_kernel(self):
        for p in drawn("roofline_error"):
            intensity = p["flops"] / p["bytes_moved"]
            rates = [min(p["peak"], i * p["bandwidth"]) for i in intensity]
            errors = [
                abs(f / r - t) / t for f, r, t in zip(p["flops"], rates, p["seconds"], strict=True)
            ]
            assert reference("roofline_error", *p.values()) == pytest.approx(np.mean(errors))

    def test_tiles_one_by_one(self):
        for m, n, tile, units in (p.values() for p in drawn("tiles")[:4]):
            corners = [(i, j) for i in range(0, m, tile) for j in range(0, n, tile)]
            steps = len(range(0, len(corners), units))
            useful = sum(min(tile, m - i) * min(tile, n - j) for i, j in corners)
            expected = useful / (steps * units * tile**2)
            assert reference("tiles", m, n, tile, units) == pytest.approx(expected)

    def test_power_law_by_scikit_learn(self):
        for sizes, seconds, new_size in (p.values() for p in drawn("power_law")):
            table = reference("power_law", sizes, seconds, new_size)
            law = LogFeatures(LinearRegression(), ["n"]).fit(pd.DataFrame({"n": sizes}), seconds)
            at = pd.DataFrame({"n": [new_size, 10 * new_size]})
            median, tenfold = law.predict(at)
            assert table["median"] == pytest.approx(median)
            assert 10 ** table["exponent"] == pytest.approx(tenfold / median)
            line = stats.linregress(np.log(sizes), np.log(seconds))
            spread = line.stderr * np.sqrt(np.sum((np.log(sizes) - np.log(sizes).mean()) ** 2))
            assert table["mean"] == pytest.approx(stats.lognorm.mean(spread, scale=median))

    def test_no_tree_says_more(self):
        for sizes, seconds, leaf, asked in (p.values() for p in drawn("tree_range")[:4]):
            most = reference("tree_range", sizes, seconds, leaf, asked)
            tree = DecisionTreeRegressor(min_samples_leaf=leaf)
            said = tree.fit(sizes[:, None], seconds).predict([[asked]])[0]
            assert said <= most * (1 + 1e-9)
            means = [seconds[-k:].mean() for k in range(leaf, seconds.size + 1)]
            assert max(means) == pytest.approx(most)

    def test_graybox_by_the_package(self):
        for p in drawn("graybox"):
            rows = pd.DataFrame({"model": p["model_seconds"], "group": p["large"] + 1.0})
            new = pd.DataFrame({"model": p["new_model_seconds"], "group": p["new_large"] + 1.0})
            as_it_is = Columns(LinearRegression(fit_intercept=False), ["model"])
            as_it_is.fit(rows, p["seconds"])
            scale = as_it_is.fitted_.coef_[0]
            mixed = Residual(as_it_is, LinearRegression(), ["group"]).fit(rows, p["seconds"])
            assert scale > 0
            assert reference("graybox", *p.values()) == pytest.approx(mixed.predict(new))

    def test_one_measurement_by_a_gaussian_process(self):
        for there, measured, here, distance, length, noise in (
            p.values() for p in drawn("prior_mean")
        ):
            process = GaussianProcessRegressor(RBF(length), alpha=noise, optimizer=None)
            process.fit([[0.0]], [np.log(measured / there)])
            expected = here * np.exp(process.predict([[distance]])[0])
            found = reference("prior_mean", there, measured, here, distance, length, noise)
            assert found == pytest.approx(expected)

    def test_curve_meets_the_whitebox(self):
        for n1, n2, e1, e2, floor, whitebox in (p.values() for p in drawn("overtake")):
            found = reference("overtake", n1, n2, e1, e2, floor, whitebox)
            above = np.interp(
                np.log(found),
                np.log([n1, n2, n2**2 / n1, n2**4 / n1**3, n2**8 / n1**7]),
                np.log(e1 - floor)
                + np.array([0, 1, 2, 4, 8]) * np.log((e2 - floor) / (e1 - floor)),
            )
            assert floor + np.exp(above) == pytest.approx(whitebox)

    def test_paired_by_the_test_of_students_t(self):
        for first, second in (p.values() for p in drawn("paired")):
            word, half = reference("paired", first, second)
            interval = stats.ttest_rel(first, second).confidence_interval(0.95)
            assert half == pytest.approx((interval.high - interval.low) / 2)
            assert (word == "can't tell") == (interval.low <= 0 <= interval.high)
            assert (word == "first") == (interval.high < 0)

    def test_slope_of_a_mixed_window(self):
        rng = np.random.default_rng(1)
        base = rng.normal(size=6)
        x = 30 + 5 * np.tile((base - base.mean()) / base.std(), 5)
        true = np.where(np.arange(30) < 12, 1 / 0.7, 1.0)
        slope = np.polyfit(x, true * x, 1)[0]
        assert reference("change", 30, 12, 0.7) == pytest.approx(1 - slope * 0.7)

    def test_forecasts_by_scikit_learn(self):
        for x, t, window in (p.values() for p in drawn("forecast")[:4]):
            found = reference("forecast", x, t, window)
            for i in range(window, x.size):
                seen = slice(i - window, i)
                line = LinearRegression().fit(x[seen, None], t[seen])
                assert found[i - window] == pytest.approx(line.predict([[x[i]]])[0])

    def test_additive_by_scikit_learn(self):
        for counts, times, new in (p.values() for p in drawn("additive")):
            fitted = LinearRegression().fit(counts, times)
            found = reference("additive", counts, times, new)
            assert found == pytest.approx(fitted.predict([new])[0])

    def test_every_family_wins_somewhere_and_none_everywhere(self):
        rng = np.random.default_rng(1)
        question = BANK.question("family")
        words = [question.reference(**question.inputs(rng))[0] for _ in range(200)]
        assert min(words.count(word) for word in question.choices) >= 5

    def test_own_law_extrapolates(self):
        for p in drawn("own_law"):
            rows = pd.DataFrame({"n": p["sizes"]})
            half = len(rows) // 2
            law = LogFeatures(LinearRegression(), ["n"]).fit(rows[:half], p["seconds"][:half])
            expected = metrics.mape(p["seconds"][half:], law.predict(rows[half:]))
            assert reference("own_law", *p.values()) == pytest.approx(expected)


class TestBank:
    def test_has_all_sorts_of_questions_and_many_misconceptions(self):
        kinds = [question.kind for question in BANK.questions]
        assert min(kinds.count(kind) for kind in ("function", "number", "array", "choice")) >= 4
        assert "measured" in kinds
        assert sum(len(question.mistakes) for question in BANK.questions) >= 100

    @pytest.mark.parametrize(
        ("id", "trade"),
        [
            ("one_out", "scored on training data"),
            ("build_mape", "MAPE on logarithms"),
            ("right_split", "random split for extrapolation"),
            ("forecast", "has seen the answer"),
            ("middle", "mean for a skewed error"),
            ("build_mape", "divided by the prediction"),
            ("which_score", "R2 alone"),
            ("build_mape", "per cent for share"),
            ("standardise", "standardised with test rows"),
        ],
    )
    def test_mistakes_of_the_trade_are_known(self, id, trade):
        assert trade in [wrong.name for wrong in BANK.question(id).mistakes]

    def test_order_of_own_measurements_does_not_matter(self):
        question, p = BANK.question("own_law"), drawn("own_law")[0]
        turned = {name: column[::-1] for name, column in p.items()}
        answer = {**turned, "answer": question.reference(**p)}
        assert judge("prediction", question, answer, "ada").right


@pytest.mark.parametrize(
    ("sizes", "seconds", "complaint"),
    [
        (np.array([1, 1, 2, 3, 4, 5, 6, 9.0]), np.arange(1.0, 9), "Each size once"),
        (np.arange(1.0, 9), np.arange(8.0), "above 0"),
        (np.arange(8.0, 16), np.arange(8.0, 16), "eight times"),
        (np.arange(1.0, 9), np.arange(1.0, 9)[::-1], "longer"),
        (np.arange(1.0, 9), np.arange(1.0, 9), ""),
    ],
)
def test_impossible_measurements_are_named(sizes, seconds, complaint):
    said = BANK.question("own_law").plausible(sizes, seconds)
    assert complaint in said
    assert bool(complaint) == bool(said)
