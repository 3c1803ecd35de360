"""A small assignment, as most are: six questions, answers of a line, nothing heavy to import."""

from perfcourse.bank import Bank, Mistake, array, function, number
from perfcourse.bank.properties import limit


def _drawn(rng):
    return {"work": rng.uniform(10.0, 90.0), "speed": rng.uniform(2.0, 9.0)}


bank = Bank(
    "small",
    "Work, speed and time",
    [
        function(
            "q1",
            "Time",
            answer="duration",
            reference=lambda work, speed: work / speed,
            inputs=_drawn,
            points=5,
            properties=[limit("no work", (0.0, 2.0), 1, "No work takes no time.")],
            mistakes=[
                Mistake("product", lambda work, speed: work * speed, "More speed, less time.")
            ],
        ),
        function(
            "q2",
            "Mean",
            answer="mean",
            reference=lambda values: sum(values) / len(values),
            inputs=lambda rng: {"values": [float(v) for v in rng.uniform(1, 9, 5)]},
            points=5,
        ),
        function(
            "q3",
            "Harmonic mean",
            answer="harmonic_mean",
            reference=lambda values: len(values) / sum(1 / value for value in values),
            inputs=lambda rng: {"values": [float(v) for v in rng.uniform(1, 9, 5)]},
            points=5,
        ),
        number(
            "q4",
            "Your time",
            answer="my_duration",
            reference=lambda work, speed: work / speed,
            inputs=_drawn,
            points=5,
        ),
        array(
            "q5",
            "Your times",
            answer="my_durations",
            reference=lambda work, speed: [work / (speed * n) for n in (1, 2, 4)],
            inputs=_drawn,
            points=5,
        ),
        number(
            "q6",
            "Your saving",
            answer="my_saving",
            reference=lambda work, speed: work / speed - work / (speed + 1),
            inputs=_drawn,
            points=5,
        ),
    ],
)
