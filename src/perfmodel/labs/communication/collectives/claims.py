"""Why no row of this lab can be compared with published numbers."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "Y.-C. Lin, W. Kwon, R. Pineda, F. N. Paravecino, 'APEX: An Extensible and Dynamism-Aware "
    "Simulator for Automated Parallel Execution in LLM Serving', arXiv 2411.17651; its tables of "
    "collectives, https://github.com/microsoft/apex_plus",
    unheld="The tables are measurements, and an input here. The authors interpolate in them and "
    "print neither a latency nor a bandwidth of a collective, so that our fits have nothing in "
    "print to be compared with. They are judged on rows that they haven't seen. Rounds and bytes "
    "of the schedules are counted by the tests while real arrays are moved.",
)
