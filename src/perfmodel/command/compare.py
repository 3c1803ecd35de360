"""`perfmodel compare`: is B faster than A, from stored times."""

from __future__ import annotations

from pathlib import Path

import click

from perfmodel.command.answer import Answer, Cell, Quantity, Verdict
from perfmodel.command.inputs.timings import Pair, read_pairs, read_series, summary_of
from perfmodel.command.options import Assumable, Assumed, answers
from perfmodel.readers.timing import TimingFile

_DRIFT = (
    "Runs taken one after the other also differ if the machine drifts between them, and these "
    "files can't show it. Run A B B A, or compare A with A: a clear difference there is drift."
)
_ASSUMED = (
    Assumable("confidence", "level of the intervals", 0.95, source="usual"),
    Assumable(
        "margin", "a relative difference that doesn't matter", 0.01, source="usual", least=0.0
    ),
)


@answers(assume=_ASSUMED)
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path), required=False)
@click.option("--old", help="Name, or a part of it, of A's benchmark or column.")
@click.option("--new", help="Name, or a part of it, of B's benchmark or column.")
@click.option(
    "--column",
    multiple=True,
    metavar="NAME[:UNIT]",
    help="Column of a CSV file; for one file of two columns twice.",
)
@click.option(
    "--field",
    type=click.Choice(["real_time", "cpu_time"]),
    default="real_time",
    show_default=True,
    help="Of google-benchmark.",
)
def compare(
    assumed: Assumed,
    a: Path,
    b: Path | None,
    old: str | None,
    new: str | None,
    column: tuple[str, ...],
    field: str,
) -> Answer:
    """Is B faster than A? Compares times that are stored in files.

    \b
      perfmodel compare old.json new.json                      one file each
      perfmodel compare both.json --old 'sort -n' --new fast   one file of several commands
      perfmodel compare times.csv --column old:ms --column new:ms

    Reads JSON and CSV of hyperfine and google-benchmark, JSON of pyperf, pytest-benchmark and JMH,
    what `go test -bench` prints, and any CSV by its columns. Benchmarks of two files are matched by
    name. The interval of the ratio
    uses ranks, so single pauses don't move it. Medians and means are given as well.
    """  # noqa: D301
    sources = [(a, column)] if b is None else [(a, column[:1]), (b, column[-1:])]
    files = [read_series(path, names, field, 1 + (b is None)) for path, names in sources]
    pairs = read_pairs(files, old, new, [a, b or a], assumed["confidence"])
    return _answer(pairs, files, assumed)


def _answer(pairs: list[Pair], files: list[TimingFile], assumed: Assumed) -> Answer:
    margin, level = assumed["margin"], assumed["confidence"]
    verdicts = [pair.verdict(margin) for pair in pairs]
    traps = list(dict.fromkeys(trap for file in files for trap in file.traps))
    unknown = list(dict.fromkeys(s for pair in pairs for s in _unknown(pair, margin)))
    steps = [
        "The ratio of times, B over A, is the median over all pairs of a time of B and one of A.",
        "Its interval inverts the rank test of Mann and Whitney on logarithms: it holds the "
        "factors between A and B that the test doesn't reject.",
    ]
    if len(pairs) == 1:
        (pair,), (verdict,) = pairs, verdicts
        return Answer(
            f"Is B faster than A ({pair.name})?",
            verdict,
            _conclusion(pair, verdict, margin),
            tuple(_quantities(pair, level)),
            assumed.listed(),
            unknown=(*unknown, _DRIFT),
            traps=tuple(traps),
            steps=tuple(steps),
            chapter="book/measurement.md",
        )
    shared = _shared(verdicts)
    faster, slower = verdicts.count("yes"), sum((p.low or 0) > 1 for p in pairs)
    told = verdicts.count("unknown")
    steps.append(
        f"Each of the {len(pairs)} intervals has the level 1 - {1 - level:.3g} / {len(pairs)}, so "
        "that all of them hold together (Bonferroni)."
    )
    return Answer(
        f"Is B faster than A in each of {len(pairs)} benchmarks?",
        shared,
        f"B is faster in {faster}, slower in {slower}, and it can't be told in {told}.",
        (),
        assumed.listed(),
        unknown=(*unknown, _DRIFT),
        traps=tuple(traps),
        steps=tuple(steps),
        chapter="book/measurement.md",
        more={"Ratio of times, B over A": tuple(map(_row, pairs))},
    )


def _shared(verdicts: list[Verdict]) -> Verdict:
    if "no" in verdicts:
        return "no"
    return "unknown" if "unknown" in verdicts else "yes"


def _conclusion(pair: Pair, verdict: Verdict, margin: float) -> str:
    if pair.ratio is None:
        return "The files hold nothing of which a ratio of times can be made."
    if verdict == "yes":
        saved = 100 * (1 - pair.ratio)
        return f"B takes {pair.ratio:.3g} times as long as A: it saves {saved:.2g} % of the time."
    if verdict == "no" and (pair.high or 0) < 1 + margin:
        return f"B takes as long as A within {100 * margin:g} %."
    if verdict == "no":
        return f"B takes {pair.ratio:.3g} times as long as A: it is slower."
    if pair.low is None:
        return f"B takes {pair.ratio:.3g} times as long as A, but no interval can be given."
    return "The interval of the ratio of times holds 1: these runs can't tell A from B."


def _quantities(pair: Pair, level: float) -> list[Quantity]:
    by = f"{100 * level:g} %"
    made = [
        Quantity(f"{name} of {side}", getattr(summary_of(one), name), None, None, "s")
        for name in ("median", "mean")
        for side, one in (("A", pair.a), ("B", pair.b))
    ]
    if pair.samples is None:
        note = f"of means, {by}" if pair.low is not None else "no interval: see below"
        return [Quantity("time of B over A", pair.ratio, pair.low, pair.high, "1", note), *made]
    found = pair.samples
    sizes = [str(one.samples.size) for one in (pair.a, pair.b) if one.samples is not None]
    note = f"by ranks, {by}, p = {found.p_ranks:.2g}; {' and '.join(sizes)} samples"
    return [
        Quantity("time of B over A", pair.ratio, pair.low, pair.high, "1", note),
        Quantity(
            "ratio of medians", found.median_ratio, *found.median_interval, "1", f"bootstrap, {by}"
        ),
        Quantity(
            "ratio of means",
            found.mean_ratio,
            *found.mean_interval,
            "1",
            f"{by}, p = {found.p_means:.2g}",
        ),
        *made,
    ]


def _row(pair: Pair) -> dict[str, Cell]:
    return {"benchmark": pair.name, "ratio": pair.ratio, "low": pair.low, "high": pair.high}


def _unknown(pair: Pair, margin: float) -> list[str]:
    lines = []
    if pair.samples is None and pair.low is None:
        lines.append(
            "A file holds a summary without the number of runs or their spread, so chance can't be "
            "excluded."
        )
    elif pair.samples is None and (pair.a.samples is not None or pair.b.samples is not None):
        lines.append(
            "So few samples allow no test by ranks. The interval is of the means, and right if the "
            "times scatter normally: take 10 or more of each."
        )
    if pair.samples is not None:
        for side, findings in zip("AB", pair.samples.findings, strict=True):
            lines += [
                f"{side} of {pair.name}: {one.name}, {one.evidence}; {one.advice}."
                for one in findings
                if one.label == "problem"
            ]
        medians, means = pair.samples.median_ratio, pair.samples.mean_ratio
        if (medians - 1) * (means - 1) < 0 and abs(medians / means - 1) > margin:
            lines.append(
                f"{pair.name}: medians and means point in opposite directions, because a few runs "
                "are far above the rest. The mean counts if you pay for all the time."
            )
    return lines
