"""The published results on generated kernels, and why they can't be compared here."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "W. F. Godoy, P. Valero-Lara, K. Teranishi, P. Balaprakash and J. S. Vetter, 'Evaluation of "
    "OpenAI Codex for HPC parallel programming models kernel generation', ICPP Workshops 2023",
    unheld="The authors graded by hand the suggestions of an assistant of April 2023, which nobody "
    "can ask again. We don't have the tables of grades and the wording of the levels. The "
    "suggestions are in a repository without a licence, so they aren't part of this project. We "
    "made the grades, planted bugs and iterations of this lab ourselves.",
)
