"""Published numbers of weights of this lab's networks, recomputed from their strings."""

from functools import partial

from perfmodel.ledger import Sheet, recomputed
from perfmodel.prediction.architectures.metaqnn import family, parse, walk

HEAD = "the published number also has the square of the last width, which no layer here has"


def _weights(name: str, row: int) -> float:
    net = family(name).nets[row - 1]
    return float(sum(step.weights for step in walk(parse(net)) if step.layer.kind != "SM"))


WEIGHTS = [
    recomputed(
        f"weights of a network for {called} that ends in {end}, without the softmax's",
        printed,
        f"Baker and others, metaqnn_{name}.csv, num_params of row {row}",
        partial(_weights, name, row),
        miss=miss,
    )
    for name, called, row, end, printed, miss in (
        ("cifar10", "CIFAR-10", 3, "a global pooling", "154816", ""),
        ("cifar10", "CIFAR-10", 4, "a global pooling", "1642240", ""),
        ("svhn", "SVHN", 1, "a pooling", "819584", ""),
        ("cifar10", "CIFAR-10", 11, "a convolution", "3364352", HEAD),
        ("cifar10", "CIFAR-10", 9, "two dense layers", "4760960", HEAD),
    )
]

SHEET = Sheet(
    "Mills, Han, Zhang and others, 'GENNAPE: Towards generalized neural architecture performance "
    "estimators', AAAI 2023, arXiv:2211.17226; networks of Baker, Gupta, Raskar and Naik, "
    "'Accelerating neural architecture search using performance prediction', 2017, "
    "github.com/MITAutoML/accelerating_nas",
    WEIGHTS,
    unheld="GENNAPE's own results. Its encoder is trained on graphics processors, on graphs of "
    "several families that are published on a drive which this course doesn't load. We "
    "couldn't get its full tables. The rows here are only the weights that the authors of "
    "the networks published; this lab's graphs and descriptors are computed from the same "
    "strings. The rank correlations on the page are this lab's own results, and tests "
    "check them.",
)
