"""The journal of a grading run: one line a result, so that a stopped run goes on where it was.

Lines are only appended, and each is on disk before the next submission counts as done. A line cut
short by a crash is left out when the journal is read again, and its submission is graded again.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from perfcourse.grading import Graded, as_record, from_record

SECRET = "secret.txt"


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
        whole = self._read()
        self._file = open(self.path, "ab")  # noqa: SIM115
        self._file.truncate(whole)

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
            entry: dict[str, Any] = json.loads(line)
            if entry["of"] == self._of:
                graded = from_record(entry["result"])
                self._results[graded.name, graded.digest, _told(entry["with"])] = graded
        except (ValueError, KeyError, TypeError):
            return

    def known(self, name: str, digest: str, versions: Mapping[str, str]) -> Graded | None:
        """Return the result of a submission whose file had this digest, if it was graded."""
        return self._results.get((name, digest, _told(versions))) if digest else None

    def add(self, graded: Graded, versions: Mapping[str, str]) -> None:
        """Append a result and wait until it is on disk."""
        entry = {"of": self._of, "with": dict(versions), "result": as_record(graded)}
        self._file.write(json.dumps(entry).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self._results[graded.name, graded.digest, _told(versions)] = graded

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _told(versions: Mapping[str, str]) -> str:
    return json.dumps(dict(versions), sort_keys=True)


def kept_secret(folder: Path) -> str:
    """Return the secret kept in `folder`, made at the first run.

    Raises
    ------
    ValueError
        The file is there but empty: an empty secret could be guessed.
    """
    path = folder / SECRET
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{SECRET}.part")
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(16) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    secret = path.read_text().strip()
    if not secret:
        raise ValueError(
            f"{path} must hold the seed of the hidden inputs, and is empty. Put it back, or delete "
            "the file: then a new one is made and every submission is graded again"
        )
    return secret
