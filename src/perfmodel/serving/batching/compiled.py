"""The core in machine code: numba compiles it once and keeps it on disk."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

from perfmodel import compilation
from perfmodel.serving.batching import core, sequences, state
from perfmodel.serving.batching.core import play
from perfmodel.serving.batching.state import CorePlan, CoreState

CALLED = (
    *(sequences.meld, sequences.enqueue, sequences.dequeue, sequences.unlink, sequences.held),
    *(sequences.due_at, sequences.largest_since, sequences.note_token, sequences.note_step),
    *(sequences.admit, sequences.grow, sequences.stop_growing, sequences.leave),
    *(sequences.evict, core.cell, core.step_seconds, core.begin_iteration, core.end_iteration),
    *(core.advance, core.play),
)
"""What is compiled, each function after those that it calls itself."""
INLINED = {"held", "due_at", "cell", "step_seconds"}
"""To inline all makes iterations a fifth faster and takes the compiler three times as long."""


@cache
def compiled() -> Callable[[CorePlan, CoreState], bool]:
    """Return `core.play` in machine code, for bundles of contiguous arrays.

    numba tells by the time of this file alone whether what it kept still holds; a digest of the
    other files, which the compiled function holds, makes it look at those too.
    """
    modules = (state, sequences, core, compilation)
    text = "".join(inspect.getsource(module) for module in modules)
    digest = 1 + int(hashlib.sha256(text.encode()).hexdigest()[:15], 16)
    names = {**vars(state), **vars(sequences), **vars(core)}
    run = compilation.compiled_entry(
        _with(digest), CALLED, names, (CorePlan, CoreState), answers=True, inlined=INLINED
    )
    return lambda plan, state: bool(run(plan, state))


def _with(digest: int) -> Callable[[Any, Any], int]:
    def entry(plan: Any, state: Any) -> int:
        return digest if play(plan[0], state[0]) else 0

    return entry
