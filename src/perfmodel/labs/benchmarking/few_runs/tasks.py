"""What the reader does: an interaction from four times, and what a fraction confounds."""

from __future__ import annotations

from perfmodel.tasks import Mistake, Task

interaction = Task(
    "The interaction of two settings",
    reference=lambda none, a, b, both: (none - a - b + both) / 4,
    cases=[(15.0, 45.0, 25.0, 75.0), (8.0, 6.0, 7.0, 1.0)],
    mistakes=[
        Mistake(
            "not divided",
            lambda none, a, b, both: none - a - b + both,
            "The signs are right. q is a mean over all runs: how many are there?",
        ),
        Mistake(
            "halved",
            lambda none, a, b, both: (none - a - b + both) / 2,
            "That is the whole step from -1 to +1, which other books call the effect. q is half "
            "of it: equation (2) divides by the number of runs.",
        ),
        Mistake(
            "both alone",
            lambda none, a, b, both: (both - none) / 4,
            "That is what both changes do together. The interaction is what is left when the two "
            "single changes are taken away from it.",
        ),
        Mistake(
            "effect of A",
            lambda none, a, b, both: (a + both - none - b) / 4,
            "That is qA: the runs with A at +1 less those at -1. The column of AB is the product "
            "of both columns: +1 where both levels are the same.",
        ),
        Mistake(
            "opposite sign",
            lambda none, a, b, both: (a + b - none - both) / 4,
            "Look at the signs: where both factors are at -1, the product is +1.",
        ),
    ],
    hint="Equation (2) with x = xA xB: the signs of the four runs are +, -, - and +.",
    right="It is 0 exactly when each change does the same whatever the other is set to. Then it is "
    "safe to tune one setting at a time; otherwise it depends on the corner that you start from.",
)


alias = Task(
    "What an effect is confounded with",
    reference=lambda effect, word: "".join(sorted(set(effect) ^ set(word))),
    cases=[
        ("AB", "ABCD"),
        ("A", "ABCD"),
        ("BD", "ABD"),
        ("ACE", "ABCDE"),
        ("AD", "ABCE"),
        ("AG", "BCDEF"),
    ],
    mistakes=[
        Mistake(
            "all letters",
            lambda effect, word: "".join(sorted(set(effect) | set(word))),
            "You kept the letters that stand in both. A column of -1 and +1 times itself is a "
            "column of 1: they vanish.",
        ),
        Mistake(
            "letters in both",
            lambda effect, word: "".join(sorted(set(effect) & set(word))),
            "Those are the letters that vanish. The others stay.",
        ),
        Mistake(
            "set minus set",
            lambda effect, word: "".join(sorted(set(word) - set(effect))),
            "You took the effect's letters from the word. That is right as long as the word holds "
            "them all: a letter of the effect that the word lacks stays as well.",
        ),
        Mistake(
            "the effect's letters first",
            lambda effect, word: "".join(
                [x for x in effect if x not in word] + [x for x in word if x not in effect]
            ),
            "The letters are right. Give them in alphabetical order.",
        ),
        Mistake(
            "the word's letters first",
            lambda effect, word: "".join(
                [x for x in word if x not in effect] + [x for x in effect if x not in word]
            ),
            "The letters are right. Give them in alphabetical order, not those of the word first.",
        ),
        Mistake(
            "not sorted",
            lambda effect, word: "".join(set(effect) ^ set(word)),
            "The letters are right, but a set has no order of its own: give them in alphabetical "
            "order.",
        ),
        Mistake(
            "written one after the other",
            lambda effect, word: effect + word,
            "That is the product before it is simplified: a letter that stands twice is 1.",
        ),
    ],
    hint="`set(effect) ^ set(word)` holds the letters that stand in one of the two only; give "
    "them in alphabetical order, as one text.",
    right="In a design with D = ABC a pair hides behind a pair: the sum of two interactions is "
    "all that eight runs can show.",
)
