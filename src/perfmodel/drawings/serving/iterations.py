"""The iterations of a server one by one: who reads a prompt, who gets a token, from when to when.

`simulate_serving` keeps what becomes of each request and forgets the iterations. Drawings and the
time between two tokens need them. Here they are played by the same rules, for a cache without
limit, in plain Python; tests hold that both agree.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from perfmodel.serving import BatchRules, Requests, StepPieces
from perfmodel.serving.batching.rules import COMPOSITIONS
from perfmodel.validation import Floats


class Iteration(NamedTuple):
    """What a server does in one iteration; requests by their number."""

    start: float
    """When it begins (s)."""
    end: float
    """When it ends (s)."""
    read: tuple[tuple[int, int], ...]
    """Who reads in how many tokens of its prompt."""
    tokens: tuple[int, ...]
    """Who gets an output token at its end, those included whose prompt ends in it."""


def play_iterations(requests: Requests, steps: StepPieces, rules: BatchRules) -> list[Iteration]:
    """Play requests through one server whose cache has room for all.

    Parameters
    ----------
    requests : Requests
        When they come and how long they are.
    steps : StepPieces
        Seconds of an iteration.
    rules : BatchRules
        The policy is "static", "prefill first", "decode first" or "chunked prefill"; the order is
        that of arrival, and neither the cache nor the prompts of an iteration have a limit.

    Returns
    -------
    list of Iteration
        In the order of time.

    Raises
    ------
    ValueError
        If the rules ask for more.

    Examples
    --------
    Two seats, three requests, a second for whatever an iteration holds:

    >>> rules = BatchRules(batch=2)
    >>> played = play_iterations(Requests([0, 0, 0], 10, [1, 2, 1]), StepPieces(1, 0, 0, 0), rules)
    >>> [(one.read, one.tokens) for one in played]
    [(((0, 10), (1, 10)), (0, 1)), (((2, 10),), (2,)), ((), (1,))]
    """
    _plain(rules)
    prompt, output = requests.prompt.tolist(), requests.output.tolist()
    seconds = _seconds(steps)
    coming = deque(enumerate(requests.arrival.tolist()))
    waiting: deque[int] = deque()
    left = dict(enumerate(prompt))
    reading: list[int] = []
    decoding: tuple[int, ...] = ()
    leaving: dict[int, set[int]] = {}
    done = held = 0  # steps of decoding; tokens in the cache of those that decode, the next one too
    played: list[Iteration] = []
    clock = 0.0
    while coming or waiting or reading or decoding:
        if not (waiting or reading or decoding):
            clock = max(clock, coming[0][1])
        while coming and coming[0][1] <= clock:
            waiting.append(coming.popleft()[0])
        room = rules.chunk - len(decoding) if rules.policy == "chunked prefill" else np.inf
        free = rules.batch - len(reading) - len(decoding)
        if rules.policy == "static" and decoding:
            free = 0
        while waiting and free > 0 and sum(left[one] for one in reading) < room:
            reading.append(waiting.popleft())
            free -= 1
        read, had = [], []
        for one in reading:
            share = int(min(left[one], room))
            if share > 0:
                read.append((one, share))
                had.append(prompt[one] - left[one])
                room -= share
        alone = read and rules.policy in ("static", "prefill first")
        gaining = () if alone else decoding
        ended = tuple(one for one, share in read if share == left[one])
        end = clock + seconds(
            sum(share for _, share in read),
            len(gaining) + len(ended),
            sum(had) + (held if gaining else 0),
            sum(
                share * have + share * (share + 1) // 2
                for (_, share), have in zip(read, had, strict=True)
            ),
        )
        played.append(Iteration(clock, end, tuple(read), gaining + ended))
        clock = end
        if gaining:
            done, held = done + 1, held + len(gaining)
            gone = leaving.pop(done, set())
            if gone:
                decoding = tuple(one for one in decoding if one not in gone)
                held -= sum(prompt[one] + output[one] for one in gone)
        for one, share in read:
            left[one] -= share
        if ended:
            reading = [one for one in reading if left[one]]
            staying = tuple(one for one in ended if output[one] > 1)
            for one in staying:
                leaving.setdefault(done + output[one] - 1, set()).add(one)
                held += prompt[one] + 1
            decoding += staying
    return played


def token_gaps(played: Sequence[Iteration]) -> tuple[NDArray[np.int64], Floats]:
    """Return each time between a token and the next of the same request.

    Parameters
    ----------
    played : sequence of Iteration
        All iterations of a server.

    Returns
    -------
    request : ndarray of int, shape (gaps,)
        Whose gap it is; in this order, and of a request in the order of time.
    gap : ndarray, shape (gaps,)
        Seconds. A request with n output tokens has n - 1 gaps.

    Examples
    --------
    >>> played = play_iterations(Requests([0, 0], [1, 9], [3, 1]), StepPieces(1, 0.1, 0, 0),
    ...                          BatchRules(batch=2, policy="chunked prefill", chunk=4))
    >>> request, gap = token_gaps(played)
    >>> request, gap.round(1)
    (array([0, 0]), array([1.3, 1.3]))
    """
    counts = [len(one.tokens) for one in played]
    everybody = chain.from_iterable(one.tokens for one in played)
    who = np.fromiter(everybody, np.int64, sum(counts))
    when = np.repeat([one.end for one in played], counts)
    order = np.argsort(who, kind="stable")
    who, when = who[order], when[order]
    same = who[1:] == who[:-1]
    return who[1:][same], np.diff(when)[same]


def _plain(rules: BatchRules) -> None:
    if rules.policy not in COMPOSITIONS or rules.turn != "arrival":
        raise ValueError(
            f"rules must have one of the policies {', '.join(COMPOSITIONS)} in the order of "
            f"arrival, got {rules.policy!r} and {rules.turn!r}"
        )
    if not np.isinf(rules.cache_tokens) or not np.isinf(rules.prompt_limit):
        raise ValueError(
            "rules must have no limit of the cache and of the prompts of an iteration, got "
            f"cache_tokens={rules.cache_tokens:g} and prompt_limit={rules.prompt_limit:g}"
        )


def _seconds(steps: StepPieces) -> Callable[[int, int, int, int], float]:
    """Return the seconds of an iteration as a function of plain numbers, which is faster."""
    pieces: list[list[float]] = np.stack(
        [steps.fixed, steps.prompt_token, steps.sequence, steps.cache_token, steps.prompt_pair],
        axis=1,
    ).tolist()

    def seconds(new: int, sequences: int, cached: int, pairs: int) -> float:
        return max(f + a * new + b * sequences + c * cached + d * pairs for f, a, b, c, d in pieces)

    return seconds
