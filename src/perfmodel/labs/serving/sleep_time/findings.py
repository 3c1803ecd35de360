"""What the races of four indexes say, in words that depend on how they ended."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perfmodel.labs.serving.sleep_time.contexts import ELEMENTS, NODES, ROWS
from perfmodel.labs.serving.sleep_time.index_race import IndexRace, verdict
from perfmodel.validation import Floats


def said(sums: IndexRace, full: IndexRace, few: IndexRace, popular: IndexRace) -> str:
    """Return a paragraph on the races of an array's sums and of three tables of paths.

    Tables of all sources, and of `ROWS`: all sources asked about alike, and the likeliest ones.
    """
    return " ".join([_counted(sums), _held([sums, full, few, popular]), _small(full, few, popular)])


def _counted(sums: IndexRace) -> str:
    """Say what counting additions was worth: it forecast 3 questions."""
    counted, raced = 3.0, _middle(sums.raced)
    words = f"Counting additions said {counted:.0f} questions for the array; "
    if not np.isfinite(raced):
        words += "in most rounds of the race the table never paid. "
    elif 0.8 <= raced / counted <= 1.25:
        words += f"the race took {raced:.1f}, about as many. "
    else:
        words += f"the race took {raced:.1f}, {raced / counted:.2g} times as many. "
    slower = _middle(sums.ahead) / ELEMENTS / (_middle(sums.fresh) / (ELEMENTS / 3))
    if slower <= 1.5:
        return words + "An addition of the table took no more than 1.5 times one in a sum."
    return words + (
        f"An addition of the table took {slower:.2g} times as long as one in a sum: it has to wait "
        "for the one before, and is written to memory, which may be why."
    )


def _held(races: Sequence[IndexRace]) -> str:
    """Count the forecasts that agree, those that don't, and those of which nothing is known."""
    verdicts = [verdict(race) for race in races]
    agree = verdicts.count("agrees")
    off = sum(words.startswith("paid") for words in verdicts)
    unknown = len(verdicts) - agree - off
    words = (
        f"Of {len(races)} forecasts from seconds, {agree} agree{'s' * (agree == 1)} with the race"
    )
    if off:
        words += f", {off} {'does' if off == 1 else 'do'} not"
    return words + (f", and of {unknown} nothing can be told." if unknown else ".")


def _small(full: IndexRace, few: IndexRace, popular: IndexRace) -> str:
    """Compare the small tables with the whole one, and with each other."""
    whole, alike, likely = (_middle(race.raced) for race in (full, few, popular))
    if not np.isfinite([whole, alike, likely]).all():
        return "Not all tables of paths paid in most rounds, so that they can't be compared."
    words = (
        f"Of the tables of paths, {ROWS} sources of {NODES} took "
        f"{_middle(full.ahead) / _middle(few.ahead):.2g} times less work than all. With all asked "
        f"about alike they paid after {alike:.0f} questions, where the whole table took "
        f"{whole:.0f}; with popular sources after {likely:.0f}. "
    )
    if likely < 0.5 * alike:
        return words + (
            "Between the last two only the questions differ: what makes working ahead pay early is "
            "knowing what will be asked."
        )
    return words + "Here popular sources did not halve it."


def _middle(values: Floats) -> float:
    return float(np.median(values))
