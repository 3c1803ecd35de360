"""Why no published number is compared with this lab."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "Y.-C. Lin, W. Kwon, R. Pineda, F. N. Paravecino, 'APEX: An Extensible and Dynamism-Aware "
    "Simulator for Automated Parallel Execution in LLM Serving', arXiv 2411.17651; its tables of "
    "collectives, https://github.com/microsoft/apex_plus",
    unheld="The tables are measurements and an input here. The authors interpolate in them and "
    "print neither a latency nor a bandwidth of a collective, so no published number tests our "
    "fits. Held-out rows test them instead. The tests count rounds and bytes of the schedules "
    "while real arrays move.",
)
