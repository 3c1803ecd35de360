"""What the reader does: two lines, each with the usual mistakes."""

from __future__ import annotations

from perfmodel.tasks import Mistake, Task

share_reached = Task(
    "The share of the bandwidth that a message reaches",
    reference=lambda latency, bandwidth, size: size / (latency + size / bandwidth) / bandwidth,
    cases=[(1e-6, 1e10, 1e4), (1e-5, 1e9, 1e3)],
    mistakes=[
        Mistake(
            "bandwidth reached",
            lambda latency, bandwidth, size: size / (latency + size / bandwidth),
            "That is the bandwidth reached, in bytes/s. The share is that over the link's own.",
        ),
        Mistake(
            "share of the latency",
            lambda latency, bandwidth, size: latency / (latency + size / bandwidth),
            "That is the share of the time that is latency: what is left to 1 was asked for.",
        ),
    ],
    hint="Bytes over the time of equation (1), over the link's bandwidth.",
    right="It is one half where the size is latency times bandwidth.",
)

in_parts = Task(
    "A message sent in parts, one after the other",
    reference=lambda latency, bandwidth, size, parts: parts * latency + size / bandwidth,
    cases=[(1e-6, 1e10, 1e4, 2), (1e-5, 1e9, 1e3, 10)],
    mistakes=[
        Mistake(
            "one latency",
            lambda latency, bandwidth, size, parts: latency + size / bandwidth,
            "Each part waits for the link's latency anew.",
        ),
        Mistake(
            "whole size each",
            lambda latency, bandwidth, size, parts: parts * (latency + size / bandwidth),
            "Each part is only a share of the size.",
        ),
    ],
    hint="Equation (1) for `size / parts` bytes, as often as there are parts.",
    right="So few large messages beat many small ones, unless the parts can overlap.",
    unit="s",
)
