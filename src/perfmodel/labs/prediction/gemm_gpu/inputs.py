"""Runs of GPPerf's authors: an RTX 4070, single precision, as their repository has them.

Source: https://github.com/pavlyhalim/GPPerf, commit d9ff663d, files execution_times_all.csv and
power_usage_results_all.csv, and its README.
"""

from perfmodel.labs.prediction.gemm_gpu.tile_traffic import TiledRun

TILED = (
    TiledRun(16384, 1, 1222.268, 103.533),
    TiledRun(16384, 4, 31.2582, 140.328),
    TiledRun(16384, 8, 10.0476, 128.706),
    TiledRun(16384, 16, 5.16841, 111.934),
    TiledRun(16384, 32, 5.84853, 90.489),
)
"""The largest cube."""
SMALLER = (TiledRun(8192, 8, 1.50635), TiledRun(8192, 16, 0.651253), TiledRun(8192, 32, 0.730944))
SAMPLE = TiledRun(512, 16, 0.04352e-3, 70.17)
"""The README's example, 512 x 512 x 512; its tile is not stated and not used."""
