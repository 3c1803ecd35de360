"""Rounds of a contest played on several cores, and kept so that an interrupted one goes on."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from perfmodel.prediction.arena.contest import Answer, Contestant, answers
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.splits import Split

Round = tuple[int, int, Split]
"""Budget, seed and rows."""
Task = tuple[Round, Sequence[Contestant]]


def digest(dataset: Dataset, *settings: object) -> str:
    """Return a name for all that decides the results, so that no other's are taken for them."""
    import sklearn

    table = dataset.features.assign(**{" target": dataset.target})
    text = repr((table.to_csv(), dict(dataset.groups), sklearn.__version__, settings))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def played(
    dataset: Dataset,
    tasks: Sequence[Task],
    keep: Path | None = None,
    mark: str = "",
    progress: bool = False,
    cores: int = 2,
) -> list[Answer]:
    """Return all answers of all rounds, played in `cores` processes.

    Rounds in the file `keep` under the same `mark`, from `digest`, are not played again.
    """
    from rich.progress import Progress

    done = _kept(keep, mark)
    left = [index for index in range(len(tasks)) if index not in done]
    if keep is not None and not done:
        keep.write_text(json.dumps({"digest": mark}) + "\n", encoding="utf-8")
    with Progress(disable=not progress) as shown:
        bar = shown.add_task(f"{len(tasks)} rounds", total=len(tasks), completed=len(done))
        for index, said in _playing(dataset, tasks, left, cores):
            done[index] = said
            if keep is not None:
                with keep.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([index, said]) + "\n")
            shown.advance(bar)
    return [item for index, task in enumerate(tasks) for item in _answers(task, done[index])]


def _kept(keep: Path | None, mark: str) -> dict[int, Any]:
    if keep is None or not keep.exists():
        return {}
    done = {}
    # What an interruption cut off in the middle of a line is played again.
    lines = [
        line for line in keep.read_text("utf-8").splitlines(keepends=True) if line.endswith("\n")
    ]
    if not lines or json.loads(lines[0]) != {"digest": mark}:
        return {}
    keep.write_text("".join(lines), encoding="utf-8")
    for line in lines[1:]:
        index, said = json.loads(line)
        done[index] = said
    return done


def _playing(
    dataset: Dataset, tasks: Sequence[Task], left: Sequence[int], cores: int
) -> Iterator[tuple[int, Any]]:
    if cores == 1 or len(left) < 2:
        yield from (_play(dataset, index, tasks[index]) for index in left)
        return
    from sklearn.utils.parallel import Parallel, delayed

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        play = Parallel(n_jobs=cores, return_as="generator_unordered", pre_dispatch="2*n_jobs")
        yield from play(delayed(_play)(dataset, index, tasks[index]) for index in left)


def _play(dataset: Dataset, index: int, task: Task) -> tuple[int, list[list[Any]]]:
    one, entries = task
    names = [entry.name for entry in entries]
    said = [
        [
            names.index(answer.contestant.name),
            answer.test,
            answer.predicted.tolist(),
            answer.fit_seconds,
            answer.inner_error,
        ]
        for answer in answers(dataset, entries, [one])
    ]
    return index, said


def _answers(task: Task, said: Sequence[Sequence[Any]]) -> Iterator[Answer]:
    (points, seed, split), entries = task
    for who, test, predicted, spent, inner in said:
        question = (split, test, points, seed, split.tests[test])
        yield Answer(entries[who], *question, np.array(predicted), spent, inner)
