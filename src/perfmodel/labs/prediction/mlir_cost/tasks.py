"""The reader's tasks: register pressure, and a program that counts of tokens can't distinguish."""

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
            "You freed a value before its last use was over. Operands and result of an "
            "instruction are live together, so include the last use: t <= u.",
        ),
        Mistake(
            "all values",
            lambda born, last: len(born),
            "You counted all values. After a value's last use, its register is free for another.",
        ),
        Mistake(
            "longest life",
            lambda born, last: max(u - b + 1 for b, u in zip(born, last, strict=True)),
            "You computed the longest life. Count the values that are live at one instruction, "
            "then take the maximum over instructions.",
        ),
        Mistake(
            "total",
            lambda born, last: sum(u - b + 1 for b, u in zip(born, last, strict=True)),
            "You added up all lives, which is the area under L(t). Take its highest point.",
        ),
    ],
    hint="For one instruction t, `sum(b <= t <= u for b, u in zip(born, last))` counts the values "
    "that are live. Take the largest over all t from 0 to the last of all last uses.",
    right="This looks at every value for every instruction. `program.live_tensors` needs one "
    "pass: it adds 1 where a life begins and subtracts 1 after its end.",
    unit="tensors",
)

blind_spot = Task(
    "Two programs that look identical",
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
            "The short list can distinguish your program: its operations and types must occur as "
            "often as in the example. Change only operands or the order.",
        ),
        Mistake(
            "same pressure",
            lambda: ALIKE,
            "The short list can't distinguish the two programs, but their pressure is the same, "
            "4. Use each result at once, or let more results wait.",
        ),
    ],
    hint="A value that is used only in the next instruction lives for two instructions. What "
    "happens if each instruction uses only the result before it?",
    right="Every model on the short list predicts the same number for both programs, whatever it "
    "has learned. The input causes this error.",
)
