"""Published values of GEB-1.3B, compared with what follows from its shapes."""

from functools import partial

from perfmodel import machines
from perfmodel.labs.roofline.geb.feasibility import GEB_1_3B
from perfmodel.ledger import Sheet, recomputed
from perfmodel.roofline.decoder import decode_bytes, decoding_bound

_CARD = "model card, huggingface.co/GEB-AGI/geb-1.3b"


def _bound(gpu: str) -> float:
    bandwidth = machines.get(gpu).memory_bandwidth
    return float(decoding_bound(bandwidth, decode_bytes(GEB_1_3B, 2)))


SHEET = Sheet(
    "Wu, Zhu, Shen and Lu, 'GEB-1.3B: open lightweight large language model', arXiv 2406.09900, "
    "2024, and the released model",
    [
        recomputed(
            "parameters, from the shapes of the released model",
            "1.3e9",
            "title",
            lambda: GEB_1_3B.parameters,
        ),
        recomputed(
            "file of the released model, 2 bytes a parameter",
            "2.7 GB",
            f"pytorch_model.bin, {_CARD}",
            lambda: 2 * GEB_1_3B.parameters,
        ),
        *(
            recomputed(
                f"tokens/s on an {name}, 16 bits as in the example, if reading weights is all",
                printed,
                _CARD,
                partial(_bound, gpu),
                miss="Reading the weights would take only 1/8 of the time. The card's example uses "
                "the library transformers, which starts each operation of a layer from Python. "
                "Presumably this takes the time, and not reading.",
            )
            for name, gpu, printed in (
                ("RTX 3090", "rtx-3090", "45 1/s"),
                ("RTX 4090", "rtx-4090", "50 1/s"),
            )
        ),
    ],
    unheld="The card also gives 12 tokens/s for a CPU, without machine, threads or length of text. "
    "The abstract calls this speed commendable. This lab computes the bandwidth that follows from "
    "it, but no published bandwidth can be compared with it.",
)
