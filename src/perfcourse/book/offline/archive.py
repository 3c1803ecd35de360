"""The built pages in one archive, to hand out: unpacked, they work without a network."""

from __future__ import annotations

import zipfile
from pathlib import Path

NAME = "performance-models"
"""The archive's name, and the folder that it unpacks to."""
_MOMENT = (1980, 1, 1, 0, 0, 0)
"""The time of each entry, so that the same pages make the same archive."""


def archive(project: Path) -> Path:
    """Write the built book to `_build/performance-models.zip` and return the file."""
    html = project / "_build" / "html"
    if not (html / "index.html").is_file():
        raise FileNotFoundError("there is no built book yet: run `make book` first")
    target = html.with_name(f"{NAME}.zip")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(path for path in html.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(f"{NAME}/{path.relative_to(html).as_posix()}", _MOMENT)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            packed.writestr(entry, path.read_bytes())
    return target
