"""Four requests through two servers that do both, or one that reads and one that writes."""

from __future__ import annotations

import numpy as np

from perfmodel.live.drawing import Box, Scene, Shape, Text
from perfmodel.serving import BatchRules, Requests, StepPieces, simulate_serving
from perfmodel.validation import one_of, positive

DESIGNS = ("two servers that do both", "one prefills, one decodes")
_REQUESTS = Requests([0.0, 0.05, 0.35, 0.4], [1000, 3000, 1000, 2000], [12, 8, 10, 6])
_STEPS = StepPieces(0.02, 1e-4, 2e-4, 0)
_LEFT, _SCALE, _TOP, _ROW = 60.0, 240.0, 40.0, 34.0


def two_pools(design: str, link: float) -> Scene:
    """Draw when each of four requests waits, is read, is sent and gets its tokens.

    `link` has the prompt tokens that are sent in a second.

    >>> two_pools(DESIGNS[1], 50_000.0).values["longest gap (ms)"] < 100
    True
    """
    one_of("design", design, DESIGNS)
    lag = 1 / float(positive("link", link))
    rules = BatchRules(policy="prefill first")
    if design == DESIGNS[0]:
        run = simulate_serving(_REQUESTS, _STEPS, rules, replicas=2)
    else:
        run = simulate_serving(
            _REQUESTS,
            _STEPS,
            rules,
            prefill_replicas=1,
            prefill_rules=BatchRules(max_num_seqs=1),
            transfer_token=lag,
            transfer_links=1,
        )
    shapes: list[Shape] = [
        Text("hatched: prefill; empty: sent or waiting", 180, 12),
        Text("filled: decode", 180, 28),
    ]
    for i in range(4):
        top = _TOP + _ROW * i
        shapes.append(Text(f"no. {i + 1}", 28, top + 12))
        parts = (
            (run.admitted[i], run.first_token_time[i], 3, "hatch"),
            (run.first_token_time[i], run.second_token_time[i], 0, "none"),
            (run.second_token_time[i], run.finish[i], 2, "solid"),
        )
        for begin, end, colour, fill in parts:
            width = max(_SCALE * (end - begin), 1.0)
            shapes.append(
                Box(_LEFT + _SCALE * begin, top, width, 24, "", colour, fill)  # type: ignore[arg-type]
            )
    longest = 1e3 * float(np.nanmax(run.largest_inter_token_latency))
    last = float(run.finish.max())
    says = (
        f"The longest gap between two tokens is {longest:.0f} ms. All requests are finished after "
        f"{last:.2f} s."
    )
    return Scene(_TOP + 4 * _ROW, shapes, says, {"longest gap (ms)": longest, "all done (s)": last})
