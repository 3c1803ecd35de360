"""What the reader does: when it pays, what two ratios imply, how much to do, what idle costs."""

from __future__ import annotations

import numpy as np

from perfmodel.tasks import Mistake, Task

pays_after = Task(
    "Questions after which it has paid",
    reference=lambda ahead, fresh, factor, weight, covered: (
        ahead / (weight * fresh * covered * (1 - 1 / factor))
    ),
    cases=[(8000, 10_000, 5, 10, 1.0), (30.0, 2.0, 4.0, 3.0, 0.6), (5e5, 900.0, 1.5, 1.0, 0.25)],
    mistakes=[
        Mistake(
            "idle seconds priced alike",
            lambda ahead, fresh, factor, weight, covered: (
                ahead / (fresh * covered * (1 - 1 / factor))
            ),
            "What is saved is saved while somebody waits: it counts `weight` times.",
        ),
        Mistake(
            "answers free",
            lambda ahead, fresh, factor, weight, covered: ahead / (weight * fresh * covered),
            "An answer from what was prepared still costs something: fresh / factor.",
        ),
        Mistake(
            "what is left, not what is saved",
            lambda ahead, fresh, factor, weight, covered: (
                ahead / (weight * fresh * covered / factor)
            ),
            "That divides by what a question still costs. Divide by what it no longer costs.",
        ),
        Mistake(
            "all covered",
            lambda ahead, fresh, factor, weight, covered: (
                ahead / (weight * fresh * (1 - 1 / factor))
            ),
            "A question that isn't covered saves nothing.",
        ),
        Mistake(
            "weight on the wrong side",
            lambda ahead, fresh, factor, weight, covered: (
                ahead * weight / (fresh * covered * (1 - 1 / factor))
            ),
            "The dearer a second of waiting, the sooner work ahead pays.",
        ),
        Mistake(
            "what isn't covered",
            lambda ahead, fresh, factor, weight, covered: (
                ahead / (weight * fresh * (1 - covered / factor))
            ),
            "A question costs covered / factor + (1 - covered) of one from scratch; what it saves "
            "is the rest.",
        ),
        Mistake(
            "factor times",
            lambda ahead, fresh, factor, weight, covered: (
                ahead / (weight * fresh * covered * (factor - 1))
            ),
            "`factor` times less leaves 1 / factor: what is saved is 1 - 1 / factor of an answer.",
        ),
    ],
    hint="The cost of the work ahead, over what one question saves on average.",
    right="Nothing else about the system counts; it is (3) below.",
    unit="questions",
)

implied = Task(
    "What two printed ratios say of the work ahead",
    reference=lambda saving, queries, factor: queries * (1 / saving - 1 / factor),
    cases=[(2.5, 10, 5.0), (1.5, 4, 3.0), (6.0, 30, 8.0)],
    mistakes=[
        Mistake(
            "answers free",
            lambda saving, queries, factor: queries / saving,
            "Part of what a question still costs is its own answer, 1 / factor.",
        ),
        Mistake(
            "one question",
            lambda saving, queries, factor: 1 / saving - 1 / factor,
            "That is the share of one question. All of them pay for the work ahead.",
        ),
        Mistake(
            "ratios subtracted",
            lambda saving, queries, factor: queries * (factor - saving),
            "Costs add up, ratios of costs don't: subtract 1 / factor from 1 / saving.",
        ),
        Mistake(
            "divided by the questions",
            lambda saving, queries, factor: (1 / saving - 1 / factor) / queries,
            "A question bears 1 / N of it: to get all of it, multiply.",
        ),
        Mistake(
            "ratio of ratios",
            lambda saving, queries, factor: queries * saving / factor,
            "Write (2) with 1 / G on the left, and solve.",
        ),
        Mistake(
            "an own answer for one question only",
            lambda saving, queries, factor: queries / saving - 1 / factor,
            "Each of the questions still takes its own answer, 1 / factor.",
        ),
        Mistake(
            "signs",
            lambda saving, queries, factor: queries * (1 / factor - 1 / saving),
            "Work isn't below 0: the whole saving is smaller than that of an answer alone.",
        ),
    ],
    hint="Turn (2) over: 1 / G is a sum of two parts, and you know one of them.",
    right="Two ratios in print fix a third number that isn't.",
    unit="answers from scratch",
)

effort = Task(
    "How much work to do ahead",
    reference=lambda queries, weight, saved, scale: (
        scale * max(0.0, np.log(weight * queries * saved / scale))
    ),
    cases=[(10, 10.0, 4000.0, 2000.0), (3, 5.0, 100.0, 40.0), (1, 2.0, 30.0, 100.0)],
    mistakes=[
        Mistake(
            "less than nothing",
            lambda queries, weight, saved, scale: scale * np.log(weight * queries * saved / scale),
            "Where the first unit saves less than it costs, do none: not less than 0.",
        ),
        Mistake(
            "idle seconds priced alike",
            lambda queries, weight, saved, scale: scale * max(0.0, np.log(queries * saved / scale)),
            "Each unit saved counts `weight` times.",
        ),
        Mistake(
            "one question",
            lambda queries, weight, saved, scale: scale * max(0.0, np.log(weight * saved / scale)),
            "All questions of the context save.",
        ),
        Mistake(
            "without unit",
            lambda queries, weight, saved, scale: max(
                0.0, np.log(weight * queries * saved / scale)
            ),
            "That is the effort over `scale`, a number without unit.",
        ),
        Mistake(
            "logarithm to 10",
            lambda queries, weight, saved, scale: (
                scale * max(0.0, np.log10(weight * queries * saved / scale))
            ),
            "`exp` undoes the natural logarithm, `np.log`.",
        ),
        Mistake(
            "slope without its scale",
            lambda queries, weight, saved, scale: (
                scale * max(0.0, np.log(weight * queries * saved))
            ),
            "The slope of exp(-A / s0) is 1 / s0 of it: the logarithm's argument has no unit.",
        ),
        Mistake(
            "where saving and cost are equal in all",
            lambda queries, weight, saved, scale: weight * queries * saved,
            "That is all that could be saved. Stop where the next unit saves one unit of cost.",
        ),
    ],
    hint="At the least cost the last unit of work ahead saves just the one unit that it costs: the "
    "derivative by A of A + qN D(A) is 0.",
    right="Ten times the questions ask for 2.3 s0 more.",
)

added_wait = Task(
    "What background pieces add to the wait",
    reference=lambda share, mean, scv: share * mean * (1 + scv) / 2,
    cases=[(1.0, 2.0, 0.5), (0.5, 4.0, 2.0), (0.25, 0.1, 0.0)],
    mistakes=[
        Mistake(
            "half a piece",
            lambda share, mean, scv: share * mean / 2,
            "Long pieces are hit more often than short ones: E[V^2] / (2 E[V]), not E[V] / 2.",
        ),
        Mistake(
            "a whole piece",
            lambda share, mean, scv: share * mean * (1 + scv),
            "The arrival comes somewhere within the piece, and waits for what is left.",
        ),
        Mistake(
            "a piece of mean length, all of it",
            lambda share, mean, scv: share * mean,
            "The arrival comes somewhere within the piece, and long pieces are met more often than "
            "short ones.",
        ),
        Mistake(
            "idle time full",
            lambda share, mean, scv: mean * (1 + scv) / 2,
            "Pieces take only `share` of the idle time.",
        ),
        Mistake(
            "variation alone",
            lambda share, mean, scv: share * mean * scv / 2,
            "Pieces of one length, with a scv of 0, add something too: E[V^2] is (1 + scv) E[V]^2.",
        ),
        Mistake(
            "squared share",
            lambda share, mean, scv: share**2 * mean * (1 + scv) / 2,
            "The chance to meet a piece counts once.",
        ),
        Mistake(
            "no mean",
            lambda share, mean, scv: share * (1 + scv) / 2,
            "That has no seconds in it.",
        ),
    ],
    hint="`share` of the mean time that is left of a piece; E[V^2] is (1 + scv) E[V]^2.",
    right="The load isn't in it. Only shorter pieces, or fewer, help.",
    unit="s",
)
