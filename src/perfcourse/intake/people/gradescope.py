"""Whose the folders of Gradescope's "Export Submissions" are: by its `submission_metadata.yml`.

The file names for each folder the submitters, several where a group handed in, and the time::

    submission_4711:
      :submitters:
      - :name: Ada Lovelace
        :sid: '1001'
        :email: ada@example.edu
      :created_at: 2026-10-05 21:14:00.000000000 Z
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import yaml

METADATA = "submission_metadata.yml"


@dataclass(frozen=True)
class Submitters:
    """Who handed in a folder, and when."""

    people: tuple[tuple[str, ...], ...]
    """Of each: student id, e-mail and name, as far as they are known."""
    handed_in: datetime | None


def read_submitters(data: bytes) -> dict[str, Submitters]:
    """Return who handed in each folder."""
    try:
        return {str(name): _entry(entry) for name, entry in yaml.safe_load(data).items()}
    except (yaml.YAMLError, AttributeError, KeyError, TypeError, UnicodeError) as error:
        raise ValueError(
            f"{METADATA} must be as Gradescope exports it: {str(error)[:100]}"
        ) from None


def _entry(entry: dict[str, Any]) -> Submitters:
    people = tuple(
        tuple(str(person[key]) for key in (":sid", ":email", ":name") if person.get(key))
        for person in entry[":submitters"]
    )
    time = entry.get(":created_at")
    zoned = isinstance(time, datetime) and time.tzinfo
    return Submitters(people, time if zoned else None)
