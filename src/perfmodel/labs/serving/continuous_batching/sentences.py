"""What the runs under three policies say, in words that depend on how they came out."""

from __future__ import annotations

from collections.abc import Mapping

from perfmodel.labs.serving.continuous_batching.chat import CUT, UNCUT, ChatRun
from perfmodel.labs.serving.continuous_batching.inputs import STRICT


def of_policies(runs: Mapping[str, ChatRun]) -> str:
    """Return who is smoothest, what chunks change, and what a mean pause hides."""
    return f"{_smoothest(runs)}. {_chunks(runs[UNCUT], runs[CUT])} {_means(runs[UNCUT])}"


def _smoothest(runs: Mapping[str, ChatRun]) -> str:
    smoothest = min(runs, key=lambda policy: runs[policy].pause(99))
    slowest = max(run.first_token(50) for run in runs.values())
    words = f"The smoothest is {smoothest}"
    if smoothest == "static" and runs["static"].first_token(50) == slowest:
        return words + ", and its users wait longest to begin"
    return words


def _chunks(whole: ChatRun, cut: ChatRun) -> str:
    later = "later" if cut.first_token(50) > whole.first_token(50) else "no later"
    return (
        f"Chunks make the 99th percentile of pauses {whole.pause(99) / cut.pause(99):.0f} times "
        f"shorter than prefill first, and the median first token {later} "
        f"({cut.first_token(50):.2f} s against {whole.first_token(50):.2f} s)."
    )


def _means(whole: ChatRun) -> str:
    return (
        "A percentile of means is not a percentile of pauses. Under prefill first the mean pause "
        f"of 99 in 100 requests is below {whole.per_token(99):.2f} s, while one pause in a hundred "
        f"is above {whole.pause(99):.2f} s. Ask for {STRICT} s a token on average, and "
        f"{100 * whole.kept_on_average(STRICT):.0f} % of the requests keep it; ask for no pause "
        f"above {STRICT} s, and {100 * whole.kept_by_all(STRICT):.0f} % do. Which of the two does "
        "your contract say?"
    )
