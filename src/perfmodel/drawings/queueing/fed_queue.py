"""A queue that the reader feeds by hand, with what theory says for the rate that they reach."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from html import escape

import numpy as np

from perfmodel.live import Display
from perfmodel.live.controls import Options, panel, speeds
from perfmodel.live.display import packed
from perfmodel.live.drawing import Circle, Line, Queue, Scale, Scene, Shape, Text, sheet
from perfmodel.queueing import (
    Deterministic,
    Exponential,
    Hyperexponential,
    Service,
    allen_cunneen,
    mm1,
    scv,
)

SIZES: Mapping[str, Service] = {
    "exponential": Exponential(1.0),
    "equal": Deterministic(1.0),
    "very different": Hyperexponential.balanced(1.0, 4.0),
}
"""Distributions of the jobs' sizes, each of mean 1 s."""
JOBS = 300
"""Sizes drawn of each; a run with more jobs begins with the first again."""
LOADS = np.linspace(0.0, 0.98, 50)
_PLACES, _SIZE, _LEFT, _MIDDLE, _SERVER, _RADIUS = 8, 22, 70, 32, 272, 16
_AGO = Scale(30, 0, 44, 340)
_LENGTH, _BUSY, _WAIT = Scale(0, 8, 132, 84), Scale(0, 100, 214, 166), Scale(0, 8, 296, 248)
_LOAD, _MEAN = Scale(0, 1, 44, 340), Scale(0, 8, 518, 380)
_ALT = (
    "A queue with a server; below it over the last 30 s the queue length, the utilization so far "
    "and each job's wait; at the bottom the mean wait against utilization: theory, and your run"
)


def fed_queue(seed: int = 1) -> Display:
    """Show a queue with one server that the reader feeds: each press of a button is an arrival.

    Sizes are drawn from `seed`, 1 s on average. Queue length, utilization and waits are drawn as
    time passes. Next to them are two mean waits: by Allen and Cunneen for the reader's own gaps
    between arrivals, and of M/M/1.

    >>> fed_queue().text
    'Press the button: each press is a job that arrives.'
    """
    rng = np.random.default_rng(seed)
    says = "Press the button: each press is a job that arrives."
    state = packed(
        {
            "sizes": [law.sample(rng, JOBS).round(3).tolist() for law in SIZES.values()],
            "theories": [_theory(law) for law in SIZES.values()],
            "scales": {
                name: [scale.low, scale.high, scale.start, scale.end]
                for name, scale in _scales().items()
            },
            "places": _PLACES,
            "station": {
                "left": _LEFT,
                "top": _MIDDLE - _SIZE // 2,
                "size": _SIZE,
                "server": _SERVER,
                "radius": _RADIUS,
            },
        }
    )
    key = hashlib.sha256(state.encode()).hexdigest()[:10]
    controls = panel(key, {"sizes": Options("Sizes", {name: name for name in SIZES})}, _buttons())
    html = (
        f'<figure class="live" data-live="queue" id="live-{key}">{controls}'
        f"{sheet(frame(), _ALT, _moving())}"
        f'<p class="live-says" aria-live="polite">{escape(says)}</p>'
        "<figcaption>A queue that you feed. Press the button; after that, the A key works, too. "
        "A job takes 1 s on average. Little's law holds at any moment: jobs waiting on "
        "average = jobs a second × mean wait so far.</figcaption>"
        f'<script type="application/json">{state}</script></figure>'
    )
    return Display(html, says)


def _scales() -> dict[str, Scale]:
    return {
        "ago": _AGO,
        "line": _LENGTH,
        "busy": _BUSY,
        "wait": _WAIT,
        "load": _LOAD,
        "mean": _MEAN,
    }


def _theory(law: Service) -> dict[str, list[float]]:
    """Return the mean wait in seconds at each load, for equal gaps and for random ones."""
    waits = {
        name: [0.0, *allen_cunneen(LOADS[1:], law.moment(1), gaps, scv(law)).waiting_time.tolist()]
        for name, gaps in (("equal", 0.0), ("random", 1.0))
    }
    rounded = {name: np.round(values, 4).tolist() for name, values in waits.items()}
    return {"loads": LOADS.round(4).tolist(), **rounded}


def frame() -> Scene:
    """Return what doesn't move: the station, the axes, and the line of M/M/1."""
    shapes: list[Shape] = [
        Line([(20, _MIDDLE), (_LEFT - 6, _MIDDLE)], head=True),
        Queue(_LEFT, _MIDDLE, _PLACES, size=_SIZE),
        Circle(_SERVER, _MIDDLE, _RADIUS, "", 2, "none"),
        Line([(_SERVER + 20, _MIDDLE), (340, _MIDDLE)], head=True),
        Text("queue", _LEFT + _PLACES * _SIZE / 2, 10),
        Text("server", _SERVER, 6),
    ]
    strips = ((_LENGTH, "jobs in the queue"), (_BUSY, "utilization so far (%)"))
    for scale, title in (*strips, (_WAIT, "each job's wait (s)")):
        shapes += scale.beside(_AGO.start, title, 2)
        shapes.append(Line([(_AGO.start, scale.start), (_AGO.end, scale.start)]))
    shapes += [Text(f"{ago:g}", _AGO(ago), 309) for ago in (30, 20, 10, 0)]
    shapes.append(Text("seconds ago", (_AGO.start + _AGO.end) / 2, 325))
    shapes += _MEAN.beside(_LOAD.start, "mean wait (s)")
    shapes += _LOAD.below(_MEAN.start, "utilization")
    loads = LOADS[LOADS <= 8 / 9]
    waits = [0.0, *mm1(loads[1:], 1.0).waiting_time.tolist()]
    points = [(_LOAD(x), _MEAN(y)) for x, y in zip(loads, waits, strict=True)]
    shapes.append(Line(points, style="dashed"))
    names = ("dashed: M/M/1", "line: theory for your gaps", "ring: theory at your rate")
    for i, words in enumerate((*names, "diamond: your run")):
        shapes.append(Text(words, 60, 390 + 17 * i, "start"))
    return Scene(554, shapes, "", {})


def _moving() -> str:
    """Return the elements that the page's script fills."""
    looks = {
        "line": 'class="live-c1 live-filled"',
        "served": 'class="live-c2 live-filled"',
        "length": 'class="live-c1"',
        "busy": 'class="live-c2"',
        "wait": 'class="live-c1"',
        "yours": 'class="live-c3"',
        "ring": 'class="live-c3"',
        "you": 'class="live-c2 live-filled"',
    }
    paths = "".join(f'<path data-part="{name}" d="M0 0" {look}/>' for name, look in looks.items())
    return f'{paths}<text data-part="more" x="40" y="24" fill="currentColor"></text>'


def _buttons() -> str:
    return (
        '<div class="live-player live-feed" role="group" aria-label="Feed the queue">'
        '<button type="button" data-do="arrive" aria-keyshortcuts="a">A job arrives</button>'
        '<button type="button" data-do="on">Step 0.5 s</button>'
        '<button type="button" data-do="play">Play</button>'
        '<button type="button" data-do="again">Start again</button>'
        f"{speeds('Speed')}</div>"
    )
