"""h2load 1.52: what it prints of its requests."""

from __future__ import annotations

from math import sqrt

import numpy as np

from perfmodel.measurement.load_generators.requests import HttpRequests
from perfmodel.validation import non_negative, one_number, positive, whole


def h2load_report(
    requests: HttpRequests,
    elapsed: float | None = None,
    warm_up: float = 0.0,
    asked: int | None = None,
) -> dict[str, float]:
    """Return what h2load prints: the warm-up is in its time and its bytes, not in its requests.

    Fields have the report's words, in s, bytes and 1/s; "+/- sd" is a fraction. The `requests` hold
    those of the `warm_up` (h2load's option `--warm-up-time` in seconds), too, and `elapsed` are the
    seconds of all, by default until the last end. `asked` is h2load's option `-n`. A client stops
    at its first request without an answer, and all requests that it owes are failed and errored.

    Examples
    --------
    Ten requests of 0.1 s one after the other, half of them to warm up:

    >>> from perfmodel.measurement.load_generators.requests import closed_loop
    >>> report = h2load_report(closed_loop([0.1] * 10), warm_up=0.45)
    >>> report["done"], round(report["finished in"], 3), round(report["req/s"], 2)
    (5.0, 1.0, 9.09)
    """
    before = one_number("warm_up", warm_up, non_negative)
    whole_run = requests.elapsed if elapsed is None else one_number("elapsed", elapsed, positive)
    if before >= whole_run:
        raise ValueError(f"warm_up must be below the run's {whole_run:g} s, got {before:g}")
    begun = requests.since(before) if before else requests
    total = begun.count if asked is None else whole("asked", asked, low=begun.count)
    measured = begun.with_answer()
    times = np.round(1e6 * measured.times, 3)
    mean = float(np.floor(round(float(times.mean()), 6)))
    deviation = sqrt(float(((times - times.mean()) ** 2).sum()) / max(times.size - 1, 1))
    near = (times >= mean - deviation) & (times <= mean + deviation)
    failed = measured.failures(400)
    return {
        "finished in": whole_run,
        "req/s": measured.count / (whole_run - before),
        "total": float(total),
        "done": float(measured.count),
        "succeeded": float(measured.count - failed),
        "failed": float(failed + total - measured.count),
        "errored": float(total - measured.count),
        **{f"{k}xx": float((measured.status // 100 == k).sum()) for k in range(2, 6)},
        "data": float(requests.body.sum()),
        "time for request min": float(np.trunc(times.min())) / 1e6,
        "time for request max": float(np.trunc(times.max())) / 1e6,
        "time for request mean": mean / 1e6,
        "time for request sd": deviation / 1e6,
        "time for request +/- sd": float(near.mean()),
    }
