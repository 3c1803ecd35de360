"""A drawing of a search: it reads one posting after the other and adds to a document's score."""

from __future__ import annotations

from perfmodel.live.drawing import Cells, Scene, Shape, Text
from perfmodel.live.drawing.shapes import Fill
from perfmodel.validation import whole

LISTS = {"queue": (0, 2, 3, 6), "load": (2, 5), "server": (0, 2, 7)}
"""Documents that hold each word of the query."""
DOCUMENTS = 8
POSTINGS = [(row, number) for row, held in enumerate(LISTS.values()) for number in held]
_LEFT, _TOP, _SIZE = 86.0, 46.0, 30.0


def posting_lists(scanned: int) -> Scene:
    """Draw three posting lists of which `scanned` postings are read, and the scores so far.

    >>> posting_lists(9).values
    {'postings read': 9, 'highest score': 3}
    """
    done = whole("scanned", scanned, 0, len(POSTINGS))
    filled: dict[tuple[int, int], tuple[int, Fill]] = {
        place: (1, "solid" if i < done else "light") for i, place in enumerate(POSTINGS)
    }
    now = [POSTINGS[done - 1]] if done else []
    shapes: list[Shape] = [
        Text(str(number), _LEFT + (number + 0.5) * _SIZE, _TOP - 12) for number in range(DOCUMENTS)
    ]
    shapes.append(Text("document", _LEFT - 8, _TOP - 12, anchor="end"))
    shapes.append(Cells(_LEFT, _TOP, len(LISTS), DOCUMENTS, _SIZE, filled, now))
    for row, word in enumerate(LISTS):
        shapes.append(Text(word, _LEFT - 8, _TOP + (row + 0.5) * _SIZE, anchor="end"))
    scores = [sum(number == at for _, at in POSTINGS[:done]) for number in range(DOCUMENTS)]
    below = _TOP + len(LISTS) * _SIZE + 20
    shapes.append(Text("score", _LEFT - 8, below, anchor="end"))
    shapes += [
        Text(str(score), _LEFT + (number + 0.5) * _SIZE, below)
        for number, score in enumerate(scores)
    ]
    says = (
        f"{done} of {len(POSTINGS)} postings are read. "
        f"The highest score is {max(scores)}, with every weight 1."
    )
    return Scene(below + 16, shapes, says, {"postings read": done, "highest score": max(scores)})
