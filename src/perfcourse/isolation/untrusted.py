"""Text by strangers, made fit for places where a control character or a sign would do something."""

from __future__ import annotations

import unicodedata


def one_line(text: str) -> str:
    r"""Return a text on one line, without control characters and with single spaces.

    >>> one_line("a\n\x1b[2Jb")
    'a [2Jb'
    """
    if not text.isprintable():
        text = "".join(" " if unicodedata.category(c)[0] == "C" else c for c in text)
    return " ".join(text.split())


def logged(text: str) -> str:
    r"""Return a text that a job's log may show without obeying it.

    GitHub obeys `::command::` at a line's start and the older `##[command]` anywhere; GitLab's
    marks need control characters.

    >>> logged("::error::a\n::set-output name=x::1 ##[add-mask]b\x1b[2J")
    ': :error::a ::set-output name=x::1 # #[add-mask]b [2J'
    """
    line = one_line(text).replace("##[", "# #[")
    return f": {line[1:]}" if line.startswith("::") else line


def no_formulas(html: str) -> str:
    r"""Return HTML in which nothing reads as a formula to what looks for them before it is shown.

    >>> no_formulas("$x$")
    '&#36;x&#36;'
    """
    return html.replace("$", "&#36;").replace("\\", "&#92;")
