"""What the reader does: the end of a flow shop, buffers enough, tokens that hide the link."""

from __future__ import annotations

from perfmodel.tasks import Mistake, Task


def _buffers(load: float, compute: float, store: float) -> float:
    return float(-(-(load + compute + store) // max(load, compute, store)))


last_end = Task(
    "When the last block is stored",
    reference=lambda load, compute, store, blocks: (
        load + compute + store + (blocks - 1) * max(load, compute, store)
    ),
    cases=[(2.0, 3.0, 2.0, 6), (0.145, 0.1526, 0.145, 96), (4.0, 1.0, 2.0, 5)],
    mistakes=[
        Mistake(
            "no fill",
            lambda load, compute, store, blocks: blocks * max(load, compute, store),
            "The slowest stage can't begin before the first block has come, and the last block "
            "still has to leave: one block's whole way, then one slowest stage for each other.",
        ),
        Mistake(
            "no overlap",
            lambda load, compute, store, blocks: blocks * (load + compute + store),
            "That is a single buffer: nothing overlaps. Here there are as many as are needed.",
        ),
        Mistake(
            "a block too many",
            lambda load, compute, store, blocks: (
                load + compute + store + blocks * max(load, compute, store)
            ),
            "The first block's way is in the fill already: n - 1 others follow it.",
        ),
        Mistake(
            "two stages",
            lambda load, compute, store, blocks: load + compute + (blocks - 1) * max(load, compute),
            "The blocks must go back as well: the link out is a stage like the others.",
        ),
    ],
    hint="Equation (1) with endless buffers, for n = 3 on paper first.",
    right="For 96 blocks the fill is a hundredth or two; for 6 it is a quarter.",
    unit="s",
)

buffers_enough = Task(
    "The fewest buffers at full pace",
    reference=_buffers,
    cases=[(2.0, 3.0, 2.0), (1.0, 4.0, 1.0), (1.0, 9.0, 1.0), (3.0, 3.0, 3.0)],
    mistakes=[
        Mistake(
            "always three",
            lambda load, compute, store: 3.0,
            "Three are always enough. Where one stage is much slower than the others, fewer are.",
        ),
        Mistake(
            "two, double buffering",
            lambda load, compute, store: 2.0,
            "Two are enough where loading and storing together take no longer than computing.",
        ),
        Mistake(
            "not rounded up",
            lambda load, compute, store: (load + compute + store) / max(load, compute, store),
            "Half a buffer holds no block: round up.",
        ),
        Mistake(
            "rounded down",
            lambda load, compute, store: float(
                (load + compute + store) // max(load, compute, store)
            ),
            "With one buffer less than that ratio the slowest stage waits: round up.",
        ),
    ],
    hint="A block keeps its buffer for load + compute + store; one must come free each time that "
    "the slowest stage is ready for the next.",
    right="It is Little's law: blocks in the shop are rate times stay.",
)

hiding_tokens = Task(
    "Tokens that hide the link",
    reference=lambda weight_bytes, rate, link: weight_bytes * rate / (4 * link),
    cases=[(2, 150e12, 25e9), (4, 19.5e12, 25e9)],
    mistakes=[
        Mistake(
            "one pass, or both ways added",
            lambda weight_bytes, rate, link: weight_bytes * rate / (2 * link),
            "Twice too many. A block does two passes for one load, 4 FLOP for each weight and "
            "token; and in and out go on at the same time, so that they don't add up.",
        ),
        Mistake(
            "one FLOP a weight",
            lambda weight_bytes, rate, link: weight_bytes * rate / link,
            "A weight is multiplied and added, in each of two passes: 4 FLOP a token.",
        ),
        Mistake(
            "bytes forgotten",
            lambda weight_bytes, rate, link: rate / (4 * link),
            "That would be one byte a weight.",
        ),
    ],
    hint="Set the time of 4 FLOP for each weight and token equal to that of its bytes on the link.",
    right="No width, no layers: only bytes, FLOP/s and bytes/s.",
)
