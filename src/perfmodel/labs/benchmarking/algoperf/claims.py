"""The leaderboards of the first AlgoPerf competition, recomputed from the times to target."""

from __future__ import annotations

from functools import partial

from perfmodel.labs.benchmarking.algoperf.competition import POINTS, Ruleset, competition
from perfmodel.ledger import Sheet, re_aggregated

EXTERNAL = {
    "shampoo_submission": "0.7784",
    "schedule_free_adamw": "0.7077",
    "generalized_adam": "0.6383",
    "cyclic_lr": "0.6301",
    "nadamp": "0.5909",
    "baseline": "0.5707",
    "amos": "0.4918",
    "caspr_adaptive": "0.4722",
    "lawa_queue": "0.3699",
    "lawa_ema": "0.3384",
    "schedule_free_prodigy": "0.0000",
}
SELF_TUNING = {
    "schedule_free_adamw": "0.8542",
    "baseline": "0.8194",
    "nadamw_sequential": "0.3308",
    "sinv6_75": "0.1420",
    "sinv6": "0.0903",
    "adamg": "0.0000",
}
PRINTED: dict[Ruleset, dict[str, str]] = {"external": EXTERNAL, "self_tuning": SELF_TUNING}


def score(ruleset: Ruleset, submission: str) -> float:
    """Return a submission's score by the trapezoid rule that the scoring code uses."""
    table = competition(ruleset)
    return float(table.scores(POINTS)[table.submissions.index(submission)])


SHEET = Sheet(
    "G. E. Dahl, F. Schneider, Z. Nado et al., 'Benchmarking neural network training algorithms', "
    "2023, arXiv:2306.07179; P. Kasimbeg et al., 'Accelerating neural network training: an "
    "analysis of the AlgoPerf competition', ICLR 2025; github.com/mlcommons/submissions_algorithms",
    [
        re_aggregated(
            f"score of {submission}",
            printed,
            f"previous_leaderboards/algoperf_v05/README.md, {ruleset.replace('_', '-')} ruleset",
            partial(score, ruleset, submission),
        )
        for ruleset, rows in PRINTED.items()
        for submission, printed in rows.items()
    ],
    unheld="We don't have the times behind the scores of version 0.6 (0.6244 and 0.4590). We "
    "repeated no training runs, which took eight GPUs, and start from their logs. Nobody has "
    "published the scores after a submission is removed; we computed them.",
)
"""Every score of both leaderboards."""
