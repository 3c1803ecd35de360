"""Values that Lee, Lee, Chong and Hwang (2021) published for their devices, recomputed."""

from functools import partial

import numpy as np

from perfmodel.labs.prediction.help.few_shot import device_task, prices
from perfmodel.labs.prediction.help.inputs import (
    FOUND,
    MEAN_TIE_DEVIATION,
    RANKED,
    TIE_DEVIATION,
    Timed,
)
from perfmodel.ledger import Sheet, recomputed
from perfmodel.prediction.architectures.device_latency import UNSEEN, references
from perfmodel.prediction.architectures.search_space import counts, flops, one_hot

UNRANKED = (
    "The paper doesn't say how it ranks networks with equal FLOPs. Over random orders of equals, "
    "the computed value has a standard deviation of {:.4f}"
)
"""The reason for a small miss of a rank correlation."""
OTHERS = (
    ", and even four of them don't reach the published value. The paper doesn't name its networks"
)
NOT_A_SUM = "A sum of five prices is not exact on a device that was timed."
ADDED_UP = ("eyeriss", "fpga")
"""Devices whose latencies are sums of a table."""


def _ranked_by_flops(device: str) -> float:
    chosen = device_task(device)
    return chosen.rank(flops(chosen.hot))


def _mean_ranked_by_flops() -> float:
    return float(np.mean([_ranked_by_flops(device) for device in UNSEEN]))


def _summed(network: Timed) -> float:
    """Return the latency of a network by five prices from the ten reference networks."""
    chosen, rows = device_task(network.device), references()
    counted = {name: number[rows] for name, number in chosen.counted.items()}
    fitted = prices(counted, chosen.seconds[rows])
    cell = counts(one_hot([[int(digit) for digit in network.cell]]))
    return float(sum(fitted[name] * cell[name][0] for name in fitted))


BY_FLOPS = [
    *(
        recomputed(
            f"rank correlation of FLOPs with latency, {device}",
            f"{printed:.3f}",
            "Table 3, FLOPS",
            partial(_ranked_by_flops, device),
            miss=UNRANKED.format(TIE_DEVIATION[device])
            + (OTHERS if device in ("raspi4", "eyeriss") else "")
            + ".",
        )
        for device, printed in zip(UNSEEN, RANKED["FLOPs"], strict=True)
    ),
    recomputed(
        "rank correlation of FLOPs with latency, mean of six devices",
        "0.787",
        "Table 3, FLOPS",
        _mean_ranked_by_flops,
        miss=UNRANKED.format(MEAN_TIE_DEVIATION) + ".",
    ),
]

LATENCIES = [
    recomputed(
        f"latency of cell {network.cell} on {network.device}, by five prices from ten others",
        network.printed,
        "Table 4",
        partial(_summed, network),
        miss="" if network.device in ADDED_UP or network.printed == "24.2 ms" else NOT_A_SUM,
    )
    for network in FOUND
]

SHEET = Sheet(
    "Lee, Lee, Chong and Hwang, 'HELP: Hardware-adaptive efficient latency prediction for NAS via "
    "meta-learning', NeurIPS 2021, arXiv:2106.08630; tables as in github.com/HayeonLee/HELP",
    [*BY_FLOPS, *LATENCIES],
    unheld="The rank correlations of HELP itself (a mean of 0.932 in Table 3 and of 0.910 in "
    "Table 2), of MAML, Meta-SGD and BRP-NAS, and those of a layer-wise predictor: none of "
    "these is trained here. The figures compare them with five prices and other simple "
    "methods on the same devices, as results of other methods. The accuracies of the "
    "networks that the searches found need training.",
)
