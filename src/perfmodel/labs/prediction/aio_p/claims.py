"""Why nothing that Mills and others (2023) print on AIO-P is compared with ours."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "Mills, Niu, Salameh and others, 'AIO-P: Expanding neural performance predictors beyond image "
    "classification', AAAI 2023, arXiv:2211.17228",
    unheld="The abstract prints a mean absolute error below 1 % and a rank correlation above 0.5 "
    "for tasks that were held out: detection, segmentation and pose. The graphs and scores of the "
    "networks behind them lie on a drive that this course doesn't load, and the predictor is "
    "trained on graphics processors, so neither can be reached here. The devices on the page are "
    "other tasks, and errors on them say nothing about the printed ones. What follows from the "
    "published label transform is checked by tests.",
)
