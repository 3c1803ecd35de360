from importlib import import_module
from pathlib import Path

import pytest

from perfmodel.readers.counter_file import counted
from perfmodel.readers.detect import FAMILIES, detect
from perfmodel.readers.load_generators import FORMATS as LOADS, read_load_test
from perfmodel.readers.refusal import UnreadableFileError
from perfmodel.readers.timing import FORMATS as TIMES, read_timing

SAMPLES = Path(__file__).parent / "samples"
FILES = sorted(path for path in SAMPLES.iterdir() if path.suffix in (".txt", ".csv", ".json"))


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("hyperfine.json", "hyperfine JSON"),
        ("gbench.csv", "google-benchmark CSV"),
        ("ab.txt", "ab"),
        ("wrk2.txt", "wrk"),
        ("k6.json", "k6 JSON"),
        ("closed.jmva", "JMT .jmva"),
        ("drop.jsimg", "JMT .jsimg"),
        ("steps-de.csv", "CSV table"),
    ],
)
def test_a_file_is_known_by_its_content(name, format, tmp_path):
    renamed = tmp_path / "renamed.out"
    renamed.write_bytes((SAMPLES / name).read_bytes())
    assert detect(renamed) == format


def test_a_file_of_another_kind_is_refused_with_the_list():
    with pytest.raises(UnreadableFileError, match="a file of ab can't answer .*: CSV table"):
        detect(SAMPLES / "ab.txt", ("CSV table",))


def test_an_unknown_file_is_refused_with_the_list(tmp_path):
    path = tmp_path / "poem.txt"
    path.write_text("no numbers here\n")
    with pytest.raises(UnreadableFileError, match="no known format; read here: .*hyperfine JSON"):
        detect(path)


@pytest.mark.parametrize(
    ("text", "cure"),
    [("1,5", "run it with LC_ALL=C"), *((text, "measure again") for text in ("", "inf", "nan"))],
)
def test_a_cell_that_is_no_number_is_refused_with_its_cure(text, cure):
    with pytest.raises(UnreadableFileError, match=f"^a.txt, line 3: '{text}' is no number; {cure}"):
        counted(Path("a.txt"), 3, text)


def test_formats_have_one_name_each():
    names = [name for one in FAMILIES for name in import_module(f"perfmodel.readers.{one}").FORMATS]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("share", [0.03, 0.2, 0.5, 0.8, 0.95])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_truncated_file_is_refused_or_read_never_another_error(path, share, tmp_path):
    content = path.read_bytes()
    cut = tmp_path / path.name
    cut.write_bytes(content[: int(share * len(content))])
    told = refusal(cut)
    assert told is None or ("\n" not in told and path.name in told)


def refusal(path):
    """Return the sentence with which a file is refused, None if it is read."""
    try:
        format = detect(path)
        if format in TIMES:
            read_timing(path, format)
        elif format in LOADS:
            read_load_test(path, format)
    except UnreadableFileError as error:
        return str(error)
    return None
