"""Why nothing of the paper is compared with ours."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "K. Lin and others, 'Sleep-time Compute: Beyond Inference Scaling at Test-time', "
    "arXiv:2504.13171, 2025",
    unheld="Two ratios can be put into this model: about 5 times fewer test-time tokens at equal "
    "accuracy, and 2.5 times less cost a question at ten questions for each context. Together they "
    "fix the one unknown, the work ahead; whatever is computed from it goes back to them. A third "
    "number would be a test: the tokens of the work ahead, or the saving at another number of "
    "questions. They are in figures, and weren't read off; the released code brings no results. "
    "Accuracy (up to 13 and 18 % more with more work ahead, gains that end near five parallel "
    "runs, a gap that widens with the predictability of the question, 1.5 times fewer tokens on "
    "SWE-Features) is that of language models, which this lab doesn't run.",
)
