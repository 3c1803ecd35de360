"""Which of a student's files is graded: the latest notebook of the exercise; never guessed.

Notebooks of other exercises and second copies of the same code are left out first. Of what remains
the latest counts, by the platform's number or by the files' times where they may be believed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePosixPath

from perfcourse.intake import uploads as pieces
from perfcourse.intake.cells import UnreadableError, code_cells, topics
from perfcourse.intake.file_names import may_hold, stem
from perfcourse.intake.file_types import zipped
from perfcourse.intake.submissions import MAX_FILE, content, packed, unpacked
from perfcourse.intake.uploads import TOO_MANY, File

NOT_A_NOTEBOOK = "not a notebook"
NONE = "What was handed in holds no notebook. Hand in the .ipynb file itself."
SEVERAL = (
    "Several notebooks were handed in, and nothing says which is the latest: {names}. Hand in only "
    "the one that counts."
)
FULL = "{what} Hand in the .ipynb file itself."
UNDECIDED = "nothing says which is the latest"
ONE_OF_MANY = "one of too many notebooks"
MOST = 50
"""Notebooks of a student's that are read."""
MOST_BYTES = 4 * MAX_FILE
"""Bytes of these notebooks together."""
_MAYBE = ("", ".json", ".txt")
"""Endings of files that are notebooks if they read so, where there is none by its name."""


@dataclass(frozen=True)
class Choice:
    """Which file of a student's is graded, or why none is; and what became of the others."""

    file: File | None
    inside: str = ""
    """The notebook's path within the file, where that is an archive."""
    problem: str = ""
    """Why there is none, for the student."""
    left: tuple[tuple[str, str], ...] = ()
    """Names of the other files, and why each isn't graded."""
    cells: tuple[str, ...] = ()
    """Of the chosen notebook; empty where it can't be read."""


@dataclass(frozen=True)
class _Notebook:
    name: str
    file: File
    order: int
    written: datetime | None
    inside: str = ""
    cells: tuple[str, ...] = ()
    why: str = ""
    """Why it can't be read."""
    size: int = 0
    """Bytes that were read."""


def chosen(files: Sequence[tuple[File, int]], topic: str, timed: bool = False) -> Choice:
    """Return which of a student's files is graded.

    Each comes with its number where numbers rise with time, else 0; `timed` says that a file's time
    tells when it was handed in.
    """
    if any(file.passed_over == TOO_MANY for file, _ in files):
        problem = FULL.format(what=f"The folder holds over {pieces.MAX_LOOKED_AT} files.")
        return Choice(None, problem=problem, left=tuple((file.name, TOO_MANY) for file, _ in files))
    left_out = [(file.name, file.passed_over) for file, _ in files if file.passed_over]
    open_to_all = [(file, order) for file, order in files if not file.passed_over]
    by_name = [pair for pair in open_to_all if may_hold(pair[0].name)]
    others = [pair for pair in open_to_all if not may_hold(pair[0].name)]
    notebooks: list[_Notebook] = []
    for each in (found for pair in by_name for found in _opened(*pair, left_out)):
        notebooks.append(each)
        if len(notebooks) > MOST or sum(one.size for one in notebooks) > MOST_BYTES:
            problem = FULL.format(what="Too many or too large notebooks were handed in.")
            return Choice(
                None, problem=problem, left=tuple((file.name, ONE_OF_MANY) for file, _ in files)
            )
    if not any(found.cells for found in notebooks):
        candidates = [pair for pair in others if _may_be_disguised(pair[0])]
        few = candidates if len(candidates) <= MOST else []
        disguised = [found for pair in few if (found := _disguised(*pair))]
        notebooks += disguised
        others = [pair for pair in others if pair[0] not in [found.file for found in disguised]]
    if not notebooks and len(others) == 1:
        return Choice(others[0][0], left=tuple(left_out))
    left_out += [(file.name, NOT_A_NOTEBOOK) for file, _ in others]
    return _narrowed(notebooks, topic, timed, left_out)


def _opened(file: File, order: int, left_out: list[tuple[str, str]]) -> Iterator[_Notebook]:
    """Read the notebooks that a file holds, several where it is the student's own archive."""
    known = _Notebook(file.name, file, order, file.written)
    try:
        data, name = content(file.path, file.member)
        if not zipped(data):
            yield _read(known, data, name)
            return
        inside, others = packed(data)
    except (UnreadableError, OSError) as error:
        yield replace(known, why=str(error))
        return
    archived = [name for name in others if may_hold(name) and not pieces.passed_over(name)]
    left_out += [
        (f"{file.name}/{other}", pieces.passed_over(other) or NOT_A_NOTEBOOK)
        for other in others
        if other not in archived
    ]
    if not inside and not archived:
        yield replace(known, why="The archive holds no notebook.")
    for name in (*inside, *archived):
        yield _within(known, data, name)


def _within(known: _Notebook, data: bytes, inside: str) -> _Notebook:
    found = replace(known, name=f"{known.name}/{inside}", inside=inside)
    try:
        return _read(found, *unpacked(data, inside))
    except UnreadableError as error:
        return replace(found, why=str(error))


def _read(known: _Notebook, data: bytes, name: str) -> _Notebook:
    known = replace(known, size=len(data))
    try:
        return replace(known, cells=tuple(code_cells(data, name)))
    except UnreadableError as error:
        return replace(known, why=str(error))


def _may_be_disguised(file: File) -> bool:
    return PurePosixPath(file.name).suffix.lower() in _MAYBE


def _disguised(file: File, order: int) -> _Notebook | None:
    """Return a file that reads as a notebook, though it isn't called one."""
    try:
        data, name = content(file.path, file.member)
    except (UnreadableError, OSError):
        return None
    found = _read(_Notebook(file.name, file, order, file.written), data, name)
    return found if found.cells else None


def _narrowed(
    notebooks: list[_Notebook], topic: str, timed: bool, left_out: list[tuple[str, str]]
) -> Choice:
    """Leave out what isn't the latest, and return what remains if that is one."""

    def keep(wanted: Callable[[_Notebook], bool], why: str | Callable[[_Notebook], str]) -> None:
        remaining = [notebook for notebook in notebooks if wanted(notebook)]
        if remaining:
            gone = [notebook for notebook in notebooks if notebook not in remaining]
            left_out.extend(
                (notebook.name, why if isinstance(why, str) else why(notebook)) for notebook in gone
            )
            notebooks[:] = remaining

    keep(lambda notebook: bool(notebook.cells), lambda notebook: notebook.why)
    keep(lambda notebook: topic in topics(notebook.cells), f"it isn't the exercise on {topic}")
    keep(lambda notebook: not topics(notebook.cells), f"it isn't the exercise on {topic}")
    _leave_copies(notebooks, left_out)
    if latest := _latest(notebooks, timed):
        names = " and ".join(notebook.name for notebook in latest)
        keep(lambda notebook: notebook in latest, f"replaced by {names}, which is later")
    exact = [notebook for notebook in notebooks if stem(notebook.name) == topic]
    if len(exact) == 1 and not any(topics(notebook.cells) for notebook in notebooks):
        keep(lambda notebook: notebook is exact[0], f"{exact[0].name} has the assignment's name")
    if len(notebooks) == 1:
        only = notebooks[0]
        return Choice(only.file, only.inside, left=tuple(left_out), cells=only.cells)
    problem = NONE
    if notebooks and not any(notebook.cells for notebook in notebooks):
        problem = notebooks[0].why
        left_out += [(notebook.name, notebook.why) for notebook in notebooks]
    elif notebooks:
        names = ", ".join(
            notebook.name.partition("/")[2] or notebook.name for notebook in notebooks
        )
        problem = SEVERAL.format(names=names)
        left_out += [(notebook.name, UNDECIDED) for notebook in notebooks]
    return Choice(None, problem=problem, left=tuple(left_out))


def _leave_copies(notebooks: list[_Notebook], left: list[tuple[str, str]]) -> None:
    """Of notebooks of the same code keep the one handed in last, or the first by name."""
    first: dict[tuple[str, ...], _Notebook] = {}
    for notebook in sorted(notebooks, key=lambda notebook: -notebook.order):
        same = first.setdefault(notebook.cells, notebook) if notebook.cells else notebook
        if same is not notebook:
            left.append((notebook.name, f"the same code as {same.name}"))
            notebooks.remove(notebook)


def _latest(notebooks: list[_Notebook], timed: bool) -> list[_Notebook]:
    """Return the latest, several where they were handed in together; none where nothing says it."""
    if all(notebook.order for notebook in notebooks):
        last = max((notebook.order for notebook in notebooks), default=0)
        return [notebook for notebook in notebooks if notebook.order == last]
    times = [notebook.written for notebook in notebooks if notebook.written]
    if not timed or len(times) < len(notebooks):
        return []
    return [notebook for notebook in notebooks if notebook.written == max(times)]
