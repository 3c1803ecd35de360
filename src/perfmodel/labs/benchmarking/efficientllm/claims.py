"""What the study prints in its abstract and tables, beside what its own cells give."""

from __future__ import annotations

from perfmodel.labs.benchmarking.efficientllm.metrics import (
    BITS,
    PRETRAINED,
    SCORES_14B,
    compression_rate,
)
from perfmodel.ledger import Sheet, re_aggregated, same_method


def _compression() -> float:
    return compression_rate(BITS["bf16"], BITS["int4"], *SCORES_14B)


def _more_memory() -> float:
    return PRETRAINED["MoE"].memory / PRETRAINED["transformer"].memory - 1


SHEET = Sheet(
    'Z. Yuan et al., "EfficientLLM: Efficiency in Large Language Models", arXiv 2505.13840, 2025',
    [
        same_method(
            "compression rate of int4: equation 9 with the scores of "
            "DeepSeek-R1-Distill-Qwen-14B, beside the rate printed for Qwen2.5-32B",
            "3.69",
            "Table 9 and equation 9",
            _compression,
            within=0.01,
        ),
        re_aggregated(
            "how much more memory a mixture of experts takes, 1.5B x 8 against the dense 1.5B",
            "40 %",
            "abstract",
            _more_memory,
            miss="The cells of Table 5 for these two, 76.53 and 44.82 GB, give 71 %. The abstract "
            "does not say against what it compares; a dense model of more parameters would be a "
            "nearer baseline, and its memory is not among the cells that we have.",
        ),
    ],
    unheld="Only a part of the tables' cells was at hand, and the repository holds no data. The "
    "scores behind the compression rate of Qwen2.5-32B are missing, so that its own rate could not "
    "be recomputed. 'Up to 3.9x' for memory and energy speaks of the best of all models: the two "
    "that we have reach 1.5 and 1.4, which doesn't contradict it. Energy per token, the reversals "
    "and the exponent are ours.",
)
