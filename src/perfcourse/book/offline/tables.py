"""Tables on paper: whether a sheet is wide enough for their words, and numbers kept whole."""

from __future__ import annotations

import re

from bs4 import Tag

WIDE = 178.0 / 25.4 * 72
"""Points between the margins of a sheet."""
SIZES = {"paper-fits": 8.5, "paper-fits-small": 7.0}
"""Points of a letter's height by the class that a table gets, largest first."""
LETTER, PADDING = 0.62, 11.0
"""Mean width of a letter by its height, and points beside a cell's text."""
LONG = 16
"""Letters from which on a word, an address or a name in code mostly, may break anywhere."""
NUMBER = re.compile(r"[-+−]?[\d.,]+( ?(%|[µmkMGT]?[A-Za-z]{1,2}(/s)?))?")


def fit(table: Tag) -> None:
    """Give a table the class of the size at which its longest words fit side by side, if one does.

    Cells that hold a number, with or without a unit, get the class `paper-number`, those with words
    that may break anywhere `paper-long`.

    >>> from bs4 import BeautifulSoup
    >>> table = BeautifulSoup("<table><tr><td>1.5 ms</td></tr></table>", "html.parser").table
    >>> fit(table)
    >>> table["class"], table.td["class"]
    ('paper-fits', 'paper-number')
    """
    longest: dict[int, int] = {}
    for row in table.find_all("tr"):
        for place, cell in enumerate(row.find_all(["td", "th"], recursive=False)):
            longest[place] = max(longest.get(place, 0), _longest(cell))
    for name, height in SIZES.items():
        if sum(LETTER * height * letters + PADDING for letters in longest.values()) <= WIDE:
            _mark(table, name)
            return


def _longest(cell: Tag) -> int:
    """Return the letters that a cell keeps together at most, and mark numbers and long words."""
    text = cell.get_text(" ", strip=True)
    if NUMBER.fullmatch(text):
        _mark(cell, "paper-number")
        return len(text)
    letters = max(map(len, text.split()), default=0)
    if letters > LONG:
        _mark(cell, "paper-long")
    return min(letters, LONG)


def _mark(element: Tag, name: str) -> None:
    kept = [str(each) for each in element.get_attribute_list("class") if each]
    element["class"] = " ".join([*kept, name])
