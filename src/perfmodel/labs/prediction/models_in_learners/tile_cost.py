"""What a tile costs, from the caches' sizes and bandwidths: the whitebox of the tile search.

Written, with its constants, before any time of `tile_times` was taken, and left alone afterwards.
The product itself was rewritten once, when four timings showed that its innermost loop wasn't done
several numbers at a time.

Each element of B and C that the innermost loop touches comes from the smallest cache that holds all
that is used between two of its uses; so does what a tile loads when it is begun. Bytes of a level
over its bandwidth are seconds, and each start of the innermost loop costs a fixed time. All are
added.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.prediction.models_in_learners.tile_product import Shape
from perfmodel.validation import Floats, positive

WORD = 8
"""Bytes of a number."""


@dataclass(frozen=True)
class Core:
    """A core's caches, nearest first, and what reading them costs.

    `capacities` are the bytes of the first and the second level; what doesn't fit comes from
    beyond. `bandwidths` are the bytes/s at which one core reads the first level, the second, and
    what is beyond. `loop_start` are the seconds to begin an innermost loop.
    """

    capacities: tuple[float, float]
    bandwidths: tuple[float, float, float]
    loop_start: float

    def __post_init__(self) -> None:
        """Refuse what isn't above 0."""
        for name in self.__dataclass_fields__:
            positive(name, getattr(self, name))

    def byte_time(self, footprint: Floats) -> Floats:
        """Return the seconds a byte of data that is used again after `footprint` bytes."""
        first, second, beyond = self.bandwidths
        near, far = self.capacities
        return np.where(
            footprint <= near, 1 / first, np.where(footprint <= far, 1 / second, 1 / beyond)
        )


XEON = Core((48 * 2.0**10, 2 * 2.0**20), (335e9, 185e9, 28.5e9), 4e-9)
"""One core of the machine of `tile_times`: half of what two read together, by
`python -m perfmodel.measurement quick` just before; ten cycles, a guess, to start a loop."""


def tile_cost(shape: Shape, tiles: ArrayLike, core: Core = XEON) -> Floats:
    """Return the seconds that a product takes by the model with tiles of shape (..., 3).

    >>> slow, fast = tile_cost(Shape(64, 512, 2048), [(64, 8, 512), (64, 512, 64)])
    >>> bool(slow > 2 * fast)
    True
    """
    ti, tj, tk = np.moveaxis(positive("tiles", tiles), -1, 0)
    m, k, n = shape
    steps = float(m * k * n)
    tile_of_b, tile_of_c, tile_of_a = WORD * tk * tj, WORD * ti * tj, WORD * ti * tk
    together = tile_of_a + tile_of_b + tile_of_c
    row = 2 * WORD * tj
    seconds = core.loop_start * steps / tj
    # In the innermost loop: B again for the next row of the tile, C for the next term.
    seconds = seconds + WORD * steps * core.byte_time(np.where(ti > 1, tile_of_b + row, np.inf))
    seconds += 2 * WORD * steps * core.byte_time(row)
    # When a tile is begun: B again for the next rows of tiles, C for the next terms, A for the
    # next columns.
    whole_b = np.full_like(tj, WORD * k * n)
    seconds += WORD * steps / ti * core.byte_time(whole_b)
    seconds += 2 * WORD * steps / tk * core.byte_time(together)
    seconds += WORD * steps / tj * core.byte_time(WORD * ti * k + tile_of_b)
    return np.asarray(seconds)
