"""What the paper prints, beside ours."""

from functools import partial

from perfmodel.labs.communication.zaya_amd.mixture import ZAYA, active_weights, total_weights
from perfmodel.ledger import Sheet, recomputed

SHEET = Sheet(
    "Q. Anthony, Y. Tokpanov, S. Szot, S. Rajagopal, P. Medepalli and others, 'Training foundation "
    "models on a full-stack AMD platform: compute, networking, and system design', "
    "arXiv:2511.17127, 2025",
    [
        recomputed(
            "weights of ZAYA1-8B without its table of tokens, from its public configuration",
            "8.3e9",
            "abstract, 8.3B",
            partial(total_weights, ZAYA),
        ),
        recomputed(
            "weights that a token uses, from its public configuration",
            "760e6",
            "abstract, 760M",
            partial(active_weights, ZAYA),
            miss="The layers of the public configuration come to 754 million. What else the "
            "authors count, or how they round, is not said.",
        ),
    ],
    unheld="The measured curves of collectives and of products could not be read. Every time of a "
    "collective on this page is a model's, with a link and a latency of ours.",
)
