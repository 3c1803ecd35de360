"""The detector's parts, rates and energies, from the tables of the authors' code.

Source: wilkieolin/system_flow, `HEP/configurations/cms_system_200.xlsx`, BSD, commit
dc62d1ee4eb2f84822d6f83a9001e5259faaf7e6; the scaling of technology from its package.
"""

from __future__ import annotations

from typing import Final

CROSSING_RATE: Final = 40e6
"""Crossings of the beams, events/s."""
DETECTORS: Final = {
    "tracking": {
        "Inner Tracker": 1.44e6,
        "Outer Tracker PS": 0.72e6,
        "Outer Tracker 2S": 0.43e6,
        "Track Finder TPG": 0.01e6,
    },
    "timing": {"MIP Timing BTL": 0.24e6, "MIP Timing ETL": 0.44e6},
    "calorimetry": {
        "ECAL Barrel": 0.6e6,
        "HCAL Barrel": 0.24e6,
        "HCAL HO": 0.03e6,
        "HCAL HF": 0.06e6,
        "HGCAL": 3e6,
        "HGCAL TPG Stage1": 0.15e6,
        "HGCAL TPG Stage2": 0.05e6,
    },
    "muons": {
        "Muon DT": 0.15e6,
        "Muon CSC": 0.47e6,
        "Muon GEM GE1": 0.003e6,
        "Muon GEM GE2": 0.002e6,
        "Muon GEM ME0": 0.12e6,
        "Muon RPC": 0.01e6,
    },
}
"""Bytes of an event at 200 collisions a crossing, by part and detector."""
EARLIER_BYTES: Final = 1_740_666.67
"""All detectors' bytes of an event at 60 collisions a crossing."""
ADDED_BYTES: Final = 260_000.0
"""What the first trigger adds to an event."""
DETECTOR_LINK: Final = 2.22e-11
"""J/bit."""
LATER_LINK: Final = 2.5e-11
"""J/bit, behind the parts and the triggers."""
FIRST_RATIO: Final = 53.3
"""The first trigger lets one event in this many through; before 2029 one in 400."""
EARLIER_RATIO: Final = 400.0
LAST_RATIO: Final = 100.0
FIRST_ENERGY: Final = 0.003 / 2e6
"""J for a byte of an event in the first trigger."""
LAST_ENERGY: Final = 16.0
"""J for one unit of `wall_time` in the last."""
TECHNOLOGY_RATE: Final = 0.18717361
"""By which the logarithm of computing for a joule grows in a year."""
FIRST_YEAR: Final = 2022
YEAR: Final = 2032
SMART_SHARE: Final = 0.46
"""What smart pixels leave of the Inner Tracker's bytes."""
