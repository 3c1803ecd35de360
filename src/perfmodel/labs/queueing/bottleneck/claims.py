"""What is printed about the exam case, and why ours can't be compared with it."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "D. Krishnamurthy, talk at TeaPACS 2023 (slides); ACM SIGMETRICS Performance Evaluation Review "
    "51(2), 2023",
    unheld="Slide 17 prints the case, its demands and its limit of 2 s, and leaves the answer to "
    "the student. The response times here are checked against an independent calculation, against "
    "balance equations and against simulation, which is what the tests are for.",
)
