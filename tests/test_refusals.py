"""Bad values for every argument of every public function: refused by name, or documented.

After scikit-learn's `test_public_functions.py`. A function's own example gives a valid call. Each
of its numbers and words is then replaced by values that are wrong for any model (NaN, text, an
unknown word, an empty array, one value more) and by values just outside the range that the
argument's entry in the docstring declares, in one of these wordings:

    above 0 | 0 or more | 0 to 1 | between 0 and 1 | below 1 | at most 64 | whole | whole, 1 or more

An argument annotated as `int` is whole.

An error is a ValueError that names the argument; for a wrong type or shape Python's or NumPy's own
words will do. A value that is accepted must not turn into NaN in silence, and infinity is accepted
only where the entry says so.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import doctest
import functools
import importlib
import inspect
import io
import math
import re
import sys
import typing
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any

import numpy as np
import pytest

import perfmodel

TOPICS = (*perfmodel.TOPICS, "machines")
NUMBER = r"(-?\d[\d_,]*(?:\.\d+)?(?:e-?\d+)?(?: million)?)(?![\d^%])"
START = r"(?i:^|[,;:.(] |\band |[a-z]: |\bor )"

WITHOUT_EXAMPLE = {
    "measurement": "Runs count_events diagnose drop_pages energy_counters find_gpu latency_ladder "
    "measure_bandwidth measure_chains measure_gemm measure_latency "
    "measure_overheads measure_peak measure_read_bandwidth "
    "non_temporal_triad read_bandwidth_ladder short_runs stream_loops variants widest",
    "scaling": "Stencil",
    "prediction": "coverage few_shot_split held_out jax_installed larger_split latencies_here "
    "own_contest standings unseen_split",
    "forecasting": "win_probability",
    "machines": "delete folder save this_machine",
}
"""They measure this machine, write or read its files, or need a table of measurements."""

TAKES_SECONDS = {"measure", "across_processes", "measure_energy"}
"""Their own tests try bad values, with a clock that costs nothing."""

NOT_YET = {
    "measurement": "array_bytes bootstrap_interval chained_bandwidth locust_rounded pin planned "
    "power_of_test timed",
    "scaling": "busy_work_each strong_scaling_efficiency weak_scaling_efficiency",
    "serving": "simulate_serving",
    "prediction": "Dataset repeat_noise used_counts",
    "forecasting": "crossing fit_characteristic_curve fit_success identifiability transport_cost",
    "benchmarking": "addition_reversals central_composite factorial_effects mutation_search "
    "proportion_interval removal_reversals scores_without_each",
}
"""They accept a bad value or refuse it under another name. This list only gets shorter."""


class _CallSeenError(Exception):
    """Ends an example whose call is recorded, before it computes anything."""


@dataclasses.dataclass(frozen=True)
class Range:
    """The numbers that an entry of a docstring allows."""

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False
    whole: bool = False

    def outside(self) -> Iterator[float]:
        """Yield numbers just outside the range."""
        if math.isfinite(self.low):
            yield (
                self.low
                if self.open_low
                else self.low - (1 if self.whole else 0.001 + abs(self.low) / 1000)
            )
        if math.isfinite(self.high):
            yield (
                self.high
                if self.open_high
                else self.high + (1 if self.whole else 0.001 + abs(self.high) / 1000)
            )
        if self.whole:
            yield max(self.low, 1) + 0.5


def declared_range(entry: str) -> Range:
    """Return the range that an entry's text declares in a fixed wording."""
    text = " ".join(entry.split())
    lows = re.finditer(rf"{START}(?:[Aa]bove {NUMBER}|{NUMBER} or more)", text)
    highs = re.finditer(rf"{START}(?:at most|up to|(below)) {NUMBER}", text)
    both = re.search(rf"(?:between {NUMBER} and|{NUMBER} to)( below)? {NUMBER}", text)
    limits: dict[str, Any] = {
        "whole": bool(
            re.search(r"(?i:\bwhole(?: numbers?)?(?=[,;.]|$)|^(array_like )?(of )?int\b)", text)
        )
    }
    for low in lows:
        limits |= {"low": _number(low[1] or low[2]), "open_low": bool(low[1])}
        break
    for high in highs:
        limits |= {"high": _number(high[2]), "open_high": bool(high[1])}
        break
    if both:
        limits |= {"low": _number(both[1] or both[2]), "open_low": False}
        limits |= {"high": _number(both[4]), "open_high": bool(both[3])}
    return Range(**limits)


def _number(text: str) -> float:
    digits, _, million = text.partition(" ")
    return float(digits.rstrip(",").replace(",", "")) * (1e6 if million else 1)


def public(topic: str) -> dict[str, Callable[..., Any]]:
    """Return the functions of a topic's face, and its classes that check what they are given."""
    face = importlib.import_module(f"perfmodel.{topic}")
    things = {name: getattr(face, name) for name in face.__all__}
    return {
        name: thing
        for name, thing in things.items()
        if inspect.isfunction(inspect.unwrap(thing))
        or (inspect.isclass(thing) and hasattr(thing, "__post_init__"))
    }


def recorded_calls(things: Mapping[str, Callable[..., Any]]) -> dict[str, inspect.BoundArguments]:
    """Return one valid call of each, from its own example or else from its module's."""
    calls: dict[str, inspect.BoundArguments] = {}
    wanted: set[str] = set()

    def recorder(name: str, thing: Callable[..., Any], is_init: bool) -> Callable[..., Any]:
        signature = inspect.signature(thing)

        @functools.wraps(thing)
        def record(*args: Any, **kwargs: Any) -> Any:
            result = None if name in wanted else thing(*args, **kwargs)
            if name not in calls or name in wanted:
                call = signature.bind(*args, **kwargs)
                if is_init:
                    call.arguments.pop("self")
                    call = inspect.BoundArguments(inspect.signature(things[name]), call.arguments)
                calls[name] = call
            if name in wanted:
                raise _CallSeenError
            return result

        return record

    with pytest.MonkeyPatch.context() as patch:
        wrapped = {}
        for name, thing in things.items():
            if inspect.isclass(thing):
                patch.setattr(thing, "__init__", recorder(name, thing.__init__, True))
            else:
                wrapped[id(thing)] = recorder(name, thing, False)
        for module in [m for n, m in sys.modules.items() if n.startswith("perfmodel")]:
            for key, value in list(vars(module).items()):
                if id(value) in wrapped:
                    patch.setattr(module, key, wrapped[id(value)])
        for name, thing in things.items():
            wanted.add(name)
            run_examples(thing.__doc__ or "", sys.modules[thing.__module__], {_CallSeenError})
            wanted.discard(name)
        for module_name in sorted({t.__module__ for n, t in things.items() if n not in calls}):
            module = sys.modules[module_name]
            for test in doctest.DocTestFinder().find(module):
                run_examples(test.docstring or "", module, {Exception})
    return calls


def run_examples(docstring: str, module: Any, ends_at: set[type[Exception]]) -> None:
    """Run the examples of a docstring, without those that show an error."""
    names = dict(vars(module))
    with contextlib.redirect_stdout(io.StringIO()):
        for example in doctest.DocTestParser().get_examples(docstring):
            if example.exc_msg is None:
                try:
                    exec(compile(example.source, "<example>", "single"), names)
                except tuple(ends_at):
                    return


def entries(thing: Callable[..., Any]) -> dict[str, str]:
    """Return what the docstring says of each argument, or the string below a class's field."""
    docstring = inspect.getdoc(thing) or ""
    section = re.search(
        r"(?:Parameters|Attributes)\n-+\n(.*?)(?:\n\n\S[^\n]*\n-+\n|\Z)", docstring, re.DOTALL
    )
    found: dict[str, str] = {}
    if section:
        for block in re.split(r"\n(?=\S)", section[1]):
            head, _, text = block.partition("\n")
            names, _, kind = head.partition(" : ")
            for name in names.split(","):
                found[name.strip().lstrip("*")] = f"{kind}; {text}"
    if inspect.isclass(thing):
        for name, text in re.findall(
            r'^    (\w+): [^\n]*\n    r?"""(.*?)"""',
            inspect.getsource(thing),
            re.DOTALL | re.MULTILINE,
        ):
            found.setdefault(name, text)
    return found


def is_numeric(value: Any) -> bool:
    """Return whether a value is a number, or an array or list of numbers."""
    if isinstance(value, bool | np.bool_ | str | bytes | Mapping) or value is None:
        return False
    try:
        array = np.asarray(value)
    except ValueError:
        return False
    return array.dtype.kind in "iuf"


def bad_values(value: Any, annotation: str, kind: Any, entry: str) -> Iterator[tuple[str, Any]]:
    """Yield what is wrong and a bad value, for an argument whose valid value is known."""
    words = [word for word in typing.get_args(kind) if isinstance(word, str)]
    if typing.get_origin(kind) is typing.Literal and words:
        yield "word", "no such word"
        return
    if value is None and not re.match(r"(float|int|ArrayLike|Floats)\b", annotation):
        return
    if value is not None and not (is_numeric(value) and np.size(value)):
        return
    if annotation in ("Hashable", "Any", "State"):
        return
    yield "text", "three"
    if value is None:
        yield "NaN", math.nan
        return
    shape = np.shape(value)
    yield "NaN", _with_first(value, math.nan)
    yield "infinity", _with_first(value, math.inf)
    yield "-1", _with_first(value, -1)
    allowed = declared_range(entry)
    if re.match(r"int\b", annotation):
        allowed = dataclasses.replace(allowed, whole=True)
    for number in allowed.outside():
        yield "outside", _with_first(value, number)
    if shape:
        yield "empty", np.zeros((0, *shape[1:]))
        yield "longer", np.concatenate([np.asarray(value), np.asarray(value)[:1]])
    else:
        yield "longer", [value, value]


def _with_first(value: Any, number: float) -> Any:
    if not np.shape(value):
        return number
    array = np.array(value, dtype=float)
    array.flat[0] = number
    return array


def has_nan(result: Any, depth: int = 4) -> bool:
    """Return whether a NaN stands in a number, array, container or dataclass."""
    if isinstance(result, float | np.floating):
        return bool(np.isnan(result))
    if isinstance(result, np.ndarray):
        return result.dtype.kind == "f" and bool(np.isnan(result).any())
    if not depth:
        return False
    if dataclasses.is_dataclass(result):
        parts: Any = [getattr(result, f.name, None) for f in dataclasses.fields(result)]
    elif isinstance(result, Mapping):
        parts = result.values()
    elif isinstance(result, list | tuple):
        parts = result
    else:
        return False
    return any(has_nan(part, depth - 1) for part in parts)


def complaints(
    name: str, things: Mapping[str, Callable[..., Any]], call: inspect.BoundArguments
) -> Iterator[str]:
    """Yield what is wrong with a function's refusals."""
    thing = things[name]
    documented = entries(thing)
    try:
        kinds = typing.get_type_hints(thing.__init__ if inspect.isclass(thing) else thing)
    except (NameError, TypeError):
        kinds = {}
    for argument, parameter in inspect.signature(thing).parameters.items():
        variadic = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        if variadic or argument == "seed":
            continue
        value = call.arguments.get(argument, parameter.default)
        entry = documented.get(argument, "")
        if (other := re.search(r"\bAs (?:for|of) `(\w+)`", entry)) and other[1] in things:
            entry += entries(things[other[1]]).get(argument, "")
        for wrong, bad in bad_values(value, str(parameter.annotation), kinds.get(argument), entry):
            tried = f"{name}({argument}={bad!r})"
            error, result = outcome(thing, call, argument, bad)
            if error is not None:
                if not isinstance(error, ValueError | TypeError):
                    yield f"{tried} raises {error!r}"
                elif wrong in ("text", "empty", "longer"):
                    continue  # Python's or NumPy's own words will do
                elif not re.search(rf"\b({argument}|utilization)\b", str(error)):
                    yield f"{tried} is refused without its name: {error!r}"
            elif wrong in ("text", "word", "outside") or (wrong == "NaN" and "NaN" not in entry):
                yield f"{tried} is accepted ({wrong})"
            elif wrong == "infinity" and parameter.default != math.inf and "inf" not in entry:
                yield f"{tried} is accepted, not documented"
            elif "NaN" not in entry and has_nan(result) and not has_nan(outcome(thing, call)[1]):
                yield f"{tried} gives NaN"


def outcome(
    thing: Callable[..., Any], call: inspect.BoundArguments, argument: str = "", bad: Any = None
) -> tuple[Exception | None, Any]:
    """Return the error or the result of a call, one of its arguments replaced."""
    arguments = dict(call.arguments)
    for key, value in arguments.items():
        with contextlib.suppress(Exception):
            arguments[key] = copy.deepcopy(value)
    if argument:
        arguments[argument] = bad
    order = [key for key in call.signature.parameters if key in arguments]
    changed = inspect.BoundArguments(
        call.signature,
        {key: arguments[key] for key in order},
    )
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            result = thing(*changed.args, **changed.kwargs)
            return None, next(result, None) if isinstance(result, Generator) else result
    except Exception as error:
        return error, None


@pytest.mark.parametrize("topic", TOPICS)
def test_bad_values_are_refused_by_name(topic: str) -> None:
    things = public(topic)
    calls = recorded_calls(things)
    assert set(things) - set(calls) == set(WITHOUT_EXAMPLE.get(topic, "").split())
    tried = set(calls) - TAKES_SECONDS - set(NOT_YET.get(topic, "").split())
    assert [line for name in sorted(tried) for line in complaints(name, things, calls[name])] == []


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("Jobs per second, above 0.", Range(low=0, open_low=True)),
        ("c, whole, 1 or more.", Range(low=1, whole=True)),
        ("alpha, 0 to 1; at 1 every draft is accepted.", Range(0, 1)),
        ("p from 0 to below 1.", Range(0, 1, open_high=True)),
        ("Level, above 0 and below 1.", Range(0, 1, True, True)),
        ("Rate of each, 0 or more, one of them above 0.", Range(low=0)),
        ("Size in seconds, above 0, up to 1e100.", Range(0, 1e100, open_low=True)),
        ("Temperature; an acceleration below 1 if cooler.", Range()),
        ("Rate of the whole farm in jobs per second.", Range()),
    ],
)
def test_an_entry_declares_a_range(entry: str, expected: Range) -> None:
    assert declared_range(entry) == expected
