"""Several pointer chases in one loop, compiled by numba and kept on disk after the first time."""

import numba


@numba.njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def follow(following, places, steps):  # type: ignore[no-untyped-def]
    """Take `steps` steps on each walk through `following`, from `places` and leaving them there."""
    for _ in range(steps):
        for k in range(places.size):
            places[k] = following[places[k]]
