"""The secret seed of the hidden inputs, made at the first run and kept beside its results."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from perfcourse.report.files import named

SECRET = "secret.txt"


def kept_secret(folder: Path) -> str:
    """Return the secret kept in `folder`, made at the first run.

    An empty one, which could be guessed, is refused.
    """
    path = folder / SECRET
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{SECRET}.part")
        part.unlink(missing_ok=True)
        create = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with named(path), os.fdopen(os.open(part, create, 0o600), "w") as file:
            file.write(secrets.token_hex(16) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    with named(path):
        text = path.read_bytes().decode("utf-8", "replace").strip()
    if not text or not text.isprintable() or "\ufffd" in text:
        raise ValueError(
            f"{path} must hold the seed of the hidden inputs, and is "
            f"{'no text' if text else 'empty'}. Put it back, or delete the file: then a new one is "
            "made and every submission is graded again"
        )
    return text
