"""Why no published number is compared with the model."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "K. Lin and others, 'Sleep-time Compute: Beyond Inference Scaling at Test-time', "
    "arXiv:2504.13171, 2025",
    unheld="The model takes two published ratios: about 5 times fewer test-time tokens at equal "
    "accuracy, and 2.5 times less cost per question at ten questions per context. They fix the "
    "only unknown, the work ahead, so nothing is left to test. A third number would be a test; the "
    "paper has such numbers only in figures. This lab runs no language model, so the paper's "
    "accuracies and its 1.5 times fewer tokens on SWE-Features aren't tested.",
)
