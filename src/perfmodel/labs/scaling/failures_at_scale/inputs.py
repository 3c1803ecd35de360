"""What teams printed about interruptions of their trainings, with the sources.

Llama 3: Grattafiori et al., arXiv:2407.21783, Sec. 3.3.4. RSC: Kokolis et al., HPCA 2025,
arXiv:2410.21680, through three readings that agree. BLOOM: bigscience-workshop/bigscience,
train/tr11-176B-ml/chronicles.md. OPT: facebookresearch/metaseq, projects/OPT/chronicles.
"""

from __future__ import annotations

from typing import Final

HOUR: Final = 3600.0
DAY: Final = 86400.0
MINUTE: Final = 60.0

LLAMA_TIME: Final = 54 * DAY
"""Seconds of Llama 3's snapshot."""
LLAMA_UNEXPECTED: Final = 419
LLAMA_PLANNED: Final = 47
LLAMA_GPUS: Final = 16_384
"""The most GPUs that were in use; whether all were during all 54 days is not stated."""
LLAMA_MTBF: Final = LLAMA_TIME / LLAMA_UNEXPECTED
"""Seconds from one unexpected interruption to the next."""

GPUS_PER_NODE: Final = 8
RSC_RATES: Final = {"RSC-1": 6.50e-3 / DAY, "RSC-2": 2.34e-3 / DAY}
"""Failures of a node in a second, on two clusters."""
RSC_MTTF: Final = {8: 47.7 * DAY, 1024: 7.9 * HOUR}
"""Measured on RSC-1: seconds to the failure of a job, by its GPUs."""

BLOOM_STEP: Final = 105.22
"""Seconds of a step, from the log of 18 March 2022."""
BLOOM_SAVE: Final = 40.0
"""Seconds that a save of 2.3 TB takes."""
BLOOM_MTBF: Final = 7 * DAY
"""A GPU "every week or so"."""
BLOOM_INTERVALS: Final = (250, 200, 100)
"""Steps from save to save, in turn; the loss of 7.3 h implies 250, the others are stated."""

OPT_FLOP: Final = 4.30e23
OPT_GPUS: Final = 1024
OPT_RATE: Final = 147e12
"""FLOP/s of a GPU at most."""
