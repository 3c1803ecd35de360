import os
import struct
import zipfile
from datetime import UTC, datetime

import pytest
from building import notebook
from downloads import CANVAS, MOODLE, MOODLE_FLAT, MOODLE_OLD, RIGHT, SAMPLES, unpacked, zipped

from perfcourse.intake.collection import Sources, collect
from perfcourse.intake.people.roster import read_roster
from perfcourse.intake.submissions import opened

WORKSHEET = read_roster(SAMPLES / "moodle-worksheet.csv", zone=UTC)
GRADEBOOK = read_roster(SAMPLES / "moodle-gradebook.csv")
CANVAS_BOOK = read_roster(SAMPLES / "canvas-gradebook.csv")


@pytest.fixture(params=["folder", "archive"])
def downloaded(request, tmp_path):
    """Return a function that puts a download where it is collected, as folder or archive."""

    def put(files):
        if request.param == "folder":
            return unpacked(files, tmp_path / "in")
        (tmp_path / "in.zip").write_bytes(zipped(files))
        return tmp_path / "in.zip"

    return put


def by_student(collected):
    return {submission.student: submission for submission in collected.submissions}


@pytest.mark.parametrize("files", [MOODLE, MOODLE_OLD, MOODLE_FLAT])
def test_moodle_in_its_three_forms(files, downloaded):
    collected = collect(downloaded(files), "example", Sources(WORKSHEET))
    found = by_student(collected)
    assert collected.platform == "moodle"
    assert sorted(found) == ["s1001", "s1002", "s1003", "s1005", "s1006"]
    assert opened(found["s1001"]).data == RIGHT
    assert opened(found["s1002"]).file_name.endswith("final.ipynb")
    assert opened(found["s1003"]).data.startswith(b"%PDF")
    assert opened(found["s1006"]).problem.startswith("Text typed into the platform")
    assert found["s1002"].handed_in == datetime(2026, 10, 6, 1, 11, tzinfo=UTC)
    assert [student.id for student in collected.absent] == ["s1004"]
    assert all(submission.listed for submission in collected.submissions)


def test_canvas_with_late_and_resubmitted(downloaded):
    collected = collect(downloaded(CANVAS), "example", Sources(CANVAS_BOOK))
    found = by_student(collected)
    assert sorted(found) == ["adelrio", "jobrien", "kpark", "kpark2", "mokonkwo"]
    assert found["jobrien"].origin.late
    assert not found["mokonkwo"].origin.late
    assert opened(found["kpark"]).data == RIGHT
    (earlier,) = collected.left_out
    assert earlier.name == "parkkim_20105_555105_example.ipynb"
    assert earlier.why == "replaced by parkkim_20105_555205_example-1.ipynb, which is later"
    assert [student.id for student in collected.absent] == ["zmueller"]
    assert {submission.handed_in for submission in collected.submissions} == {None}


def test_time_in_the_archive_is_the_downloads_and_counts_only_when_asked(tmp_path):
    (tmp_path / "in.zip").write_bytes(zipped(CANVAS))
    asked = collect(tmp_path / "in.zip", "example", Sources(CANVAS_BOOK, file_times=True))
    times = {s.handed_in for s in asked.submissions if s.path}
    assert times == {datetime(2026, 10, 8, 9, 0).astimezone()}


def test_same_name_is_told_not_guessed(downloaded):
    collected = collect(downloaded(MOODLE), "example", Sources(GRADEBOOK))
    kim = by_student(collected)["Kim Park 4715"]
    assert "may be any of s1005, s1006. Say who with --students" in kim.note
    assert not kim.listed
    assert [student.id for student in collected.absent] == ["s1004"]
    table = {"Kim Park_4715_assignsubmission_file": "s1005"}
    told = collect(downloaded(MOODLE), "example", Sources(GRADEBOOK, table))
    assert by_student(told)["s1005"].listed


def test_worksheet_of_another_assignment_is_noticed(downloaded):
    """Each assignment of Moodle gives the same student another number."""
    files = {"Mira Okonkwo_4715_assignsubmission_file/example.ipynb": RIGHT}
    (submission,) = collect(downloaded(files), "example", Sources(WORKSHEET)).submissions
    assert "Is the roster of another assignment or course?" in submission.note
    assert not submission.listed


def test_hidden_names_are_found_by_number(downloaded):
    files = {"Participant_4715_assignsubmission_file/example.ipynb": RIGHT}
    (submission,) = collect(downloaded(files), "example", Sources(WORKSHEET)).submissions
    assert submission.student == "s1005"


def test_stranger_is_graded_and_told(downloaded):
    files = {"okonkwomira_20101_5_a.ipynb": RIGHT, "doejo_9_6_a.ipynb": RIGHT}
    found = by_student(collect(downloaded(files), "example", Sources(CANVAS_BOOK)))
    assert found["doejo 9"].note.startswith("Nobody on the roster is called 'doejo 9'")
    assert found["mokonkwo"].note == ""


def test_without_a_roster_names_and_numbers_tell_them_apart(downloaded):
    found = by_student(collect(downloaded(MOODLE), "example"))
    assert {"Kim Park 4715", "Kim Park 4716", "Mira Okonkwo 4711"} < set(found)


def test_platform_can_be_denied(downloaded):
    plain = collect(downloaded(CANVAS), "example", Sources(platform="none"))
    assert "okonkwomira_20101_555101_example" in by_student(plain)
    assert plain.platform == ""


def test_latest_number_counts_in_canvas(downloaded):
    files = {f"parkkim_1_{n}_{name}.ipynb": notebook(name) for n, name in [(5, "b"), (6, "a")]}
    collected = collect(downloaded(files), "example")
    (one,) = collected.submissions
    assert opened(one).data == notebook("a")
    (earlier,) = collected.left_out
    assert (earlier.name, earlier.notebook) == ("parkkim_1_5_b.ipynb", True)
    assert earlier.why == "replaced by parkkim_1_6_a.ipynb, which is later"


SPELLINGS = [
    "example (1)",
    "example-Copy1",
    "example_final",
    "example - Kopie",
    "Untitled",
    "old/x",
]
CHECKED = 'check = checker("example", student=STUDENT)'


@pytest.mark.parametrize("other", SPELLINGS)
@pytest.mark.parametrize("place", ["ada", "Ada Vrel_4711_assignsubmission_file", "class/ada"])
def test_latest_of_two_notebooks_is_asked_for_where_nothing_says_it(place, other, downloaded):
    """The name says nothing: a copy may be the older one, kept, or the newer one, downloaded."""
    files = {f"{place}/example.ipynb": notebook(CHECKED, "x = 1")}
    files |= {f"{place}/{other}.ipynb": notebook(CHECKED, "x = 2"), f"{place}/notes.txt": b"hi"}
    files |= {"zed.ipynb": RIGHT} if place == "ada" else {}
    collected = collect(downloaded(files), "example")
    one = collected.submissions[0]
    assert one.path is None
    assert one.problem.startswith("Several notebooks were handed in, and nothing says which")
    assert f"{other}.ipynb" in one.problem
    told = {file.name.rpartition("/")[2]: file.why for file in collected.left_out}
    assert told.pop("notes.txt") == "not a notebook"
    assert set(told.values()) == {"nothing says which is the latest"}
    assert len(told) == 2


@pytest.mark.parametrize("hours", [(1, 2), (2, 1)])
def test_latest_of_two_notebooks_counts_where_files_tell_the_time(hours, tmp_path):
    for name, hour in zip(("example.ipynb", "example (1).ipynb"), hours, strict=True):
        path = tmp_path / "ada" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(notebook(name))
        os.utime(path, (hour * 3600, hour * 3600))
    (tmp_path / "zed.ipynb").write_bytes(RIGHT)
    one, _ = collect(tmp_path, "example", Sources(file_times=True)).submissions
    assert one.path.name == ("example (1).ipynb" if hours[1] == 2 else "example.ipynb")


def test_notebook_of_the_exercise_goes_before_others_whatever_its_name(downloaded):
    files = {
        "ada/final.ipynb": notebook(CHECKED),
        "ada/example.ipynb": notebook("print(1)"),
        "ada/roofline.ipynb": notebook('check = checker("roofline", student=STUDENT)'),
        "zed.ipynb": RIGHT,
    }
    collected = collect(downloaded(files), "example")
    assert opened(collected.submissions[0]).data == notebook(CHECKED)
    assert {file.why for file in collected.left_out} == {"it isn't the exercise on example"}


def test_same_code_twice_is_no_question(downloaded):
    files = {"ada/example.ipynb": RIGHT, "ada/example (1).ipynb": RIGHT, "zed.ipynb": RIGHT}
    collected = collect(downloaded(files), "example")
    assert opened(collected.submissions[0]).data == RIGHT
    (copy,) = collected.left_out
    assert copy.why.startswith("the same code as ada/example")


def test_notebook_in_the_students_archive_beside_one_outside_is_seen(downloaded):
    inner = zipped({"work/example.ipynb": notebook("new"), "work/data.csv": b"1"})
    files = {"ada/example.ipynb": notebook("old"), "ada/all.zip": inner, "zed.ipynb": RIGHT}
    collected = collect(downloaded(files), "example")
    assert "all.zip/work/example.ipynb" in collected.submissions[0].problem
    assert ("ada/all.zip/work/data.csv", "not a notebook") in [
        (file.name, file.why) for file in collected.left_out
    ]


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("max (1)", ""),
        ("max-Copy2", ""),
        ("max (1) (1)", ""),
        ("max copy 2", ""),
        ("max (Kopie)", ""),
        ("max 的副本", ""),
        ("max+1", ""),
        ("max-checkpoint", ""),
        ("Kopie von max", ""),
        ("Copy of max (1)", ""),
        ("max-v2-FINAL", "It is called 'max-v2-FINAL' and treated as max's."),
        ("max_final", "It is called 'max_final' and treated as max's."),
        ("max-2", "It is called 'max-2' and treated as max's."),
    ],
)
def test_mark_of_a_program_says_whose_copy_it_is_and_one_of_a_person_is_told(name, note, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / f"{name}.ipynb").write_bytes(RIGHT)
    (tmp_path / "class.csv").write_text("id\nmax\nmo\n")
    sources = Sources(read_roster(tmp_path / "class.csv"))
    (one,) = collect(tmp_path / "in", "example", sources).submissions
    assert (one.student, one.listed, one.note) == ("max", True, note)


def test_copy_at_the_top_is_the_same_students(downloaded):
    files = {"max.ipynb": notebook("1"), "max (1).ipynb": notebook("2")}
    found = collect(downloaded(files), "example").submissions
    assert [submission.student for submission in found] == ["max", "max"]


@pytest.mark.parametrize(
    "name", ["ada.ipynb.txt", "ada.ipynb.json", "ada.IPYNB", "ada.ipynb.ipynb"]
)
def test_ending_that_a_browser_adds(name, downloaded):
    (one,) = collect(downloaded({name: RIGHT}), "example").submissions
    assert (one.student, one.listed, opened(one).data) == ("ada", True, RIGHT)


@pytest.mark.parametrize(
    ("outer", "archive"),
    [
        ("handed-in/", "handed-in (1).zip"),
        ("handed-in/", "week3.zip"),
        ("a/b/", "week3.zip"),
        ("repos/", "x.zip"),
    ],
)
def test_folder_around_a_class_is_nobody(outer, archive, tmp_path):
    files = {f"{outer}{name}": RIGHT for name in ("ada.ipynb", "bob/x.ipynb", "cyd/example.ipynb")}
    (tmp_path / archive).write_bytes(zipped(files))
    unpacked(files, tmp_path / "folder")
    for place in (archive, "folder"):
        found = collect(tmp_path / place, "example").submissions
        assert [submission.student for submission in found] == ["ada", "bob", "cyd"]


def test_roster_tells_a_students_folder_from_one_around_students(tmp_path):
    (tmp_path / "class.csv").write_text("id\nada\nbob\n")
    sources = Sources(read_roster(tmp_path / "class.csv"))
    cases = {
        "in/ada.ipynb": ["ada"],
        "ada/x.ipynb": ["ada"],
        "ada/bob.ipynb": ["ada"],
        "ada/a.ipynb": ["ada"],
    }
    for n, (name, students) in enumerate(cases.items()):
        (tmp_path / f"{n}.zip").write_bytes(zipped({name: RIGHT}))
        found = collect(tmp_path / f"{n}.zip", "example", sources).submissions
        assert [submission.student for submission in found] == students


def test_names_in_utf8_are_read_whatever_their_flag_says(tmp_path):
    """zipfile sets the flag where a name isn't ASCII; many programs don't."""
    people = {"Zoë Müller": 4714, "Mira Okonkwo": 4711}
    files = {f"{name}_{n}_assignsubmission_file/example.ipynb": RIGHT for name, n in people.items()}
    data = bytearray(zipped(files))
    for start, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(start)
        while at >= 0:
            data[at + place + 1] &= 0xF7
            at = data.find(start, at + 4)
    (tmp_path / "in.zip").write_bytes(data)
    found = collect(tmp_path / "in.zip", "example", Sources(WORKSHEET)).submissions
    assert {submission.student for submission in found} == {"s1001", "s1004"}
    assert all(opened(submission).data == RIGHT for submission in found)


def test_name_that_info_zip_keeps_in_utf8_is_read(tmp_path):
    info = zipfile.ZipInfo("Zo? Mueller_4714_assignsubmission_file/example.ipynb")
    name = "Zoë Müller_4714_assignsubmission_file/example.ipynb".encode()
    info.extra = struct.pack("<HHB4x", 0x7075, 5 + len(name), 1) + name
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as archive:
        archive.writestr(info, RIGHT)
    (one,) = collect(tmp_path / "in.zip", "example", Sources(WORKSHEET)).submissions
    assert (one.student, opened(one).data) == ("s1004", RIGHT)


def test_backslashes_are_slashes(tmp_path):
    files = {"ada\\example.ipynb": RIGHT, "bob\\work\\example.ipynb": RIGHT, "cyd\\": b""}
    (tmp_path / "in.zip").write_bytes(zipped(files))
    found = collect(tmp_path / "in.zip", "example").submissions
    assert [submission.student for submission in found] == ["ada", "bob"]
    assert all(opened(submission).data == RIGHT for submission in found)


@pytest.mark.parametrize("name", ["park_1_5_work.zip", "Kim_1_assignsubmission_file/work.zip"])
def test_students_own_archive_in_the_platforms(name, downloaded):
    inner = zipped({"work/example.ipynb": RIGHT, "work/data.csv": b"1"})
    (submission,) = collect(downloaded({name: inner}), "example").submissions
    assert submission.origin is not None
    assert opened(submission).data == RIGHT


def test_file_in_an_archive_that_is_too_long_costs_its_student_only(tmp_path):
    files = {"a_1_1_x.ipynb": bytes(20 * 2**20), "b_2_2_x.ipynb": RIGHT}
    (tmp_path / "in.zip").write_bytes(zipped(files))
    first, second = map(opened, collect(tmp_path / "in.zip", "example").submissions)
    assert "holds a file of 20 MB; 16 is the most" in first.problem
    assert second.data == RIGHT


def test_folder_around_everything_is_left_out(tmp_path):
    (tmp_path / "in.zip").write_bytes(zipped({"in/ada.ipynb": RIGHT, "in/bob/x.ipynb": RIGHT}))
    assert sorted(by_student(collect(tmp_path / "in.zip", "example"))) == ["ada", "bob"]
    wrapped = zipped({f"week 1/{name}": data for name, data in MOODLE.items()})
    (tmp_path / "other.zip").write_bytes(wrapped)
    assert len(collect(tmp_path / "other.zip", "example", Sources(WORKSHEET)).submissions) == 5


def test_latest_of_several_counts_where_times_are_known(tmp_path):
    for name, hour in (("ada.ipynb", 1), ("again.ipynb", 3), ("between.ipynb", 2)):
        (tmp_path / name).write_bytes(notebook(name))
        os.utime(tmp_path / name, (hour * 3600, hour * 3600))
    table = {"again": "ADA", "between.ipynb": "ada\n"}
    timed = collect(tmp_path, "example", Sources(students=table, file_times=True))
    assert [submission.name for submission in timed.submissions] == ["again.ipynb"]
    assert [earlier.name for earlier in timed.left_out] == ["ada.ipynb", "between.ipynb"]
    unknown = collect(tmp_path, "example", Sources(students=table))
    assert len(unknown.submissions) == 3
    assert unknown.left_out == ()


def test_equal_times_decide_nothing(tmp_path):
    for name in ("ada.ipynb", "ada (1).ipynb"):
        (tmp_path / name).write_bytes(notebook(name))
        os.utime(tmp_path / name, (3600, 3600))
    assert len(collect(tmp_path, "example", Sources(file_times=True)).submissions) == 2
    table = Sources(students={"ada (1).ipynb": "ada"}, file_times=True)
    collected = collect(tmp_path, "example", table)
    assert [each.name for each in collected.submissions] == ["ada (1).ipynb"]
    assert [file.why for file in collected.left_out] == ["another file was chosen with --students"]


def test_same_code_at_the_top_is_no_question(downloaded):
    files = {"max.ipynb": RIGHT, "max (1).ipynb": RIGHT, "Kopie von max.ipynb": RIGHT}
    collected = collect(downloaded(files), "example")
    assert [each.name for each in collected.submissions] == ["Kopie von max.ipynb"]
    assert {file.why for file in collected.left_out} == {"the same code as Kopie von max.ipynb"}


def test_latest_number_counts_whichever_member_of_a_group_handed_in(downloaded, tmp_path):
    (tmp_path / "class.csv").write_text("id,name,group\nada,A B,Red\nben,C D,Red\n")
    files = {"red_1_55_x.ipynb": notebook("1"), "red_2_56_x.ipynb": notebook("2")}
    sources = Sources(read_roster(tmp_path / "class.csv"))
    collected = collect(downloaded(files), "example", sources)
    assert [opened(each).data for each in collected.submissions] == [notebook("2")] * 2
    assert {file.name for file in collected.left_out} == {"red_1_55_x.ipynb"}


@pytest.mark.parametrize("name", ["nobody.ipynb", "adda"])
def test_mapped_file_that_is_not_there(name, tmp_path):
    (tmp_path / "ada.ipynb").write_bytes(RIGHT)
    with pytest.raises(ValueError, match=f"names '{name}', which is not in"):
        collect(tmp_path, "example", Sources(students={name: "a1"}))


def test_stray_file_is_listed_but_in_no_gradebook(tmp_path):
    for name in ("ada.ipynb", "scores.py", "notes.csv", "bob.zip", "j.doe"):
        (tmp_path / name).write_bytes(RIGHT) if name != "j.doe" else (tmp_path / name).mkdir()
    found = collect(tmp_path, "example").submissions
    unlisted = [submission.name for submission in found if not submission.listed]
    assert unlisted == ["notes.csv", "scores.py"]


def test_archive_that_is_refused_is_one_sentence(tmp_path):
    (tmp_path / "in.zip").write_bytes(zipped({"../x.ipynb": RIGHT}))
    (tmp_path / "in.csv").write_text("a,b")
    with pytest.raises(ValueError, match=r"but .*in.zip holds a path that leads out of it"):
        collect(tmp_path / "in.zip", "example")
    with pytest.raises(ValueError, match=r"a folder or a zip archive, but .*in.csv is broken"):
        collect(tmp_path / "in.csv", "example")


def test_anonymous_canvas_is_nobody_until_it_is_told(downloaded):
    files = {"anon_x7Pq2_555_a.ipynb": RIGHT, "LATE_anon_b3Kc9_556_a.ipynb": RIGHT}
    found = collect(downloaded(files), "example", Sources(CANVAS_BOOK)).submissions
    assert [submission.student for submission in found] == ["b3Kc9", "x7Pq2"]
    assert [submission.origin.late for submission in found] == [True, False]
    assert not any(submission.listed for submission in found)


def test_class_of_150_in_one_archive(tmp_path):
    files = {f"doe{n}_{n}_{n}_example.ipynb": notebook(str(n)) for n in range(1000, 1150)}
    (tmp_path / "in.zip").write_bytes(zipped(files))
    submissions = collect(tmp_path / "in.zip", "example").submissions
    assert [submission.student for submission in submissions] == [
        f"doe{n} {n}" for n in range(1000, 1150)
    ]
    assert all(opened(submission).data == files[submission.name] for submission in submissions)


def test_nobody_hands_in_for_another_by_a_clever_name(downloaded):
    """Canvas lets people choose names, and writes the number behind them."""
    files = {"mallory_20101_30001_555_x.ipynb": notebook("1"), "okonkwomira_20101_7_x.ipynb": RIGHT}
    collected = collect(downloaded(files), "example", Sources(CANVAS_BOOK))
    found = by_student(collected)
    assert opened(found["mokonkwo"]).data == RIGHT
    assert "Number 20101 is mokonkwo on the roster, but 'mallory'" in found["mallory 20101"].note
    assert collected.left_out == ()


def test_own_roster_may_have_the_platforms_numbers(downloaded, tmp_path):
    (tmp_path / "class.csv").write_text("id,canvas id\nm1,20101\n")
    sources = Sources(read_roster(tmp_path / "class.csv"))
    files = {"okonkwomira_20101_7_x.ipynb": RIGHT}
    assert list(by_student(collect(downloaded(files), "example", sources))) == ["m1"]


def test_instructor_says_which_of_two_notebooks_counts(downloaded):
    files = {
        "ada/example.ipynb": notebook("old"),
        "ada/example (1).ipynb": notebook("new"),
        "bob.ipynb": RIGHT,
    }
    table = {"ada/example (1).ipynb": "ada"}
    collected = collect(downloaded(files), "example", Sources(students=table))
    ada, bob = collected.submissions
    assert (ada.student, bob.student, opened(ada).data) == ("ada", "bob", notebook("new"))
    assert [file.why for file in collected.left_out] == ["another file was chosen with --students"]


MEMBERS = {f"Ada Vrel_{n}_assignsubmission_file/x.ipynb": RIGHT for n in (1, 2)}


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({"week 1.zip": zipped(MEMBERS)}, "week 1.zip"),
        ({"week 1.zip": zipped(MEMBERS), "Grades.csv": b"1"}, "week 1.zip"),
        ({f"{week}/{name}": RIGHT for week in "ab" for name in MEMBERS}, "a"),
        ({"class.zip": zipped({"ada.ipynb": RIGHT, "bob.ipynb": RIGHT})}, "class.zip"),
    ],
)
def test_download_among_others_is_asked_for_alone(files, name, downloaded, tmp_path):
    (tmp_path / "class.csv").write_text("id\nada\nbob\n")
    sources = Sources(read_roster(tmp_path / "class.csv"))
    with pytest.raises(ValueError, match=rf"holds {name}, which is itself a download of several"):
        collect(downloaded(files), "example", sources)


def test_download_without_files_is_refused(downloaded):
    with pytest.raises(ValueError, match="but .* holds none"):
        collect(downloaded({".DS_Store": b""}), "example")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"Rar!\x1a\x07", "is an archive that isn't zip. Unpack it and give the folder"),
        (b"<!DOCTYPE html><html>", "is a web page. Download it again"),
        (zipped(MEMBERS)[:-30], r"is broken \(.*\). Download it again"),
    ],
)
def test_other_than_a_download_is_one_sentence(data, says, tmp_path):
    (tmp_path / "in.zip").write_bytes(data)
    with pytest.raises(ValueError, match=says):
        collect(tmp_path / "in.zip", "example")


def test_archives_that_are_not_opened_are_named_as_work(downloaded):
    inner = zipped({"all.zip": zipped({"x.ipynb": RIGHT}), "__MACOSX/._all.zip": b""})
    files = {"ada/example.ipynb": RIGHT, "ada/work.rar": b"Rar!\x1a\x07", "ada/more.zip": inner}
    collected = collect(downloaded({**files, "zed.ipynb": RIGHT}), "example")
    assert {file.name: (file.notebook, file.why[:42]) for file in collected.left_out} == {
        "ada/work.rar": (True, "This is an archive that isn't zip. Unpack "),
        "ada/more.zip/all.zip": (True, "This is an archive. Unpack it and hand in "),
        "ada/more.zip/__MACOSX/._all.zip": (False, "a program left it there"),
    }


def test_name_that_macos_decomposes_is_found_in_every_table(tmp_path):
    (tmp_path / "in" / "Zoe\u0308").mkdir(parents=True)
    (tmp_path / "in" / "Zoe\u0308" / "x.ipynb").write_bytes(RIGHT)
    (tmp_path / "in" / "bob.ipynb").write_bytes(RIGHT)
    sources = Sources(students={"Zo\u00eb": "z1"})
    assert set(by_student(collect(tmp_path / "in", "example", sources))) == {"z1", "bob"}
