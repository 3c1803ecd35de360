"""The exercise on forecasting: worked values, simulations, and the package's own answers."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
import solving
from hypothesis import given, strategies as st
from scipy import optimize, stats
from sklearn.linear_model import LogisticRegression

from perfcourse.bank.loader import load
from perfcourse.bank.parameters import cases
from perfcourse.judge import judge
from perfmodel.forecasting import (
    SATURATING_POWER_LAW,
    SIGMOID_LAW,
    TWO_VARIABLE_LAW,
    compute_optimal,
    fit_law,
    prefix_regression,
    probability_of_losing,
)

BANK = load(Path(__file__).parents[2] / "solutions" / "forecasting.py")
STUDENTS = [f"student-{i}" for i in range(10)]
reference = partial(solving.answer, BANK)
drawn, wrong = partial(solving.drawn, BANK), partial(solving.wrong, BANK)
changed = partial(solving.changed, BANK, STUDENTS)


@pytest.mark.parametrize(
    ("id", "arguments", "by_hand"),
    [
        ("floor", (5.0, 3.0, 2.0), 1.0),
        ("floor", (4.1, 2.5, 1.8), 1.13 / 0.9),
        ("budget", (1.5, 1.0, 2.0, 2.0, 0.5, 0.5), 6 * 64**2),
        ("total_spread", (3.0, 2.0, 0.3, 0.4), 0.5**0.5),
        ("borrowed", (np.array([0.1, -0.4, 0.2, -0.3]), 0.75), 0.4),
        ("pairs", (3.0, 4.0, 0.5, 2.0, 2.0), 52.0),
        ("pairs", (0.1, 0.1, 0.0, 0.1, 1.96), 8 * 1.96**2),
        ("match", (1000.0, 0.25, 0.75, 1000.0, 0.625, 500.0, 2.0), 500 * 2**0.5),
        ("crossing", (0.0, np.array([0.5, 1.0]), np.array([1.0, 4.0]), 1.0), 2.0),
        ("winner", (np.array([0.9, 0.8, 0.5]),), 0.64),
        ("saved", (100, 20, 10, 2, 60), 1000 / 520),
        ("clusters", (np.array([1, 1]), np.array([0.0, 0]), np.ones(2), np.array([0.2, 2.0]), 9.0),
         0.4770331),
    ],
)  # fmt: skip
def test_worked_values(id, arguments, by_hand):
    assert float(reference(id, *arguments)) == pytest.approx(by_hand, rel=1e-5)


def by_ruler(sizes, losses, target):
    slope, level = np.polyfit(np.log(sizes), np.log(losses), 1)
    law = BANK.question("ruler").reference(sizes, losses, target)["law"]
    return {"line": float(np.exp(level + slope * np.log(target))), "law": law}


def rank_rounded_down(errors, confidence):
    return float(np.sort(np.abs(errors))[int((len(errors) + 1) * confidence) - 1])


def rank_for_place(errors, confidence):
    return float(np.sort(np.abs(errors))[int(np.ceil((len(errors) + 1) * confidence))])


def form_by_the_fit(sizes, losses):
    form = BANK.question("form")
    chosen, _ = form.reference(sizes, losses)
    other = next(choice for choice in form.choices if choice != chosen)
    x, y = sizes[np.argsort(sizes)], losses[np.argsort(sizes)]
    logged = np.log if other == "power law" else np.asarray
    back = np.exp if other == "power law" else np.asarray
    line = np.polyfit(np.log(x[:6]), logged(y[:6]), 1)
    return other, float(np.mean(np.abs(back(np.polyval(line, np.log(x[6:]))) - y[6:])))


def lead(best, forecast, residuals, leverages, certainty):
    z = (best - forecast) / np.sqrt(np.mean((residuals / (1 - leverages)) ** 2))
    return ("stop" if z > certainty else "go on"), float(z)


@pytest.mark.parametrize("student", STUDENTS[:4])
@pytest.mark.parametrize(
    ("id", "model", "mistake"),
    [
        ("ruler", by_ruler, "line through all three"),
        ("form", form_by_the_fit, "chosen by the fit"),
        ("borrowed", rank_rounded_down, "the new run not counted"),
        ("borrowed", rank_for_place, "place for rank"),
        ("crossing", lambda **given: float(given["middles"][1]), "half-way point of the second"),
        ("stop", lead, "distance for chance"),
        ("clusters", lambda items, a, b, c, compute: float(np.exp(-np.mean(a * compute**-b + c))),
         "success at the clusters' mean loss"),
    ],
)  # fmt: skip
def test_natural_mistake_is_named(id, model, mistake, student):
    verdict = judge("forecasting", BANK.question(id), model(**drawn(id, student)), student)
    assert verdict.misconception == mistake


def test_levels_counted_from_0_are_told_so():
    table = BANK.question("ability").reference(**drawn("ability", STUDENTS[0]))
    table["ability"] -= 1
    verdict = judge("forecasting", BANK.question("ability"), table, STUDENTS[0])
    assert verdict.misconception == "levels from 0"


@pytest.mark.parametrize("student", STUDENTS)
def test_a_floor_below_0_is_among_the_cases(student):
    shown = cases("forecasting", BANK.question("floor"), student, "")
    floors = [float(reference("floor", *case.values())) for case in shown]
    assert min(floors) < 0 < max(floors)
    assert all(min(case.values()) > 0 for case in shown)


@pytest.mark.parametrize(
    ("weights", "mistake"),
    [
        (lambda s: (1 - s, s), "weights of another count"),
        (lambda s: (1 + s, -s), "weights swapped"),
        (lambda s: (-s - 1, 2 + s), "steps counted from the first"),
    ],
)
def test_weights_of_the_projection_are_told_apart(weights, mistake):
    """A count of steps beyond the second pilot, s, with each way to go wrong with it."""
    given = {"x_0": 100.0, "y_0": 0.4, "x_1": 200.0, "y_1": 0.5,
                          "error_0": 0.01, "error_1": 0.02, "x": 1600.0}  # fmt: skip
    one, other = weights(np.log(8) / np.log(2))
    expected = [one * 0.4 + other * 0.5, np.hypot(one * 0.01, other * 0.02)]
    assert wrong("projection", mistake)(**given) == pytest.approx(expected)
    assert reference("projection", *given.values()) != pytest.approx(expected)


def test_projection_is_that_of_the_paper():
    found = reference("projection", 1000.0, 0.40, 1500.0, 0.45, 0.01, 0.01, 10_000.0)
    assert found == pytest.approx([0.68394, 0.07358], abs=1e-5)


def test_chapter_s_own_projection_errs_as_it_says():
    found = reference("projection", 1e3, 0.5, 1e4, 0.6, 0.01, 0.01, 1e6)
    assert found == pytest.approx([0.8, 0.01 * 13**0.5])


@given(st.floats(0.1, 5), st.floats(0.1, 5), st.floats(0.05, 1.5), st.floats(2, 20))
def test_floor_and_law_are_those_that_were_planted(e, a, b, step):
    sizes = step ** np.arange(3)
    losses = SATURATING_POWER_LAW.value({"e": e, "a": a, "b": b}, sizes)
    assert float(reference("floor", *losses)) == pytest.approx(e, abs=1e-6)
    forecast = reference("ruler", sizes, losses, step**4)
    truth = SATURATING_POWER_LAW.value({"e": e, "a": a, "b": b}, step**4)
    assert forecast["law"] == pytest.approx(float(truth), abs=1e-5)
    assert forecast["line"] < forecast["law"]


def test_ruler_lies_on_the_last_two_runs():
    sizes, losses = np.array([1.0, 10.0, 100.0]), np.array([4.1, 2.5, 2.0])
    forecast = reference("ruler", sizes, losses, 10_000.0)
    assert forecast["line"] == pytest.approx(2.0 * (2.0 / 2.5) ** 2)


@pytest.mark.parametrize("student", STUDENTS)
def test_interval_of_refits_leaves_out_as_many_as_it_says(student):
    case = drawn("refits", student)
    x, y = np.log(case["sizes"]), np.log(case["losses"])
    fits = [stats.linregress(x[draw], y[draw]) for draw in case["draws"]]
    forecasts = np.array([np.exp(f.intercept + f.slope * np.log(case["target"])) for f in fits])
    low, high = BANK.question("refits").reference(**case)
    tail = 19 * (1 - case["confidence"]) / 2
    assert np.sum(forecasts < low) == np.sum(forecasts > high) == int(tail) + 1


@given(
    st.floats(1.05, 1.4), st.floats(50, 2000), st.floats(50, 2000), st.floats(0.25, 0.6),
    st.floats(0.25, 0.6),
)  # fmt: skip
def test_budget_buys_the_loss_and_no_smaller_one_does(loss, a, b, alpha, beta):
    theta = {"E": 1.0, "A": a, "B": b, "alpha": alpha, "beta": beta}
    spent = float(reference("budget", loss, *theta.values()))
    best = compute_optimal(theta, spent)
    assert float(TWO_VARIABLE_LAW.value(theta, *best)) == pytest.approx(loss, rel=1e-7)
    share = beta / (alpha + beta)
    size, data = (a / (share * (loss - 1))) ** (1 / alpha), (b / ((1 - share) * (loss - 1)))
    assert spent == pytest.approx(6 * size * data ** (1 / beta), rel=1e-8)


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("form", "in-sample error"),
        ("race", "higher ceiling"),
        ("race", "at a tenth"),
        ("stop", "in-sample spread"),
        ("open_floor", "not rooted"),
    ],
)
def test_mistake_changes_the_decision_of_some_students(id, name):
    assert any(changed(id, name))
    assert not all(changed(id, name))


@pytest.mark.parametrize("student", STUDENTS)
class TestEveryStudent:
    """Each mistake of the chapter does to each student's numbers what the chapter says."""

    def test_line_promises_what_the_floor_takes_back(self, student):
        forecast = BANK.question("ruler").reference(**drawn("ruler", student))
        assert forecast["line"] < 0.97 * forecast["law"]

    def test_interval_without_the_form_is_too_narrow(self, student):
        given = drawn("total_spread", student)
        whole = BANK.question("total_spread").reference(**given)
        assert wrong("total_spread", "interval without form error")(**given) < whole

    def test_choosing_the_best_flatters(self, student):
        given = drawn("many_forms", student)
        winner, honest = BANK.question("many_forms").reference(**given)
        same, flattered = wrong("many_forms", "choosing the best of many forms")(**given)
        assert winner == same
        assert flattered < honest

    def test_survivors_of_the_large_size_flatter_it(self, student):
        given = drawn("failures", student)
        assert given["large_finished"].sum() < given["small_finished"].sum()
        survivors = np.median(given["large"][given["large_finished"]])
        assert survivors <= np.sort(given["large"][given["large_finished"]])[4]
        dropped = wrong("failures", "failed runs dropped")(**given)
        assert dropped > BANK.question("failures").reference(**given)

    def test_mean_of_successes_is_above_the_success_at_the_mean_loss(self, student):
        given = drawn("clusters", student)
        at_mean = wrong("clusters", "success at the mean loss")(**given)
        assert at_mean < BANK.question("clusters").reference(**given)

    def test_spread_is_that_of_the_package_s_regression(self, student):
        given = drawn("stop", student)
        _, chance = BANK.question("stop").reference(**given)
        left_out = given["residuals"] / (1 - given["leverages"])
        spread = np.sqrt((left_out**2).mean())
        expected = probability_of_losing(given["best"], given["forecast"], spread)
        assert chance == pytest.approx(float(expected))

    def test_recipes_tie_at_the_crossing_and_nowhere_else(self, student):
        given = drawn("crossing", student)
        recipes = [
            {"R0": given["start"], "A": a, "Cmid": m, "B": given["steepness"]}
            for a, m in zip(given["ceilings"], given["middles"], strict=True)
        ]
        tie = float(BANK.question("crossing").reference(**given))
        hours = tie * np.array([0.9, 1, 1.1])
        one, two = (SIGMOID_LAW.value(recipe, hours) for recipe in recipes)
        assert one[0] > two[0]
        assert one[1] == pytest.approx(two[1])
        assert one[2] < two[2]

    def test_ability_is_that_of_scikit_learn_and_copies_do_not_move_it(self, student):
        given = drawn("ability", student)
        model = LogisticRegression(C=np.inf, tol=1e-10)
        levels = np.arange(1, 6)
        model.fit(
            np.tile(levels, 2)[:, None],
            np.repeat([1, 0], 5),
            np.concatenate([given["shares"], 1 - given["shares"]]),
        )
        question = BANK.question("ability")
        table = question.reference(**given)
        assert table["ability"] == pytest.approx(-model.intercept_[0] / model.coef_[0, 0], rel=1e-4)
        once = question.reference(**{**given, "copies": 1})
        assert once["ability"] == table["ability"]
        assert once["accuracy"] > table["accuracy"]


def test_larger_runs_tell_the_planted_form_more_often_than_the_fit_does():
    rng, question = np.random.default_rng(0), BANK.question("form")
    model, right = wrong("form", "in-sample error"), []
    for _ in range(200):
        sizes = np.geomspace(1, 1000, 9)
        losses = 3 * sizes**-0.15 * np.exp(rng.normal(0, 0.03, 9))
        right.append([m(sizes, losses)[0] == "power law" for m in (question.reference, model)])
    held_out, in_sample = np.mean(right, axis=0)
    assert held_out > in_sample + 0.1


def test_left_out_errors_are_those_of_the_package():
    rng = np.random.default_rng(3)
    seen = rng.uniform(0.3, 0.6, 9)
    curves = np.column_stack([seen, 0.4 + 0.6 * seen + rng.normal(0, 0.02, 9)])
    line = prefix_regression(curves, 1)
    leverages = line.leverage(curves)
    _, chance = reference("stop", 0.8, 0.77, line.residuals, leverages, 0.9)
    assert chance == pytest.approx(float(probability_of_losing(0.8, 0.77, line.forecast_deviation)))


def test_pairs_give_the_width_asked_for():
    rng = np.random.default_rng(0)
    covariance = [[0.03**2, 0.7 * 0.03 * 0.02], [0.7 * 0.03 * 0.02, 0.02**2]]
    count = float(reference("pairs", 0.03, 0.02, 0.7, 0.01, 1.96))
    runs = rng.multivariate_normal([0.5, 0.52], covariance, (20_000, round(count)))
    means = (runs[..., 1] - runs[..., 0]).mean(axis=1)
    assert 2 * 1.96 * means.std() == pytest.approx(0.01, rel=0.03)


def test_borrowed_interval_holds_as_often_as_it_says():
    rng = np.random.default_rng(0)
    held = []
    for errors in rng.standard_t(3, (4000, 20)):
        half = reference("borrowed", errors[:19], 0.8)
        held.append(abs(errors[19]) <= half)
    assert np.mean(held) == pytest.approx(16 / 20, abs=0.02)


def test_error_of_the_announced_mean_is_that_of_a_simulation():
    rng = np.random.default_rng(0)
    truth = rng.choice([2.3, 1.9], 400_000) + rng.normal(0, 0.1, 400_000)
    errors = truth + rng.normal(0, 0.05, truth.size) - 2.1
    assert float(reference("total_spread", 2.3, 1.9, 0.1, 0.05)) == pytest.approx(
        errors.std(), rel=0.01
    )


def test_worse_fit_without_a_floor_is_the_profile_of_a_fit():
    x = np.geomspace(1, 300, 12)
    y = (0.8 + 2 * x**-0.5) * np.exp(np.random.default_rng(2).normal(0, 0.02, 12))
    law = fit_law(SATURATING_POWER_LAW, x, y, loss="least squares of logs")
    slope, level = np.polyfit(np.log(x), np.log(y), 1)
    held = np.sum((np.log(y) - level - slope * np.log(x)) ** 2)
    verdict, worse = reference("open_floor", 2 * law.objective, held, 12)
    assert verdict == "above 0"
    assert worse > stats.t.ppf(0.975, 9)
    assert worse == pytest.approx(np.sqrt(9 * (held / np.sum(law.residuals**2) - 1)), rel=1e-6)


@given(st.floats(-1.5, 1.5), st.floats(1, 3))
def test_projection_errs_as_a_simulated_line_does(steps, ratio):
    x_0, x_1 = 100.0, 100.0 * ratio * 2
    x = x_1 * (x_1 / x_0) ** steps
    rng = np.random.default_rng(0)
    y_0, y_1 = 0.4 + 0.01 * rng.standard_normal(4000), 0.5 + 0.02 * rng.standard_normal(4000)
    lines = y_1 + (y_1 - y_0) * steps
    found = reference("projection", x_0, 0.4, x_1, 0.5, 0.01, 0.02, x)
    assert found == pytest.approx([lines.mean(), lines.std()], rel=0.08)


def test_explained_share_is_scored_on_what_was_not_fitted():
    x = np.array([0.0, 1, 2, 3])
    found = reference("explained", x, 2 * x, np.array([1.0, 3.0]), np.array([3.0, 7.0]))
    assert float(found) == pytest.approx(1 - 2 / 8)
    assert float(reference("explained", x, x, x, x + 9)) < 0


def test_alike_ends_have_no_variance_to_explain():
    x = np.array([0.0, 1, 2])
    with pytest.raises(ValueError, match="differ"):
        reference("explained", x, x, x, np.ones(3))


def test_hours_to_match_are_the_root_of_the_sigmoids():
    one = {"R0": 0.3, "A": 0.6, "Cmid": 2500.0, "B": 1.9}
    two = {"R0": 0.3, "A": 0.65, "Cmid": 11_000.0, "B": 1.9}
    rate = float(SIGMOID_LAW.value(one, 8000.0))
    hours = optimize.brentq(lambda c: float(SIGMOID_LAW.value(two, c)) - rate, 1, 1e7)
    found = reference("match", 8000.0, 0.3, 0.6, 2500.0, 0.65, 11_000.0, 1.9)
    assert float(found) == pytest.approx(hours)


def test_coverage_and_risk_by_hand():
    sure, errors = np.array([0.9, 0.5, 0.7, 0.1]), np.array([1.0, 8.0, 3.0, 20.0])
    assert reference("selective", sure, errors, 0.7) == pytest.approx([0.5, 2.0])


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({}, ""),
        ({"loss": np.zeros(6)}, "above 0"),
        ({"size": np.array([1.0, 2, 4, 8, 8, 16])}, "same size"),
        ({"size": np.arange(1.0, 7)}, "eight times"),
        ({"loss": np.ones(6)}, "are the same"),
    ],
)
def test_what_cannot_be_a_law_of_runs_is_told_so(change, complaint):
    good = {"size": 2.0 ** np.arange(6), "loss": np.linspace(2, 1, 6)}
    said = BANK.question("own_runs").plausible(**{**good, **change})
    assert (complaint in said) if complaint else said == ""


def test_own_forecast_has_not_seen_the_largest_run():
    size, loss = np.array([8.0, 1, 4, 2, 32, 16]), np.array([1.0, 8, 2, 4, 0.5, 0.5])
    assert float(reference("own_runs", size, loss)) == pytest.approx(0.25 / 0.5)
