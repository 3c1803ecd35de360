"""The averages that the model cards publish, recomputed from the same columns."""

from __future__ import annotations

from functools import partial

from perfmodel.labs.benchmarking.tulu.averages import CARDS, macro_average
from perfmodel.ledger import Sheet, re_aggregated

SHEET = Sheet(
    "Y. Wang et al., model cards of open-instruct, Allen Institute for AI, huggingface.co, 2023, "
    'for "How Far Can Camels Go?", NeurIPS 2023 Datasets and Benchmarks, arXiv 2306.04751',
    [
        re_aggregated(
            f"average of {model}: mean over six tasks of the means of their columns",
            card.average,
            f"model card {card.name}",
            partial(macro_average, card.scores),
        )
        for model, card in CARDS.items()
        if card.average
    ],
    unheld="The abstract's 87 % of ChatGPT and 73 % of GPT-4 need the rows of these two models, "
    "which we couldn't confirm. We recompute the human study from the released annotations by the "
    "rules of the authors' script. The paper shows its rates only in a figure, so there is no "
    "published number to compare with. The paper has no kappa, no tests, no effect of length and "
    "no weights that flip a ranking; we computed them.",
)
