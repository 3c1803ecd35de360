"""What nine load generators print of a list of requests, by their definitions as seen in runs.

`requests` holds the list, `percentiles` the rules by name, one module a tool its report, and
`conversion` what can be computed from a report and what its tool has thrown away. A report is a
dictionary of the tool's own fields in SI units, rounded where the tool rounds.
"""
