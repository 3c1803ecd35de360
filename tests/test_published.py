"""Third-party data are found in the folder named, beside the checkout, in the cache, or packed."""

import published
import pytest
import required

from perfmodel import data

DATASET, FILE = "edge-queue", "trt_ps_validation.csv"


@pytest.fixture
def places(tmp_path, monkeypatch):
    """Folders for all places; only the packed copies are there at first."""
    monkeypatch.setattr(published, "BESIDE", tmp_path / "beside")
    monkeypatch.setattr(published.pooch, "os_cache", lambda name: tmp_path / "cache" / name)
    monkeypatch.setenv(data.FOLDER_VARIABLE, str(tmp_path / "named"))
    return [tmp_path / "named", tmp_path / "beside", tmp_path / "cache" / "perfmodel"]


def put(folder, content):
    (folder / DATASET).mkdir(parents=True)
    (folder / DATASET / FILE).write_bytes(content)


def test_every_place_is_looked_in_the_readers_own_first(places, tmp_path):
    packed = published.find(DATASET, FILE, tmp_path / "unpacked")
    assert packed == tmp_path / "unpacked" / DATASET / FILE
    for folder in reversed(places):
        put(folder, packed.read_bytes())
        assert published.find(DATASET, FILE, tmp_path) == folder / DATASET / FILE


def test_without_the_variable_the_cache_still_counts(places, tmp_path, monkeypatch):
    packed = published.find(DATASET, FILE, tmp_path)
    put(places[2], packed.read_bytes())
    monkeypatch.delenv(data.FOLDER_VARIABLE)
    assert published.find(DATASET, FILE, tmp_path) == places[2] / DATASET / FILE


def test_another_version_is_refused(places, tmp_path):
    put(places[0], b"seconds\n1.0\n")
    with pytest.raises(ValueError, match=f"{FILE} must have the SHA-256"):
        published.find(DATASET, FILE, tmp_path)


def test_what_is_nowhere_is_said_with_all_places(places, tmp_path, monkeypatch):
    monkeypatch.setattr(published, "COPIES", tmp_path / "copies")
    assert published.find(DATASET, FILE, tmp_path) is None
    said = published.missing(DATASET, FILE)
    assert said.startswith(f"third-party file {DATASET}/{FILE} is in none of")
    assert all(str(place) in said for place in [*places, tmp_path / "copies"])


def test_each_packed_file_is_declared_and_each_folder_has_its_row():
    readme = (published.COPIES / "README.md").read_text("utf-8")
    for packed in published.COPIES.glob("*/*.xz"):
        assert packed.stem in data.DATASETS[packed.parent.name].files
        assert data.DATASETS[packed.parent.name].address.rpartition("/")[2] in readme


@pytest.mark.parametrize(
    ("words", "outcome"),
    [("", "skip"), ("database browser", "skip"), ("data", "fail"), ("browser data", "fail")],
)
def test_absent_data_skip_a_test_unless_required(tmp_path, monkeypatch, words, outcome):
    monkeypatch.setattr(published, "find", lambda *of: None)
    monkeypatch.setenv("PERFCOURSE_REQUIRE", words)
    with pytest.raises(getattr(pytest, outcome).Exception, match=f"{DATASET}/{FILE} is in none of"):
        published.find_or_skip(DATASET, FILE, tmp_path)


def test_absent_jax_stops_the_tests_only_where_it_is_required(monkeypatch):
    monkeypatch.setattr(required, "find_spec", lambda name: None)
    for words in ("", "data browser", "html"):
        monkeypatch.setenv("PERFCOURSE_REQUIRE", words)
        required.stop_without_jax()
    monkeypatch.setenv("PERFCOURSE_REQUIRE", "data ml")
    with pytest.raises(pytest.UsageError, match="JAX is not installed"):
        required.stop_without_jax()
    monkeypatch.setattr(required, "find_spec", lambda name: name)
    required.stop_without_jax()
