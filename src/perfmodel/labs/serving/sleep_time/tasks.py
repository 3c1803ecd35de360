"""What the reader does: when it pays, what two ratios imply, how much to do, what idle costs."""

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
        "idle seconds priced alike: What is saved is saved while somebody waits: it counts "
        "`weight` times.",
        lambda ahead, fresh, factor, weight, covered: ahead / (weight * fresh * covered),
        "answers free: An answer from what was prepared still costs something: fresh / factor.",
        lambda ahead, fresh, factor, weight, covered: ahead / (weight * fresh * covered / factor),
        "what is left, not what is saved: That divides by what a question still costs. Divide by "
        "what it no longer costs.",
        lambda ahead, fresh, factor, weight, covered: ahead / (weight * fresh * (1 - 1 / factor)),
        "all covered: A question that isn't covered saves nothing.",
        lambda ahead, fresh, factor, weight, covered: (
            ahead * weight / (fresh * covered * (1 - 1 / factor))
        ),
        "weight on the wrong side: The more a second of waiting costs, the earlier it pays.",
        lambda ahead, fresh, factor, weight, covered: (
            ahead / (weight * fresh * (1 - covered / factor))
        ),
        "what isn't covered: A question costs covered / factor + (1 - covered) of one from "
        "scratch; what it saves is the rest.",
        lambda ahead, fresh, factor, weight, covered: (
            ahead / (weight * fresh * covered * (factor - 1))
        ),
        "factor times: `factor` times less leaves 1 / factor: what is saved is 1 - 1 / factor of "
        "an answer.",
    ),
    hint="The cost of the work ahead, over what one question saves on average.",
    right="Nothing else about the system counts; it is (3) below.",
    unit="questions",
)

implied = Task(
    "What two printed ratios say of the work ahead",
    reference=lambda saving, queries, factor: queries * (1 / saving - 1 / factor),
    cases=[(2.5, 10, 5.0), (1.5, 4, 3.0), (6.0, 30, 8.0)],
    mistakes=mistakes(
        lambda saving, queries, factor: queries / saving,
        "answers free: Part of what a question still costs is its own answer, 1 / factor.",
        lambda saving, queries, factor: 1 / saving - 1 / factor,
        "one question: That is the share of one question. All of them pay for the work ahead.",
        lambda saving, queries, factor: queries * (factor - saving),
        "ratios subtracted: Costs add up, ratios of costs don't: subtract 1 / factor from 1 / "
        "saving.",
        lambda saving, queries, factor: (1 / saving - 1 / factor) / queries,
        "divided by the questions: A question bears 1 / N of it: to get all of it, multiply.",
        lambda saving, queries, factor: queries * saving / factor,
        "ratio of ratios: Write (2) with 1 / G on the left, and solve.",
        lambda saving, queries, factor: queries / saving - 1 / factor,
        "an own answer for one question only: Each of the questions still takes its own answer, 1 "
        "/ factor.",
        lambda saving, queries, factor: queries * (1 / factor - 1 / saving),
        "signs: Work isn't below 0: the whole saving is smaller than that of an answer alone.",
    ),
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
    mistakes=mistakes(
        lambda queries, weight, saved, scale: scale * np.log(weight * queries * saved / scale),
        "less than nothing: Where the first unit saves less than it costs, do none: not less than "
        "0.",
        lambda queries, weight, saved, scale: scale * max(0.0, np.log(queries * saved / scale)),
        "idle seconds priced alike: Each unit saved counts `weight` times.",
        lambda queries, weight, saved, scale: scale * max(0.0, np.log(weight * saved / scale)),
        "one question: All questions of the context save.",
        lambda queries, weight, saved, scale: max(0.0, np.log(weight * queries * saved / scale)),
        "without unit: That is the effort over `scale`, a number without unit.",
        lambda queries, weight, saved, scale: (
            scale * max(0.0, np.log10(weight * queries * saved / scale))
        ),
        "logarithm to 10: `exp` undoes the natural logarithm, `np.log`.",
        lambda queries, weight, saved, scale: scale * max(0.0, np.log(weight * queries * saved)),
        "slope without its scale: The slope of exp(-A / s0) is 1 / s0 of it: the logarithm's "
        "argument has no unit.",
        lambda queries, weight, saved, scale: weight * queries * saved,
        "where saving and cost are equal in all: That is all that could be saved. Stop where the "
        "next unit saves one unit of cost.",
    ),
    hint="At the least cost the last unit of work ahead saves just the one unit that it costs: the "
    "derivative by A of A + qN D(A) is 0.",
    right="Ten times the questions ask for 2.3 s0 more.",
)

added_wait = Task(
    "What background pieces add to the wait",
    reference=lambda share, mean, scv: share * mean * (1 + scv) / 2,
    cases=[(1.0, 2.0, 0.5), (0.5, 4.0, 2.0), (0.25, 0.1, 0.0)],
    mistakes=mistakes(
        lambda share, mean, scv: share * mean / 2,
        "half a piece: Long pieces are hit more often than short ones: E[V^2] / (2 E[V]), not E[V] "
        "/ 2.",
        lambda share, mean, scv: share * mean * (1 + scv),
        "a whole piece: The arrival comes somewhere within the piece, and waits for what is left.",
        lambda share, mean, scv: share * mean,
        "a piece of mean length, all of it: The arrival comes somewhere within the piece, and long "
        "pieces are met more often than short ones.",
        lambda share, mean, scv: mean * (1 + scv) / 2,
        "idle time full: Pieces take only `share` of the idle time.",
        lambda share, mean, scv: share * mean * scv / 2,
        "variation alone: Pieces of one length, with a scv of 0, add something too: E[V^2] is (1 + "
        "scv) E[V]^2.",
        lambda share, mean, scv: share**2 * mean * (1 + scv) / 2,
        "squared share: The chance to meet a piece counts once.",
        lambda share, mean, scv: share * (1 + scv) / 2,
        "no mean: That has no seconds in it.",
    ),
    hint="`share` of the mean time that is left of a piece; E[V^2] is (1 + scv) E[V]^2.",
    right="The load isn't in it. Only shorter pieces, or fewer, help.",
    unit="s",
)
