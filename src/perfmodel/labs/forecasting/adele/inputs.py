"""Names of the paper's models and dimensions, its numbers, and what this lab assumes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

DIMENSIONS: Mapping[str, str] = MappingProxyType(
    {
        "AS": "attention and search",
        "CEc": "comprehension",
        "CEe": "expression",
        "CL": "conceptualisation",
        "MCr": "metacognition, relevance",
        "MCt": "metacognition, thinking",
        "MCu": "metacognition, unknowns",
        "MS": "minds of others",
        "QLl": "logic",
        "QLq": "quantities",
        "SNs": "space",
        "KNa": "knowledge, applied",
        "KNc": "knowledge, customary",
        "KNf": "knowledge, formal",
        "KNn": "knowledge, natural sciences",
        "KNs": "knowledge, social",
        "AT": "atypicality",
        "VO": "volume",
    }
)
"""What the 18 scales measure, by the abbreviations of the tables."""
MODELS: Mapping[str, str] = MappingProxyType(
    {
        "babbage-002": "Babbage",
        "davinci-002": "Davinci",
        "gpt-35-turbo": "GPT-3.5",
        "gpt4o": "GPT-4o",
        "o1-mini": "o1 mini",
        "o1_re=low": "o1",
        "llama3d2-1b": "Llama 1B",
        "llama3d2-3b": "Llama 3B",
        "llama3d2-11b": "Llama 11B",
        "llama3d2-90b": "Llama 90B",
        "llama3d1-405b": "Llama 405B",
        "DK-R1-Dist-Qwen-1.5B": "Qwen-R1 1.5B",
        "DK-R1-Dist-Qwen-7B": "Qwen-R1 7B",
        "DK-R1-Dist-Qwen-14B": "Qwen-R1 14B",
        "DK-R1-Dist-Qwen-32B": "Qwen-R1 32B",
    }
)
"""Readable names of the models in the tables, oldest or smallest first."""
FAMILY: Mapping[str, float] = MappingProxyType(
    {"llama3d2-1b": 1e9, "llama3d2-3b": 3e9, "llama3d2-11b": 11e9, "llama3d2-90b": 90e9}
)
"""Parameters of four Llamas, by their names."""
LARGEST = ("llama3d1-405b", 405e9)
"""The Llama to be forecast from them, and its parameters."""
BATTERIES = 2
"""Sets of made-up questions on which the assessors are scored."""
COPIES = 500
"""How often the paper repeats the questions of level 5."""
