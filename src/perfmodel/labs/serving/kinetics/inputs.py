"""Shapes, accuracies and the price of a byte that the authors use, and speeds that others measured.

Sources: the released code and pages of Kinetics (github.com/Infini-AI-Lab/Kinetics at af7fa57, and
Kinetics-PR at 2636723), and Qwen's own speed tables (github.com/QwenLM/Qwen3 at 7a2f61f,
docs/source/getting_started/speed_benchmark.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from perfmodel.serving import TokenDemand
from perfmodel.validation import Floats, whole

BYTES = 2
"""Of a weight and of a number in the cache: 16 bits."""
PRICE = 562.5
"""FLOP a byte, as the authors take it for an NVIDIA B200: 4500 TFLOP/s over 8 TB/s."""
PRICE_16_BITS = PRICE / 2
"""FLOP a byte if the peak is that of 16-bit products, half of the one the authors took."""
LENGTHS = np.arange(2048, 32_769, 2048)
"""Tokens of output at which the authors cut answers off."""
PROMPT = 512
"""Tokens; this lab's choice for a question."""
BUDGETS = (128, 256, 512, 1024, 2048)
"""Cached tokens that sparse attention reads."""


def block_of(budget: int) -> int:
    """Return the tokens of a block that the authors' frontiers pair with a budget.

    >>> [block_of(budget) for budget in BUDGETS]
    [128, 64, 32, 16, 8]
    """
    return 16_384 // whole("budget", budget, 1)


@dataclass(frozen=True)
class Qwen:
    """A model of the Qwen3 series, as far as its costs go.

    The parameters are given and not counted, since the authors' differ from those of the shapes.
    """

    name: str
    parameters: float
    """As the authors count them."""
    layers: int
    heads: int
    accuracy: float
    """Share of AIME24 that it solves at the first try with up to 32K tokens (LiteSys README)."""
    kv_heads: int = 8
    head: int = 128
    """Numbers of a head."""

    @property
    def kv_numbers(self) -> int:
        """Numbers that a token leaves in the cache, all layers together: D."""
        return 2 * self.layers * self.kv_heads * self.head

    @property
    def group(self) -> float:
        """Query heads that share keys and values: r."""
        return self.heads / self.kv_heads

    @property
    def demand(self) -> TokenDemand:
        """What its next token asks for: 2 P, 2 P, 2 r D and 2 D."""
        cached = float(self.kv_numbers)
        return TokenDemand(
            2 * self.parameters,
            BYTES * self.parameters,
            2 * self.group * cached,
            BYTES * cached,
        )


MODELS = (
    Qwen("0.6B", 0.752e9, 28, 16, 0.115),
    Qwen("1.7B", 2.03e9, 28, 16, 0.459),
    Qwen("4B", 4.02e9, 36, 32, 0.717),
    Qwen("8B", 8.19e9, 36, 32, 0.752),
    Qwen("14B", 14.77e9, 40, 40, 0.796),
    Qwen("32B", 32.76e9, 64, 64, 0.821),
)


def model(name: str) -> Qwen:
    """Return the model of that name.

    >>> model("8B").kv_numbers, model("8B").group
    (73728, 4.0)
    """
    for candidate in MODELS:
        if candidate.name == name:
            return candidate
    raise ValueError(f"name must be one of {', '.join(m.name for m in MODELS)}, got {name!r}")


WRITTEN = 2048
"""Tokens that each measured run writes."""
PROMPTS = (1, 6144, 14_336, 30_720, 63_488, 129_024)
"""Tokens of their prompts; the tables themselves print 129042 for the last."""
SPEEDS = {
    "0.6B": (414.17, 1426.46, 2478.02, 3577.42),
    "1.7B": (227.80, 838.28, 1525.71, 2439.03),
    "4B": (133.13, 466.19, 789.25, 1165.75, 1423.98, 1371.04),
    "8B": (81.73, 296.25, 524.70, 832.67, 1112.78, 1173.32),
    "14B": (47.10, 174.85, 317.56, 525.80, 742.36, 826.15),
    "32B": (20.72, 77.82, 143.08, 240.75, 342.96),
}
"""Tokens/s, prompt and output together over the time of both, of a single sequence in 16 bits on
one H20 GPU with SGLang 0.4.6. The longest prompt of 32B took two GPUs and is left out."""


class Runs(NamedTuple):
    """Runs of one sequence alone, arrays of one length."""

    name: tuple[str, ...]
    """Of the model."""
    prompt: Floats
    """Tokens."""
    seconds: Floats
    """Of the whole run: prompt and output."""


def runs() -> Runs:
    """Return the 31 measured runs, model by model.

    >>> measured = runs()
    >>> len(measured.name), measured.seconds[:2].round(2)
    (31, array([4.95, 5.74]))
    """
    rows = [
        (name, prompt, (prompt + WRITTEN) / speed)
        for name, speeds in SPEEDS.items()
        for prompt, speed in zip(PROMPTS, speeds, strict=False)
    ]
    names, prompts, seconds = zip(*rows, strict=True)
    return Runs(names, np.array(prompts, float), np.array(seconds))
