"""Nothing is compared with published numbers: the system and its times are this project's own."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "R. Jain, 'The Art of Computer Systems Performance Analysis', Wiley, 1991, chapters 16 to 19; "
    "D. R. Jones, M. Schonlau and W. J. Welch, 'Efficient global optimization of expensive "
    "black-box functions', Journal of Global Optimization 13, 1998",
    unheld="The sources provide the methods. The tuned system, its 729 times and the searches on "
    "them are this project's own, so no publication has these numbers.",
)
