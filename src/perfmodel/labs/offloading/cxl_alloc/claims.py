"""What the paper and its tutorial print, beside ours."""

from functools import partial

from perfmodel.labs.offloading.cxl_alloc.allocation import masks
from perfmodel.labs.offloading.cxl_alloc.footprint import ORDER
from perfmodel.labs.offloading.cxl_alloc.implied import predicted_share
from perfmodel.labs.offloading.cxl_alloc.inputs import (
    LFM,
    PRINTED_MASKS,
    PRINTED_SHARES,
    QWEN,
    TUTORIAL_BATCH,
    TUTORIAL_TOKENS,
)
from perfmodel.labs.offloading.cxl_alloc.training_step import Setting, placed
from perfmodel.ledger import Sheet, Trend, trend

WAYS = {"one node after the other": 0.0, "all nodes at once": 1.0}


def same_masks() -> Trend:
    """Return whether every tensor of the tutorial's example lies on the nodes that it prints."""
    setting = Setting(LFM, TUTORIAL_BATCH, TUTORIAL_TOKENS)
    ours = dict(zip(ORDER, masks(placed(setting, "latency first")), strict=True))
    words = ", ".join(f"{name} {list(nodes)}" for name, nodes in ours.items())
    return Trend(ours == PRINTED_MASKS, words)


def one_card(overlap: float) -> Trend:
    """Return whether one card keeps the printed share, with the ratio that the printed gain gives.

    Parameters
    ----------
    overlap : float
        Of the nodes in the update, 0 to 1.
    """
    share = predicted_share(Setting(QWEN), overlap)
    return Trend(PRINTED_SHARES[0] <= share <= PRINTED_SHARES[1], f"{100 * share:.1f} %")


def second_card(overlap: float) -> Trend:
    """Return whether a second card brings more throughput.

    Parameters
    ----------
    overlap : float
        As for `one_card`.
    """
    one, two = (predicted_share(Setting(QWEN), overlap, cards=cards) for cards in (1, 2))
    return Trend(two > one, f"{100 * one:.1f} % with one, {100 * two:.1f} % with two")


_REASONS = {
    0.0: "If the update waits for one node after the other, what lies on the card costs too much. "
    "Nothing that was read tells the budget or the rates of the paper's own runs.",
    1.0: "If all nodes work at once, a card only adds bandwidth, and the split tensor makes the "
    "update faster than DRAM alone. The truth lies between the two.",
}

SHEET = Sheet(
    "Y.-C. Liaw, S.-H. Chen, 'Analysis and Optimized CXL-Attached Memory Allocation for "
    "Long-Context LLM Fine-Tuning', arXiv:2507.03305v2, 2025, and its released code",
    [
        trend(
            "nodes of the seven tensors, LFM2.5 8B-A1B, 100 GiB of DRAM and 256 GiB on a card",
            "momentum, variance and master gradients [0], master weights [0, 1], the others [1]",
            "tutorial, section 5",
            same_masks,
        ),
        *(
            trend(
                f"throughput with one card over DRAM alone, Qwen2.5 7B, {words}, passes over "
                "update chosen for the printed gain of 21 %",
                "one card keeps 97 to 99 %",
                "abstract",
                partial(one_card, overlap),
                miss=_REASONS[overlap],
            )
            for words, overlap in WAYS.items()
        ),
        trend(
            "a second card, one node after the other",
            "two cards keep more than one: about 100 % after 97 to 99 %",
            "abstract",
            partial(second_card, 0.0),
            miss="The allocator splits a tensor in equal parts, so that a second card takes from "
            "DRAM a third of the tensor in place of a half, and DRAM's rest goes to tensors that "
            "need it less. Without overlap more cards can't make up for that.",
        ),
        trend(
            "a second card, all nodes at once",
            "two cards keep more than one: about 100 % after 97 to 99 %",
            "abstract",
            partial(second_card, 1.0),
        ),
    ],
    unheld="The rates of DRAM and card, the budgets of the timed runs and their throughputs were "
    "not found; only the abstract's percentages. That an update is about 4 times slower on CXL is "
    "taken for the ratio of both rates, and no row. No machine with a CXL card was at hand.",
)
