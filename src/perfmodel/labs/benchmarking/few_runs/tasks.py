"""What the reader does: an interaction from four times, and what a fraction confounds."""

from __future__ import annotations

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

interaction = Task(
    "The interaction of two settings",
    reference=lambda none, a, b, both: (none - a - b + both) / 4,
    cases=[(15.0, 45.0, 25.0, 75.0), (8.0, 6.0, 7.0, 1.0)],
    mistakes=mistakes(
        lambda none, a, b, both: none - a - b + both,
        "not divided: The signs are right. q is a mean over all runs: how many are there?",
        lambda none, a, b, both: (none - a - b + both) / 2,
        "halved: That is the whole step from -1 to +1, which other books call the effect. q is "
        "half of it: equation (2) divides by the number of runs.",
        lambda none, a, b, both: (both - none) / 4,
        "both alone: That is what both changes do together. The interaction is what is left when "
        "the two single changes are taken away from it.",
        lambda none, a, b, both: (a + both - none - b) / 4,
        "effect of A: That is qA: the runs with A at +1 less those at -1. The column of AB is the "
        "product of both columns: +1 where both levels are the same.",
        lambda none, a, b, both: (a + b - none - both) / 4,
        "opposite sign: Look at the signs: where both factors are at -1, the product is +1.",
    ),
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
    mistakes=mistakes(
        lambda effect, word: "".join(sorted(set(effect) | set(word))),
        "all letters: You kept the letters that stand in both. A column of -1 and +1 times itself "
        "is a column of 1: they vanish.",
        lambda effect, word: "".join(sorted(set(effect) & set(word))),
        "letters in both: Those are the letters that vanish. The others stay.",
        lambda effect, word: "".join(sorted(set(word) - set(effect))),
        "set minus set: You took the effect's letters from the word. That is right as long as the "
        "word holds them all: a letter of the effect that the word lacks stays as well.",
        lambda effect, word: "".join(
            [x for x in effect if x not in word] + [x for x in word if x not in effect]
        ),
        "the effect's letters first: The letters are right. Give them in alphabetical order.",
        lambda effect, word: "".join(
            [x for x in word if x not in effect] + [x for x in effect if x not in word]
        ),
        "the word's letters first: The letters are right. Give them in alphabetical order, not "
        "those of the word first.",
        lambda effect, word: "".join(set(effect) ^ set(word)),
        "not sorted: The letters are right, but a set has no order of its own: give them in "
        "alphabetical order.",
        lambda effect, word: effect + word,
        "written one after the other: That is the product before it is simplified: a letter that "
        "stands twice is 1.",
    ),
    hint="`set(effect) ^ set(word)` holds the letters that stand in one of the two only; give "
    "them in alphabetical order, as one text.",
    right="In a design with D = ABC a pair hides behind a pair: the sum of two interactions is "
    "all that eight runs can show.",
)
