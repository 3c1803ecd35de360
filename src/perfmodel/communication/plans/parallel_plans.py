"""Plans of how devices share a training, many at a time in arrays.

A plan cuts every layer into `tensor` parts, the layers into `pipeline` stages, and the batch over
`data` replicas; devices of a tensor group are neighbours, then those of a data group, and stages
are farthest apart, as Megatron-LM numbers them. Sharding divides training states over the data
group (ZeRO).
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from perfmodel.roofline.training import ZERO_STAGES
from perfmodel.validation import at_least


@dataclass(frozen=True, eq=False)
class ParallelPlans:
    """Plans, one in each place of arrays of equal shape.

    Attributes
    ----------
    tensor, pipeline, data : array_like
        Devices that share a layer, stages, replicas, 1 or more: t, p and d.
    micro_batch : array_like
        Sequences b that go through the pipeline together.
    chunks : array_like
        Chunks v of layers that a stage has: 1 is 1F1B, more is the interleaved schedule.
    sharded : array_like
        ZeRO stage: 0 nothing, 1 optimizer, 2 gradients too, 3 weights too.
    recompute : array_like of bool
        Whether layers keep only their input and repeat the forward pass in the backward one.

    Examples
    --------
    >>> ParallelPlans(tensor=[1, 2, 4], pipeline=[4, 2, 1]).devices
    array([4, 4, 4])
    """

    tensor: np.ndarray
    pipeline: np.ndarray
    data: np.ndarray = 1  # type: ignore[assignment]
    micro_batch: np.ndarray = 1  # type: ignore[assignment]
    chunks: np.ndarray = 1  # type: ignore[assignment]
    sharded: np.ndarray = 0  # type: ignore[assignment]
    recompute: np.ndarray = False  # type: ignore[assignment]

    def __post_init__(self) -> None:
        """Turn all into arrays of one shape."""
        names = [field.name for field in fields(self)]
        arrays = np.broadcast_arrays(*(np.asarray(getattr(self, name)) for name in names))
        for name, array in zip(names, arrays, strict=True):
            if name == "recompute":
                value = array.astype(np.bool_)
            else:
                low = 0 if name == "sharded" else 1
                if (at_least(name, array, low) % 1).any():
                    raise ValueError(f"{name} must be whole numbers, got {array!r}")
                value = array.astype(np.int64)
            object.__setattr__(self, name, value)
        if (self.sharded >= len(ZERO_STAGES)).any():
            raise ValueError(f"sharded must be 0, 1, 2 or 3, got {self.sharded.max()}")

    @property
    def devices(self) -> np.ndarray:
        """How many each plan uses: t p d."""
        return np.asarray(self.tensor * self.pipeline * self.data)

    def __len__(self) -> int:
        return int(self.tensor.size)

    def __getitem__(self, place: int | slice | np.ndarray) -> ParallelPlans:
        return ParallelPlans(*(np.ravel(getattr(self, f.name))[place] for f in fields(self)))
