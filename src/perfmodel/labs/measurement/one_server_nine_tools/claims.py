"""What nine load generators printed in three runs each, beside the same numbers from their logs."""

from functools import partial

from perfmodel.labs.measurement.one_server_nine_tools.reconcile import computed, recordings
from perfmodel.ledger import Sheet, re_aggregated, same_method

FIELDS = {
    "ab": ("Total median", "95%", "99%"),
    "siege": ("Response time", "Concurrency"),
    "h2load": ("time for request mean", "time for request +/- sd"),
    "loadtest": ("Mean latency", "95%"),
    "wrk": ("Latency Avg", "99%"),
    "locust": ("Avg", "95%"),
    "autocannon": ("Avg", "99%"),
}
"""What each tool computes of the requests in its own log, in the way that is its own."""
AT_THE_SERVER = {"hey": ("Average", "95%"), "httperf": ("Connection time avg",)}
"""What is compared with the requests in the server's log, which miss the way there and back."""
WITHIN = 0.15

SHEET = Sheet(
    "Reports and request logs of ab, siege, httperf, h2load, loadtest, hey, wrk, Locust and "
    "autocannon, recorded for this lab on one server of known delays, 29 November 2026",
    [
        *(
            re_aggregated(
                f"{run.tool}, {field}, run '{run.sample}', from its own log",
                run.printed[field],
                run.command,
                partial(computed, run, field),
            )
            for run in recordings()
            for field in FIELDS.get(run.tool, ())
        ),
        *(
            same_method(
                f"{run.tool}, {field}, run '{run.sample}', from the server's log",
                run.printed[field],
                run.command,
                partial(computed, run, field),
                within=WITHIN,
            )
            for run in recordings()
            for field in AT_THE_SERVER.get(run.tool, ())
        ),
    ],
    unheld="Counts that a log has no column for, such as ab's failed requests, and rates whose "
    "length of the run stands in no log.",
)
