"""Four prompts that share blocks, and what a cache has of each when it comes."""

from __future__ import annotations

from perfmodel.labs.offloading.prefix_caching.replay import replay
from perfmodel.labs.offloading.prefix_caching.traces import requests_of
from perfmodel.live.drawing import Box, Fill, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.validation import one_of

PATHS = [[0, 1, 2], [0, 3, 4], [0, 1, 5], [0, 1, 2], [0, 3, 4]]
"""Blocks of the prompts; block 0 is the system prompt."""
WAYS = {
    "LRU, last block touched first": ("LRU", True),
    "LRU, first block touched first": ("LRU", False),
    "FIFO": ("FIFO", True),
    "optimal": ("optimal", True),
}
_KINDS: dict[str, tuple[int, Fill]] = {
    "reused": (1, "solid"),
    "held, no use": (3, "hatch"),
    "missing": (2, "light"),
}


def block_chart(way: str, capacity: int) -> Scene:
    """Draw each prompt as a row of blocks: reused, held behind a gap, or missing.

    `way` is one of `WAYS`, `capacity` in blocks, 1 or more.

    >>> block_chart("LRU, last block touched first", 4).values["reused"]
    6.0
    """
    one_of("way", way, WAYS)
    policy, last_first = WAYS[way]
    requests = requests_of(PATHS)
    run = replay(requests, capacity, policy, last_first=last_first)
    shapes: list[Shape] = []
    for x, (name, (colour, fill)) in zip((16, 96, 216), _KINDS.items(), strict=True):
        shapes += legend(x, 16, [(name, colour, fill)])
    for r, path in enumerate(PATHS):
        y = 44.0 + 36 * r
        shapes.append(Text(f"prompt {r + 1}", 16, y + 14, anchor="start"))
        for i, block in enumerate(path):
            hit = bool(run.hits[3 * r + i])
            kind = "reused" if i < run.prefix[r] else "held, no use" if hit else "missing"
            colour, fill = _KINDS[kind]
            label = "" if fill == "hatch" else "ABCDEF"[block]
            shapes.append(Box(96 + 80 * i, y, 72, 28, label, colour, fill))
    reused, present = int(run.prefix.sum()), int(run.hits.sum())
    total = requests.blocks.size
    says = (
        f"With room for {capacity} blocks, {present} of {total} blocks are held and {reused} can "
        "be reused."
    )
    return Scene(232, shapes, says, {"reused": float(reused), "held": float(present)})
