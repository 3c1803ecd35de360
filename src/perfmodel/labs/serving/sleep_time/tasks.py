"""Tasks: when work ahead pays, what two ratios imply, how much to do, what idle time costs."""

from __future__ import annotations

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

pays_after = Task(
    "Questions after which it has paid",
    reference=lambda ahead, fresh, factor, weight, covered: (
        ahead / (weight * fresh * covered * (1 - 1 / factor))
    ),
    cases=[(8000, 10_000, 5, 10, 1.0), (30.0, 2.0, 4.0, 3.0, 0.6), (5e5, 900.0, 1.5, 1.0, 0.25)],
    mistakes=mistakes(
        lambda ahead, fresh, factor, weight, covered: ahead / (fresh * covered * (1 - 1 / factor)),
        "idle seconds priced equally: The saved work is saved while a user waits, so it counts "
        "`weight` times.",
        lambda ahead, fresh, factor, weight, covered: ahead / (weight * fresh * covered),
        "answers free: A prepared answer still costs fresh / factor.",
        lambda ahead, fresh, factor, weight, covered: ahead / (weight * fresh * covered / factor),
        "the remaining cost: You divided by the cost that remains. Divide by the cost that a "
        "question saves.",
        lambda ahead, fresh, factor, weight, covered: ahead / (weight * fresh * (1 - 1 / factor)),
        "all covered: A question that isn't covered saves nothing.",
        lambda ahead, fresh, factor, weight, covered: (
            ahead * weight / (fresh * covered * (1 - 1 / factor))
        ),
        "weight on the wrong side: The more a second of waiting costs, the earlier work ahead "
        "pays.",
        lambda ahead, fresh, factor, weight, covered: (
            ahead / (weight * fresh * (1 - covered / factor))
        ),
        "uncovered questions: A question costs covered / factor + (1 - covered) of an answer from "
        "scratch. It saves the rest.",
        lambda ahead, fresh, factor, weight, covered: (
            ahead / (weight * fresh * covered * (factor - 1))
        ),
        "factor times: `factor` times less leaves 1 / factor. So an answer saves 1 - 1 / factor.",
    ),
    hint="Divide the cost of the work ahead by the mean saving of one question.",
    right="Nothing else about the system matters. This is equation (3) below.",
    unit="questions",
)

implied = Task(
    "What two printed ratios say about the work ahead",
    reference=lambda saving, queries, factor: queries * (1 / saving - 1 / factor),
    cases=[(2.5, 10, 5.0), (1.5, 4, 3.0), (6.0, 30, 8.0)],
    mistakes=mistakes(
        lambda saving, queries, factor: queries / saving,
        "answers free: A question also pays for its own answer, 1 / factor.",
        lambda saving, queries, factor: 1 / saving - 1 / factor,
        "one question: That is the part of one question. All questions pay for the work ahead.",
        lambda saving, queries, factor: queries * (factor - saving),
        "ratios subtracted: Costs add up, but savings don't. Subtract 1 / factor from 1 / saving.",
        lambda saving, queries, factor: (1 / saving - 1 / factor) / queries,
        "divided by the questions: A question pays 1 / N of the work ahead. Multiply to get all.",
        lambda saving, queries, factor: queries * saving / factor,
        "ratio of ratios: Write (2) with 1 / G on the left and solve for x.",
        lambda saving, queries, factor: queries / saving - 1 / factor,
        "an own answer for one question only: Every question pays for its own answer, 1 / factor.",
        lambda saving, queries, factor: queries * (1 / factor - 1 / saving),
        "signs: Work isn't negative. The saving with work ahead is smaller than the answer's own.",
    ),
    hint="Take the reciprocal of (2). 1 / G is a sum of two parts, and you know one of them.",
    right="Two published ratios fix a third number that isn't published.",
    unit="answers from scratch",
)

effort = Task(
    "How much work to do ahead",
    reference=lambda queries, weight, saved, scale: (
        scale * max(0.0, np.log(weight * queries * saved / scale))
    ),
    cases=[(10, 10.0, 4000.0, 2000.0), (3, 5.0, 100.0, 40.0), (1, 2.0, 30.0, 100.0)],
    mistakes=mistakes(
        lambda queries, weight, saved, scale: scale * np.log(weight * queries * saved / scale),
        "less than nothing: If the first unit saves less than it costs, do no work. Return at "
        "least 0.",
        lambda queries, weight, saved, scale: scale * max(0.0, np.log(queries * saved / scale)),
        "idle seconds priced equally: Each saved unit counts `weight` times.",
        lambda queries, weight, saved, scale: scale * max(0.0, np.log(weight * saved / scale)),
        "one question: All questions of the context save.",
        lambda queries, weight, saved, scale: max(0.0, np.log(weight * queries * saved / scale)),
        "without unit: That is the effort divided by `scale`. Multiply by `scale`.",
        lambda queries, weight, saved, scale: (
            scale * max(0.0, np.log10(weight * queries * saved / scale))
        ),
        "logarithm to 10: Use the natural logarithm, `np.log`, because (4) has e.",
        lambda queries, weight, saved, scale: scale * max(0.0, np.log(weight * queries * saved)),
        "slope without its scale: The derivative of exp(-A / s0) has a factor 1 / s0. The "
        "logarithm's argument has no unit.",
        lambda queries, weight, saved, scale: weight * queries * saved,
        "the whole saving: That is the largest possible saving. Stop where the next unit of work "
        "saves one unit of cost.",
    ),
    hint="At the minimum the last unit of work saves exactly one unit of cost. Set the derivative "
    "of A + qN D(A) by A to 0.",
    right="Ten times the questions need only 2.3 s0 more work.",
)

added_wait = Task(
    "What background pieces add to the wait",
    reference=lambda share, mean, scv: share * mean * (1 + scv) / 2,
    cases=[(1.0, 2.0, 0.5), (0.5, 4.0, 2.0), (0.25, 0.1, 0.0)],
    mistakes=mistakes(
        lambda share, mean, scv: share * mean / 2,
        "half a piece: An arrival meets long pieces more often than short ones. Use E[V^2] / (2 "
        "E[V]), not E[V] / 2.",
        lambda share, mean, scv: share * mean * (1 + scv),
        "a whole piece: A question arrives somewhere within the piece and waits for the rest.",
        lambda share, mean, scv: share * mean,
        "a piece of mean length, all of it: A question arrives somewhere within the piece. It also "
        "meets long pieces more often than short ones.",
        lambda share, mean, scv: mean * (1 + scv) / 2,
        "idle time full: Pieces take only `share` of the idle time.",
        lambda share, mean, scv: share * mean * scv / 2,
        "variation alone: Pieces of equal length, with a scv of 0, add a wait too. E[V^2] is (1 + "
        "scv) E[V]^2.",
        lambda share, mean, scv: share**2 * mean * (1 + scv) / 2,
        "squared share: The probability of meeting a piece counts once.",
        lambda share, mean, scv: share * (1 + scv) / 2,
        "no mean: Your result has no seconds. Multiply by the mean.",
    ),
    hint="Multiply `share` by the mean rest of a piece. E[V^2] is (1 + scv) E[V]^2.",
    right="It doesn't contain the load. Only shorter or fewer pieces help.",
    unit="s",
)
