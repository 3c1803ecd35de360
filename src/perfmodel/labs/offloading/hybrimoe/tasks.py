"""What the reader does: a break-even, the end of a pipeline, and the score of a cache."""

from __future__ import annotations

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task


def _break_even(per_token: float, start_up: float, fetch: float, device: float) -> float:
    return max((fetch + device - start_up) / per_token, 0.0)


break_even = Task(
    "The load, not rounded, up to which an expert not cached is done earlier on the CPU",
    reference=_break_even,
    cases=[
        (0.2e-3, 0.0, 0.42e-3, 0.5e-3),
        (0.2e-3, 0.79e-3, 0.42e-3, 0.5e-3),
        (1e-3, 0.95e-3, 0.42e-3, 0.5e-3),
        (0.2e-3, 0.1e-3, 0.65e-3, 0.3e-3),
    ],
    mistakes=mistakes(
        lambda per_token, start_up, fetch, device: max((fetch - start_up) / per_token, 0.0),
        "no work on the GPU: The expert is not done when it has come: the GPU computes it after "
        "that.",
        lambda per_token, start_up, fetch, device: max(
            (max(fetch, device) - start_up) / per_token, 0.0
        ),
        "work hidden: One expert can't be computed while it comes: its fetch and its work add up.",
        lambda per_token, start_up, fetch, device: (fetch + device) / per_token,
        "no start-up: The CPU's first expert pays the start-up as well.",
        lambda per_token, start_up, fetch, device: (fetch + device + start_up) / per_token,
        "start-up added: The start-up is time that the CPU loses: it makes the load smaller.",
        lambda per_token, start_up, fetch, device: float(
            int(_break_even(per_token, start_up, fetch, device))
        ),
        "rounded down: You rounded down. Return the break-even itself, which need not be whole.",
        lambda per_token, start_up, fetch, device: float(
            round(_break_even(per_token, start_up, fetch, device))
        ),
        "rounded: You rounded. Return the break-even itself, which need not be whole.",
        lambda per_token, start_up, fetch, device: abs(fetch + device - start_up) / per_token,
        "without sign: Where the start-up alone takes longer than the other way, no load is small "
        "enough: return 0, not the size of the difference.",
        lambda per_token, start_up, fetch, device: (
            per_token / (fetch + device - start_up) if fetch + device > start_up else 0.0
        ),
        "turned over: Seconds left over seconds a token are tokens: yours is the other way up.",
        lambda per_token, start_up, fetch, device: (fetch + device - start_up) / per_token,
        "below zero: A load is never below 0. Where the start-up alone takes longer than the other "
        "way, return 0: no load is small enough.",
    ),
    hint="Solve `start_up + per_token * n = fetch + device` for n; not below 0, not rounded.",
    right="With the code's constants for Mixtral 0.6 tokens: an expert by itself, which has one "
    "or more, is always fetched. Once the CPU has begun, the break-even is 4.6: experts with up to "
    "4 tokens are done earlier there.",
    unit="tokens",
)


def _device_end(cached: int, fetched: int, fetch: float, device: float) -> float:
    end = cached * device
    for place in range(1, fetched + 1):
        end = max(end, place * fetch) + device
    return end


device_end = Task(
    "When the GPU is done with cached and fetched experts",
    reference=_device_end,
    cases=[
        (2, 3, 0.42e-3, 0.5e-3),
        (0, 3, 0.42e-3, 0.5e-3),
        (1, 4, 0.8e-3, 0.5e-3),
        (4, 2, 0.8e-3, 0.5e-3),
    ],
    mistakes=mistakes(
        lambda cached, fetched, fetch, device: cached * device + fetched * (fetch + device),
        "fetch, then compute: The link fetches the next expert while the GPU computes.",
        lambda cached, fetched, fetch, device: (cached + fetched) * device,
        "all hidden: Some of the fetching may not be hidden: the GPU waits where the link is late.",
        lambda cached, fetched, fetch, device: max((cached + fetched) * device, fetched * fetch),
        "link alone: The last expert must still be computed after it has come.",
        lambda cached, fetched, fetch, device: (
            cached * device + _device_end(0, fetched, fetch, device)
        ),
        "link waits for the cached: The link begins at once and cached experts go first: the GPU "
        "computes them while the first fetch is under way.",
        lambda cached, fetched, fetch, device: max(cached * device, fetch) + fetched * device,
        "first fetch alone: Only the first fetch can make the GPU wait there. What if the link is "
        "the slower one of the two?",
        lambda cached, fetched, fetch, device: max(
            (cached + fetched) * device, fetched * fetch + device
        ),
        "last fetch alone: Only the last fetch can make the GPU wait there. And if the GPU is the "
        "slower one and nothing is cached?",
    ),
    hint="Expert number i of those fetched is there at `i * fetch`. The GPU begins it then, or "
    "when it is done with what came before: `end = max(end, i * fetch) + device`.",
    right="While a fetch is shorter than the GPU's work, only the first can be seen, and with one "
    "expert cached not even that.",
    unit="s",
)


def _running(before: float, newest: float, weight: float) -> float:
    return weight * newest + (1 - weight) * before


running_score = Task(
    "The running score of an expert",
    reference=_running,
    cases=[(0.2, 0.6, 0.5), (0.4, 0.0, 0.25), (0.2, 0.6, 0.3)],
    mistakes=mistakes(
        lambda before, newest, weight: weight * before + (1 - weight) * newest,
        "weights the other way round: `weight` is that of the newest score.",
        lambda before, newest, weight: before + weight * newest,
        "sum: Nothing would ever be forgotten: what was before must fade.",
        lambda before, newest, weight: weight * (before + newest),
        "one weight for both: `weight` is that of the newest score; what was before has the rest, "
        "up to 1.",
        lambda before, newest, weight: (before + newest) / 2,
        "plain mean: That is right for a weight of one half alone: use `weight`.",
        lambda before, newest, weight: newest + (1 - weight) * before,
        "newest in full: The two weights must sum to 1, or scores grow: the newest has `weight`.",
        lambda before, newest, weight: newest,
        "newest alone: That has no memory at all.",
    ),
    hint="A mean of old and new, with the weights `1 - weight` and `weight`.",
    right="A weight of 1 knows the last token only, a small one comes near to counting uses.",
)
