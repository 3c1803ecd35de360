"""Numbers printed by nine load generators in three runs each, compared with their logs."""

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
"""Fields that each tool computes from the requests in its own log, by its own definition."""
AT_THE_SERVER = {"hey": ("Average", "95%"), "httperf": ("Connection time avg",)}
"""Fields that are compared with the server's log, which leaves out the time on the network."""
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
    unheld="We don't compare counts without a column in the log, such as ab's failed requests, or "
    "rates whose run length is in no log.",
)
