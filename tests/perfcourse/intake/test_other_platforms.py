"""Downloads and tables of platforms other than Moodle in English and Canvas."""

from datetime import UTC, datetime

import pytest
from building import notebook
from downloads import RIGHT, WRONG, zipped

from perfcourse.intake.collection import Sources, collect
from perfcourse.intake.people.clock import read_time
from perfcourse.intake.people.roster import read_roster
from perfcourse.intake.submissions import opened

LOCAL = datetime(2026, 10, 5, 21, 14).astimezone()


def came(tmp_path, files, roster="", **more):
    (tmp_path / "in.zip").write_bytes(zipped(files))
    if roster:
        (tmp_path / "class.csv").write_text(roster, encoding="utf-8")
    known = read_roster(tmp_path / "class.csv") if roster else None
    return collect(tmp_path / "in.zip", "example", Sources(known, **more))


def test_blackboard_s_latest_attempt_counts_and_says_when(tmp_path):
    files = {
        "Ex 1_adal_attempt_2026-10-05-20-00-00.txt": b"Name: Ada (adal)",
        "Ex 1_adal_attempt_2026-10-05-20-00-00_example.ipynb": WRONG,
        "Ex 1_adal_attempt_2026-10-05-21-14-00.txt": b"Name: Ada (adal)",
        "Ex 1_adal_attempt_2026-10-05-21-14-00_my_work.ipynb": RIGHT,
    }
    collected = came(tmp_path, files, "id\nadal\n")
    (one,) = collected.submissions
    assert (collected.platform, one.student, one.handed_in) == ("blackboard", "adal", LOCAL)
    assert opened(one).data == RIGHT
    assert {file.why.partition(" by ")[0] for file in collected.left_out} == {
        "text typed into the platform",
        "replaced",
    }


def test_two_notebooks_of_blackboard_s_latest_attempt_are_for_the_student_to_choose(tmp_path):
    files = {
        f"Ex_adal_attempt_2026-10-05-2{n // 2}-00-00_{name}.ipynb": notebook(name)
        for n, name in enumerate("abc", 1)
    }
    collected = came(tmp_path, files)
    assert (
        "latest: Ex_adal_attempt_2026-10-05-21-00-00_b.ipynb, Ex"
        in collected.submissions[0].problem
    )
    assert [file.why.partition(" ")[0] for file in collected.left_out] == [
        "replaced",
        "nothing",
        "nothing",
    ]


@pytest.mark.parametrize("clock", ["914 PM", "0914 PM"])
def test_brightspace_s_latest_folder_counts(clock, tmp_path):
    files = {
        f"39-25 - Ada Lovelace - Oct 5, 2026 {clock}/x.ipynb": RIGHT,
        "39-25 - Ada Lovelace - Oct 4, 2026 1101 AM/x.ipynb": WRONG,
        "39-25 - Mary-Ann Smith - Oct 4, 2026 1201 AM/x.ipynb": RIGHT,
        "index.html": b"<html>",
    }
    collected = came(tmp_path, files, "id,name\nada,Ada Lovelace\nma,Mary-Ann Smith\n")
    ada, mary = sorted(collected.submissions, key=lambda one: one.student)
    assert (opened(ada).data, ada.handed_in) == (RIGHT, LOCAL)
    assert (mary.student, mary.listed, mary.handed_in.astimezone().hour) == ("ma", True, 0)
    assert "index.html" in [file.name for file in collected.left_out]


GRADESCOPE = """submission_1:
  :submitters:
  - :name: Ada Lovelace
    :sid: '1001'
    :email: ada@example.edu
  :created_at: 2026-10-05 21:14:00.000000000 Z
  :score: 0.0
submission_2:
  :submitters:
  - :name: Bo Li
    :sid: '1002'
    :email: bo@example.edu
  - :name: Cy Park
    :email: cy@example.edu
"""
EXPORT = {
    "assignment_7_export/submission_metadata.yml": GRADESCOPE.encode(),
    "assignment_7_export/submission_1/example.ipynb": RIGHT,
    "assignment_7_export/submission_2/example.ipynb": WRONG,
}


@pytest.mark.parametrize(
    ("roster", "ids"),
    [
        ("", ["1001", "1002", "cy@example.edu"]),
        (
            "First Name,Last Name,SID,Email,Role\nAda,Lovelace,1001,ada@example.edu,Student\n"
            "Bo,Li,1002,bo@example.edu,Student\nCy,Park,1003,cy@example.edu,Student\n"
            "Tea,Cher,9,t@example.edu,Instructor\n",
            ["1001", "1002", "1003"],
        ),
    ],
)
def test_gradescope_s_export_says_who_handed_in(roster, ids, tmp_path):
    collected = came(tmp_path, EXPORT, roster)
    assert sorted(one.student for one in collected.submissions) == ids
    assert all(one.listed for one in collected.submissions)
    assert collected.submissions[0].handed_in == datetime(2026, 10, 5, 21, 14, tzinfo=UTC)
    assert collected.absent == ()
    works = {one.work for one in collected.submissions}
    assert works == {"", "submission_2"}


def test_gradescope_s_list_that_is_broken_is_one_sentence(tmp_path):
    files = {**EXPORT, "assignment_7_export/submission_metadata.yml": b"- 1"}
    with pytest.raises(ValueError, match=r"submission_metadata\.yml must be as Gradescope exports"):
        came(tmp_path, files)


def test_cloned_repositories_are_known_by_their_login(tmp_path):
    files = {
        "hw-submissions/hw-ada-l/example.ipynb": RIGHT,
        "hw-submissions/hw-ada-l/.git/config": b"",
        "hw-submissions/hw-bo/example.ipynb": WRONG,
    }
    roster = (
        '"identifier","github_username","github_id","name"\n"s1","ada-l","1",""\n"s2","bo","2",""\n'
        '"s3","","",""\n'
    )
    collected = came(tmp_path, files, roster)
    assert sorted(one.student for one in collected.submissions) == ["s1", "s2"]
    assert [student.id for student in collected.absent] == ["s3"]


def test_clone_is_known_by_its_login_on_a_roster_of_one_s_own_and_no_other_folder_is(tmp_path):
    files = {"in/hw-ann/x.ipynb": RIGHT, "in/hw-ann/.git/config": b"", "in/mary-ann/x.ipynb": RIGHT}
    one, other = came(tmp_path, files, "id\nann\nbo\n").submissions
    assert (one.student, one.listed, other.listed) == ("ann", True, False)


LANGUAGES = {
    "de": (
        "ID,Vollständiger Name,E-Mail-Adresse,Status,Bewertung,Bestwertung,"
        "Bewertung kann geändert werden,Zuletzt geändert (Abgabe),Zuletzt geändert (Bewertung),"
        "Feedback als Kommentar",
        "Teilnehmer/in4711",
        "Montag, 5. Oktober 2026, 21:14",
        "Entwurf (nicht abgegeben)",
    ),
    "fr": (
        "Identifiant,Nom complet de l’utilisateur,Adresse de courriel,Statut,Note,Note maximale,"
        "La note peut être modifiée,Dernière modification (travail remis),"
        "Dernière modification (note),Feedback par commentaires",
        "Participant4711",
        "lundi 5 octobre 2026, 21:14",
        "Brouillon (non remis)",
    ),
    "es": (
        "Identificador,Nombre completo del usuario,Dirección de correo,Estado,Calificación,"
        "Calificación máxima,La calificación puede ser cambiada,Última modificación (entrega),"
        "Última modificación (calificación),Comentarios de retroalimentación",
        "Participante4711",
        "lunes, 5 de octubre de 2026, 21:14",
        "Borrador (no enviado)",
    ),
    "pt": (
        "Identificador,Nome completo do utilizador,E-mail,Estado,Avaliação,Nota máxima,"
        "A nota pode ser alterada.,Última atualização (submissão),Última atualização (avaliação),"
        "Comentários de feedback",
        "Participante4711",
        "segunda, 5 de outubro de 2026 às 21:14",
        "Trabalho em curso (não submetido)",
    ),
    "zh": (
        "标识符,用户全名,电子邮件地址,状态,成绩,最高分,允许更改成绩,上次修改（作业）,"
        "上次修改（评分）,反馈意见",
        "参与人4711",
        "2026年10月5日 星期一 21:14",
        "草稿（未提交）",
    ),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_worksheet_in_another_language(language, tmp_path):
    header, number, when, draft = LANGUAGES[language]
    line = [number, "Zoë Müller", "zoe@example.edu", "x", "", "10", "", f'"{when}"', "-", ""]
    other = [number.replace("4711", "4712"), "Bo Li", "bo@example.edu", draft, *[""] * 6]
    roster = "\n".join((header, ",".join(line), ",".join(other)))
    files = {
        "Zoë Müller_4711_assignsubmission_file/example.ipynb": RIGHT,
        "Bo Li_4712_assignsubmission_file/example.ipynb": RIGHT,
    }
    collected = came(tmp_path, files, roster)
    bo, zoe = collected.submissions
    assert collected.roster.form == "worksheet"
    assert (zoe.student, zoe.handed_in) == ("zoe@example.edu", LOCAL)
    assert "as a draft, not handed in" in bo.problem


def test_table_in_a_language_that_is_not_known_is_refused(tmp_path):
    roster = "Identificatore,Nome,Voto\nPartecipante 1,Ada,-\n"
    with pytest.raises(ValueError, match="'Identificatore', which no roster has"):
        came(tmp_path, {"a.ipynb": RIGHT}, roster)


@pytest.mark.parametrize("text", ["Montag, 5. Brumaire 2026, 21:14", "5 octobre, 21:14"])
def test_date_in_other_words_is_none(text):
    with pytest.raises(ValueError, match="a time must be like"):
        read_time(text)


BLIND = (
    "Identifier,Status,Grade,Maximum Grade,Grade can be changed,Last modified (submission),"
    "Last modified (grade),Feedback comments\nParticipant 4711,Submitted for grading,,10,Yes,-,-,\n"
    "Participant 4712,Submitted for grading,,10,Yes,-,-,\n"
)


@pytest.mark.parametrize(("second", "told"), [("bo", ""), ("ada", "as in another notebook")])
def test_anonymous_notebooks_are_graded_with_the_numbers_of_their_own_id(second, told, tmp_path):
    files = {
        f"Participant_{n}_assignsubmission_file/x.ipynb": notebook(f"STUDENT = {id!r}", str(n))
        for n, id in ((4711, "ada"), (4712, second))
    }
    collected = came(tmp_path, files, BLIND)
    assert [one.student for one in collected.submissions] == [
        "Participant 4711",
        "Participant 4712",
    ]
    assert [opened(one).student for one in collected.submissions] == ["ada", second]
    assert all(told in one.note and one.listed for one in collected.submissions)


def test_somebody_else_s_id_in_the_notebook_is_told(tmp_path):
    files = {"ada.ipynb": notebook('STUDENT = "bo"'), "bo.ipynb": notebook('STUDENT = "anyone"')}
    ada, bo = came(tmp_path, files, "id\nada\nbo\n").submissions
    assert ada.note == "Its STUDENT is 'bo', somebody else in the class."
    assert (bo.note, opened(ada).student) == ("", "ada")


@pytest.mark.parametrize("roster", ["", 'Student,ID,SIS Login ID,Section\n"Vrel, Ada",1,ada,A\n'])
def test_canvas_s_test_student_is_nobody(roster, tmp_path):
    files = {"studenttest_99_5_x.ipynb": RIGHT, "vrelada_1_6_x.ipynb": RIGHT}
    test, ada = came(tmp_path, files, roster).submissions
    assert "Canvas's test student" in test.note
    assert (test.listed, ada.listed) == (False, True)


def sakai(*rows, delimiter=","):
    """Return the table in the archive of "Download All"."""
    before = [["Ex 1", "SCORE_GRADE_TYPE"], [""]]
    header = ["Display ID", "ID", "Last Name", "First Name", "grade", "Submission", "Late"]
    lines = [delimiter.join(f'"{cell}"' for cell in row) for row in [*before, header, *rows]]
    return "\ufeff" + "\n".join(lines) + "\n"


ADA = ["alovelace", "alovelace", "Lovelace", "Ada", "", "2026-10-05T19:14:00Z", "On time"]
SAKAI = {
    "Ex 1/Lovelace, Ada(alovelace)/timestamp.txt": b"2026-10-05T19:14:00Z",
    "Ex 1/Lovelace, Ada(alovelace)/Submission attachment(s)/example.ipynb": RIGHT,
    "Ex 1/Lovelace, Ada(alovelace)/Feedback Attachment(s)/example.ipynb": WRONG,
    "Ex 1/Muller, Zoe(zm)/comments.txt": b"",
    "Ex 1/grades.csv": b"",
}


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_sakai_s_archive_and_its_grades(delimiter, tmp_path):
    zoe = ["zm", "zm", "Müller", "Zoë", "", "", "Unknown"]
    collected = came(tmp_path, SAKAI, sakai(ADA, zoe, delimiter=delimiter))
    (one,) = collected.submissions
    assert (collected.platform, one.student, opened(one).data) == ("sakai", "alovelace", RIGHT)
    assert one.handed_in == datetime(2026, 10, 5, 19, 14, tzinfo=UTC)
    assert [student.id for student in collected.absent] == ["zm"]
    assert {file.name.rpartition("/")[2]: file.why for file in collected.left_out} == {
        "grades.csv": "Sakai's list of the grades",
        "comments.txt": "Sakai has it of a student who hasn't handed in",
        "example.ipynb": "it was returned to the student",
        "timestamp.txt": "not a notebook",
    }


def test_sakai_s_archive_in_one_folder(tmp_path):
    start = "Ex/Lovelace, Ada(alovelace)_"
    files = {f"{start}Submission attachment(s)_my_work.ipynb": RIGHT}
    files |= {f"{start}_submissionText.html": b"", f"{start}comments.txt": b""}
    (one,) = came(tmp_path, files, sakai(ADA)).submissions
    assert (one.student, one.listed, opened(one).data) == ("alovelace", True, RIGHT)


UUID = "5e0c7a9d-0000-1111-2222-333344445555"


def test_sakai_s_anonymous_and_its_groups(tmp_path):
    hidden = [f"{UUID} anonymous", f"{UUID} anonymous", "anonymous", "anonymous", "", "", ""]
    folder = f"Ex/{UUID} anonymous"
    files = {f"{folder}/Submission attachment(s)/x.ipynb": notebook('STUDENT = "ada"')}
    (one,) = came(tmp_path, files, sakai(hidden)).submissions
    assert (one.student, one.as_student) == (f"{UUID} anonymous", "ada")
    files = {f"Ex/Team Red ({UUID})/Submission attachment(s)/x.ipynb": RIGHT}
    members = came(tmp_path, files, "id,group\nada,Team Red\nbo,Team Red\n").submissions
    assert [each.student for each in members] == ["ada", "bo"]


def test_sakai_s_list_of_groups_is_no_roster(tmp_path):
    table = f'"Ex","SCORE_GRADE_TYPE"\n""\n"Group","ID","Users","grade"\n"Red","{UUID}","Ada",""\n'
    with pytest.raises(ValueError, match="a line for each group, but a roster must have"):
        came(tmp_path, SAKAI, table)


def test_ilias_names_its_students_by_their_login(tmp_path):
    files = {
        "Ex/Submissions/Lovelace_Ada_ada_301/example.ipynb": RIGHT,
        "Ex/Submissions/Li_Bo_bo_li_302/Late Submission - x.ipynb": WRONG,
        "Ex/Ex.xlsx": b"PK",
    }
    collected = came(tmp_path, files, "login\nada\nbo_li\nli\ncy\n")
    assert collected.platform == "ilias"
    assert [each.student for each in collected.submissions] == ["bo_li", "ada"]
    assert [student.id for student in collected.absent] == ["li", "cy"]
    assert [file.why for file in collected.left_out] == ["ILIAS's list of what was handed in"]
    assert [each.student for each in came(tmp_path, files).submissions] == ["bo_li", "ada"]


def test_id_that_looks_like_a_folder_of_ilias_is_an_id(tmp_path):
    files = {f"{id}/x.ipynb": notebook(id) for id in ("st_a_ab_17", "st_b_ab_18")}
    collected = came(tmp_path, files, "id\nst_a_ab_17\nst_b_ab_18\n")
    assert [each.student for each in collected.submissions] == ["st_a_ab_17", "st_b_ab_18"]


def test_ilias_s_teams_are_groups(tmp_path):
    files = {
        "Ex/Submissions/Team 12/Lovelace_Ada_ada_301/x.ipynb": RIGHT,
        "Ex/Submissions/Team 13/Li_Bo_bo_302/x.ipynb": WRONG,
    }
    roster = "login,group\nada,Team 12\ncy,Team 12\nbo,Team 13\n"
    members = came(tmp_path, files, roster).submissions
    assert [each.student for each in members] == ["ada", "cy", "bo"]


def test_usernames_of_blackboard_may_have_underscores(tmp_path):
    files = {
        f"Ex_1_{id}_attempt_2026-10-05-20-00-00_x.ipynb": notebook(id)
        for id in ("ada_l", "bo_l", "l", "Group_A")
    }
    collected = came(tmp_path, files, "id,group\nada_l,\nbo_l,\nl,\ncy,Group_A\n")
    assert {each.student: opened(each).data for each in collected.submissions} == {
        "ada_l": notebook("ada_l"),
        "bo_l": notebook("bo_l"),
        "l": notebook("l"),
        "cy": notebook("Group_A"),
    }


def test_names_that_end_alike_are_never_one_student_s(tmp_path):
    """Without a roster nobody knows where a username begins: all are graded and told as twice."""
    for data in (notebook("x = 1"), notebook("x = 2")):  # the same code, and other code
        files = {
            "Ex_a_love_attempt_2026-10-05-20-00-00_x.ipynb": notebook("x = 1"),
            "Ex_b_love_attempt_2026-10-05-21-00-00_x.ipynb": data,
        }
        collected = came(tmp_path, files)
        assert {opened(each).data for each in collected.submissions} == set(files.values())
        assert len(collected.submissions) == 2
        assert collected.left_out == ()


def test_time_of_brightspace_in_another_language_is_one_sentence(tmp_path):
    files = {"397-255 - Ada Lovelace - 5 octobre 2026 21 14/x.ipynb": RIGHT, "index.html": b""}
    with pytest.raises(ValueError, match=r"looks like Brightspace's, but must end with a time"):
        came(tmp_path, files)


def test_grades_of_github_classroom_say_when_and_in_which_group(tmp_path):
    files = {
        "ex-submissions/ex-red-team/x.ipynb": RIGHT,
        "ex-submissions/ex-red-team/.git/config": b"",
    }
    roster = (
        "assignment_name,github_username,roster_identifier,student_repository_name,"
        "submission_timestamp,points_awarded,group_name\n"
        "ex,ada-l,s1,ex-red-team,2026-10-05 19:14:00 UTC,0,red-team\n"
        "ex,bo,s2,ex-red-team,2026-10-05T19:14:00Z,0,red-team\n"
    )
    members = came(tmp_path, files, roster).submissions
    assert [each.student for each in members] == ["s1", "s2"]
    assert {each.handed_in for each in members} == {datetime(2026, 10, 5, 19, 14, tzinfo=UTC)}


def test_grades_of_gradescope_are_a_roster(tmp_path):
    roster = (
        "First Name,Last Name,SID,Email,Total Score,Status,Submission ID,Submission Time\n"
        "Ada,Lovelace,1001,ada@example.edu,,Ungraded,1,2026-10-05 21:14:00 +0000\n"
        "Bo,Li,1002,bo@example.edu,,Ungraded,2,2026-10-05 21:14:00 +0000\n"
        "Cy,Park,1003,cy@example.edu,,Ungraded,2,\nDi,Oh,1004,di@example.edu,,Missing,,\n"
    )
    collected = came(tmp_path, EXPORT, roster)
    assert sorted(one.student for one in collected.submissions) == ["1001", "1002", "1003"]
    assert [student.id for student in collected.absent] == ["1004"]
