"""One result of a cell in the forms that its places need: a page, JupyterLab, print, plain text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfmodel.live.plot import Plot

if TYPE_CHECKING:
    from perfmodel.live.kernel import Live

HERE = Path(__file__).parent


def packed(data: object) -> str:
    """Return `data` as JSON that can stand in a `<script>` element whatever it holds."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


SCRIPTS = (
    "predict.mjs",
    "practice.mjs",
    "worked.mjs",
    "player.mjs",
    "queue.mjs",
    "gallery.mjs",
    "live.mjs",
)
"""Parts of the one module, each after the parts that it needs; the last starts all."""


def script() -> str:
    """Return the text of the module that wakes prompts and figures."""
    return "".join((HERE / name).read_text("utf-8") for name in SCRIPTS)


def style() -> str:
    """Return the text of the style sheet of figures and prompts."""
    return "".join((HERE / name).read_text("utf-8") for name in ("live.css", "predict.css"))


class Display:
    """What a call of this package shows in a notebook; nothing happens until a cell displays it."""

    def __init__(
        self,
        html: str,
        text: str,
        plot: Plot | None = None,
        live: Callable[[], Live] | None = None,
    ) -> None:
        self.html = html
        """The element as it stands on the built page, readable without any script."""
        self.text = text
        """The result in one sentence."""
        self.plot = plot
        """The state shown first, where there is a picture."""
        self._live = live

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        from perfmodel.live.canvas import still
        from perfmodel.live.kernel import Page

        bundle: dict[str, Any] = {"text/plain": self.text, "text/html": self.html}
        if self.plot is not None:
            bundle["image/png"] = still(self.plot)
        widget = self._live().box if self._live else Page(html=self.html)
        shown = widget._repr_mimebundle_()
        live = shown[0] if isinstance(shown, tuple) else shown
        return {**bundle, **{k: v for k, v in (live or {}).items() if k not in bundle}}


class Prose(Display):
    """A paragraph: what a place shows as its own text, in its own type, without a widget."""

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {"text/plain": self.text, "text/html": self.html}
