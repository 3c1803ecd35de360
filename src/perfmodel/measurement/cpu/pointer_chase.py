"""Several pointer chases in one loop, compiled by numba and kept on disk after the first time."""

import numba


@numba.njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def chase_pointers(next_index, indices, steps):  # type: ignore[no-untyped-def]
    """Take `steps` steps on each walk through `next_index`, and leave the ends in `indices`."""
    for _ in range(steps):
        for k in range(indices.size):
            indices[k] = next_index[indices[k]]
