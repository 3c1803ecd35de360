"""What the reader does: place a tensor, weigh pages, find a ratio, make an Adam step faster."""

from __future__ import annotations

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.labs.offloading.cxl_alloc.adam import MOVED, MUST, Singles, in_expressions, states
from perfmodel.tasks import Faster, Task

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
    mistakes=mistakes(
        lambda parameters, budget: budget - 12 * parameters,
        "all that is left: A tensor that doesn't fit is spread page by page over two nodes: DRAM "
        "gets half of it at most, even where more is left.",
        lambda parameters, budget: (budget - 12 * parameters) / 2,
        "half of what is left: Half of the tensor, not of what is left: pages go to both nodes in "
        "turn until DRAM's budget is used up.",
        lambda parameters, budget: min(budget - 12 * parameters, 2 * parameters) / 2**30,
        "in GiB: That is in GiB; bytes are asked for.",
        lambda parameters, budget: budget - 16 * parameters,
        "all four before: The master weights are the fourth: only three tensors come before them.",
        lambda parameters, budget: 2 * parameters,
        "half always: Half of them is what DRAM would get if there was room. Is there?",
        lambda parameters, budget: budget - 8 * parameters,
        "two tensors before: Three tensors of 4 bytes a parameter come before: momentum, variance "
        "and master gradients.",
        lambda parameters, budget: min(budget - 6 * parameters, parameters),
        "in 16 bits: States, master gradients and master weights are kept in 32 bits, 4 bytes "
        "each.",
        lambda parameters, budget: 4 * parameters - min(budget - 12 * parameters, 2 * parameters),
        "on the card: That is the part on the card.",
    ),
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
    mistakes=mistakes(
        lambda dram, cxl, cards: 1 / (1 + cards),
        "equal parts: Equal parts let the fast node wait for the slow ones.",
        lambda dram, cxl, cards: dram / (dram + cxl),
        "cards forgotten: Each card adds its own rate.",
        lambda dram, cxl, cards: cards * cxl / (dram + cards * cxl),
        "the cards' share: That is the cards' share. DRAM is the fast one.",
        lambda dram, cxl, cards: dram / (cards * cxl) / (1 + dram / cxl),
        "over one card: Shares sum to 1: write x/dram = (1 - x)/(cards cxl) and solve for x.",
        lambda dram, cxl, cards: dram / (cards * cxl),
        "pages for one: That is pages in DRAM for one on the cards: 4 to 1 is a share of 4/5.",
        lambda dram, cxl, cards: cxl / (dram + cards * cxl),
        "one card's share: That is the share of one card; DRAM's is asked for.",
        lambda dram, cxl, cards: 1 - cxl / dram,
        "one less the ratio: A share is a part of the whole: divide by the sum of all rates, not "
        "by DRAM's.",
        lambda dram, cxl, cards: 1 - cxl * cards / dram,
        "ratio of rates: Let both finish together: x / dram = (1 - x) / (cards * cxl).",
    ),
    hint="A node works for its bytes over its rate. Write that for DRAM, which has the share x, "
    "and for all cards together, which have the rest; set both equal.",
    right="With 200 and 50 GB/s four pages of five: 250 GB/s together, where one in two gives 100.",
)

ratio = Task(
    "The ratio of passes to update that gives a share of the throughput",
    reference=lambda share, update: (share * update - 1) / (1 - share),
    cases=[(0.98, 1.5), (0.9, 2.0), (0.97, 1.2)],
    mistakes=mistakes(
        lambda share, update: (update - 1) / (1 - share),
        "share of the time: That is r + a, the whole step. r is what is left without the update.",
        lambda share, update: (update - 1) / (1 - share) - 1,
        "less the update in DRAM: You took off the update in DRAM. The step that reaches the share "
        "has the slower one.",
        lambda share, update: (update - share) / (1 - share),
        "share of the slow step: The signs: (r + 1) = share (r + a).",
        lambda share, update: share * (update - 1) / (1 - share),
        "share for one: Multiply out: share * (r + update) = r + 1. What is taken off on the right "
        "is 1.",
        lambda share, update: (update - 1) * share / (1 - share) + 1,
        "share of what is lost: Solve (r + 1) = share (r + a) for r, and put r back in to see "
        "whether it holds.",
    ),
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
    mistakes=mistakes(
        lambda w, m, v, g: w + (w - in_expressions(w.copy(), m, v, g)),
        "uphill: Your weights go uphill: the step is taken off.",
        lambda w, m, v, g: w - 1e-4 * (0.9 * m + 0.1 * g) / (0.95 * v + 0.05 * g * g + 1e-8),
        "no root: The step is divided by the root of the variance.",
        lambda w, m, v, g: w - 1e-4 * (0.9 * m + 0.1 * g) / np.sqrt(0.95 * v + 0.05 * g * g + 1e-8),
        "small number under the root: The 1e-8 is added to the root, not under it. A weight with "
        "hardly a gradient shows the difference.",
        lambda w, m, v, g: w - 1e-4 * (0.9 * m + 0.1 * g) / np.sqrt(0.95 * v + 0.05 * g * g),
        "no small number: Where is the 1e-8? It counts where a weight has hardly a gradient.",
        lambda w, m, v, g: (
            w - 1e-4 * (0.9 * m + 0.1 * g) / (np.sqrt(0.95 * v + 0.05 * (0.1 * g) ** 2) + 1e-8)
        ),
        "gradient overwritten: Is `g` overwritten with a tenth of it before its square is taken?",
        lambda w, m, v, g: w - 1e-4 * m / ((0.95 * v + 0.05 * g * g) ** 0.5 + 1e-8),
        "old momentum: You step with the momentum of before. It is updated first.",
        lambda w, m, v, g: w,
        "rest left out: The weights come back as they were, or a rest of them does: is there a "
        "last block that isn't full?",
    ),
    hint="`m *= 0.9` makes no array, `np.multiply(g, 0.1, out=work)` none that is new. Then let a "
    "block of 32,768 elements go through all operations before the next one comes.",
    right="What is left to the bound may be arithmetic and the cache: NumPy goes over a block "
    "twelve times. Compiled code keeps an element in registers, which is what the processor's Adam "
    "of a training library does.",
    tolerance=1e-6,
)
