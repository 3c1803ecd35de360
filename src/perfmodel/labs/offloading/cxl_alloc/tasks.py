"""What the reader does: place a tensor, weigh pages, find a ratio, make an Adam step faster."""

from __future__ import annotations

import numpy as np

from perfmodel.labs.offloading.cxl_alloc.adam import MOVED, MUST, Singles, in_expressions, states
from perfmodel.tasks import Faster, Mistake, Task

BLOCK = 32_768
"""Elements that go through all operations before the next ones come: 128 KiB of each array."""


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
    mistakes=[
        Mistake(
            "all that is left",
            lambda parameters, budget: budget - 12 * parameters,
            "A tensor that doesn't fit is spread page by page over two nodes: DRAM gets half of "
            "it at most, even where more is left.",
        ),
        Mistake(
            "half of what is left",
            lambda parameters, budget: (budget - 12 * parameters) / 2,
            "Half of the tensor, not of what is left: pages go to both nodes in turn until DRAM's "
            "budget is used up.",
        ),
        Mistake(
            "in GiB",
            lambda parameters, budget: min(budget - 12 * parameters, 2 * parameters) / 2**30,
            "That is in GiB; bytes are asked for.",
        ),
        Mistake(
            "all four before",
            lambda parameters, budget: budget - 16 * parameters,
            "The master weights are the fourth: only three tensors come before them.",
        ),
        Mistake(
            "half always",
            lambda parameters, budget: 2 * parameters,
            "Half of them is what DRAM would get if there was room. Is there?",
        ),
        Mistake(
            "two tensors before",
            lambda parameters, budget: budget - 8 * parameters,
            "Three tensors of 4 bytes a parameter come before: momentum, variance and master "
            "gradients.",
        ),
        Mistake(
            "in 16 bits",
            lambda parameters, budget: min(budget - 6 * parameters, parameters),
            "States, master gradients and master weights are kept in 32 bits, 4 bytes each.",
        ),
        Mistake(
            "on the card",
            lambda parameters, budget: (
                4 * parameters - min(budget - 12 * parameters, 2 * parameters)
            ),
            "That is the part on the card.",
        ),
    ],
    hint="What is left of the budget after three tensors of 4 bytes a parameter? And what is half "
    "of the fourth?",
    right="5.294 GiB of LFM's, and half of Qwen's: there 0.7 GiB are left for a tensor that needs "
    "DRAM less.",
    unit="bytes",
)

page_share = Task(
    "The share of pages that keeps all nodes busy to the end",
    reference=lambda dram, cxl, cards: dram / (dram + cards * cxl),
    cases=[(200e9, 50e9, 1), (200e9, 50e9, 2), (150e9, 30e9, 3)],
    mistakes=[
        Mistake(
            "equal parts",
            lambda dram, cxl, cards: 1 / (1 + cards),
            "Equal parts let the fast node wait for the slow ones.",
        ),
        Mistake(
            "cards forgotten",
            lambda dram, cxl, cards: dram / (dram + cxl),
            "Each card adds its own rate.",
        ),
        Mistake(
            "the cards' share",
            lambda dram, cxl, cards: cards * cxl / (dram + cards * cxl),
            "That is the cards' share. DRAM is the fast one.",
        ),
        Mistake(
            "over one card",
            lambda dram, cxl, cards: dram / (cards * cxl) / (1 + dram / cxl),
            "Shares sum to 1: write x/dram = (1 - x)/(cards cxl) and solve for x.",
        ),
        Mistake(
            "pages for one",
            lambda dram, cxl, cards: dram / (cards * cxl),
            "That is pages in DRAM for one on the cards: 4 to 1 is a share of 4/5.",
        ),
        Mistake(
            "one card's share",
            lambda dram, cxl, cards: cxl / (dram + cards * cxl),
            "That is the share of one card; DRAM's is asked for.",
        ),
        Mistake(
            "one less the ratio",
            lambda dram, cxl, cards: 1 - cxl / dram,
            "A share is a part of the whole: divide by the sum of all rates, not by DRAM's.",
        ),
        Mistake(
            "ratio of rates",
            lambda dram, cxl, cards: 1 - cxl * cards / dram,
            "Let both finish together: x / dram = (1 - x) / (cards * cxl).",
        ),
    ],
    hint="A node works for its bytes over its rate. Write that for DRAM, which has the share x, "
    "and for all cards together, which have the rest; set both equal.",
    right="With 200 and 50 GB/s four pages of five: 250 GB/s together, where one in two gives 100.",
)

ratio = Task(
    "The ratio of passes to update that gives a share of the throughput",
    reference=lambda share, update: (share * update - 1) / (1 - share),
    cases=[(0.98, 1.5), (0.9, 2.0), (0.97, 1.2)],
    mistakes=[
        Mistake(
            "share of the time",
            lambda share, update: (update - 1) / (1 - share),
            "That is r + a, the whole step. r is what is left without the update.",
        ),
        Mistake(
            "less the update in DRAM",
            lambda share, update: (update - 1) / (1 - share) - 1,
            "You took off the update in DRAM. The step that reaches the share has the slower one.",
        ),
        Mistake(
            "share of the slow step",
            lambda share, update: (update - share) / (1 - share),
            "The signs: (r + 1) = share (r + a).",
        ),
        Mistake(
            "share for one",
            lambda share, update: share * (update - 1) / (1 - share),
            "Multiply out: share * (r + update) = r + 1. What is taken off on the right is 1.",
        ),
        Mistake(
            "share of what is lost",
            lambda share, update: (update - 1) * share / (1 - share) + 1,
            "Solve (r + 1) = share (r + a) for r, and put r back in to see whether it holds.",
        ),
    ],
    hint="(r + 1) = share * (r + update). Solve for r.",
    right="An update half as slow again is hidden to 98 % only if the passes last 23 times as long "
    "as it.",
)

quick_adam = Faster(
    "Make an Adam step faster by moving less",
    given=in_expressions,
    cases=[states(7), states(1000, 1e-8), states(100_001), states(2**21 + 5)],
    reference=in_blocks,
    bound=lambda: MOVED / MUST,
    aim=1.3,
    model="the count of bytes",
    mistakes=[
        Mistake(
            "uphill",
            lambda w, m, v, g: w + (w - in_expressions(w.copy(), m, v, g)),
            "Your weights go uphill: the step is taken off.",
        ),
        Mistake(
            "no root",
            lambda w, m, v, g: w - 1e-4 * (0.9 * m + 0.1 * g) / (0.95 * v + 0.05 * g * g + 1e-8),
            "The step is divided by the root of the variance.",
        ),
        Mistake(
            "small number under the root",
            lambda w, m, v, g: (
                w - 1e-4 * (0.9 * m + 0.1 * g) / np.sqrt(0.95 * v + 0.05 * g * g + 1e-8)
            ),
            "The 1e-8 is added to the root, not under it. A weight with hardly a gradient shows "
            "the difference.",
        ),
        Mistake(
            "no small number",
            lambda w, m, v, g: w - 1e-4 * (0.9 * m + 0.1 * g) / np.sqrt(0.95 * v + 0.05 * g * g),
            "Where is the 1e-8? It counts where a weight has hardly a gradient.",
        ),
        Mistake(
            "gradient overwritten",
            lambda w, m, v, g: (
                w - 1e-4 * (0.9 * m + 0.1 * g) / (np.sqrt(0.95 * v + 0.05 * (0.1 * g) ** 2) + 1e-8)
            ),
            "Is `g` overwritten with a tenth of it before its square is taken?",
        ),
        Mistake(
            "old momentum",
            lambda w, m, v, g: w - 1e-4 * m / ((0.95 * v + 0.05 * g * g) ** 0.5 + 1e-8),
            "You step with the momentum of before. It is updated first.",
        ),
        Mistake(
            "rest left out",
            lambda w, m, v, g: w,
            "The weights come back as they were, or a rest of them does: is there a last block "
            "that isn't full?",
        ),
    ],
    hint="`m *= 0.9` makes no array, `np.multiply(g, 0.1, out=work)` none that is new. Then let a "
    "block of 32,768 elements go through all operations before the next one comes.",
    right="What is left to the bound may be arithmetic and the cache: NumPy goes over a block "
    "twelve times. Compiled code keeps an element in registers, which is what the processor's Adam "
    "of a training library does.",
    tolerance=1e-6,
)
