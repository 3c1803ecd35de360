"""The reader's tasks: a design under a deadline, a fair training set, and a count of memory."""

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
            "You compared the interval with the deadline. By equation (1), the answer comes one "
            "cycle later.",
        ),
        Mistake(
            "fastest",
            lambda d_in, allowed, deadline: min(allowed),
            "You chose the fastest circuit, which needs the most slices by equation (2). The "
            "deadline allows more reuse.",
        ),
        Mistake(
            "not allowed",
            lambda d_in, allowed, deadline: int(deadline / CLOCK) - 1,
            "You computed the most cycles minus one. The reuse factor must also be in the list, "
            "because the products must divide evenly among the multipliers.",
        ),
    ],
    hint="Keep those reuse factors of the list for which 5e-9 times the latency is within the "
    "deadline. Which of them needs the fewest slices?",
    right="This design needs no synthesis, no table and no learner. By equation (2) slices fall "
    "as the reuse grows, so the slowest circuit that meets the deadline is the smallest.",
)

may_learn = Task(
    "Rows to learn from when a layer is held out",
    reference=lambda d_in, d_out, row: (d_in != d_in[row]) | (d_out != d_out[row]),
    cases=[(*LAYERS, 0), (*LAYERS, 3), (*LAYERS, 6)],
    mistakes=[
        Mistake(
            "one design",
            lambda d_in, d_out, row: np.arange(len(d_in)) != row,
            "You held out one design. Its copies with other bits are still in the training rows.",
        ),
        Mistake(
            "and",
            lambda d_in, d_out, row: (d_in != d_in[row]) & (d_out != d_out[row]),
            "You also dropped layers that share only the inputs or only the outputs. A layer is "
            "different if either of them differs.",
        ),
        Mistake(
            "upside down",
            lambda d_in, d_out, row: (d_in == d_in[row]) & (d_out == d_out[row]),
            "You returned the rows to hold out. The question asks for the other rows.",
        ),
        Mistake(
            "products",
            lambda d_in, d_out, row: d_in * d_out != d_in[row] * d_out[row],
            "You compared products. The layers 128 to 96 and 96 to 128 have equally many "
            "products, but are different layers.",
        ),
    ],
    hint="`d_in != d_in[row]` is true where the inputs differ. For arrays, `|` is or and `&` is "
    "and; put each comparison in brackets.",
    right="Hold out the unit that will be new in use, here a layer with all its bits and reuse "
    "factors. scikit-learn's `GroupKFold` makes such folds.",
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
            "You assumed that bits can be stored anywhere. All multipliers read in the same "
            "cycle, so a word must be as wide as all their weights, and a block has 36 bits per "
            "word.",
        ),
        Mistake(
            "not rounded",
            lambda d_in, d_out, bits, reuse: d_in * d_out / reuse * bits / 36 * reuse / 512,
            "You didn't round. Blocks come whole: round up the blocks next to each other, and the "
            "blocks behind each other.",
        ),
        Mistake(
            "rounded once",
            lambda d_in, d_out, bits, reuse: np.ceil(
                d_in * d_out / reuse * bits / 36 * max(1, reuse / 512)
            ),
            "You rounded once. Round up twice, because half a block in width is repeated for "
            "every 512 words.",
        ),
    ],
    hint="How many bits does a cycle read, and how many blocks of 36 bits next to each other does "
    "this take? How many words are there, and how many blocks of 512 words behind each other "
    "do they take?",
    right="The shape decides, not the number of bits: 192 to 256 at reuse 768 takes 36 blocks, "
    "although its bits would fit into 27. No learner knew that a word is 36 bits wide.",
)
