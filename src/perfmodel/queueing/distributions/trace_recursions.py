"""Recursions of the EM algorithm for arrival processes, which numba compiles for long traces.

`perfmodel.compilation` says which runs are long.
"""

from __future__ import annotations

import math

import numpy as np

from perfmodel.validation import Floats

TERMS = 20
"""Of the exponential series, for matrices of norm 1: the next is 1 in 10^19."""


def exponentiate(matrices: Floats, logs: Floats) -> None:
    """Replace each matrix by its exponential, over exp(log), and fill in that log.

    `matrices` is (count, size, size), with 0 or more off the diagonals. Its fastest rate is taken
    out, so that all terms are positive; it is halved until that rate is below 1, and the series
    squared as often. The largest entry is kept at 1, so that long times do not underflow.
    """
    count, size, _ = matrices.shape
    step, total, product = np.zeros((size, size)), np.zeros((size, size)), np.zeros((size, size))
    for n in range(count):
        pace = 0.0
        for i in range(size):
            pace = max(pace, -matrices[n, i, i])
        halvings = max(0, math.frexp(pace)[1])
        step[:] = matrices[n] * 0.5**halvings
        total[:] = 0.0
        for i in range(size):
            step[i, i] += pace * 0.5**halvings
            total[i, i] = 1.0
        for turn in range(TERMS + halvings):
            left = step if turn < TERMS else total
            product[:] = 0.0
            for i in range(size):
                for k in range(size):
                    share = left[i, k]
                    if share > 0:
                        for j in range(size):
                            product[i, j] += share * total[k, j]
            if turn < TERMS:
                for i in range(size):
                    for j in range(size):
                        product[i, j] /= TERMS - turn
                    product[i, i] += 1.0
            if turn == TERMS - 1:
                product *= math.exp(-pace * 0.5**halvings)
                logs[n] = 0.0
            if turn >= TERMS - 1:
                top = product.max()
                product /= top
                logs[n] = 2 * logs[n] + math.log(top)
            total, product = product, total
        matrices[n] = total


def walk(jumps: Floats, before: Floats, after: Floats) -> float:
    """Fill in the phases' probabilities between the gaps, and return the log of the gaps' density.

    `jumps` is (gaps, phases, phases), the density of each gap by the phases at its ends. Row n of
    `before`, (gaps + 1, phases), becomes the law of the phase after n gaps, given these; its first
    row is given. Row n of `after` becomes the density of all later gaps by that phase, over the
    largest; its last row is given. At a gap that is too unlikely for a float the walk ends with
    minus infinity.
    """
    gaps, phases, _ = jumps.shape
    density = 0.0
    for n in range(gaps):
        total = 0.0
        for j in range(phases):
            reached = 0.0
            for i in range(phases):
                reached += before[n, i] * jumps[n, i, j]
            before[n + 1, j] = reached
            total += reached
        if not total > 0:
            return -math.inf
        before[n + 1] /= total
        density += math.log(total)
    for n in range(gaps - 1, -1, -1):
        top = 0.0
        for i in range(phases):
            ahead = 0.0
            for j in range(phases):
                ahead += jumps[n, i, j] * after[n + 1, j]
            after[n, i] = ahead
            top = max(top, ahead)
        after[n] /= top
    return density
