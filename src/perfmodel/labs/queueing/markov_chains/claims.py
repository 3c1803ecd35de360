"""Mean times to the loss of data that two papers print, beside ours."""

from perfmodel.labs.queueing.markov_chains.disk_arrays import (
    YEAR,
    chance_of_loss,
    rare_failure_time,
    time_to_loss,
)
from perfmodel.labs.queueing.markov_chains.inputs import (
    MIRRORED,
    PARITY_OF_25,
    PARITY_OF_TEN,
    SURVEY_PARITY,
    SURVEY_TWO_CHECKS,
)
from perfmodel.ledger import Sheet, recomputed, same_method

_BY_TEN = 0.005
"""Bound for what is printed to two or three digits, and by a formula in place of the chain."""

SHEET = Sheet(
    "D. Patterson, G. Gibson, R. Katz, 'A case for redundant arrays of inexpensive disks (RAID)', "
    "SIGMOD 1988; P. Chen, E. Lee, G. Gibson, R. Katz, D. Patterson, 'RAID: high-performance, "
    "reliable secondary storage', ACM Computing Surveys 26(2), 1994",
    [
        recomputed(
            "time to loss of 100 mirrored disks of 30,000 h, by the paper's formula",
            "4,500,000 h",
            "1988, table of the first level",
            lambda: rare_failure_time(*MIRRORED),
        ),
        same_method(
            "time to loss of 10 groups of 10 + 1 disks, from the chain",
            "820,000 h",
            "1988, table of the third level",
            lambda: time_to_loss(*PARITY_OF_TEN),
            within=_BY_TEN,
        ),
        same_method(
            "time to loss of 4 groups of 25 + 1 disks, from the chain",
            "346,000 h",
            "1988, table of the third level",
            lambda: time_to_loss(*PARITY_OF_25),
            within=_BY_TEN,
        ),
        recomputed(
            "time to a double failure in groups of 15 + 1 disks, by the paper's formula",
            "285 years",
            "1994, failures of RAID level 5",
            lambda: rare_failure_time(*SURVEY_PARITY) / YEAR,
        ),
        recomputed(
            "chance of a double failure within ten years in these groups, from the chain's law",
            "3.4 %",
            "1994, failures of RAID level 5",
            lambda: chance_of_loss(*SURVEY_PARITY, 10 * YEAR),
        ),
        recomputed(
            "time to a triple failure in groups of 14 + 2 disks, by the paper's formula",
            "38052 years",
            "1994, failures of a P + Q array",
            lambda: rare_failure_time(*SURVEY_TWO_CHECKS) / YEAR,
        ),
    ],
)
