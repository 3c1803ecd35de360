"""Why nothing is compared with published numbers."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "J. Park, E. Mendes, G. Stanovsky, A. Ritter, 'Look before you leap: estimating LLM benchmark "
    "scores from descriptions', arXiv:2509.20645, 2025",
    unheld="The abstract's mean absolute error, as low as 9.9 points for the most confident "
    "forecasts, belongs to large language models on records from papers. We have neither the "
    "models, nor the records, nor a table of errors by model. We also couldn't find the standard "
    "deviation of the scores, so we don't know the error of a constant there. All our errors are "
    "for descriptions and scores from our own grammar.",
)
