"""The reproduction ledger: published or measured values, compared with our models' values.

A claim is a row: the quantity, the published number with its unit and its place, and the call that
computes our value from stated inputs. The rows of a lab are the `SHEET` of its module `claims`;
this module finds the sheets of all labs, so that a new lab needs no registration.
"""

from perfmodel.ledger.claim import (
    STANDARD_ERRORS,
    Checked,
    Claim,
    Kind,
    Trend,
    re_aggregated,
    recomputed,
    same_method,
    trend,
)
from perfmodel.ledger.guess import SWEEP, Constant, constants
from perfmodel.ledger.sheets import Sheet, collect, sheet

__all__ = [
    "STANDARD_ERRORS",
    "SWEEP",
    "Checked",
    "Claim",
    "Constant",
    "Kind",
    "Sheet",
    "Trend",
    "collect",
    "constants",
    "re_aggregated",
    "recomputed",
    "same_method",
    "sheet",
    "trend",
]
