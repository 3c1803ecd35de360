"""Tasks: place a tensor, weigh pages, find a ratio, make an Adam step faster."""

from __future__ import annotations

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.labs.offloading.cxl_alloc.adam import MOVED, MUST, Singles, in_expressions, states
from perfmodel.tasks import Faster, Task

BLOCK = 32_768
"""Elements per block; a block goes through all operations. 128 KiB of each array."""


def in_blocks(w: Singles, m: Singles, v: Singles, g: Singles) -> Singles:
    """Do what `in_expressions` does, in place and block by block."""
    room = np.empty(min(BLOCK, w.size), w.dtype)
    for start in range(0, w.size, BLOCK):
        own = slice(start, start + BLOCK)
        weights, mean, square, gradient = w[own], m[own], v[own], g[own]
        work = room[: weights.size]
        mean *= 0.9
        np.multiply(gradient, 0.1, out=work)
        mean += work
        square *= 0.95
        np.multiply(gradient, gradient, out=work)
        work *= 0.05
        square += work
        np.sqrt(square, out=work)
        work += 1e-8
        np.divide(mean, work, out=work)
        work *= 1e-4
        weights -= work
    return w


stays = Task(
    "Master weights that stay in DRAM",
    reference=lambda parameters, budget: min(budget - 12 * parameters, 2 * parameters),
    cases=[(8_474_147_584, 100 * 2**30), (7_615_616_512, 100 * 2**30)],
    mistakes=mistakes(
        lambda parameters, budget: budget - 12 * parameters,
        "the whole rest: A tensor that doesn't fit is spread page by page over two nodes. DRAM "
        "gets at most half of it, even if more room is left.",
        lambda parameters, budget: (budget - 12 * parameters) / 2,
        "half of the rest: Take half of the tensor, not half of the remaining budget. Pages go to "
        "both nodes in turn until DRAM's budget is used up.",
        lambda parameters, budget: min(budget - 12 * parameters, 2 * parameters) / 2**30,
        "in GiB: That is in GiB. Return bytes.",
        lambda parameters, budget: budget - 16 * parameters,
        "all four before: The master weights are the fourth tensor. Only three come before them.",
        lambda parameters, budget: 2 * parameters,
        "half always: DRAM gets half of the tensor only if there is room. Is there?",
        lambda parameters, budget: budget - 8 * parameters,
        "two tensors before: Three tensors of 4 bytes a parameter come before: momentum, variance "
        "and master gradients.",
        lambda parameters, budget: min(budget - 6 * parameters, parameters),
        "in 16 bits: Momentum, variance, master gradients and master weights have 32 bits, 4 "
        "bytes per parameter.",
        lambda parameters, budget: 4 * parameters - min(budget - 12 * parameters, 2 * parameters),
        "on the card: That is the part on the card. Return the part in DRAM.",
    ),
    hint="How much of the budget remains after three tensors of 4 bytes per parameter? How much is "
    "half of the fourth tensor? Take the smaller.",
    right="LFM keeps 5.294 GiB of its master weights in DRAM. Qwen keeps half of them, and leaves "
    "0.7 GiB for a tensor that needs DRAM less.",
    unit="bytes",
)

page_share = Task(
    "The share of pages that keeps all nodes busy to the end",
    reference=lambda dram, cxl, cards: dram / (dram + cards * cxl),
    cases=[(200e9, 50e9, 1), (200e9, 50e9, 2), (150e9, 30e9, 3)],
    mistakes=mistakes(
        lambda dram, cxl, cards: 1 / (1 + cards),
        "equal parts: Equal parts let the fast node wait for the slow ones.",
        lambda dram, cxl, cards: dram / (dram + cxl),
        "cards forgotten: You counted one card. Each card adds its own rate.",
        lambda dram, cxl, cards: cards * cxl / (dram + cards * cxl),
        "the cards' share: That is the cards' fraction. The question asks for DRAM's.",
        lambda dram, cxl, cards: dram / (cards * cxl) / (1 + dram / cxl),
        "for one card: Fractions sum to 1. Write x/dram = (1 - x)/(cards cxl) and solve for x.",
        lambda dram, cxl, cards: dram / (cards * cxl),
        "pages for one: That is the number of pages in DRAM per page on the cards. 4 to 1 is a "
        "fraction of 4/5.",
        lambda dram, cxl, cards: cxl / (dram + cards * cxl),
        "one card's share: That is the fraction of one card. The question asks for DRAM's.",
        lambda dram, cxl, cards: 1 - cxl / dram,
        "one less the ratio: A fraction is a part of the whole. Divide by the sum of all rates, "
        "not by DRAM's rate.",
        lambda dram, cxl, cards: 1 - cxl * cards / dram,
        "ratio of rates: Let both finish together. Solve x / dram = (1 - x) / (cards * cxl).",
    ),
    hint="A node works for its bytes divided by its rate. Write this for DRAM with the fraction x, "
    "and for all cards together with the rest. Set both equal.",
    right="With 200 and 50 GB/s DRAM gets four pages of five. Together they give 250 GB/s, where "
    "equal parts give 100.",
)

ratio = Task(
    "The ratio of passes to update that gives a share of the throughput",
    reference=lambda share, update: (share * update - 1) / (1 - share),
    cases=[(0.98, 1.5), (0.9, 2.0), (0.97, 1.2)],
    mistakes=mistakes(
        lambda share, update: (update - 1) / (1 - share),
        "share of the time: That is r + a, the whole step. Subtract the update to get r.",
        lambda share, update: (update - 1) / (1 - share) - 1,
        "less the update in DRAM: You subtracted the update in DRAM. The slower step contains the "
        "slower update a.",
        lambda share, update: (update - share) / (1 - share),
        "share of the slow step: Check the signs in (r + 1) = share (r + a).",
        lambda share, update: share * (update - 1) / (1 - share),
        "share for one: Multiply out share * (r + update) = r + 1. The constant on the right is "
        "1, not share.",
        lambda share, update: (update - 1) * share / (1 - share) + 1,
        "share of what is lost: Solve (r + 1) = share (r + a) for r, and put r back in to see "
        "whether it holds.",
    ),
    hint="(r + 1) = share * (r + update). Solve for r.",
    right="If the update takes 1.5 times as long, 98 % of the throughput remain only if the passes "
    "take 23.5 times as long as the update in DRAM.",
)

quick_adam = Faster(
    "Make an Adam step faster by moving less",
    given=in_expressions,
    cases=[states(7), states(1000, 1e-8), states(100_001), states(2**21 + 5)],
    reference=in_blocks,
    bound=lambda: MOVED / MUST,
    aim=1.3,
    model="the count of bytes",
    mistakes=mistakes(
        lambda w, m, v, g: w + (w - in_expressions(w.copy(), m, v, g)),
        "uphill: Your weights go uphill. Subtract the step.",
        lambda w, m, v, g: w - 1e-4 * (0.9 * m + 0.1 * g) / (0.95 * v + 0.05 * g * g + 1e-8),
        "no root: You divided by the variance. Divide the step by its square root.",
        lambda w, m, v, g: w - 1e-4 * (0.9 * m + 0.1 * g) / np.sqrt(0.95 * v + 0.05 * g * g + 1e-8),
        "small number under the root: Add 1e-8 to the root, not under it. A weight with a tiny "
        "gradient shows the difference.",
        lambda w, m, v, g: w - 1e-4 * (0.9 * m + 0.1 * g) / np.sqrt(0.95 * v + 0.05 * g * g),
        "no small number: The 1e-8 is missing. It matters for a weight with a tiny gradient.",
        lambda w, m, v, g: (
            w - 1e-4 * (0.9 * m + 0.1 * g) / (np.sqrt(0.95 * v + 0.05 * (0.1 * g) ** 2) + 1e-8)
        ),
        "gradient overwritten: Did you overwrite `g` with 0.1 g before taking its square?",
        lambda w, m, v, g: w - 1e-4 * m / ((0.95 * v + 0.05 * g * g) ** 0.5 + 1e-8),
        "old momentum: You step with the old momentum. Update it first.",
        lambda w, m, v, g: w,
        "rest left out: Some or all weights come back unchanged. Do you handle a last block that "
        "isn't full?",
    ),
    hint="`m *= 0.9` and `np.multiply(g, 0.1, out=work)` make no new array. Then let a block of "
    "32,768 elements go through all operations before the next block.",
    right="The rest of the gap to the bound may be arithmetic and the cache, because NumPy goes "
    "over a block twelve times. Compiled code keeps an element in registers, as the CPU version "
    "of Adam in a training library does.",
    tolerance=1e-6,
)
