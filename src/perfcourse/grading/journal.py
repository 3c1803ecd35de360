"""The journal of a grading run: one line a result, so that a stopped run goes on where it was.

Lines are only appended, and each is on disk before the next submission counts as done. Each has a
check sum. A line that a crash cut short or that was changed later is left out when the journal is
read again, and its submission is graded again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from perfcourse.gradebook.checksums import parsed, sealed
from perfcourse.judge.result import Graded, as_record, from_record
from perfcourse.report.files import named


class Journal:
    """Results by submission and file digest, kept in `FOLDER/journal.jsonl`.

    `grounds` is the fingerprint of all else that decides a grade, and each result is kept with the
    versions of the libraries that its submission imports. Results that other grounds or versions
    led to stay in the file, and are known again when those are.
    """

    def __init__(self, folder: Path, grounds: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "journal.jsonl"
        self._of = grounds
        self._results: dict[tuple[str, str, str], Graded] = {}
        with named(self.path):
            self._length = self._read()
            self._file = open(self.path, "ab", buffering=0)  # noqa: SIM115
            self._file.truncate(self._length)

    def _read(self) -> int:
        """Take in every whole line of these grounds; return the length of all lines in bytes."""
        length = 0
        if self.path.exists():
            with self.path.open("rb") as file:
                for line in file:
                    if not line.endswith(b"\n"):
                        break
                    length += len(line)
                    self._take(line)
        return length

    def _take(self, line: bytes) -> None:
        try:
            entry = parsed(line)
            if entry["of"] == self._of:
                graded = from_record(entry["result"])
                self._results[graded.name, graded.digest, _told(entry["with"])] = graded
        except (ValueError, KeyError, TypeError):
            return

    def known(self, name: str, digest: str, versions: Mapping[str, str]) -> Graded | None:
        """Return the result of a submission whose file had this digest, if it was graded."""
        return self._results.get((name, digest, _told(versions))) if digest else None

    def add(self, graded: Graded, versions: Mapping[str, str]) -> None:
        """Append a result and wait until it is on disk; after an OSError the line is not in it."""
        entry = {"of": self._of, "with": dict(versions), "result": as_record(graded)}
        line = memoryview(json.dumps(sealed(entry)).encode() + b"\n")
        rest = line
        with named(self.path):
            try:
                while rest:
                    rest = rest[self._file.write(rest) :]
                os.fsync(self._file.fileno())
            except OSError:
                with suppress(OSError):
                    self._file.truncate(self._length)
                raise
        self._length += len(line)
        self._results[graded.name, graded.digest, _told(versions)] = graded

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _told(versions: Mapping[str, str]) -> str:
    return json.dumps(dict(versions), sort_keys=True)
