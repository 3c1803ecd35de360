"""What Moodle and Canvas let instructors download, of invented people: see samples/README.md."""

import io
import zipfile
from pathlib import Path

from building import notebook

SAMPLES = Path(__file__).parent / "samples"
RIGHT = notebook("def speedup(serial, n):\n    return 1 / (serial + (1 - serial) / n)")
WRONG = notebook("def speedup(serial, n):\n    return n + (1 - n) * serial")
DOWNLOADED = (2026, 10, 8, 9, 0, 0)
"""The time of every entry: both platforms write that of the download."""

MOODLE = {
    "Mira Okonkwo_4711_assignsubmission_file/example.ipynb": RIGHT,
    "Jonas OBrien-Lee_4712_assignsubmission_file/my work/final.ipynb": WRONG,
    "Jonas OBrien-Lee_4712_assignsubmission_onlinetext/onlinetext.html": b"<p>Late, sorry</p>",
    "Ana Maria del Rio_4713_assignsubmission_file/report.pdf": b"%PDF-1.7 ...",
    "Kim Park_4715_assignsubmission_file/example.ipynb": RIGHT,
    "Kim Park_4716_assignsubmission_onlinetext/onlinetext.html": b"<p>see attached</p>",
}
"""Since version 4.1; in folders."""
MOODLE_OLD = {
    f"{name.partition('/')[0]}_/{name.partition('/')[2]}": data for name, data in MOODLE.items()
}
MOODLE_FLAT = {
    f"{name.partition('/')[0]}_{name.rpartition('/')[2]}": data for name, data in MOODLE.items()
}
"""Where "Download submissions in folders" is off."""
CANVAS = {
    "okonkwomira_20101_555101_example.ipynb": RIGHT,
    "obrienleejonas_LATE_20102_555102_final.ipynb": WRONG,
    "delrioanamaria_20103_555103_report.pdf": b"%PDF-1.7 ...",
    "parkkim_20105_555105_example.ipynb": WRONG,
    "parkkim_20105_555205_example-1.ipynb": RIGHT,
    "parkkim_20106_text.html": b"<p>see attached</p>",
}


def zipped(files, time=DOWNLOADED):
    """Return files as the bytes of a zip archive whose entries all have one time."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name, time)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return stream.getvalue()


def unpacked(files, folder):
    """Write files into a folder, as unpacking the archive does."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder
