"""What the two contests come to, in sentences written from their outcome."""

from __future__ import annotations

import time

import numpy as np

from perfmodel.labs.prediction.models_in_schedulers import (
    admission_contest as edge,
    policy_contest as flexgen,
)
from perfmodel.labs.prediction.models_in_schedulers.admission_rules import (
    by_formula,
    history,
    learned_rule,
)
from perfmodel.labs.queueing.edge_cluster.placement import demand
from perfmodel.prediction.arena.paired_losses import Loss

THE_FORMULA, THE_THRESHOLD = "the formula", "the tuned threshold"
NO_DIFFERENCE = "no difference can be shown"


def better_rule(scenario: edge.Scenario) -> str:
    """Return which of the formula and the tuned threshold has the better score, if one is shown."""
    return named_rule(edge.loss(scenario, edge.TUNED))


def named_rule(lost: Loss) -> str:
    """Return the better rule's name for what the threshold loses against the formula."""
    return {"loses": THE_FORMULA, "gains": THE_THRESHOLD}.get(lost.conclusion, NO_DIFFERENCE)


def change(lost: Loss, what: str, scale: float = 1.0, digits: int = 0) -> str:
    """Say a loss, times `scale`, in words, as 'loses 12 % of throughput (5 to 19)'."""
    value, low, high = (f"{scale * end:z.{digits}f}" for end in lost)
    if lost.conclusion == "loses":
        return f"loses {value} {what} ({low} to {high})"
    if lost.conclusion == "gains":
        gained = (f"{-scale * end:.{digits}f}" for end in (lost.value, lost.high, lost.low))
        return "gains {} {} ({} to {})".format(next(gained), what, *gained)
    return f"shows no difference ({low} to {high} {what})"


def of_policies() -> str:
    """Say what is lost without FlexGen's model, by what is taken away and by budget."""
    unit = "% of the tokens/s"
    parts = []
    for name, label in (
        ("random, nothing known", "A search at random, with nothing known,"),
        ("random, bytes known", "A search at random with the bytes known"),
        ("trees, bytes known", "A search led by trees with the bytes known"),
    ):
        changes = [
            f"{change(flexgen.loss(flexgen.way_with(name, trials)), unit, 100)} in {trials} trials"
            for trials in (min(flexgen.TRIALS), max(flexgen.TRIALS))
        ]
        parts.append(f"{label} {changes[0]}, and {changes[1]}.")
    thumb = change(flexgen.loss(flexgen.THUMB), unit, 100)
    parts.append(f"The rule of thumb {thumb}.")
    by_way = flexgen.throughputs()
    fraction = float(np.exp(np.mean(np.log(by_way[flexgen.PLANNED] / by_way[flexgen.BEST]))))
    parts.append(
        f"The model itself, told wrong rates, reaches {100 * fraction:.0f} % of the "
        "best that any way found."
    )
    return " ".join(parts)


def of_admission() -> str:
    """Say what is lost without the queueing formula, for each kind of requests and limits."""
    parts = []
    for scenario in edge.SCENARIOS:
        changes = [
            f"{name} {change(edge.loss(scenario, rule), 'applications', digits=1)}"
            for rule, name in (
                (edge.FIXED, "a threshold of 0.8"),
                (edge.TUNED, "a tuned one"),
                (edge.LEARNED.format(max(edge.PASTS)), f"a learner with {max(edge.PASTS)} sets"),
            )
        ]
        parts.append(f"**{scenario}:** without the formula {'; '.join(changes)}.")
    return " ".join(parts)


def cost_of_a_decision(decisions: int = 20) -> str:
    """Time admissions by the formula and by trees here, and say what one costs."""
    asked = [demand(5, 1)]
    seconds = []
    for rule in (by_formula, learned_rule(history(min(edge.PASTS))).admits):
        start = time.perf_counter()
        for _ in range(decisions):
            rule(asked)
        seconds.append((time.perf_counter() - start) / decisions)
    return (
        f"Here the formula decides in {1e3 * seconds[0]:.2g} ms, the trees in "
        f"{1e3 * seconds[1]:.2g} ms, after {min(edge.PASTS)} sets were run to teach them."
    )


def why_of_rules(lost: Loss) -> str:
    """Explain the outcome of the tuned threshold, by what it loses against the formula."""
    opening = f"The threshold {change(lost, 'applications a demand', digits=1)}. "
    if lost.conclusion == "loses":
        return opening + (
            "The same utilization stands for short waits where services are short and alike, and "
            "for long ones where a few are long: one number must be careful for all."
        )
    if lost.conclusion == "gains":
        return opening + "One number, tuned on outcomes, makes up for what the formula leaves out."
    return opening + "Limits are alike, so that one number can stand for the formula."
