"""Names of people as files carry them: in any order, without spaces, in small letters."""

from __future__ import annotations

import unicodedata

from perfcourse.isolation.untrusted import one_line


def squeezed(name: str) -> str:
    """Return a name's letters and digits, in small letters, without anything between them.

    >>> squeezed("O'Brien-Lee, Ada"), squeezed("lovelaceada")
    ('obrienleeada', 'lovelaceada')
    """
    text = unicodedata.normalize("NFKC", name).casefold()
    return "".join(filter(str.isalnum, text))


def names_of(name: str = "", first: str = "", last: str = "") -> frozenset[str]:
    """Return what a file of somebody may be called by, squeezed.

    Moodle writes the first name first and Canvas the last; where that one ends is unknown in a
    name of one piece, so its words may begin anywhere.

    >>> sorted(names_of("Ada King Lovelace"))
    ['adakinglovelace', 'kinglovelaceada', 'lovelaceadaking']
    >>> names_of("Lovelace, Ada") == names_of(first="Ada", last="Lovelace")
    True
    """
    if "," in name:
        last, _, first = name.partition(",")
        name = ""
    words = name.split()
    turned = {" ".join(words[turn:] + words[:turn]) for turn in range(len(words))}
    pairs = {f"{first} {last}", f"{last} {first}"}
    return frozenset(filter(None, map(squeezed, turned | pairs)))


def id_key(id: str) -> str:
    r"""Return a student's id as it is compared: as schools' systems read it.

    >>> id_key("ADA\n") == id_key("\uff41da")
    True
    """
    return unicodedata.normalize("NFKC", one_line(id)).casefold()
