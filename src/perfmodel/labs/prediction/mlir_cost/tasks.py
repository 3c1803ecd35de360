"""What the reader does: count what is live, and write what a bag of tokens can't tell apart."""

from perfmodel.labs.prediction.mlir_cost.program import EXAMPLE, parse, register_pressure
from perfmodel.labs.prediction.mlir_cost.text_regression import tokens
from perfmodel.tasks import Mistake, Task

COUNTED, ANOTHER = "other counts of tokens", "the same counts, another pressure"
ALIKE = "the same counts, the same pressure"


def against_example(text: str) -> str:
    """Return how a program compares with `EXAMPLE`: for the short list, and in pressure.

    >>> against_example(EXAMPLE)
    'the same counts, the same pressure'
    """
    if not isinstance(text, str):
        return text
    lines = "\n".join(line.strip() for line in text.strip().splitlines())
    try:
        program = parse(lines)
    except ValueError as error:
        return f"no program: {error}"
    if sorted(tokens(lines)) != sorted(tokens(EXAMPLE)):
        return COUNTED
    return ANOTHER if register_pressure(program) != register_pressure(parse(EXAMPLE)) else ALIKE


live_at_once = Task(
    "Register pressure from lifetimes",
    reference=lambda born, last: max(
        sum(b <= t <= u for b, u in zip(born, last, strict=True)) for t in range(max(last) + 1)
    ),
    cases=[
        ([0, 0, 0, 1, 2], [1, 2, 4, 3, 3]),
        ([0, 0, 0, 1, 2, 3], [0, 1, 1, 2, 3, 3]),
        ([0, 1, 2, 3], [3, 3, 3, 3]),
        ([0, 0, 1, 1, 1, 5], [1, 1, 1, 2, 5, 5]),
    ],
    mistakes=[
        Mistake(
            "dies before",
            lambda born, last: max(
                sum(b <= t < u for b, u in zip(born, last, strict=True))
                for t in range(max(last) + 1)
            ),
            "You free a value before its last use is over. Here operands and result of an "
            "instruction are live together, so the ends count: t <= u.",
        ),
        Mistake(
            "all values",
            lambda born, last: len(born),
            "That counts all values. The register of a value that died is free for another.",
        ),
        Mistake(
            "longest life",
            lambda born, last: max(u - b + 1 for b, u in zip(born, last, strict=True)),
            "That is the longest life in instructions. Count the values that are live at one "
            "instruction, then take the most.",
        ),
        Mistake(
            "total",
            lambda born, last: sum(u - b + 1 for b, u in zip(born, last, strict=True)),
            "That adds up all lives, the area under L(t). Registers are needed for its highest "
            "point.",
        ),
    ],
    hint="For one instruction t, `sum(b <= t <= u for b, u in zip(born, last))` counts the values "
    "that are live. Take the largest over all t from 0 to the last of all last uses.",
    right="This looks at every value for every instruction; `program.live` finds the same in one "
    "pass, by adding 1 where a life begins and taking 1 off after its end.",
    unit="tensors",
)

blind_spot = Task(
    "Two programs that look alike",
    reference=lambda: against_example(
        """%2 = xpu.add %0, %1 : tensor<64x64xf32>
        %3 = xpu.mul %2, %2 : tensor<64x64xf32>
        %4 = xpu.relu %3 : tensor<64x64xf32>
        %5 = xpu.add %4, %4 : tensor<64x64xf32>
        %6 = xpu.matmul %5, %5 : tensor<64x64xf32>"""
    ),
    mistakes=[
        Mistake(
            "other tokens",
            lambda: COUNTED,
            "The short list tells these apart: operations and types must occur as often as in the "
            "example. Change operands or the order only.",
        ),
        Mistake(
            "same pressure",
            lambda: ALIKE,
            "The short list can't tell them apart, and need not: the pressure is 4 in both. Use "
            "each result at once and let nothing wait, or let more wait.",
        ),
    ],
    hint="A value that is used only in the next instruction lives for two. What if each "
    "instruction uses nothing but the result before it?",
    right="Every model on the short list answers both with one number, whatever it has learned and "
    "from however many programs. The error is in what it is shown.",
)
