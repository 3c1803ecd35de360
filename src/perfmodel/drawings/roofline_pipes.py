"""The roofline as two pipes: one brings bytes, one takes operations; the narrower one fills."""

from __future__ import annotations

from perfmodel.live.drawing import Box, Fill, Line, Scene, Shape, Text
from perfmodel.roofline import Roofline
from perfmodel.units import prefixed
from perfmodel.validation import positive

_BASE, _FULL = 232.0, 160.0


def roofline_pipes(roof: Roofline, intensity: float) -> Scene:
    """Draw how much of a machine's bandwidth and of its peak a kernel can use.

    Parameters
    ----------
    roof : Roofline
        The machine.
    intensity : float
        Operations a byte of the kernel, above 0.

    Examples
    --------
    >>> toy = Roofline("toy", peak=1e11, bandwidth=2e10)
    >>> roofline_pipes(toy, 1.0).values["arithmetic used (%)"]
    20.0
    """
    asked = float(positive("intensity", intensity))
    rate = float(roof.attainable(asked))
    memory, arithmetic = rate / asked / roof.bandwidth, rate / roof.peak
    shapes = _tank(26, "memory", prefixed(roof.bandwidth, "B/s"), memory, 2, "hatch")
    shapes += _tank(216, "arithmetic", prefixed(roof.peak, "FLOP/s"), arithmetic, 1, "solid")
    shapes.append(Line([(150, 152), (210, 152)], style="thick", head=True))
    shapes.append(Text(f"{asked:.3g}", 178, 122, bold=True))
    shapes.append(Text("FLOP/byte", 180, 138))
    full = "memory" if asked < roof.ridge_point else "arithmetic"
    says = (
        f"At {asked:.3g} FLOP/byte the full pipe is {full}. The kernel reaches "
        f"{prefixed(rate, 'FLOP/s')}. It uses {100 * arithmetic:.3g} % of the peak and "
        f"{100 * memory:.3g} % of the bandwidth."
    )
    values = {"memory used (%)": 100 * memory, "arithmetic used (%)": 100 * arithmetic}
    return Scene(262, shapes, says, values)


def _tank(x: float, name: str, most: str, share: float, colour: int, fill: Fill) -> list[Shape]:
    height, rim = _FULL * share, _BASE - _FULL - 12
    return [
        Text(name, x + 59, 18, bold=True),
        Text(f"at most {most}", x + 59, 38),
        Box(x, _BASE - height, 118, height, "", colour, fill),
        Line([(x, rim), (x, _BASE), (x + 118, _BASE), (x + 118, rim)]),
        Text(f"{100 * share:.3g} % used", x + 59, _BASE + 15, bold=True),
    ]
