"""The source of AIO-P, and the reason why none of its published numbers is compared."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "Mills, Niu, Salameh and others, 'AIO-P: Expanding neural performance predictors beyond image "
    "classification', AAAI 2023, arXiv:2211.17228",
    unheld="The abstract reports a mean absolute error below 1 % and a rank correlation above 0.5 "
    "for tasks that were held out: detection, segmentation and pose. The graphs and scores "
    "of these networks lie on a drive that this course doesn't load, and the predictor is "
    "trained on graphics processors. So neither can be reached here. The devices on the "
    "page are other tasks, and errors on them say nothing about the published ones. Tests "
    "check the consequences of the published label transform.",
)
