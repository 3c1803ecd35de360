"""Published averages that disagree, and why they test no model."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "J.-Y. Le Boudec, 'Performance evaluation as preparation for statistics and data science', "
    "TeaPACS 2021 (slides)",
    unheld="Slides 16 to 19 print a pair of surveys (5 % of the trains, 30 % of the passengers) "
    "and two identities. The factor of 6 between the surveys is their quotient, and an identity "
    "always holds, so neither tests a model. The tests check both identities on drawn data.",
)
