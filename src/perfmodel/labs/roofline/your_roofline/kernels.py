"""Loops of the reader's roofline, compiled by numba and kept on disk after the first time.

Rows are shifted by slices and not by index. For the compiler, `u[j - 1]` might have a negative
index, and testing for it prevents vector instructions.
"""

import numba


@numba.njit(fastmath=True, cache=True, nogil=True)
def dot(a, b):  # type: ignore[no-untyped-def]
    """Return the sum of all `a`[i] `b`[i], added in the fastest order."""
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def dot_in_order(a, b):  # type: ignore[no-untyped-def]
    """Return the sum of all `a`[i] `b`[i], added one after the other in order."""
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@numba.njit(cache=True, nogil=True)
def again(a, b, out, times):  # type: ignore[no-untyped-def]
    """Compute the dot product of `a` and `b` into `out`, `times` times; calls would cost more."""
    for k in range(times):
        out[k & 7] = dot(a, b)


@numba.njit(cache=True, nogil=True)
def again_in_order(a, b, out, times):  # type: ignore[no-untyped-def]
    """Compute the dot product of `a` and `b` in order into `out`, `times` times."""
    for k in range(times):
        out[k & 7] = dot_in_order(a, b)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def five_points(u, v, weights):  # type: ignore[no-untyped-def]
    """Set the inner points of `v` to sums of `u` and its four neighbours by `weights`."""
    w0, w1, w2, w3, w4 = weights
    for i in range(1, u.shape[0] - 1):
        up, middle, down = u[i - 1][1:-1], u[i][1:-1], u[i + 1][1:-1]
        left, right, out = u[i][:-2], u[i][2:], v[i][1:-1]
        for j in range(out.size):
            out[j] = w0 * middle[j] + w1 * up[j] + w2 * down[j] + w3 * left[j] + w4 * right[j]
