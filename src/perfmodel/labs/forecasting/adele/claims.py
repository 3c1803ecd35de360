"""What the paper's figures and text print, beside the same recipe on the figures' points."""

from __future__ import annotations

from functools import partial

import numpy as np

from perfmodel.labs.forecasting.adele.curves import ability_errors, accuracy, fitted_curve, repeated
from perfmodel.labs.forecasting.adele.inputs import COPIES
from perfmodel.ledger import Sheet, re_aggregated, recomputed

_FIGURES = "figures of the characteristic curves"
_LLAMA = ("llama3d1-405b", "KNn")


def to_the_third_decimal() -> float:
    """Return how many of the 270 abilities agree with the published curve to 0.0005."""
    return float((np.abs(ability_errors()) <= 0.0005).sum())


def _ability(model: str, dimension: str) -> float:
    return fitted_curve(model, dimension).ability


def _harder() -> tuple[bool, str]:
    fractions = [repeated(*_LLAMA, copies).accuracy for copies in (1, COPIES)]
    return fractions[1] < 0.4 < fractions[
        0
    ], f"{100 * fractions[0]:.1f} %, then {100 * fractions[1]:.1f} %"


SHEET = Sheet(
    "L. Zhou and others, 'General scales unlock AI evaluation with explanatory and predictive "
    "power', arXiv:2503.06378, 2025; Nature 652, 2026",
    [
        recomputed(
            "abilities, of 15 models on 18 dimensions, that the recipe gives to the third decimal",
            "270",
            _FIGURES,
            to_the_third_decimal,
            miss="Both ends are read from drawings: the others are off by less than 0.0007.",
        ),
        *(
            recomputed(
                f"ability of {name} in {dimension}",
                printed,
                _FIGURES,
                partial(_ability, model, dimension),
            )
            for name, model, dimension, printed in (
                ("GPT-4o", "gpt4o", "KNn", "4.556"),
                ("GPT-4o", "gpt4o", "KNs", "6.949"),
                ("o1", "o1_re=low", "QLl", "5.381"),
                ("Llama 405B", *_LLAMA, "4.426"),
            )
        ),
        recomputed(
            "ability of Llama 405B in KNn, rounded",
            "4.3",
            "Nature, text",
            partial(_ability, *_LLAMA),
            miss="The paper's own figure, from which the points come, has 4.426.",
        ),
        re_aggregated(
            "accuracy of Llama 405B on the 3,785 questions of KNn",
            "62 %",
            "Nature, text",
            partial(accuracy, *_LLAMA),
        ),
        re_aggregated(
            "the same after each of the 699 questions of level 5 is repeated 500 times",
            "below 40 %",
            "Nature, text",
            _harder,
        ),
    ],
    unheld="The predictors' own figures (AUROC .84, .81 and .75, calibration errors .01 to .04): "
    "the questions with their levels and answers aren't public, so we made answers up. No "
    "language model was run and none was fine-tuned as a predictor.",
)
