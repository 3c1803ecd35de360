"""Tasks: usable blocks, blocks in a window, the bandwidth that fetching needs."""

from __future__ import annotations

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task


def _usable(path: list[int], held: list[int]) -> int:
    count = 0
    while count < len(path) and path[count] in held:
        count += 1
    return count


usable = Task(
    "The blocks of a prompt that can be reused",
    reference=_usable,
    cases=[
        ([0, 1, 2, 3], [0, 1, 3]),
        ([0, 4, 5], [4, 5]),
        ([0, 6], [6, 0, 9]),
        ([7, 8, 9, 1], [7, 9, 1, 8]),
    ],
    mistakes=mistakes(
        lambda path, held: sum(block in held for block in path),
        "all held: A held block behind a missing one is useless. Its keys and values depend on all "
        "tokens before it, so stop at the first missing block.",
        lambda path, held: _usable(path[::-1], held),
        "from the end: Count from the start of the prompt. Prompts differ at the end.",
        lambda path, held: len(path) - _usable(path, held),
        "missing: Those are the blocks that must be computed.",
    ),
    hint="Go through `path` from its start, and stop at the first block that isn't in `held`.",
    right="Every policy that keeps a block longer than its predecessors wastes memory.",
)

window_blocks = Task(
    "The mean number of blocks used within a window",
    reference=lambda gaps, window, rate: rate * float(np.mean(np.minimum(gaps, window))),
    cases=[
        (np.array([1.0, 2.0, 8.0, np.inf]), 4.0, 10.0),
        (np.array([3.0, np.inf, np.inf]), 2.0, 5.0),
        (np.array([0.5, 1.5, 30.0, 60.0, np.inf]), 20.0, 2.0),
    ],
    mistakes=mistakes(
        lambda gaps, window, rate: rate * window,
        "all references: That counts a block as often as it is used in the window. Count it once.",
        lambda gaps, window, rate: float(np.mean(gaps <= window)),
        "hits: That is H(T), the hit ratio. The question asks for S(T).",
        lambda gaps, window, rate: rate * window * float(np.mean(gaps > window)),
        "misses times the window: A block that is used again within the window also counts, for "
        "the time of its gap.",
    ),
    hint="By equation (1), S(T) sums up 1 - H. Each reference adds a time: its gap or the window, "
    "whichever is shorter. `np.minimum` takes infinite gaps as well.",
    right="Little's law for a cache: held blocks are the rate times the mean time that each stays.",
)

fetch_rate = Task(
    "The bandwidth at which fetching a prefix takes as long as computing it",
    reference=lambda reused, kv_bytes, flop, rate: reused * kv_bytes * rate / flop,
    cases=[(8192, 327680, 9.85e14, 2.5e15), (1024, 131072, 3e13, 1e15), (32768, 65536, 4e15, 5e14)],
    mistakes=mistakes(
        lambda reused, kv_bytes, flop, rate: kv_bytes * rate / flop,
        "one token: `kv_bytes` is for one token, and `reused` tokens are fetched.",
        lambda reused, kv_bytes, flop, rate: flop / rate,
        "the time: That is the time of the computation in seconds. Which bandwidth brings the "
        "bytes in that time?",
        lambda reused, kv_bytes, flop, rate: flop / (reused * kv_bytes * rate),
        "inverse: Bytes over seconds, not seconds over bytes.",
    ),
    hint="Divide the bytes of the prefix by the seconds that computing it takes, `flop / rate`.",
    right="The FLOP grow faster than the bytes, so longer prefixes need less bandwidth.",
    unit="B/s",
)
