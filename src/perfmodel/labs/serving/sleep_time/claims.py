"""Why no published number is compared with the model."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "K. Lin and others, 'Sleep-time Compute: Beyond Inference Scaling at Test-time', "
    "arXiv:2504.13171, 2025",
    unheld="The model takes two published ratios: about 5 times fewer test-time tokens at equal "
    "accuracy, and 2.5 times less cost per question at ten questions per context. Together they "
    "fix the only unknown, the work ahead, so all results go back to them. A third number would be "
    "a test: the tokens of the work ahead, or the saving at another number of questions. These are "
    "in figures, and we didn't read them off; the released code has no results. The paper also "
    "reports accuracy of language models, which this lab doesn't run: up to 13 and 18 % more with "
    "more work ahead, gains that end near five parallel runs, a gap that widens with the "
    "predictability of the question, and 1.5 times fewer tokens on SWE-Features.",
)
