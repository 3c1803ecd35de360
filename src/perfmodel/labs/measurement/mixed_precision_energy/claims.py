"""Why no number of Antonopoulos (2024) is compared with ours."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "Antonopoulos, 'Improve machine learning carbon footprint using Nvidia GPU and mixed "
    "precision training for classification models, part I', arXiv 2409.07853, 2024",
    unheld="The 7 to 11 W saved are measured, and no model predicts them without that GPU's "
    "static power and the energy of its work, which aren't stated. The verdict 'not significant' "
    "needs the number of runs and their spread, and the tables that have them aren't public. The "
    "lab takes the watts as the size of an effect and asks what such an effect can show.",
)
