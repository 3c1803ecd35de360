"""Two papers on the time until disk arrays lose data, and why no row compares with them."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "D. Patterson, G. Gibson, R. Katz, 'A case for redundant arrays of inexpensive disks (RAID)', "
    "SIGMOD 1988; P. Chen, E. Lee, G. Gibson, R. Katz, D. Patterson, 'RAID: high-performance, "
    "reliable secondary storage', ACM Computing Surveys 26(2), 1994",
    unheld="Both papers print times to loss in tables, which we could not read. A table from "
    "memory is no evidence, so the arrays here are only modelled on the papers. Formula, chain "
    "and closed solution are compared with each other.",
)
