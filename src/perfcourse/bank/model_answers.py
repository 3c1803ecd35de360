"""A question's models, the right one and the mistaken ones, and what each of them answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from perfcourse.bank.errors import BankError
from perfcourse.bank.properties import AnswerError, Ask
from perfcourse.kernel.plain import TooBigError, plain
from perfcourse.kernel.wire import WireError, carried

if TYPE_CHECKING:
    from perfcourse.bank import Model, Question

DIGITS = 4
"""Significant digits of a drawn parameter, so that the number shown is the number used."""
MAX_DRAWN = 8 * 2**20
"""Bytes of the parameters of one question, on their way to a student's process."""
_LARGE, _FEW = 2**63, 1000


def models_of(question: Question) -> list[Model]:
    """Return the reference and the mistakes' models, in order."""
    return [question.reference, *(wrong.model for wrong in question.mistakes)]


def name_of(question: Question, index: int) -> str:
    """Return what a model of a question is called: 0 is the reference."""
    wrong = question.mistakes[index - 1].name if index else ""
    return f"mistake {wrong!r}" if index else "the reference"


def shown(value: Any) -> Any:
    """Return a drawn value as plain Python data, floats rounded to four significant digits.

    >>> shown({"fraction": np.float64(0.123456), "processors": np.int64(8)})
    {'fraction': 0.1235, 'processors': 8}
    """
    if isinstance(value, dict):
        return {str(key): shown(part) for key, part in value.items()}
    if isinstance(value, np.ndarray):
        return np.array(shown(value.tolist()))
    if isinstance(value, list | tuple):
        return [shown(part) for part in value]
    if isinstance(value, float | np.floating):
        return float(f"{value:.{DIGITS}g}")
    return value.item() if isinstance(value, np.generic) else value


def draw(question: Question, rng: np.random.Generator) -> dict[str, Any]:
    """Return parameters that a question draws, as they are shown and as students get them.

    A `BankError` says so where drawing fails, or gives what can't reach a student's process.
    """
    try:
        drawn = question.inputs(rng)
    except Exception as error:
        raise BankError(f"question {question.id}: inputs raised {_told(error)}") from error
    if not isinstance(drawn, dict):
        got = type(drawn).__name__
        raise BankError(f"question {question.id}: inputs must return a dict, got {got}")
    try:
        values: dict[str, Any] = shown(drawn)
        small = all(map(_small, values.values()))
        return values if small else dict(carried(values, MAX_DRAWN))
    except (TypeError, ValueError, RecursionError, WireError) as error:
        raise BankError(
            f"question {question.id}: inputs must draw numbers, texts, and lists, dicts and arrays "
            f"of these, {MAX_DRAWN >> 20} MiB at most: {_told(error)}"
        ) from error


def _small(value: Any) -> bool:
    """Whether a drawn value is a number or a few, as most are: they arrive as they are."""
    if type(value) is list:
        return len(value) <= _FEW and all(map(_single, value))
    return _single(value)


def _single(value: Any) -> bool:
    return type(value) in (bool, float) or (type(value) is int and abs(value) < _LARGE)


def answers_of(question: Question, drawn: dict[str, Any], hidden: bool = False) -> list[Any]:
    """Return what a question's models answer."""
    return [answer_of(question, index, drawn, hidden) for index in range(len(models_of(question)))]


def answer_of(question: Question, index: int, drawn: dict[str, Any], hidden: bool = False) -> Any:
    """Return what one of a question's models answers: plain data, or a `Plot`.

    An ArithmeticError or ValueError is the model's: no answer for these parameters. Whatever else
    goes wrong is a `BankError`.
    """
    file = (question.file.path(hidden),) if question.file else ()
    try:
        return question.model_value(models_of(question)[index](*file, **drawn))
    except TooBigError as error:
        raise _failure(question, index, drawn, error) from error
    except BankError as error:
        raise BankError(f"question {question.id}: {name_of(question, index)} {error}") from None
    except (ArithmeticError, ValueError):
        raise
    except Exception as error:
        raise _failure(question, index, drawn, error) from error


def outcome(question: Question, index: int, case: dict[str, Any]) -> Any:
    """Return what a function's model answers, or the error that it raises, as plain data."""
    try:
        return plain(models_of(question)[index](*case.values()))
    except TooBigError as error:
        raise _failure(question, index, case, error) from error
    except (ArithmeticError, ValueError) as error:
        return AnswerError(type(error).__name__, str(error))
    except Exception as error:
        raise _failure(question, index, case, error) from error


def answerable(question: Question, answer: Any) -> bool:
    """Whether a reference's answer, handed in, is right.

    It isn't where the reference answers "none" by infinity, NaN or a word: no number equals these.
    """
    return question.same(question.handed_in(answer), answer)


def check_answerable(question: Question, answer: Any, drawn: dict[str, Any]) -> None:
    """See that a reference's answer, handed in, is right, or raise `BankError`."""
    if not answerable(question, answer):
        raise BankError(
            f"question {question.id}: the reference answers {str(answer)[:100]}, which no answer "
            f"equals, for {_in_words(drawn)}; raise a ValueError where there is no answer"
        )


def asking_model(model: Model) -> Ask:
    """Return the `Ask` of a model: a student's function that does what the model does."""

    def ask(*arguments: Any) -> Any:
        try:
            return plain(model(*carried(arguments)))
        except (ArithmeticError, ValueError) as error:
            raise AnswerError(type(error).__name__, str(error)) from None

    return Ask(ask)


def _failure(question: Question, index: int, drawn: dict[str, Any], error: Exception) -> BankError:
    where = f"question {question.id}: {name_of(question, index)}"
    return BankError(f"{where} raised {_told(error)}, for {_in_words(drawn)}")


def _in_words(drawn: dict[str, Any]) -> str:
    words = ", ".join(f"{name}={value!r}" for name, value in drawn.items())
    return words[:200] or "no parameters"


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error)[:200]}"
