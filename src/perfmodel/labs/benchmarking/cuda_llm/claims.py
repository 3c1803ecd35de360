"""Why nothing is compared with published numbers."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    'Chen, Zhu, Fan, Ma and Zou, "CUDA-LLM: LLMs can write efficient CUDA kernels", 2025, '
    "arXiv:2506.09092",
    unheld="The paper's headline: kernels up to 179 times as fast as general code written by "
    "people, and all 20 tasks solved. We found neither the times of single kernels nor the code of "
    "the baselines, the candidates per round or the rounds, and don't have the paper's GPU. A "
    "bound shows what a speedup would need; it can't confirm one.",
)
