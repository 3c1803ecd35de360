"""The journal of a grading run: one line a result, so that a stopped run goes on where it was.

Lines are only appended, and each is on disk before the next submission counts as done. A line cut
short by a crash is left out when the journal is read again, and its submission is graded again.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from pathlib import Path
from typing import Any

from perfcourse.grading import Graded, as_record, from_record

VERSION = 1


class Journal:
    """Results by submission and file digest, kept in `FOLDER/journal.jsonl`."""

    def __init__(self, folder: Path, bank: Path, secret: str = "") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "journal.jsonl"
        self.secret = secret or _kept_secret(folder)
        self._of = _fingerprint(bank, self.secret)
        self._results: dict[tuple[str, str], Graded] = {}
        whole = self._read()
        self._file = open(self.path, "ab")  # noqa: SIM115
        self._file.truncate(whole)

    def _read(self) -> int:
        """Take in every whole line of this bank and secret; return their length in bytes."""
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
                self._results[graded.name, graded.digest] = graded
        except (ValueError, KeyError, TypeError):
            return

    def known(self, name: str, digest: str) -> Graded | None:
        """Return the result of a submission whose file had this digest, if it was graded."""
        return self._results.get((name, digest)) if digest else None

    def add(self, graded: Graded) -> None:
        """Append a result and wait until it is on disk."""
        entry = {"of": self._of, "result": as_record(graded)}
        self._file.write(json.dumps(entry).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self._results[graded.name, graded.digest] = graded

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _kept_secret(folder: Path) -> str:
    """Return the secret kept beside the journal, made at the first run."""
    path = folder / "secret.txt"
    if not path.exists():
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_hex(16) + "\n")
    return path.read_text().strip()


def _fingerprint(bank: Path, secret: str) -> str:
    words = hashlib.sha256(f"{VERSION}\0{secret}\0".encode() + bank.read_bytes())
    return words.hexdigest()[:32]
