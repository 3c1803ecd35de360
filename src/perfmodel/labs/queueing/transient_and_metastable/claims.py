"""Published numbers on metastable failures, and why no row compares with them."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "N. Bronson, A. Aghayev, A. Charapko and T. Zhu, 'Metastable failures in distributed systems', "
    "HotOS 2021; L. Huang et al., 'Metastable failures in the wild', OSDI 2022",
    unheld="The first paper describes a database with a capacity of 300 queries a second that "
    "gets 560 if each query is sent twice. That it stays down follows from these two numbers, so "
    "it tests no model. The second paper counts outages and shows systems without their service "
    "times. Neither prints a threshold with its inputs. The fluid is compared with an event "
    "simulation and with a service on your machine, which can contradict it.",
)
