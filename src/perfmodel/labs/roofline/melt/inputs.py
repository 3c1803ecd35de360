"""Numbers of MELT's public repository (github.com/brave-experiments, MIT licence), and of models.

Batteries are constants of the analysis code, sizes and accuracies rows of its model_specs.csv and
results.csv. Shapes are those of the released models, with the authors' numbers of words.
"""

from perfmodel.labs.roofline.melt.battery import milliampere_hours
from perfmodel.roofline.decoder import LLAMA_2_7B, LLAMA_2_13B
from perfmodel.roofline.transformer import Decoder

PIXEL_6A = milliampere_hours(4410, 4.0)
GALAXY_S23 = milliampere_hours(3785, 4.0)
"""Batteries of the phones, at the voltage that the analysis takes as fixed."""

SIZES = {
    "TinyLlama": (1.10e9, {"q4_0": "0.64 GB", "q4_k": "0.67 GB", "q3_k": "0.55 GB"}),
    "Gemma 2B": (2.51e9, {"q4_0": "1.44 GiB", "q4_k": "1.51 GiB", "q3_k": "1.28 GiB"}),
    "Zephyr 3B": (2.80e9, {"q4_0": "1.61 GB", "q4_k": "1.71 GB", "q3_k": "1.39 GB"}),
    "Llama 2 7B": (6.74e9, {"q4_0": "3.83 GB", "q4_k": "4.08 GB", "q3_k": "3.30 GB"}),
    "Mistral 7B": (7.24e9, {"q4_0": "4.11 GB", "q4_k": "4.37 GB", "q3_k": "3.52 GB"}),
    "Gemma 7B": (8.54e9, {"q4_0": "4.66 GiB", "q4_k": "4.96 GiB", "q3_k": "4.06 GiB"}),
    "Llama 2 13B": (13.0e9, {"q4_k": "7.87 GB"}),
}
"""Parameters and sizes of files by quantization. The table prints two columns without a unit, size
and size_in_memory; for all but Gemma the first is 1.07 times the second, so they are GB and GiB.
For Gemma both columns have the same numbers, which the count of bits shows to be GiB."""

SHAPES = {
    "TinyLlama": Decoder.uniform(22, 2048, 5632, 32, 4, 32_003, head_dim=64),
    "Gemma 2B": Decoder.uniform(18, 2048, 16_384, 8, 1, 256_000, head_dim=256, tied=True),
    "Zephyr 3B": Decoder.uniform(32, 2560, 6912, 32, 32, 50_304, head_dim=80),
    "Llama 2 7B": LLAMA_2_7B,
    "Llama 2 13B": LLAMA_2_13B,
    "Mistral 7B": Decoder.uniform(32, 4096, 14_336, 32, 8, 32_000, head_dim=128),
}
"""TinyLlama (arXiv 2401.02385), Gemma (arXiv 2403.08295), Stable LM 3B, of which Zephyr 3B is made,
and Mistral 7B (arXiv 2310.06825). Gemma 7B, whose heads
together are wider than the model, is not among the files that are computed."""

QUESTIONS = {"ARC-easy": 2376, "ARC-challenge": 1172, "Winogrande": 1267, "HellaSwag": 10_042}
"""Questions of the tasks."""

ACCURACIES = {
    ("ARC-easy", "q3_k"): (0.7466, "0.0089"),
    ("ARC-easy", "q4_k"): (0.7542, "0.0088"),
    ("ARC-easy", "q4_0"): (0.7559, "0.0088"),
    ("ARC-challenge", "not quantized"): (0.4292, "0.0145"),
    ("ARC-challenge", "q3_k"): (0.4360, "0.0144"),
    ("ARC-challenge", "q4_k"): (0.4266, "0.0144"),
    ("ARC-challenge", "q4_0"): (0.4257, "0.0144"),
    ("Winogrande", "q3_k"): (0.6764, "0.0130"),
    ("Winogrande", "q4_k"): (0.6898, "0.0130"),
    ("Winogrande", "q4_0"): (0.6875, "0.0130"),
    ("HellaSwag", "q3_k"): (0.5608, "0.0050"),
    ("HellaSwag", "q4_k"): (0.5668, "0.0049"),
    ("HellaSwag", "q4_0"): (0.5668, "0.0049"),
}
"""Share of right answers of Llama 2 7B by llama.cpp, and its standard error as printed."""
