"""What the reader does: a design under a deadline, a fair training set, and a count of memory."""

import numpy as np

from perfmodel.tasks import Mistake, Task

CLOCK = 5e-9
LAYERS = (
    np.array([128, 128, 128, 64, 192, 64, 96]),
    np.array([96, 96, 64, 96, 96, 192, 128]),
)
"""Inputs and outputs of seven designs; the first two are one layer."""


largest_reuse = Task(
    "Most reuse before a deadline",
    reference=lambda d_in, allowed, deadline: max(
        reuse for reuse in allowed if CLOCK * (reuse + 1) <= deadline
    ),
    cases=[
        (128, [128, 256, 384, 512, 768, 1024], 5.122e-6),
        (64, [64, 128, 256, 512], 1.0e-6),
        (192, [192, 384, 768, 1536], 3.0e-6),
    ],
    mistakes=[
        Mistake(
            "interval",
            lambda d_in, allowed, deadline: max(r for r in allowed if CLOCK * r <= deadline),
            "That compares the interval with the deadline. The answer comes one cycle later: "
            "equation (2).",
        ),
        Mistake(
            "fastest",
            lambda d_in, allowed, deadline: min(allowed),
            "That is the fastest circuit, and by equation (3) the one with the most slices. The "
            "deadline leaves room for more reuse.",
        ),
        Mistake(
            "not allowed",
            lambda d_in, allowed, deadline: int(deadline / CLOCK) - 1,
            "That is the most cycles less one. A reuse factor must also be in the list, or the "
            "multipliers don't come out even.",
        ),
    ],
    hint="Keep those reuse factors of the list for which 5e-9 times the latency is within the "
    "deadline. Which of them needs the fewest slices?",
    right="A design by rules: no synthesis, no table, no learner. By equation (3) slices fall as "
    "the reuse grows, so the slowest circuit that is in time is the smallest.",
)

may_learn = Task(
    "Rows to learn from when a layer is held out",
    reference=lambda d_in, d_out, row: (d_in != d_in[row]) | (d_out != d_out[row]),
    cases=[(*LAYERS, 0), (*LAYERS, 3), (*LAYERS, 6)],
    mistakes=[
        Mistake(
            "one design",
            lambda d_in, d_out, row: np.arange(len(d_in)) != row,
            "That holds out one design. Its copies with other bits stay in the training rows.",
        ),
        Mistake(
            "and",
            lambda d_in, d_out, row: (d_in != d_in[row]) & (d_out != d_out[row]),
            "A layer is another one as soon as its inputs or its outputs differ. You also throw "
            "away all layers that share one of the two.",
        ),
        Mistake(
            "upside down",
            lambda d_in, d_out, row: (d_in == d_in[row]) & (d_out == d_out[row]),
            "Those are the rows to be held out; the others are asked for.",
        ),
        Mistake(
            "products",
            lambda d_in, d_out, row: d_in * d_out != d_in[row] * d_out[row],
            "128 to 96 and 96 to 128 have equally many products and are different layers.",
        ),
    ],
    hint="`d_in != d_in[row]` is true where the inputs differ. For arrays, `|` is or and `&` is "
    "and; put each comparison in brackets.",
    right="What is held out is the unit that will be new in use: here a layer with all its bits "
    "and reuse factors. scikit-learn's `GroupKFold` makes such folds.",
)

weight_blocks = Task(
    "Blocks of memory for the weights",
    reference=lambda d_in, d_out, bits, reuse: (
        np.ceil(d_in * d_out / reuse * bits / 36) * np.ceil(reuse / 512)
    ),
    cases=[(192, 256, 10, 768), (128, 96, 6, 1024), (64, 64, 8, 128), (256, 192, 14, 512)],
    mistakes=[
        Mistake(
            "all bits",
            lambda d_in, d_out, bits, reuse: np.ceil(d_in * d_out * bits / (512 * 36)),
            "That would do if bits could be put anywhere. All multipliers read in the same cycle, "
            "so that a word has to be as wide as all their weights, and a block has 36 bits a "
            "word.",
        ),
        Mistake(
            "not rounded",
            lambda d_in, d_out, bits, reuse: d_in * d_out / reuse * bits / 36 * reuse / 512,
            "Blocks come whole: round up the blocks side by side, and the blocks one behind the "
            "other.",
        ),
        Mistake(
            "rounded once",
            lambda d_in, d_out, bits, reuse: np.ceil(
                d_in * d_out / reuse * bits / 36 * max(1, reuse / 512)
            ),
            "Round up twice: half a block in width is repeated at every 512 words.",
        ),
    ],
    hint="How many bits does a cycle read, and how many blocks of 36 bits lie side by side for "
    "that? How many words are there, and how many blocks of 512 lie one behind the other?",
    right="The shape decides and not the number of bits: 192 to 256 at reuse 768 takes 36 blocks, "
    "where its bits would fit into 27. No learner was told that a word is 36 bits wide.",
)
