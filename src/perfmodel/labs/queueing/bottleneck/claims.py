"""The published exam case, and why no row compares with it."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "D. Krishnamurthy, talk at TeaPACS 2023 (slides); ACM SIGMETRICS Performance Evaluation Review "
    "51(2), 2023",
    unheld="Slide 17 prints the case, its demands and its limit of 2 s, and leaves the answer to "
    "the student. The tests compare the response times with an independent calculation, with "
    "balance equations and with simulation.",
)
