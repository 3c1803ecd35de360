"""Why no number of the report on GEB-1.3B is held against ours."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "Wu, Zhu, Shen and Lu, 'GEB-1.3B: open lightweight large language model', arXiv 2406.09900, "
    "2024",
    unheld="The abstract calls the time of a token on a processor commendable and prints none. The "
    "12 tokens/s of this lab are quoted by summaries of the paper, without machine, threads or "
    "length of text, and the model's shapes are our assumption. So a bound can be worked out, and "
    "is tested, but there is no pair of numbers to compare.",
)
