"""The four loops of STREAM, compiled by numba and kept on disk after the first time.

Indices run over the whole of each array, so a thread passes the part that is its own. All take
a, b and c, whether or not they need each.
"""

import numba

compiled = numba.njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)


@compiled
def copy(a, b, c):  # type: ignore[no-untyped-def]
    """Set c = a."""
    for i in range(a.size):
        c[i] = a[i]


@compiled
def scale(a, b, c):  # type: ignore[no-untyped-def]
    """Set b = 3 c."""
    for i in range(a.size):
        b[i] = 3.0 * c[i]


@compiled
def add(a, b, c):  # type: ignore[no-untyped-def]
    """Set c = a + b."""
    for i in range(a.size):
        c[i] = a[i] + b[i]


@compiled
def triad(a, b, c):  # type: ignore[no-untyped-def]
    """Set a = b + 3 c."""
    for i in range(a.size):
        a[i] = b[i] + 3.0 * c[i]
