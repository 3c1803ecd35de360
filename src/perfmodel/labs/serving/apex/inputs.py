"""The model and the machine of APEX's measurements, with their sources."""

from perfmodel import machines
from perfmodel.roofline import Decoder

LLAMA_70B = Decoder.uniform(80, 8192, 28672, 64, 8, 128_256, head_width=128)
"""Llama 3 and 3.1 with 70B, from the configuration in the repository of APEX."""
GIB = 2.0**30
GPUS = 8
"""H100s of the server, SXM with 80 GB."""
MEMORY = 80 * GIB
"""Bytes of a GPU as APEX counts them: 80 GiB, a little more than the 80 GB of the data sheet."""
WORKSPACE = 1 * GIB
"""Bytes of a GPU that APEX's simulator sets aside beside weights and cache."""
H100 = machines.get("h100-sxm5-80gb")
PEAK = H100.peak("bf16")
"""FLOP/s of a GPU on paper."""
REACHED = H100.value("reached_bf16_matrix")
"""FLOP/s of a GPU that large products reached, measured by others."""
BANDWIDTH = H100.memory_bandwidth
"""Bytes/s of a GPU's memory on paper."""
SHARE = 0.97
"""Share of a GPU's memory that vLLM was let use."""
BATCH = 256
"""Sequences that vLLM runs at most by default."""
