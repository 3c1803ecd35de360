"""Worked examples of the chapter on serving."""

from __future__ import annotations

from perfmodel.live import Problem, SolutionLine, WorkedExample
from perfmodel.serving import mean_context, speculation_speedup, tokens_per_round


def slots(memory: float, weights: float, token: float, prompt: int, output: int) -> Problem:
    """Return how many requests fit into memory on average; memory in GB, a token in MB."""
    tokens = float(mean_context(prompt, output))
    free = 1000 * (memory - weights)
    held = token * tokens
    whole = token * (prompt + output)
    return Problem(
        f"A GPU has {memory:g} GB, and the weights take {weights:g} GB of it. The keys and values "
        f"of one token take {token:g} MB. Every prompt has {prompt} tokens and every answer "
        f"{output}. How many requests fit at once on average?",
        [
            SolutionLine(
                "Memory left for the KV cache", f"{memory:g} GB − {weights:g} GB", free, "MB"
            ),
            SolutionLine(
                "Tokens of a request at a random moment p + (n − 1) / 2",
                f"{prompt} + {output - 1} / 2",
                tokens,
                "",
                {
                    "That is a finished request. On average it has half of its answer.": (
                        prompt + output
                    ),
                    "You left out the prompt, which stays in the cache.": (output - 1) / 2,
                    "You left out the answer, which grows from nothing to its length.": prompt,
                },
            ),
            SolutionLine(
                "Requests = memory left / (κ × tokens)",
                f"{free:g} MB / ({token:g} MB × {tokens:g})",
                free / held,
                "",
                {
                    "That is room for finished requests. On average each has half of its "
                    "answer.": free / whole,
                    "The weights need their place first.": 1000 * memory / held,
                },
            ),
        ],
    )


SLOTS = WorkedExample(
    "serving-slots",
    slots,
    1,
    {"memory": 24, "weights": 14, "token": 0.5, "prompt": 400, "output": 201},
    {"memory": 40, "weights": 16, "token": 0.25, "prompt": 500, "output": 601},
    {"memory": 80, "weights": 26, "token": 0.8, "prompt": 300, "output": 401},
)


def speculation(acceptance: float, drafted: int, draft_cost: float) -> Problem:
    """Return the speedup of speculative decoding; the cost of a draft is in steps of the model."""
    tokens = float(tokens_per_round(acceptance, drafted))
    speedup = float(speculation_speedup(acceptance, drafted, draft_cost))
    cost = drafted * draft_cost + 1
    return Problem(
        f"A small model drafts {drafted} tokens, and each is accepted with probability "
        f"{acceptance:g} as long as those before it were. A drafted token costs {draft_cost:g} of "
        "a step of the large model, which then checks all in one step. By which factor is this "
        "faster than one token a step?",
        [
            SolutionLine(
                "Tokens a round (1 − α^(γ+1)) / (1 − α)",
                f"(1 − {acceptance:g}^{drafted + 1}) / (1 − {acceptance:g})",
                tokens,
                "",
                {
                    "That counts every draft as accepted.": drafted + 1,
                    "A rejected token ends the round: the drafts behind it are lost.": (
                        acceptance * drafted + 1
                    ),
                    "The check itself yields one token more: use γ + 1 in the exponent.": (
                        (1 - acceptance**drafted) / (1 - acceptance)
                    ),
                },
            ),
            SolutionLine(
                "Cost of a round γ c + 1", f"{drafted} × {draft_cost:g} + 1", cost, "steps"
            ),
            SolutionLine(
                "Speedup = tokens / cost",
                f"{tokens:.4g} / {cost:g}",
                speedup,
                "",
                {
                    "You left out what the drafts cost.": tokens,
                    "That counts every draft as accepted.": (drafted + 1) / cost,
                },
            ),
        ],
    )


SPECULATION = WorkedExample(
    "serving-speculation",
    speculation,
    0,
    {"acceptance": 0.8, "drafted": 4, "draft_cost": 0.05},
    {"acceptance": 0.7, "drafted": 3, "draft_cost": 0.1},
    {"acceptance": 0.6, "drafted": 5, "draft_cost": 0.1},
)
