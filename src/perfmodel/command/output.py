"""An answer on the terminal: the verdict first, then numbers, then what they rest on."""

from __future__ import annotations

from collections.abc import Mapping

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from perfmodel.command.answer import Answer, Assumption, Cell, Quantity
from perfmodel.command.chapters import address
from perfmodel.units import SPACE, number, prefixed, with_unit

_PREFIXABLE = ("s", "bytes", "FLOP", "W", "J")
_WORDS = {"yes": ("YES", "bold green"), "no": ("NO", "bold red"), "unknown": ("CAN'T TELL", "bold")}


def value_text(value: float | None, unit: str) -> str:
    """Return a value with its unit, with a prefix where the unit takes one.

    >>> value_text(0.0151, "s"), value_text(None, "s"), value_text(3.0, "1")
    ('15.1 ms', 'not known', '3')
    """
    if value is None:
        return "not known"
    if unit.partition("/")[0] in _PREFIXABLE and not (unit == "s" and abs(value) >= 1000):
        return prefixed(float(value), unit)
    return with_unit(float(value), unit)


def interval_text(quantity: Quantity) -> str:
    """Return an interval, one that may be open.

    >>> interval_text(Quantity("time", None, 0.5, None, "s"))
    'at least 500 ms'
    """
    if quantity.exact:
        return "exact"
    low, high = (value_text(end, quantity.unit) for end in (quantity.low, quantity.high))
    if quantity.low is None:
        return "" if quantity.high is None else f"at most {high}"
    if quantity.high is None:
        return f"at least {low}"
    unit = high.replace(SPACE, " ").rpartition(" ")[2]
    return f"{low.replace(SPACE, ' ').removesuffix(f' {unit}')} to {high}"


def show(answer: Answer, console: Console, explain: bool = False) -> None:
    """Print an answer, with its steps if `explain`."""
    console.print(Text(answer.question, style="italic"))
    word, style = _WORDS.get(answer.verdict or "", ("", ""))
    console.print(Text.assemble((f"{word}: " if word else "", style), answer.summary))
    if answer.quantities:
        console.print(_quantities(answer.quantities))
    for title, rows in answer.more.items():
        console.print(_table(title, rows))
    if answer.assumed:
        console.print(_assumed(answer.assumed))
    for title, sentence in (("Binds", answer.binds), ("Binds next", answer.next_binds)):
        if sentence:
            console.print(Text.assemble((f"{title}: ", "bold"), sentence))
    listed = {"Not known": answer.unknown, "About the numbers": answer.traps}
    listed |= {"Steps": answer.steps} if explain else {}
    for title, sentences in listed.items():
        if sentences:
            console.print(Text(title, style="bold"))
        for i, sentence in enumerate(sentences, start=1):
            mark = f"{i}." if title == "Steps" else "-"
            line = Table.grid(padding=(0, 1))
            line.add_row(f"  {mark}", Text(sentence))
            console.print(line)
    if answer.chapter:
        console.print(Text(f"Read more: {address(answer.chapter)}", style="dim"), soft_wrap=True)


def _quantities(quantities: tuple[Quantity, ...]) -> Table:
    table = _empty()
    for column in ("quantity", "value", "interval", "note"):
        table.add_column(column)
    for one in quantities:
        note = Text(one.note)
        table.add_row(Text(one.name), value_text(one.value, one.unit), interval_text(one), note)
    return table


def _assumed(assumed: tuple[Assumption, ...]) -> Table:
    table = _empty()
    for column in ("assumed", "value", "source"):
        table.add_column(column)
    for one in assumed:
        value = one.value if isinstance(one.value, str) else value_text(one.value, one.unit)
        table.add_row(Text(one.name), Text(value), Text(one.source))
    return table


def _table(title: str, rows: tuple[Mapping[str, Cell], ...]) -> Table:
    table = _empty(title)
    names = list(dict.fromkeys(name for row in rows for name in row))
    for name in names:
        table.add_column(Text(name))
    for row in rows:
        table.add_row(*(Text(_cell(row.get(name))) for name in names))
    return table


def _cell(cell: Cell) -> str:
    if cell is None:
        return "not known"
    return cell if isinstance(cell, str) else number(float(cell))


def _empty(title: str | None = None) -> Table:
    return Table(title=title, title_justify="left", box=box.SIMPLE, pad_edge=False)
