"""A bank of the kinds that are answered in words, by plots, in parts, or from a data file."""

from pathlib import Path

import numpy as np

from perfcourse.bank import (
    Axis,
    Bank,
    Curve,
    DataFile,
    Mistake,
    Plot,
    array,
    number,
    one_of,
    parts,
    plot,
    text,
    true_false,
)

N = np.array([1, 2, 4, 8])


def drawing(times):
    return Plot(
        Axis("processors", scale="log"), Axis("time", unit="s"), [Curve(N, times, label="measured")]
    )


def rates(rng):
    return {"arrivals": rng.uniform(1, 9), "service": rng.uniform(1, 9)}


bank = Bank(
    "kinds",
    "Other kinds of question",
    [
        text(
            "named",
            "Its name",
            reference=["memory bound", "*bandwidth*"],
            mistakes=[Mistake("compute", "compute bound", "Which is slower?")],
        ),
        one_of(
            "larger",
            "Which rate is larger?",
            choices={"arrivals": "Not those.", "service": "Not that."},
            reference=lambda arrivals, service: "arrivals" if arrivals > service else "service",
            inputs=rates,
        ),
        true_false(
            "stable",
            "Stable?",
            reference=lambda arrivals, service: arrivals < service,
            hint="Compare the two rates.",
            inputs=rates,
        ),
        plot(
            "drawn",
            "Time against processors",
            points=4,
            reference=lambda total: drawing(total / N),
            inputs=lambda rng: {"total": rng.uniform(10, 90)},
            mistakes=[Mistake("speedup", lambda total: drawing(1.0 * N), "That is the speedup.")],
        ),
        parts(
            "several",
            "Several at once",
            inputs=lambda rng: {"x": rng.uniform(2, 9)},
            parts=[
                number("twice", "2x", reference=lambda x: 2 * x, points=2),
                array("powers", "Powers", reference=lambda x: x ** np.arange(3)),
                text("word", "A word", reference="yes"),
            ],
        ),
        number(
            "mean",
            "Mean of the file",
            file=DataFile("kinds.csv", hidden="kinds-hidden.csv"),
            reference=lambda path: float(np.loadtxt(path).mean()),
            mistakes=[Mistake("sum", lambda path: float(np.loadtxt(path).sum()), "Divide.")],
        ),
    ],
).within(Path(__file__).parent)
