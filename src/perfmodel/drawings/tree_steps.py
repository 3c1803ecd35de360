"""A regression tree: steps between the runs that it learned from, and level beyond them."""

from __future__ import annotations

import numpy as np

from perfmodel.live.drawing import Circle, Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import stairs
from perfmodel.validation import positive, whole

_LARGEST, _LEARNED = 16.0, 8.0


def tree_steps(depth: int, seconds_per_byte: float = 1.0) -> Scene:
    """Draw a tree's prediction of a time in proportion to the size, beyond what it learned.

    Parameters
    ----------
    depth : int
        Questions that the tree may ask in a row, 1 to 4.
    seconds_per_byte : float
        The true slope, above 0 (in the drawing's units: GB and seconds).

    Examples
    --------
    >>> tree_steps(3).values["predicted at 16 GB (s)"]
    8.0
    """
    from sklearn.tree import DecisionTreeRegressor

    slope = float(positive("seconds_per_byte", seconds_per_byte))
    sizes = np.linspace(1, _LEARNED, 8)
    tree = DecisionTreeRegressor(max_depth=whole("depth", depth, 1), random_state=0)
    tree.fit(sizes[:, None], slope * sizes)
    fine = np.arange(0, _LARGEST + 0.01, 0.05)
    steps = tree.predict(fine[:, None])
    across, up = Scale(0, _LARGEST, 40, 344), Scale(0, slope * _LARGEST, 240, 40)
    shapes: list[Shape] = [Line([(across(0), up(0)), (across(16), up(16 * slope))], 2, "dashed")]
    shapes.append(Line(stairs(list(fine), list(steps), across, up), 1, "thick"))
    shapes += [Circle(across(x), up(slope * x), 4, "", 3, "solid") for x in sizes]
    edge = across(_LEARNED)
    shapes += [Line([(edge, 40), (edge, 240)], style="thin")]
    shapes += [
        Text("learned", edge - 8, 52, anchor="end"),
        Text("beyond", edge + 8, 226, anchor="start"),
    ]
    shapes += [Text("truth", across(12.6), up(15.2 * slope), colour=2)]
    shapes += [Text("tree", across(14), up(steps[-1]) + 14, colour=1)]
    shapes += [*up.beside(40, "time (s)"), *across.below(240, "size (GB)")]
    leaves, last = int(tree.get_n_leaves()), float(steps[-1])
    says = (
        f"A tree with {leaves} leaves predicts {last:.3g} s at 16 GB, but the true time is "
        f"{slope * _LARGEST:.3g} s. Beyond its largest run, a tree predicts a constant."
    )
    return Scene(278, shapes, says, {"leaves": float(leaves), "predicted at 16 GB (s)": last})
