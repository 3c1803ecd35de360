"""Binary heaps in flat arrays, and the tree of winners that tells which event is next.

Equal keys leave in the order of their jobs' sequence numbers, so that ties are first come, first
served and every run of the same seed gives the same result.

>>> heaps, sequence = Heaps([0.0] * 3, [0] * 3), [0, 1, 2]
>>> for size, (key, job) in enumerate([(2.0, 0), (1.0, 2), (1.0, 1)]):
...     push(heaps, sequence, 0, size, key, job)
>>> remove(heaps, sequence, 0, 3, 0)
1
"""

from __future__ import annotations

from perfmodel.queueing.simulation.state import Calendar, Heaps, Ints


def push(heaps: Heaps, sequence: Ints, base: int, size: int, key: float, job: int) -> None:
    """Add `job` with `key` to the heap of `size` jobs that starts at `base`."""
    at = size
    while at > 0:
        above = (at - 1) >> 1
        there = heaps.key[base + above]
        if there < key or (there == key and sequence[heaps.job[base + above]] < sequence[job]):
            break
        heaps.key[base + at] = there
        heaps.job[base + at] = heaps.job[base + above]
        at = above
    heaps.key[base + at] = key
    heaps.job[base + at] = job


def remove(heaps: Heaps, sequence: Ints, base: int, size: int, place: int) -> int:
    """Take the job at `place` (0 is the least) out of the heap of `size` jobs, and return it."""
    gone = heaps.job[base + place]
    last = size - 1
    if place == last:
        return gone
    key, job = heaps.key[base + last], heaps.job[base + last]
    at = place
    child = 2 * at + 1
    while child < last:
        if child + 1 < last:
            left, right = heaps.key[base + child], heaps.key[base + child + 1]
            if right < left or (
                right == left
                and sequence[heaps.job[base + child + 1]] < sequence[heaps.job[base + child]]
            ):
                child += 1
        there = heaps.key[base + child]
        if key < there or (key == there and sequence[job] < sequence[heaps.job[base + child]]):
            break
        heaps.key[base + at] = there
        heaps.job[base + at] = heaps.job[base + child]
        at = child
        child = 2 * at + 1
    if at == place and place > 0:
        push(heaps, sequence, base, place, key, job)
        return gone
    heaps.key[base + at] = key
    heaps.job[base + at] = job
    return gone


def schedule(calendar: Calendar, source: int, time: float) -> None:
    """Set the time of the next event of `source` and play its matches in the tree again."""
    time_of, winner = calendar.time, calendar.winner
    time_of[source] = time
    node = (source + calendar.leaves[0]) >> 1
    while node > 0:
        left, right = winner[2 * node], winner[2 * node + 1]
        winner[node] = left if time_of[left] <= time_of[right] else right
        node >>= 1
