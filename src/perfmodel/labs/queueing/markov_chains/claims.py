"""What two papers print of the time until arrays of disks lose data, and why no row holds it."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "D. Patterson, G. Gibson, R. Katz, 'A case for redundant arrays of inexpensive disks (RAID)', "
    "SIGMOD 1988; P. Chen, E. Lee, G. Gibson, R. Katz, D. Patterson, 'RAID: high-performance, "
    "reliable secondary storage', ACM Computing Surveys 26(2), 1994",
    unheld="Both print times to loss in tables that we could not read when this was written; what "
    "one remembers of a table is not evidence, and the arrays here are after the papers in the "
    "same way. Formula, chain and closed solution are compared with each other.",
)
