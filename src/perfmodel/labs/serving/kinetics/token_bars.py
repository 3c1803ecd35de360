"""Cost of each token of a text: constant for weights, growing for attention."""

from __future__ import annotations

from functools import cache

from perfmodel.labs.serving.kinetics.inputs import PRICE, model
from perfmodel.live.drawing import Box, Fill, Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.serving import crossover_length, text_demand
from perfmodel.units import number
from perfmodel.validation import within

NAMES = ("0.6B", "4B", "14B", "32B")
TOKENS, BARS = 1000, 20
_LEFT, _RIGHT, _TOP, _LOW = 40.0, 336.0, 62.0, 218.0
_MOST = 220.0
"""GFLOP at the top of the sheet."""


@cache
def parts(name: str, index: int) -> tuple[float, float]:
    """Return the FLOP of weights and of attention, a token, on average over a bar's tokens.

    >>> [round(part / 1e9, 1) for part in parts("0.6B", 19)]
    [1.5, 63.1]
    """
    step = TOKENS / BARS
    text = text_demand(model(name).demand, index * step, step)
    attention = float(text.attention) + PRICE * float(text.cache)
    return float(text.matrices) / step, attention / step


def token_bars(name: str, written: float) -> Scene:
    """Draw the cost of a model's `written` tokens so far, with the authors' price of a byte.

    >>> token_bars("0.6B", 1000).values["attention over weights"]
    21.5
    """
    so_far = float(within("written", written, 0, TOKENS))
    across, up = Scale(0, TOKENS, _LEFT, _RIGHT), Scale(0, _MOST, _LOW, _TOP)
    shapes: list[Shape] = [*up.beside(_LEFT, "GFLOP a token"), *across.below(_LOW, "token")]
    shapes += legend(150, 14, [("weights", 1, "solid"), ("attention", 2, "light")])
    wide = across.length(TOKENS / BARS)
    sums = [0.0, 0.0]
    for index in range(round(so_far / TOKENS * BARS)):
        pair = parts(name, index)
        x, bottom = across(index * TOKENS / BARS), _LOW
        for colour, part in enumerate(pair, 1):
            height = abs(up.length(part / 1e9))
            fill: Fill = "solid" if colour == 1 else "light"
            shapes.append(Box(x + 1, bottom - height, wide - 2, height, "", colour, fill))
            bottom -= height
        sums = [sums[0] + pair[0], sums[1] + pair[1]]
    even = float(crossover_length(model(name).demand, PRICE)) / 2
    if so_far >= even:
        shapes.append(Line([(across(even), _LOW), (across(even), _TOP + 12)], style="thin"))
        shapes.append(Text("even", across(even) + 5, _TOP + 6, "start"))
    says = f"Qwen3-{name}: no token yet."
    share = sums[1] / sums[0] if sums[0] else 0.0
    if so_far:
        says = (
            f"After {number(so_far)} tokens of Qwen3-{name}, attention has cost {share:.2g} times "
            f"as much as the weights. The two parts of one token are equal at {even:.0f} tokens."
        )
    values = {
        "tokens": so_far,
        "even at (tokens)": round(even),
        "attention over weights": round(share, 1),
    }
    return Scene(_LOW + 36, shapes, says, values)
