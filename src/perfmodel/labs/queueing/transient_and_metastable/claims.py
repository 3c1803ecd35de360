"""What is printed about metastable failures, and why ours can't be compared with it."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "N. Bronson, A. Aghayev, A. Charapko and T. Zhu, 'Metastable failures in distributed systems', "
    "HotOS 2021; L. Huang et al., 'Metastable failures in the wild', OSDI 2022",
    unheld="The first paper tells of a database that bears 300 queries a second and is sent 560 "
    "once each is asked twice: that it stays down then follows from the two numbers, so that a "
    "model which agrees shows nothing. The second counts outages and shows systems whose service "
    "times are not given. No threshold is printed with the inputs that lead to it. The fluid is "
    "compared with event simulation and with a service on your machine, whose thresholds could "
    "come out otherwise.",
)
