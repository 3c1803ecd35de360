"""Seven requests at a batching server: which are in prefill, which decode, which slot is empty."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from perfmodel.live.drawing import Box, Fill, Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.serving import (
    BatchRules,
    Requests,
    ServedIteration,
    StepPieces,
    serving_iterations,
)
from perfmodel.validation import one_of, whole

GANTT_POLICIES = ("static", "prefill first", "chunked prefill")
"""Policies that are drawn."""
_NAMES = "ABCDEFG"
_SEATS, _CHUNK = 3, 320
_REQUESTS = Requests(
    arrival=[0.0, 0.0, 0.0, 0.04, 0.08, 0.12, 0.16],
    prompt=[200, 300, 250, 900, 200, 600, 300],
    output=[3, 8, 2, 4, 3, 2, 3],
)
_STEPS = StepPieces(fixed=[0.03, 0.0], prompt_token=[0, 1e-4], sequence=[0, 1e-4], cache_token=0)
"""30 ms to read the weights; more than 300 tokens take 0.1 ms each."""
_TOP, _ROW, _LEFT, _RIGHT = 62.0, 26.0, 34.0, 344.0
_LOOKS: dict[str, tuple[int, Fill]] = {"reads": (2, "hatch"), "token": (1, "solid")}


class _Piece(NamedTuple):
    """A stretch of time of a request."""

    request: int
    kind: str
    start: float
    end: float


def batch_gantt(policy: str, shown: int) -> Scene:
    """Draw the first iterations of a server with three slots and seven requests.

    `policy` is one of `GANTT_POLICIES`; `shown` iterations are drawn, all where there are fewer.
    Each request has a row: a thin line while it waits, hatched during its prefill, a box for each
    iteration that gives it a token and, in a static batch, a dashed box while its slot stays
    empty. An iteration takes 30 ms, or 0.1 ms for each of its tokens if that is longer; a chunk is
    of 320 tokens.

    >>> print(batch_gantt("static", 99).says)
    After 15 iterations (636 ms), 25 tokens are out. The longest pause within an answer is 30 ms.
    """
    one_of("policy", policy, GANTT_POLICIES)
    all_of_them = _played(policy)
    played = all_of_them[: whole("shown", shown, low=1)]
    time = Scale(0, _longest(), _LEFT, _RIGHT)
    shapes: list[Shape] = []
    shapes += legend(16, 12, [("reads its prompt", 2, "hatch"), ("gets a token", 1, "solid")])
    shapes += [Box(186, 6, 18, 12, dashed=True), Text("slot kept empty", 210, 12, anchor="start")]
    shapes += [Line([(186, 32), (204, 32)], style="thin"), Text("waits", 210, 32, anchor="start")]
    for row, name in enumerate(_NAMES):
        shapes.append(Text(name, 22, _TOP + (row + 0.5) * _ROW))
    for piece in _pieces(played, policy == "static"):
        shapes.append(_drawn(piece, time))
    now = time(played[-1].end)
    bottom = _TOP + len(_NAMES) * _ROW
    shapes.append(Line([(now, _TOP - 4), (now, bottom + 4)], style="thick"))
    shapes += time.below(bottom + 10, "time (s), one row a request")
    given = _given(played)
    tokens, pause = sum(map(len, given)), 1e3 * _longest_pause(played, given)
    elapsed = 1e3 * played[-1].end
    said = f"After {len(played)} iteration{'s' * (len(played) > 1)} ({elapsed:.0f} ms), {tokens} "
    said += f"token{' is' if tokens == 1 else 's are'} out. The longest pause within an answer is "
    said += f"{pause:.0f} ms."
    values = {"time (ms)": elapsed, "tokens out": tokens, "longest pause (ms)": pause}
    return Scene(bottom + 50, shapes, said, values)


@cache
def _played(policy: str) -> list[ServedIteration]:
    rules = BatchRules(max_num_seqs=_SEATS, policy=policy, chunk_size=_CHUNK)
    return serving_iterations(_REQUESTS, _STEPS, rules)


def _given(played: list[ServedIteration]) -> list[set[int]]:
    """Return which requests get a token at the end of each iteration, also where a prompt ends."""
    left = dict(enumerate(_REQUESTS.prompt.tolist()))
    given = []
    for one in played:
        for request, share in one.prefill.items():
            left[request] -= share
        given.append({*one.decoding, *(request for request in one.prefill if not left[request])})
    return given


def _longest_pause(played: list[ServedIteration], given: list[set[int]]) -> float:
    last: dict[int, float] = {}
    pause = 0.0
    for one, tokens in zip(played, given, strict=True):
        pause = max([pause, *(one.end - last[request] for request in tokens & last.keys())])
        last |= dict.fromkeys(tokens, one.end)
    return pause


@cache
def _longest() -> float:
    """Return when the slowest policy is done, to a tenth of a second."""
    return float(np.ceil(10 * max(_played(policy)[-1].end for policy in GANTT_POLICIES)) / 10)


def _pieces(played: list[ServedIteration], kept: bool) -> list[_Piece]:
    """Return what each request does up to the end of the iterations played."""
    now = played[-1].end
    pieces = []
    begun: dict[int, float] = {}
    made = dict.fromkeys(range(len(_REQUESTS)), 0)
    batches: list[set[int]] = []
    for one, given in zip(played, _given(played), strict=True):
        new = set(one.prefill)
        if new:
            batches.append(new)
        for request in new:
            begun.setdefault(request, one.start)
            pieces.append(_Piece(request, "reads", one.start, one.end))
        for request in given:
            made[request] += 1
            if request not in new:
                pieces.append(_Piece(request, "token", one.start, one.end))
    for request, came in enumerate(_REQUESTS.arrival.tolist()):
        if came < begun.get(request, now):
            pieces.append(_Piece(request, "waits", came, begun.get(request, now)))
    for batch in batches if kept else []:
        last = max(piece.end for piece in pieces if piece.request in batch)
        for request in batch:
            end = max(piece.end for piece in pieces if piece.request == request)
            if made[request] == _REQUESTS.output[request] and end < last:
                pieces.append(_Piece(request, "kept", end, last))
    return pieces


def _drawn(piece: _Piece, time: Scale) -> Shape:
    y, start, end = _TOP + piece.request * _ROW + 4, time(piece.start), time(piece.end)
    if piece.kind == "waits":
        middle = y + (_ROW - 8) / 2
        return Line([(start, middle), (end, middle)], style="thin")
    if piece.kind == "kept":
        return Box(start, y, end - start, _ROW - 8, dashed=True)
    colour, fill = _LOOKS[piece.kind]
    return Box(start, y, end - start, _ROW - 8, "", colour, fill)
