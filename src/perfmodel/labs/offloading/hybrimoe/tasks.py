"""What the reader does: a break-even, the end of a pipeline, and the score of a cache."""

from __future__ import annotations

from perfmodel.tasks import Mistake, Task


def _break_even(per_token: float, start_up: float, fetch: float, device: float) -> float:
    return max((fetch + device - start_up) / per_token, 0.0)


break_even = Task(
    "The load, not rounded, up to which an expert not cached is done sooner on the CPU",
    reference=_break_even,
    cases=[
        (0.2e-3, 0.0, 0.42e-3, 0.5e-3),
        (0.2e-3, 0.79e-3, 0.42e-3, 0.5e-3),
        (1e-3, 0.95e-3, 0.42e-3, 0.5e-3),
    ],
    mistakes=[
        Mistake(
            "no work on the GPU",
            lambda per_token, start_up, fetch, device: max((fetch - start_up) / per_token, 0.0),
            "The expert is not done when it has come: the GPU computes it after that.",
        ),
        Mistake(
            "work hidden",
            lambda per_token, start_up, fetch, device: max(
                (max(fetch, device) - start_up) / per_token, 0.0
            ),
            "One expert can't be computed while it comes: its fetch and its work add up.",
        ),
        Mistake(
            "no start-up",
            lambda per_token, start_up, fetch, device: (fetch + device) / per_token,
            "The CPU's first expert pays the start-up as well.",
        ),
        Mistake(
            "start-up added",
            lambda per_token, start_up, fetch, device: (fetch + device + start_up) / per_token,
            "The start-up is time that the CPU loses: it makes the load smaller.",
        ),
        Mistake(
            "rounded down",
            lambda per_token, start_up, fetch, device: float(
                int(_break_even(per_token, start_up, fetch, device))
            ),
            "You rounded down. Return the break-even itself, which need not be whole.",
        ),
        Mistake(
            "rounded",
            lambda per_token, start_up, fetch, device: float(
                round(_break_even(per_token, start_up, fetch, device))
            ),
            "You rounded. Return the break-even itself, which need not be whole.",
        ),
        Mistake(
            "without sign",
            lambda per_token, start_up, fetch, device: abs(fetch + device - start_up) / per_token,
            "Where the start-up alone takes longer than the other way, no load is small enough: "
            "return 0, not the size of the difference.",
        ),
        Mistake(
            "turned over",
            lambda per_token, start_up, fetch, device: (
                per_token / (fetch + device - start_up) if fetch + device > start_up else 0.0
            ),
            "Seconds left over seconds a token are tokens: yours is the other way up.",
        ),
        Mistake(
            "below zero",
            lambda per_token, start_up, fetch, device: (fetch + device - start_up) / per_token,
            "A load is never below 0. Where the start-up alone takes longer than the other way, "
            "return 0: no load is small enough.",
        ),
    ],
    hint="Solve `start_up + per_token * n = fetch + device` for n; not below 0, not rounded.",
    right="With the code's constants for Mixtral 0.6 tokens: an expert by itself, which has one "
    "or more, is always fetched. Once the CPU has begun, the break-even is 4.6: experts with up to "
    "4 tokens are done sooner there.",
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
    mistakes=[
        Mistake(
            "fetch, then compute",
            lambda cached, fetched, fetch, device: cached * device + fetched * (fetch + device),
            "The link fetches the next expert while the GPU computes.",
        ),
        Mistake(
            "all hidden",
            lambda cached, fetched, fetch, device: (cached + fetched) * device,
            "Some of the fetching may not be hidden: the GPU waits where the link is late.",
        ),
        Mistake(
            "link alone",
            lambda cached, fetched, fetch, device: max(
                (cached + fetched) * device, fetched * fetch
            ),
            "The last expert must still be computed after it has come.",
        ),
        Mistake(
            "link waits for the cached",
            lambda cached, fetched, fetch, device: (
                cached * device + _device_end(0, fetched, fetch, device)
            ),
            "The link begins at once and cached experts go first: the GPU computes them while the "
            "first fetch is under way.",
        ),
        Mistake(
            "first fetch alone",
            lambda cached, fetched, fetch, device: max(cached * device, fetch) + fetched * device,
            "Only the first fetch can make the GPU wait there. What if the link is the slower one "
            "of the two?",
        ),
        Mistake(
            "last fetch alone",
            lambda cached, fetched, fetch, device: max(
                (cached + fetched) * device, fetched * fetch + device
            ),
            "Only the last fetch can make the GPU wait there. And if the GPU is the slower one and "
            "nothing is cached?",
        ),
    ],
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
    mistakes=[
        Mistake(
            "weights the other way round",
            lambda before, newest, weight: weight * before + (1 - weight) * newest,
            "`weight` is that of the newest score.",
        ),
        Mistake(
            "sum",
            lambda before, newest, weight: before + weight * newest,
            "Nothing would ever be forgotten: what was before must fade.",
        ),
        Mistake(
            "one weight for both",
            lambda before, newest, weight: weight * (before + newest),
            "`weight` is that of the newest score; what was before has the rest, up to 1.",
        ),
        Mistake(
            "plain mean",
            lambda before, newest, weight: (before + newest) / 2,
            "That is right for a weight of one half alone: use `weight`.",
        ),
        Mistake(
            "newest in full",
            lambda before, newest, weight: newest + (1 - weight) * before,
            "The two weights must sum to 1, or scores grow: the newest has `weight`.",
        ),
        Mistake(
            "newest alone",
            lambda before, newest, weight: newest,
            "That has no memory at all.",
        ),
    ],
    hint="A mean of old and new, with the weights `1 - weight` and `weight`.",
    right="A weight of 1 knows the last token only, a small one comes near to counting uses.",
)
