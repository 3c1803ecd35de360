"""What the CloudFormer paper prints of its traces and errors (Tables III to V), and its encoder."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Traces:
    """Traces of an application in the paper's data set, Table III."""

    name: str
    count: int
    static: float
    """Share with steady load."""
    days: float
    low: float
    """Least and most performance beside others, in percent of that alone."""
    high: float


TABLE_III = (
    Traces("Data Serving", 4209, 0.65, 16.43, 67.16, 100.0),
    Traces("Redis", 4862, 0.51, 18.57, 6.03, 98.88),
    Traces("Web Search", 2849, 0.76, 11.66, 26.49, 99.98),
    Traces("Graph Analytics", 3195, 1.0, 49.69, 85.76, 98.37),
    Traces("Data Analytics", 3085, 1.0, 118.95, 87.63, 97.47),
    Traces("MLPerf", 3355, 1.0, 27.11, 84.02, 96.92),
    Traces("HBase", 4759, 1.0, 6.93, 57.95, 98.08),
    Traces("Alluxio", 3085, 0.83, 7.04, 57.88, 92.61),
    Traces("Minio", 3139, 0.82, 7.09, 10.65, 99.46),
    Traces("TPCC", 2985, 1.0, 27.03, 28.4, 99.98),
    Traces("Flink", 3181, 1.0, 26.96, 32.01, 99.99),
)

ERRORS = {
    "linear regression": (5465.67, 49.09),
    "gamma, inverse power link": (1.05e10, 477.12),
    "decision tree": (419.67, 15.03),
    "random forest": (205.67, 10.78),
    "LSTM": (427.67, 15.42),
    "CloudFormer": (142.67, 7.80),
    "temporal branch only": (156.33, 8.47),
    "system branch only": (171.33, 8.65),
}
"""Mean squared and mean absolute error in points on unseen applications, Tables IV and V."""


def reduction(before: str, after: str) -> float:
    """Return the fraction of the mean absolute error of one of `ERRORS` that another saves.

    >>> round(reduction("random forest", "CloudFormer"), 4)
    0.2764
    """
    return 1 - ERRORS[after][1] / ERRORS[before][1]


def encoder_parameters(inputs: int, width: int, blocks: int, expansion: int = 4) -> int:
    """Return the parameters of an encoder: embedding, class token, blocks; no head.

    Vectors of length `inputs` come in and have length `width` inside. A block has attention (four
    square layers), two norms and two layers with `expansion` times `width` between them.

    >>> encoder_parameters(206, 64, 2) - encoder_parameters(206, 64, 1)
    49984
    """
    wide = expansion * width
    block = 4 * (width**2 + width) + 2 * 2 * width + width * wide + wide + wide * width + width
    return inputs * width + width + width + blocks * block
