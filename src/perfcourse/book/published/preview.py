"""The picture that other sites show beside a link to the book: its title over a roofline."""

from __future__ import annotations

import io

import numpy as np
from matplotlib.figure import Figure

SIZE = (1200, 630)
"""Width and height in pixels that sites ask for."""
SUBTITLE = "An open course: predict first, measure second, explain third"
_BACK, _INK, _LINE = "#14213d", "#f4f1ea", "#f9a03f"


def picture(title: str) -> bytes:
    """Return a PNG image with the book's title, a line below it, and what a roofline looks like."""
    figure = Figure((SIZE[0] / 100, SIZE[1] / 100), dpi=100, facecolor=_BACK)
    axes = figure.add_axes((0.0, 0.0, 1.0, 0.52), facecolor=_BACK)
    intensity = np.logspace(-2, 3, 200)
    for peak, bandwidth, width in ((30.0, 1.0, 7.0), (30.0, 6.0, 3.0), (8.0, 1.0, 3.0)):
        roof = np.minimum(peak, bandwidth * intensity)
        axes.loglog(intensity, roof, color=_LINE, linewidth=width, solid_capstyle="round")
    kernels = np.array([[0.05, 0.03], [0.4, 0.3], [3.0, 1.6], [12.0, 5.0], [120.0, 16.0]])
    axes.loglog(*kernels.T, "o", color=_INK, markersize=11)
    axes.set(xlim=(0.01, 1000), ylim=(0.01, 90))
    axes.axis("off")
    figure.text(0.06, 0.80, title, color=_INK, fontsize=1230 / max(29, len(title)), weight="bold")
    figure.text(0.06, 0.69, SUBTITLE, color=_INK, fontsize=23)
    file = io.BytesIO()
    figure.savefig(file, format="png", metadata={"Software": None})
    return file.getvalue()
