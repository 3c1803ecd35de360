"""Published saving of Antonopoulos (2024), which can't be compared with our values."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "Antonopoulos, 'Improve machine learning carbon footprint using Nvidia GPU and mixed "
    "precision training for classification models, part I', arXiv 2409.07853, 2024",
    unheld="The 7 to 11 W saved are a measurement. To predict them, a model needs the GPU's static "
    "power and the energy of its work, which the paper doesn't state. To check the verdict 'not "
    "significant', we would need the number of runs and their standard deviation. The tables with "
    "both aren't public. The lab uses the watts as the size of an effect.",
)
