"""Published values of MELT's repository on models for phones, compared with our values."""

from functools import partial

from perfmodel.labs.roofline.melt.accuracy import standard_error
from perfmodel.labs.roofline.melt.inputs import ACCURACIES, QUESTIONS, SHAPES, SIZES
from perfmodel.labs.roofline.melt.quantized_files import file_bytes
from perfmodel.ledger import Sheet, re_aggregated, recomputed


def _error(share: float, questions: int) -> float:
    return float(standard_error(share, questions))


COPIED = (
    "The table repeats the standard error of its row for q4_0, but the fraction of right answers "
    "is different."
)
MISSES = dict.fromkeys(
    [("ARC-challenge", "q3_k"), ("ARC-challenge", "q4_k"), ("Winogrande", "q3_k")], COPIED
)
SIZES_OF_FILES = [
    recomputed(
        f"file of {model}, {quantization}, from its shape and the format's bits",
        printed,
        "model_specs.csv, " + ("size_in_memory" if "GiB" in printed else "size"),
        partial(file_bytes, SHAPES[model], quantization),
    )
    for model, (_, files) in SIZES.items()
    if model in SHAPES
    for quantization, printed in files.items()
]
STANDARD_ERRORS = [
    re_aggregated(
        f"standard error of {share:.2%} of {QUESTIONS[task]:,} questions".replace("%", " %"),
        printed,
        f"results.csv, Llama 2 7B by llama.cpp, {task}, {quantization}",
        partial(_error, share, QUESTIONS[task]),
        miss=MISSES.get((task, quantization), ""),
    )
    for (task, quantization), (share, printed) in ACCURACIES.items()
]
SHEET = Sheet(
    "Laskaridis, Katevas, Minto and Haddadi, 'MELTing point: mobile evaluation of language "
    "transformers', MobiCom 2024, arXiv 2403.12844, and its repository MELT-public",
    [*SIZES_OF_FILES, *STANDARD_ERRORS],
    unheld="We don't compare speeds, powers, temperatures and joules of the phones. We know them "
    "only second-hand, have no phone, and the repository has no traces. We also don't compare the "
    "490 to 591 answers a charge, because the number of tokens in an answer isn't given. For the "
    "accuracies we can check the standard errors, not the fractions. Our decoder model can't "
    "describe the head width of Gemma 7B.",
)
