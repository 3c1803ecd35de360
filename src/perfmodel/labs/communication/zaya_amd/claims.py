"""Published numbers of weights, and the computed ones."""

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
            miss="The layers of the public configuration have 754 million. The authors don't say "
            "what else they count or how they round.",
        ),
    ],
    unheld="We couldn't read the measured curves of collectives and of products. All times of "
    "collectives on this page come from a model, with our example link and latency.",
)
