"""What devices explain, and what the race of schedules says, in words that depend on the results.

`device_results` gathers from the logs what `devices_summary` and `periods_summary` put into
words; `race_summary` and `race_rows` take what was measured on the reader's machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from perfmodel.labs.serving.specee import devices, logs
from perfmodel.labs.serving.specee.cascade import Contest, Spread
from perfmodel.labs.serving.specee.devices import Line, Reading, SlowPrompts
from perfmodel.labs.serving.specee.logs import LAYERS, ON_GPU
from perfmodel.serving import mean_exit_layer

_ROWS: Final[dict[str, Callable[[Contest], str]]] = {
    "after layers": lambda row: ", ".join(map(str, sorted(row.asked))) or "none",
    "layers run": lambda row: f"{row.mean_exit:.2f}",
    "as all layers (%)": lambda row: f"{100 * row.agreed:.1f}",
    "right (%)": lambda row: f"{100 * row.right:.1f}",
    "forecast": lambda row: f"{row.forecast.median:.2f}",
    "measured": lambda row: f"{row.speedup.median:.2f}",
    "95 %": lambda row: f"{row.speedup.low:.2f} to {row.speedup.high:.2f}",
    "over forecast": lambda row: f"{row.ratio.low:.2f} to {row.ratio.high:.2f}",
}


class DeviceResults(NamedTuple):
    """What the logs say about two devices."""

    ran: float
    """Mean layers of a token with early exit."""
    full: float
    """Measured seconds of a token that runs all layers."""
    early: float
    """Measured, with early exit."""
    free: float
    """Forecast with early exit, without overhead."""
    every: Line
    """Through all prompts."""
    apart: tuple[float, ...]
    """Standard errors from the slope of `every` to that of each reading of the overhead."""
    slow: SlowPrompts
    """With early exit."""
    slow_full: int
    """Prompts that were slow with all layers."""
    still: tuple[float, float]
    """Seconds of a token of prompts that were quiet both times: all layers, early exit."""
    interval: logs.Interval
    """Of the speedup of decoding, prompts drawn again."""
    quiet: Line
    """Through quiet prompts."""
    reading: Reading
    """Of the overhead, by `quiet`."""
    error: Reading
    """Standard errors of `reading`."""


def device_results() -> DeviceResults:
    """Return what the logs say about two devices.

    >>> found = device_results()
    >>> round(found.full / found.early, 2), round(found.full / found.free, 2), found.slow_full
    (1.42, 1.7, 7)
    """
    every, readings = devices.fitted_line(), devices.readings().values()
    apart = [
        abs(every.slope - reading.factor * devices.cpu_layer()) / every.slope_error
        for reading in readings
    ]
    return DeviceResults(
        mean_exit_layer(devices.shares()),
        devices.token_seconds("full"),
        devices.token_seconds("early"),
        devices.forecast_seconds(ON_GPU),
        every,
        tuple(apart),
        devices.slow_prompts(),
        int(devices.slowed("full").sum()),
        (devices.quiet_seconds("full"), devices.quiet_seconds("early")),
        logs.speedup_interval(logs.DECODING),
        devices.fitted_line(quiet=True),
        *devices.quiet_reading(),
    )


def devices_summary(results: DeviceResults) -> str:
    """Return what the devices explain of the measured speedup."""
    by_number, measured = LAYERS["7B"] / results.ran, results.full / results.early
    lead = "**The skipped layers are the slow ones.** " if measured > by_number else ""
    return (
        f"{lead}Tokens ran {results.ran:.1f} layers. By their number alone early exit would be "
        f"{by_number:.2f} times as fast; measured is {measured:.2f}. By (3) without overhead it "
        f"would be {results.full / results.free:.2f}, so "
        f"{1e3 * (results.early - results.free):.0f} ms a token are not layers."
    )


def periods_summary(results: DeviceResults) -> str:
    """Return what the devices don't explain, and what quiet prompts alone say."""
    quiet = f"{_resampled(results)} {_overhead(results)}"
    return f"{_line(results)} {_states(results)}\n\n{quiet}"


def race_summary(parts: Mapping[str, Spread], results: Mapping[str, Contest]) -> str:
    """Return a paragraph on the race of two schedules on the reader's machine.

    `parts` has the seconds of `layer`, `check` and `answer`; `results` are by the schedules' names:
    first of asking everywhere, then of the model's best.
    """
    layer, check, answer = (parts[name] for name in ("layer", "check", "answer"))
    words = (
        f"A layer takes {1e6 * layer.median:.1f} us (95 % {1e6 * layer.low:.1f} to "
        f"{1e6 * layer.high:.1f}), a check {1e6 * check.median:.1f} us "
        f"({1e6 * check.low:.1f} to {1e6 * check.high:.1f}), the answer after the last layer "
        f"{1e6 * answer.median:.1f} us. "
    )
    for name, row in results.items():
        off = f"{row.ratio.median:.2f} times the forecast"
        if row.conclusion == "not refuted":
            off = f"between {row.ratio.low:.2f} and {row.ratio.high:.2f} times the forecast"
        words += f"Asked {name}: measured is {off}, which is {row.conclusion}. "
    every, best = results.values()
    if best.asked == every.asked:
        return words + ("By the model every layer should be asked here: checks are cheap enough.")
    return words + _fewer(best.faster)


def race_rows(results: Mapping[str, Contest]) -> list[tuple[str, ...]]:
    """Return the rows of the table of schedules, results by their names: what it is, then each."""
    return [(name, *(show(row) for row in results.values())) for name, show in _ROWS.items()]


def _fewer(faster: Spread) -> str:
    """Hold asking fewer layers against asking all."""
    if faster.low > 1:
        return f"Asking fewer is {faster.median:.2f} times as fast, as the model says: faster."
    if faster.high < 1:
        return f"Asking fewer is {faster.median:.2f} times as fast, against the model: slower."
    return (
        f"Asking fewer is between {faster.low:.2f} and {faster.high:.2f} times as fast: these "
        "rounds can't tell."
    )


def _line(results: DeviceResults) -> str:
    """Ask the line through all prompts who pays for what isn't layers."""
    conclusion = "can't tell" if max(results.apart) < 2 else "speaks against one of the two"
    return (
        f"Does each token pay the {1e3 * (results.early - results.free):.0f} ms that are not "
        "layers, or each layer on the CPU? The line through all prompts "
        f"({_ms(results.every.slope, results.every.slope_error)} a layer) {conclusion}."
    )


def _states(results: DeviceResults) -> str:
    """Say what is known about the time in which the machine was slower."""
    slow = results.slow
    reading = ", also at reading prompts" if slow.distinguishable else ""
    chance = f"by chance as many meet in {100 * slow.shifts:.0f} % of all shifts of the two rows"
    near = (
        f"{chance}, so the runs of a pair may have been near in time"
        if slow.shifts < 0.05
        else f"{chance}, so this says little"
    )
    return (
        f"The points lie on **two** lines: for a while the machine was slower{reading}. The log "
        f"doesn't say why. Of {results.slow_full} prompts that were slow with all layers, "
        f"{slow.both} are among these; {near}."
    )


def _resampled(results: DeviceResults) -> str:
    """Compare the speedup of quiet prompts with the interval of all."""
    (full, early), (_, low, high) = results.still, results.interval
    where = "within" if low <= full / early <= high else "outside"
    return (
        f"Where both runs were quiet, early exit is {full / early:.2f} times as fast, {where} the "
        f"interval above ({low:.2f} to {high:.2f}), which knows nothing about slow periods."
    )


def _overhead(results: DeviceResults) -> str:
    """Say what the quiet line leaves beyond layers."""
    quiet, reading, error = results.quiet, results.reading, results.error
    return (
        f"The quiet line has {_ms(quiet.slope, quiet.slope_error)} a layer and "
        f"{_ms(quiet.intercept, quiet.intercept_error)} at none (one standard error). So a token "
        f"pays {_ms(reading.extra, error.extra)} beyond its layers, and a layer on the CPU takes "
        f"{reading.factor:.2f} ± {error.factor:.2f} times as long as without early exit."
    )


def _ms(seconds: float, error: float) -> str:
    return f"{1e3 * seconds:.1f} ± {1e3 * error:.1f} ms"
