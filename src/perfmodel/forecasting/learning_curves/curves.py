"""Learning curves of nets that others trained: one row a net, one column an epoch.

>>> nets = published_curves("metaqnn_cifar10")
>>> nets.results.shape, nets.rising, nets.final.shape
((1000, 20), True, (1000,))

Source: B. Baker, O. Gupta, R. Raskar, N. Naik, "Accelerating Neural Architecture Search using
Performance Prediction", 2017, https://github.com/MITAutoML/accelerating_nas; `README.md` says more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfmodel.shipped_data import shipped_table
from perfmodel.validation import Floats, one_of

if TYPE_CHECKING:
    import pandas as pd

CURVE_SETS = {
    "metaqnn_cifar10": "perfmodel.prediction.architectures",
    "metaqnn_svhn": "perfmodel.prediction.architectures",
    "deep_resnets_cifar10": "perfmodel.forecasting.learning_curves",
    "deep_resnets_tinyimagenet": "perfmodel.forecasting.learning_curves",
    "lstm_ptb": "perfmodel.forecasting.learning_curves",
}
"""The sets, and the package that holds the table of each."""


@dataclass(frozen=True, eq=False)
class LearningCurves:
    """Nets of one kind: what was set for each, and what came out after each epoch."""

    name: str
    settings: pd.DataFrame
    """Architecture and hyper-parameters, a row a net."""
    results: Floats
    """After each epoch on validation data, shape (nets, epochs)."""
    rising: bool
    """Whether more is better: accuracies rise, perplexities fall."""
    unit: str

    @property
    def final(self) -> Floats:
        """Results after the last epoch, shape (nets,)."""
        return self.results[:, -1]


def published_curves(name: str) -> LearningCurves:
    """Return one set of learning curves by its `name`, a key of `CURVE_SETS`, in the table's order.

    A row that repeats an earlier one in settings and curve is left out, since it is the same run:
    33 of `deep_resnets_tinyimagenet`, none of the others. Runs that failed stay in: nine of those
    nets never classify an image rightly.
    """
    one_of("name", name, CURVE_SETS)
    table = shipped_table(CURVE_SETS[name], f"{name}.csv")
    rising = "acc_1" in table
    columns = [item for item in table if item.startswith("acc_" if rising else "ep_")]
    table = table.drop_duplicates(ignore_index=True)
    results = table[columns].to_numpy(dtype=float)
    unit = "share of images" if rising else "perplexity"
    return LearningCurves(name, table.drop(columns=columns), results, rising, unit)
