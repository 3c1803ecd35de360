"""What the reader does: a loop over blocks and buffers, buffers enough, tokens that hide."""

from __future__ import annotations

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task


def _last_end(load: float, compute: float, store: float, blocks: int, buffers: int) -> float:
    loaded = computed = 0.0
    stored: list[float] = []
    for block in range(blocks):
        free = stored[block - buffers] if block >= buffers else 0.0
        loaded = max(loaded, free) + load
        computed = max(computed, loaded) + compute
        stored.append(max(stored[-1] if stored else 0.0, computed) + store)
    return stored[-1]


def _freed_early(load: float, compute: float, store: float, blocks: int, buffers: int) -> float:
    loaded = stored = 0.0
    computed: list[float] = []
    for block in range(blocks):
        free = computed[block - buffers] if block >= buffers else 0.0
        loaded = max(loaded, free) + load
        computed.append(max(computed[-1] if computed else 0.0, loaded) + compute)
        stored = max(stored, computed[-1]) + store
    return stored


def _never_waiting(load: float, compute: float, store: float, blocks: int, buffers: int) -> float:
    stored: list[float] = []
    for block in range(blocks):
        begin = stored[block - buffers] if block >= buffers else block * load
        stored.append(begin + load + compute + store)
    return stored[-1]


def _stay_over_slowest(load: float, compute: float, store: float) -> float:
    return (load + compute + store) / max(load, compute, store)


last_end = Task(
    "When the last block is stored",
    reference=_last_end,
    cases=[
        (2.0, 3.0, 2.0, 6, 2),
        (2.0, 3.0, 2.0, 6, 3),
        (4.0, 1.0, 2.0, 5, 2),
        (3.0, 3.0, 3.0, 4, 1),
        (0.145, 0.1526, 0.145, 96, 3),
        (1.0, 2.0, 5.0, 7, 2),
    ],
    mistakes=mistakes(
        lambda load, compute, store, blocks, buffers: _last_end(
            load, compute, store, blocks, blocks
        ),
        "endless buffers: That is (2), for as many buffers as it takes. Block number `buffers` and "
        "those after it can't be loaded before the block this many places ahead has been stored.",
        lambda load, compute, store, blocks, buffers: blocks * (load + compute + store),
        "no overlap: That is a single buffer: nothing overlaps.",
        _freed_early,
        "buffer free after computing: A block keeps its buffer to the last byte out, not to the "
        "end of its products.",
        lambda load, compute, store, blocks, buffers: _last_end(
            load, compute, store, blocks, buffers + 1
        ),
        "a buffer too many: Off by one: with k buffers block i waits for block i - k.",
        _never_waiting,
        "nobody in the way: A block waits for its stage as well as for its data: one block at a "
        "time on each of the three.",
        lambda load, compute, store, blocks, buffers: (
            -(-blocks // buffers) * (load + compute + store)
        ),
        "a stay for each round: Blocks of one round don't go in step: each is behind the one "
        "before by the slowest stage.",
        lambda load, compute, store, blocks, buffers: _last_end(
            load, compute, 0.0, blocks, buffers
        ),
        "two stages: The blocks must go back as well: the link out is a stage like the others.",
        lambda load, compute, store, blocks, buffers: (
            load + compute + store + (blocks - 1) * max(load + store, compute)
        ),
        "one link for both ways: That is a link whose two directions share the time. Here each has "
        "its own.",
        lambda load, compute, store, blocks, buffers: (
            load + compute + store + (blocks - 1) * compute
        ),
        "compute the slowest: The slowest stage needn't be the GPU: the link may be.",
    ),
    hint="Keep three times while you go through the blocks: when the link in is free, when the GPU "
    "is, and a list of when each block was stored.",
    right="It is (2) with buffers enough. With two buffers the six blocks of your forecast take "
    "24 ms, with three 22.",
    unit="s",
)

buffers_enough = Task(
    "The fewest buffers at full pace",
    reference=lambda load, compute, store: float(
        -(-(load + compute + store) // max(load, compute, store))
    ),
    cases=[
        (2.0, 3.0, 2.0),
        (1.0, 4.0, 1.0),
        (1.0, 9.0, 1.0),
        (3.0, 3.0, 3.0),
        (4.0, 1.0, 1.0),
        (1.0, 2.0, 5.0),
        (2.0, 1.0, 3.0),
        (3.0, 2.0, 2.0),
    ],
    mistakes=mistakes(
        lambda load, compute, store: 3.0,
        "always three: Three are always enough. Where one stage is much slower than the others, "
        "fewer are.",
        lambda load, compute, store: 2.0,
        "two, double buffering: Two are enough where the two quicker stages together take no "
        "longer than the slowest.",
        _stay_over_slowest,
        "not rounded up: Half a buffer holds no block: round up.",
        lambda load, compute, store: float(_stay_over_slowest(load, compute, store) // 1),
        "rounded down: With one buffer less than that ratio the slowest stage waits: round up.",
        lambda load, compute, store: float(_stay_over_slowest(load, compute, store) // 1 + 1),
        "one more than rounded down: Right but where the ratio is a whole number: three equal "
        "stages need three buffers, not four.",
        lambda load, compute, store: float(-(-(_stay_over_slowest(load, compute, store) - 1) // 1)),
        "others over the slowest: The block at the slowest stage has a buffer too: one more.",
        lambda load, compute, store: float(-(-(load + compute + store) // compute)),
        "divided by compute: The slowest stage may be another than computing: the link in, or the "
        "link out.",
        lambda load, compute, store: 3.0 if load + store > compute else 2.0,
        "three if the link takes longer: That takes computing for the slowest stage. Where the "
        "link in or out is, ask whether the other two together take longer than it does.",
    ),
    hint="A block keeps its buffer for load + compute + store; one must come free each time that "
    "the slowest stage is ready for the next.",
    right="It is Little's law: blocks in the shop are rate times stay.",
)

hiding_tokens = Task(
    "Tokens that hide the link",
    reference=lambda weight_bytes, rate, link, memory, passes: (
        weight_bytes * rate / 4 * max(0.0, 1 / link - passes / memory)
    ),
    cases=[
        (2, 150e12, 25e9, 2e12, 0),
        (2, 150e12, 25e9, 2e12, 40),
        (4, 20e12, 25e9, 1e12, 10),
        (2, 150e12, 50e9, 1e12, 37),
    ],
    mistakes=mistakes(
        lambda weight_bytes, rate, link, memory, passes: weight_bytes * rate / (4 * link),
        "noise and update left out: The GPU is busy with the block's bytes too, `passes` times: "
        "the second term of (3).",
        lambda weight_bytes, rate, link, memory, passes: (
            weight_bytes * rate / 4 * (1 / link - passes / memory)
        ),
        "below nothing: Where noise and update alone take longer than the load, no tokens are "
        "needed: 0.",
        lambda weight_bytes, rate, link, memory, passes: (
            weight_bytes * rate / 2 * max(0.0, 1 / link - passes / memory)
        ),
        "one pass, or both ways added: Twice too many. A block does two passes for one load, 4 "
        "FLOP for each weight and token; and in and out go on at the same time, so that they don't "
        "add up.",
        lambda weight_bytes, rate, link, memory, passes: (
            weight_bytes * rate * max(0.0, 1 / link - passes / memory)
        ),
        "one FLOP a weight: A weight is multiplied and added, in each of two passes: 4 FLOP a "
        "token.",
        lambda weight_bytes, rate, link, memory, passes: (
            weight_bytes * rate * 4 * max(0.0, 1 / link - passes / memory)
        ),
        "multiplied by the FLOP: More work for a token hides the link with fewer tokens: divide by "
        "the 4 FLOP.",
        lambda weight_bytes, rate, link, memory, passes: (
            weight_bytes * rate / 48 * max(0.0, 1 / link - passes / memory)
        ),
        "48 without the 12: The 48 in (3) belong to a block, and so do the 12: 4 remain.",
        lambda weight_bytes, rate, link, memory, passes: (
            rate / 4 * max(0.0, 1 / link - passes / memory)
        ),
        "bytes forgotten: That would be one byte a weight.",
        lambda weight_bytes, rate, link, memory, passes: (
            weight_bytes * rate / 4 * (1 / link + passes / memory)
        ),
        "noise added to the load: Noise and update are work of the GPU: they help to hide the "
        "load, so that fewer tokens are needed.",
    ),
    hint="Set the two lines of (3) equal, without attention, and solve for n. Can the result be "
    "negative?",
    right="No width, no layers: only bytes, FLOP/s and bytes/s.",
)
