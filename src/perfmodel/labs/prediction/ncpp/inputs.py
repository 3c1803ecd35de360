"""Figures of the public sample of PerfCastDB that its ledger starts from, in SI units.

Component ratios of the first iteration of four runs, the composites that stand beside them, and
means over the iterations of bandwidths, latencies and HPCG. The tests compare all of them with the
files (see `perfmodel.data`, data set ncpp, Apache-2.0).

>>> len(FIRST["8474C"]), COMPOSITES["8474C"]
(10, (389.02, 392.89))
"""

import numpy as np

FIRST = {
    machine: np.array([float(ratio) for ratio in ratios.split()])
    for machine, ratios in {
        "8487C": "1079.62 483.94 509 345.5 731.95 114.87 455.99 685.18 554.82 661.46 753.69 322.82 "
        "244.27",
        "8474C": "487.41 431.75 315.99 223.44 298.96 435.13 399.09 413.77 900.46 276.19",
        "Max 9468": "1729.25 439.07 417.64 429.98 625.33 277.81 402.85 587.67 539.4 530.29 660.1 "
        "506.02 331.1",
        "8463B": "532.48 482.39 356.37 250.87 336.26 470.84 434.96 441.68 987.41 307.79",
    }.items()
}
"""Ratios of the first iteration by machine, components in the order of their numbers."""
COMPOSITES = {
    "8487C": (468.68, 469.01, 469.47),
    "8474C": (389.02, 392.89),
    "Max 9468": (514.58, 514.69, 514.29),
    "8463B": (429.23, 428.44, 429.86),
}
"""Of each iteration."""
COMPONENTS = {
    suite: names.split()
    for suite, names in {
        "int": "500.perlbench_r 502.gcc_r 505.mcf_r 520.omnetpp_r 523.xalancbmk_r 525.x264_r "
        "531.deepsjeng_r 541.leela_r 548.exchange2_r 557.xz_r",
        "fp": "503.bwaves_r 507.cactuBSSN_r 508.namd_r 510.parest_r 511.povray_r 519.lbm_r "
        "521.wrf_r 526.blender_r 527.cam4_r 538.imagick_r 544.nab_r 549.fotonik3d_r 554.roms_r",
    }.items()
}
SUITE = {"8487C": "fp", "8474C": "int", "Max 9468": "fp", "8463B": "int"}
"""Which suite ran on which of the four."""
CAPACITY = {"8487C": 112 * 2.8e9, "Max 9468": 96 * 2.6e9, "8474C": 96 * 3.1e9, "8463B": 96 * 3.1e9}
"""Cores of both sockets times the clock with all cores busy, in cycles per second."""

DDR5 = "(16x64GB DDR5 4800 MT/s [4800 MT/s])"
"""What the three machines of the efficiencies below have installed, or half or a quarter of it on
as many channels."""
TRIAD = {"8487C": 394.433e9, "8472C": 469.136e9}
"""STREAM Triad in bytes/s: compiled to SSE, and to AVX-512."""
READ = {"8476C": 526.156e9, "Max 9460": 747.441e9}
"""Memory Latency Checker, all sockets, reads only, bytes/s."""
READ_ONE_SOCKET = 260.380e9
"""The same on one socket of the 8476C."""
IDLE_LATENCY = 122.575e-9
"""Of memory on the 8487C, random order, own socket, seconds."""
HPCG = {"8472C": 82.4133e9, "Max 9460": 121.640e9}
"""FLOP/s: DDR5 and SSE, high-bandwidth memory alone and AVX2."""
