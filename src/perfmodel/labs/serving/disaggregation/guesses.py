"""What good engineers guess about disaggregation, and what is computed."""

from __future__ import annotations

from functools import cache

import numpy as np

from perfmodel.labs.serving.disaggregation.inputs import KV_TOKEN, trace
from perfmodel.labs.serving.disaggregation.pools import (
    asked,
    attained,
    fitted,
    fluid,
    roofline_steps,
    serve,
    work,
)
from perfmodel.serving import Requests

Guess = tuple[str, str, str]


@cache
def recorded(poisson: bool) -> tuple[float, float]:
    """Return attainment and utilization of the code trace on four servers, at its own rate.

    Limits are 1 s and 0.1 s; arrivals as recorded, or Poisson with the same lengths.
    """
    arrival, prompt, output = trace("code")
    rate = (arrival.size - 1) / float(arrival[-1])
    requests = asked("code", rate, arrival.size) if poisson else Requests(arrival, prompt, output)
    run = serve(requests, fitted().steps(), "decode first", servers=4)
    return attained(run, 0.1), run.utilization


def guesses() -> list[Guess]:
    """Return rows of what is asked, what is guessed, and what is computed."""
    gain = {
        (name, limit): (lambda found: found.split / found.mixed)(fluid(work(name), limit))
        for name in ("conversation", "code")
        for limit in (0.05, 0.1, 0.2)
    }
    roof = {
        design: attained(
            serve(asked("conversation", 150.0, 1000), roofline_steps(), design, 4), 0.01, 0.5
        )
        for design in ("chunks of 512", 3)
    }
    burst, even = recorded(False), recorded(True)
    lag = float(np.median(trace("code").prompt)) * KV_TOKEN / 1.25e9
    return [
        (
            "Does splitting always help, since prompts no longer disturb?",
            "yes",
            f"conversation: {gain['conversation', 0.05]:.2f} times at 50 ms, "
            f"{gain['conversation', 0.2]:.2f} times at 200 ms",
        ),
        (
            "Where does it help most?",
            "where answers are long",
            f"code, 13 tokens an answer: {gain['code', 0.05]:.2f} times at 50 ms",
        ),
        (
            "Does it matter how prompt and decode share an iteration?",
            "little",
            f"as the longer of two: chunks keep {100 * roof['chunks of 512']:.0f} % within the "
            f"limits at 150 requests/s, two pools {100 * roof[3]:.0f} %",
        ),
        (
            "Are Poisson arrivals a fair test?",
            "yes, with real lengths",
            f"code as recorded: {100 * burst[0]:.0f} % within the limits at utilization "
            f"{burst[1]:.2f}; Poisson: {100 * even[0]:.0f} %",
        ),
        (
            "Is the transfer small?",
            "below 1 % of the time",
            f"a median prompt of code takes {lag:.2f} s over 10 Gbit/s, for 12 gaps",
        ),
    ]
