"""Recursions of the network solvers, in the part of Python that numba compiles for long runs.

`perfmodel.compilation` says which runs are long.
"""

from __future__ import annotations

import math

import numpy as np

from perfmodel.validation import Floats


def single_class_mva(demand: Floats, population: int, think_time: float) -> Floats:
    """Return 1 + the mean queue lengths that the last of `population` jobs finds on arrival."""
    seen = np.ones(demand.size)
    for jobs in range(1, population):
        total = think_time
        for k in range(demand.size):
            total += demand[k] * seen[k]
        rate = jobs / total
        for k in range(demand.size):
            seen[k] = 1.0 + rate * demand[k] * seen[k]
    return seen


def multi_class_mva(
    demand: Floats, population: np.ndarray, think_time: Floats, strides: np.ndarray, seen: Floats
) -> None:
    """Walk all population vectors once, filling `seen` with 1 + the mean queue lengths.

    `demand` is (classes, stations). `seen`, ones of shape (stations, rows, last population + 1),
    holds one slab: the last class runs along a row, the classes between the first and the last
    make the rows (one less of class j is `strides[j]` rows back), and the first class is the time
    that passes: an entry not yet written still has the value for one of its jobs less. The entry
    of the full population is left unwritten, so that this holds at the end too.
    """
    stations, rows, length = seen.shape
    last = population.size - 1
    here = np.zeros(last, np.int64)
    total, rate, base = np.zeros(length), np.zeros(length), np.zeros((stations, length))
    work = np.zeros(stations)
    for first in range(population[0] + 1):
        here[:] = 0
        here[0] = first
        for row in range(rows):
            base[:] = 1.0
            for j in range(last):
                if here[j] > 0:
                    before = row - strides[j]
                    total[:] = think_time[j]
                    for k in range(stations):
                        d, q = demand[j, k], seen[k, before]
                        for i in range(length):
                            total[i] += d * q[i]
                    for i in range(length):
                        rate[i] = here[j] / total[i]
                    for k in range(stations):
                        d, q, b = demand[j, k], seen[k, before], base[k]
                        for i in range(length):
                            b[i] += d * rate[i] * q[i]
            final = first == population[0] and row == rows - 1
            work[:] = 0.0
            x = 0.0
            for i in range(length - 1 if final else length):
                cycle = think_time[last]
                for k in range(stations):
                    present = base[k, i] + x * work[k]
                    seen[k, row, i] = present
                    work[k] = demand[last, k] * present
                    cycle += work[k]
                x = (i + 1) / cycle
            j = last - 1
            while j > 0:
                here[j] += 1
                if here[j] <= population[j]:
                    break
                here[j] = 0
                j -= 1


def convolve(
    log_g: Floats,
    log_demand: Floats,
    log_speeds: Floats,
    strides: np.ndarray,
    shape: np.ndarray,
) -> Floats:
    """Return the log normalising constants after a station with these speeds is added.

    With f_s the station's factors when s jobs of it are already in service, f_s(n) = sum over
    classes of D_c f_{s+1}(n - e_c) / speed(s + 1), so that G_s(n) = G(n) + sum of D_c G_{s+1}(n -
    e_c) / speed(s + 1): every term is positive and nothing is subtracted. The last speed holds for
    all larger numbers, where G_s = G_{s+1}. Updated in place, from the last shift down to 0: the
    first pass upwards in n, the others downwards.
    """
    jobs, size, levels = log_demand.size, log_g.size, log_speeds.size
    added, terms = log_g.copy(), np.zeros(jobs + 1)
    for level in range(levels - 1, -1, -1):
        upwards = level == levels - 1
        for step in range(size):
            index = step if upwards else size - 1 - step
            terms[0] = log_g[index]
            top = terms[0]
            for j in range(jobs):
                terms[j + 1] = -np.inf
                if (index // strides[j]) % shape[j] > 0:
                    terms[j + 1] = log_demand[j] - log_speeds[level] + added[index - strides[j]]
                top = max(top, terms[j + 1])
            if top > -np.inf:
                total = 0.0
                for j in range(jobs + 1):
                    total += math.exp(terms[j] - top)
                added[index] = top + math.log(total)
    return added
