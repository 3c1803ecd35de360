"""Predict first: prompts that take the reader's answer before they show the computed one.

The first answer stands: it is kept in the reader's browser, and the prompt closes. Nothing is sent
anywhere, there is no account; the page made by `predictions()` lists all answers and saves them to
a file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from perfmodel.live.display import Display
from perfmodel.live.prompt import Answer, Question, Template, Told, element
from perfmodel.live.variants import Variants
from perfmodel.validation import whole


def predict(
    key: str,
    question: str,
    answer: Answer,
    unit: str = "",
    tolerance: float = 0.1,
    why: str = "",
    accept: Told = (),
    *,
    mistakes: Told = (),
    taught: str = "",
    variants: Variants | None = None,
) -> Display:
    """Ask for a number, keep it in the reader's browser, then show our value and score the guess.

    Parameters
    ----------
    key : str
        A stable name, unique in the book: lower-case letters, digits and hyphens.
    question : str
        The question; plain text that names the unit.
    answer : float or callable
        The computed answer, in `unit`; with `variants` a function of their names.
    unit : str
        Shown behind the input and the answer.
    tolerance : float
        The relative error up to which a guess counts as right.
    why : str
        The explanation shown with the answer.
    accept : sequence of (float or callable, str)
        Other values, in `unit`, that a fair reading of the question leads to, each with that
        reading in a sentence. They count as right, and the reader is told which reading it was.
    mistakes : sequence of (float or callable, str)
        Values that a usual mistake leads to, each with what is said to it.
    taught : str
        The anchor of the section that teaches the answer, if the prompt stands in another one.
    variants : mapping of str to sequence or callable, optional
        New numbers: the values of each parameter, the first of which the question is asked with
        first. A function computes a further one from those that its arguments name. All texts are
        then templates, with fields such as ``{load}`` or ``{load:.2f}``.

    >>> predict("demo", "How many seconds has a minute?", 60, unit="s").text
    'Predict first: How many seconds has a minute?'
    >>> predict("sum", "How much is {a} + 2?", lambda a: a + 2, variants={"a": range(1, 11)}).text
    'Predict first: How much is 1 + 2?'
    """
    asked = Template(
        question, answer, (), why, unit, tolerance, accept, {}, mistakes, taught
    ).question(variants)
    return Display(element(key, asked, "predict", "Predict first"), f"Predict first: {asked.text}")


def choose(
    key: str,
    question: str,
    options: Sequence[str],
    answer: Answer,
    why: str = "",
    reasons: Mapping[str, str] | None = None,
    *,
    taught: str = "",
    variants: Variants | None = None,
) -> Display:
    """Ask for one of `options`, keep it in the reader's browser, then show which one it is.

    Parameters
    ----------
    key, question, why, taught, variants
        As for `predict`.
    options : sequence of str
        What the reader can choose from, two or more.
    answer : str or callable
        The right one of `options`; computed by the caller where it can be.
    reasons : mapping of str to str
        For options that aren't right: what speaks against each, in a sentence or two. A reader who
        chose one is told its reason. The right one's, where the answer is computed, isn't shown.

    >>> choose("demo", "What rises with the load?", ["wait", "service time"], "wait",
    ...        reasons={"service time": "It is the job's own, however many others come."}).text
    'Predict first: What rises with the load?'
    """
    _some(options)
    asked = Template(
        question, answer, options, why, "", 0.1, (), reasons or {}, (), taught
    ).question(variants)
    return Display(element(key, asked, "predict", "Predict first"), f"Predict first: {asked.text}")


def question(
    text: str,
    options: Sequence[str] | None,
    answer: Answer,
    why: str,
    *,
    unit: str = "",
    tolerance: float = 0.1,
    accept: Told = (),
    reasons: Mapping[str, str] | None = None,
    mistakes: Told = (),
    taught: str = "",
    variants: Variants | None = None,
) -> Question:
    """Return one question of a `quiz`: a choice of `options`, or a number where they are None.

    The others are those of `predict` and `choose`.

    >>> question("How many seconds has a minute?", None, 60, "By definition.", unit="s").shown
    '60 s'
    """
    if options is not None:
        _some(options)
    return Template(
        text, answer, options or (), why, unit, tolerance, accept, reasons or {}, mistakes, taught
    ).question(variants)


def quiz(
    key: str,
    questions: Sequence[Question],
    draw: int | None = None,
    names: Sequence[str] = (),
) -> Display:
    """Ask several questions and keep the score of the reader's first answers.

    Parameters
    ----------
    key : str
        A stable name, unique in the book; the questions are kept as `key-1`, `key-2` and so on.
    questions : sequence of Question
        Made by `question`; a chapter ends with five.
    draw : int, optional
        How many to show at a visit: drawn again by the browser, from those not answered as long as
        there are enough. Without it, and without a script, all of them.
    names : sequence of str, optional
        What each is kept as below `key`, instead of its number: for questions that may move.

    >>> asked = [question("Is the response time at least the service time?", ["yes", "no"], "yes",
    ...                   "It is waiting plus service.")]
    >>> quiz("demo", asked).text
    'Check yourself: 1 question.'
    """
    if not questions:
        raise ValueError("questions must be one or more, got none")
    total = len(questions)
    if draw is not None:
        whole("draw", draw, low=1, high=total)
    drawn = "" if draw is None else f' data-draw="{draw}"'
    kept = list(names) or [str(place) for place in range(1, total + 1)]
    leads = [
        f"Question {place} of {total}" if draw is None else "Question"
        for place in range(1, total + 1)
    ]
    parts = "".join(
        element(f"{key}-{name}", asked, "quiz", lead)
        for name, asked, lead in zip(kept, questions, leads, strict=True)
    )
    html = (
        f'<section class="live live-quiz" data-live="quiz"{drawn} aria-label="Check yourself">'
        f"{parts}"
        f'<p class="live-tally" role="status"></p></section>'
    )
    return Display(html, f"Check yourself: {total} question{'s' * (total != 1)}.")


def predictions() -> Display:
    """Show every answer the reader has given in this browser, with buttons to save or clear."""
    html = (
        '<section class="live" data-live="predictions"><p class="live-empty">No predictions are '
        "kept in this browser yet. They appear here once you have answered a prompt in a chapter "
        "or a lab (this list needs JavaScript).</p></section>"
    )
    return Display(html, "The predictions kept in this browser.")


def _some(options: Sequence[str]) -> None:
    if len(options) < 2:
        raise ValueError(f"options must be two or more, got {list(options)!r}")
