"""The conclusions of the two contests, in sentences written from their outcome."""

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
    """Return which of the formula and the tuned threshold has the better score, if either has."""
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


def brief(lost: Loss) -> str:
    """Say a loss of throughput in words, without its interval."""
    if lost.conclusion == "no difference shown":
        return "shows no difference"
    return f"{lost.conclusion} {100 * abs(lost.value):.0f} % of the tokens/s"


def of_policies() -> str:
    """Say how much throughput each search loses without FlexGen's model, by budget."""
    few, many = min(flexgen.TRIALS), max(flexgen.TRIALS)
    parts = []
    for name, label in (
        ("random, nothing known", "Random search without any model"),
        ("random, bytes known", "Random search that knows the bytes"),
        ("trees, bytes known", "A search led by trees that knows the bytes"),
    ):
        first, last = (brief(flexgen.loss(flexgen.way_with(name, n))) for n in (few, many))
        parts.append(f"{label} {first} with {few} trials, and {last} with {many} trials.")
    parts.append(f"The rule of thumb {brief(flexgen.loss(flexgen.THUMB))}.")
    by_way = flexgen.throughputs()
    fraction = float(np.exp(np.mean(np.log(by_way[flexgen.PLANNED] / by_way[flexgen.BEST]))))
    parts.append(
        f"The model itself, with wrong rates, reaches {100 * fraction:.0f} % of the best "
        "throughput that any search found."
    )
    return " ".join(parts)


def of_admission() -> str:
    """Say in how many scenarios each rule loses and gains without the queueing formula."""
    parts = []
    for rule, name in (
        (edge.FIXED, "A threshold of 0.8 scores"),
        (edge.TUNED, "A tuned threshold scores"),
        (edge.LEARNED.format(max(edge.PASTS)), f"Trees with {max(edge.PASTS)} sets score"),
    ):
        found = [(scenario, edge.loss(scenario, rule)) for scenario in edge.SCENARIOS]
        gains = [scenario for scenario, lost in found if lost.conclusion == "gains"]
        loses = sum(lost.conclusion == "loses" for _, lost in found)
        said = f"{name} lower than the formula in {loses} of {len(found)} cases"
        if gains:
            said += ", and higher with " + " and ".join(map(str, gains))
        parts.append(f"{said}.")
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
        f"On this machine the formula decides in {1e3 * seconds[0]:.2g} ms and the trees in "
        f"{1e3 * seconds[1]:.2g} ms. The trees first had to learn from {min(edge.PASTS)} sets of "
        "applications."
    )


def why_of_rules(lost: Loss) -> str:
    """Explain the outcome of the tuned threshold, from its loss against the formula."""
    opening = f"The threshold {change(lost, 'applications a demand', digits=1)}. "
    if lost.conclusion == "loses":
        return opening + (
            "The same utilization means short waits where service times are short and similar, and "
            "long waits where a few are long. A single threshold must be careful in both cases."
        )
    if lost.conclusion == "gains":
        return opening + "A number tuned on outcomes includes effects that the formula leaves out."
    return opening + "The limits are similar, so one number can replace the formula."
