"""What is printed about generated kernels, and why ours can't be compared with it."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "W. F. Godoy, P. Valero-Lara, K. Teranishi, P. Balaprakash and J. S. Vetter, 'Evaluation of "
    "OpenAI Codex for HPC parallel programming models kernel generation', ICPP Workshops 2023",
    unheld="The paper's results are grades that its authors gave by hand to suggestions of an "
    "assistant of April 2023, which can't be asked again; the tables of grades and the wording of "
    "the levels were not at hand. The suggestions are in a repository without a licence, so they "
    "don't ship with this project. Grades, planted bugs and iterations of this lab are our own.",
)
