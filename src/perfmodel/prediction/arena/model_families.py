"""The same families for every data set, each with the same number of settings to choose from.

A contest is fair if no settings were chosen with knowledge of the test rows. Every learner here has
four settings, and takes the one that does best in cross-validation inside its own training rows
(`Tuned`); whiteboxes have no settings, mixtures choose among models as well. All see the same
columns.

>>> entries = family_contestants({"roofline": object()}, ["m", "n"])
>>> [entry.name for entry in entries if entry.family == "ml"]
['forest', 'boosting', 'Gaussian process', 'neural net']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike
from sklearn.compose import TransformedTargetRegressor
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from perfmodel.prediction.arena.contest import Contestant
from perfmodel.prediction.arena.estimators import LogFeatures
from perfmodel.prediction.arena.gaussian import GaussianProcess
from perfmodel.prediction.arena.mixtures import Residual, WithModel
from perfmodel.prediction.arena.tuning import Tuned

if TYPE_CHECKING:
    import pandas as pd

SETTINGS = 4
"""That every learner and every mixture chooses from."""


def family_contestants(
    whiteboxes: Mapping[str, Any],
    logged: Sequence[str],
    plain: Sequence[str] = (),
    work: Callable[[pd.DataFrame], ArrayLike] | None = None,
) -> list[Contestant]:
    """Return the entries of all families for one data set.

    Parameters
    ----------
    whiteboxes : mapping of str to estimator
        Models written without the test rows, the one that is trusted most first; none or more.
        Without any there are no mixtures.
    logged : sequence of str
        Columns above 0, which learners see as logarithms.
    plain : sequence of str
        Columns that they see as they are: flags, shares, counts that may be 0.
    work : callable, optional
        Takes the features and returns an amount of work above 0, shape (n,). Learners may then
        learn the target per unit of work as well; that is one of the settings they choose from.

    Returns
    -------
    list of Contestant
        Each estimator is `Tuned`. All predict above 0, whiteboxes as they are.
    """
    constant = LogFeatures(DummyRegressor(), logged, None, plain)
    entries = [
        *(
            Contestant(name, "whitebox", Tuned({name: whitebox}))
            for name, whitebox in whiteboxes.items()
        ),
        Contestant("constant", "regression", Tuned({"constant": constant})),
    ]
    for (name, family), learners in _learners().items():
        targets = (None,) if work is None else (work, None)
        entries.append(Contestant(name, family, _tuned(learners, logged, plain, targets)))
    if whiteboxes:
        entries += _mixtures(whiteboxes, logged, plain)
    return entries


def _tuned(
    learners: Mapping[str, Any], logged: Sequence[str], plain: Sequence[str], targets: Sequence[Any]
) -> Tuned:
    few = list(learners.items())[: SETTINGS // len(targets)]
    return Tuned(
        {
            f"{name}, per work" if per else name: LogFeatures(learner, logged, per, plain)
            for per, (name, learner) in product(targets, few)
        }
    )


def _mixtures(
    whiteboxes: Mapping[str, Any], logged: Sequence[str], plain: Sequence[str]
) -> list[Contestant]:
    models = list(whiteboxes.items())[:2]

    def settings(learners: Mapping[str, Any], mix: Callable[[Any, Any], Any]) -> Tuned:
        few = list(learners.items())[: SETTINGS // len(models)]
        pairs = product(models, few)
        return Tuned(
            {f"{who}, {how}": mix(model, learner) for (who, model), (how, learner) in pairs}
        )

    def times(model: Any, learner: Any) -> Residual:
        return Residual(model, learner, logged, plain=plain)

    def beside(model: Any, learner: Any) -> WithModel:
        return WithModel(model, learner, logged, plain)

    return [
        Contestant("model x line", "graybox", settings(_lines(), times)),
        Contestant("model x Gaussian process", "graybox", settings(_gaussians(), times)),
        Contestant("model x boosting", "graybox", settings(_boostings(), times)),
        Contestant("boosting told the model", "graybox", settings(_boostings(), beside)),
    ]


def _learners() -> dict[tuple[str, str], dict[str, Any]]:
    return {
        ("line on logs", "regression"): _lines(),
        ("curve on logs", "regression"): _curves(),
        ("forest", "ml"): _forests(),
        ("boosting", "ml"): _boostings(),
        ("Gaussian process", "ml"): _gaussians(),
        ("neural net", "ml"): _nets(),
    }


def _lines() -> dict[str, Any]:
    return {
        f"ridge {alpha:g}": make_pipeline(StandardScaler(), Ridge(alpha))
        for alpha in (0.01, 1.0, 0.1, 10.0)
    }


def _curves() -> dict[str, Any]:
    return {
        f"ridge {alpha:g}": make_pipeline(StandardScaler(), PolynomialFeatures(2), Ridge(alpha))
        for alpha in (0.1, 3.0, 0.01, 30.0)
    }


def _forests() -> dict[str, Any]:
    shapes = ((1, 1.0), (1, 0.5), (3, 1.0), (3, 0.5))
    return {
        f"leaves of {leaf}, {fraction:.0%} of columns": RandomForestRegressor(
            80, min_samples_leaf=leaf, max_features=fraction, random_state=0
        )
        for leaf, fraction in shapes
    }


def _boostings() -> dict[str, Any]:
    shapes = ((3, 0.1), (2, 0.1), (4, 0.05), (6, 0.05))
    return {
        f"depth {depth}, rate {rate:g}": GradientBoostingRegressor(
            n_estimators=150,
            max_depth=depth,
            learning_rate=rate,
            subsample=0.7,
            random_state=0,
        )
        for depth, rate in shapes
    }


def _gaussians() -> dict[str, Any]:
    kernels = {
        "rough, a scale for each column": GaussianProcess("rough", each=True),
        "line and rough": GaussianProcess("rough", line=True),
        "smooth, a scale for each column": GaussianProcess("smooth", each=True),
        "line and smooth": GaussianProcess("smooth", line=True),
    }
    return {name: make_pipeline(StandardScaler(), kernel) for name, kernel in kernels.items()}


def _nets() -> dict[str, Any]:
    shapes = (((32,), 0.1), ((32, 32), 0.1), ((32,), 1.0), ((32, 32), 1.0))
    return {
        f"{len(layers)} layers of {layers[0]}, decay {decay:g}": make_pipeline(
            StandardScaler(),
            TransformedTargetRegressor(
                MLPRegressor(
                    hidden_layer_sizes=layers,
                    activation="tanh",
                    solver="lbfgs",
                    alpha=decay,
                    max_iter=200,
                    random_state=0,
                ),
                transformer=StandardScaler(),
            ),
        )
        for layers, decay in shapes
    }
