"""Numbers published by APEX or reported by vLLM, and the computed ones."""

from collections.abc import Callable
from itertools import pairwise

from perfmodel.labs.serving.apex.measured_runs import Means, ServerRun, server_run
from perfmodel.labs.serving.apex.plans import MEMORY, Plan, weight_bytes
from perfmodel.labs.serving.apex.replay import PAPER, fitted, predicted, since_start
from perfmodel.ledger import Claim, Sheet, recomputed, same_method, trend

BOUND = 0.15
"""As in other labs: a prediction by fitted constants may be off by 15 %."""
_TWO = Plan(1, 1, 2)
_README = "README, sample output; its GB are of 2^30 bytes"
_RESULTS = "vllm/results"
_LOWER = (
    "This counts only the data sheet's bandwidth and the measured all-reduce. It leaves out "
    "further time per iteration and the fraction of the bandwidth that is reached. Three constants "
    "for them, fitted to four runs, reproduce the other rows."
)
_FIRST = (
    "The constants are fitted to times between tokens. The model computes a prompt at once, at the "
    "rate of large products. It leaves out how vLLM cuts prompts, how fast its attention kernel "
    "is on them, and the way of a request to the server and back."
)
HELD_OUT = (
    ("creation_05", 4, 2),
    ("creation_05", 2, 4),
    ("creation_05", 4, 1),
    ("creation_025", 8, 1),
    ("lmsys_05", 4, 2),
    ("lmsys_05", 2, 4),
    ("lmsys_025", 8, 1),
    ("summarization_05", 8, 1),
    ("summarization_05", 4, 2),
    ("summarization_05", 2, 4),
    ("summarization_05", 4, 1),
    ("summarization_05", 2, 1),
    ("summarization_025", 8, 1),
)
"""Trace, GPUs of a server and servers of the runs whose time a token is predicted."""
ORDERS = {
    "lmsys_05": ((8, 1), (4, 1), (2, 1)),
    "creation_05": ((8, 1), (4, 2), (2, 4)),
    "summarization_05": ((8, 1), (4, 2), (2, 4)),
}
"""Servers' GPUs and their number, in the measured order of the times a token."""


def ordered(trace: str) -> tuple[bool, str]:
    """Return whether the roofline has the measured order of plans, and its times a token.

    >>> ordered("lmsys_05")
    (True, 'TPOT 8.2 < 12.2 < 22.0 ms')
    """
    own = [1e3 * predicted(server_run(trace, *plan)).token for plan in ORDERS[trace]]
    holds = all(first < second for first, second in pairwise(own))
    signs = [" < " if first < second else " >= " for first, second in pairwise(own)]
    text = "".join(f"{value:.1f}{sign}" for value, sign in zip(own, [*signs, ""], strict=True))
    return holds, f"TPOT {text} ms"


def _time(
    kind: str, run: ServerRun, pick: Callable[[Means], float], ours: Callable[[], float], miss: str
) -> Claim:
    also = f", with the {len(run.before)} before it" if run.before else ""
    return same_method(
        f"{kind}, {run.name}{also}",
        f"{1e3 * pick(run.printed):.2f} ms",
        _RESULTS,
        ours,
        within=BOUND,
        miss=miss,
    )


def _held_out(key: tuple[str, int, int]) -> Claim:
    run = server_run(*key)
    return _time(
        "time a token, constants from other runs",
        run,
        lambda mean: mean.token,
        lambda: since_start(run, fitted()).token,
        "",
    )


def _paper(tensor: int) -> Claim:
    run = server_run("lmsys_05", tensor)
    return _time(
        "time a token by the data sheet",
        run,
        lambda mean: mean.token,
        lambda: predicted(run, PAPER).token,
        _LOWER,
    )


def _first(key: tuple[str, int, int]) -> Claim:
    run = server_run(*key)
    return _time(
        "time to the first token, constants from other runs",
        run,
        lambda mean: mean.first,
        lambda: predicted(run, fitted()).first,
        _FIRST,
    )


def _order(trace: str, plans: str) -> Claim:
    return trend(
        f"order of plans by the data sheet, {server_run(trace, 8).name.split(',')[0]}",
        f"time a token: {plans}",
        _RESULTS,
        lambda: ordered(trace),
    )


SHEET = Sheet(
    "Y.-C. Lin, W. Kwon, R. Pineda, F. N. Paravecino, 'APEX: An Extensible and Dynamism-Aware "
    "Simulator for Automated Parallel Execution in LLM Serving', arXiv:2411.17651, 2024; README "
    "and measured runs of vLLM from github.com/microsoft/apex_plus at 87690965",
    [
        recomputed(
            "weights of a GPU, 70B, all cut over two",
            "63.8 GiB",
            _README,
            lambda: weight_bytes(_TWO),
        ),
        recomputed(
            "weights of a GPU, attention whole, the rest cut over two",
            "75.0 GiB",
            _README,
            lambda: weight_bytes(_TWO, attention_cut=False),
        ),
        recomputed(
            "memory left beside them, all cut",
            "16.2 GiB",
            _README,
            lambda: MEMORY - weight_bytes(_TWO),
        ),
        _order("lmsys_05", "8 GPUs < 4 GPUs < 2 GPUs"),
        _order("creation_05", "8 GPUs < 2 x 4 GPUs < 4 x 2 GPUs"),
        _order("summarization_05", "8 GPUs < 2 x 4 GPUs < 4 x 2 GPUs"),
        *(_held_out(key) for key in HELD_OUT),
        *(_paper(tensor) for tensor in (8, 4, 2)),
        *(_first(("summarization_05", *plan)) for plan in ((8, 1), (4, 2), (2, 4))),
        _first(("creation_05", 8, 1)),
    ],
    unheld="Four measured times per token are no rows, because the constants are fitted to them. "
    "The free memory in the README's second plan follows from its other three numbers. If several "
    "servers shared a trace, only the first is a row. The README's sample run (336.75 tokens/s, "
    "44.06 ms, 75.69 kJ), APEX's search, its energy and the speedup of its best plans need kernel "
    "tables of the H100 and a trace that we couldn't read.",
)
