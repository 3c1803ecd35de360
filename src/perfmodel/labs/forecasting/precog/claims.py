"""Why nothing is compared with published numbers."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "J. Park, E. Mendes, G. Stanovsky, A. Ritter, 'Look before you leap: estimating LLM benchmark "
    "scores from descriptions', arXiv:2509.20645, 2025",
    unheld="The abstract's mean absolute error, as low as 9.9 points where the forecasts are most "
    "confident, is that of large language models on records from papers. Neither the models, nor "
    "the records, nor a table of errors by model were to be had here. The spread of the scores "
    "isn't in what we could read either, so that we can't say what a constant would score there. "
    "All our errors are of descriptions and scores drawn from a grammar of our own.",
)
