import pytest

from perfcourse.release import address
from perfcourse.release.address import Address


def config(url="", branch="main", baseurl=""):
    return {"repository": {"url": url, "branch": branch}, "html": {"baseurl": baseurl}}


@pytest.mark.parametrize(
    ("url", "found"),
    [
        (
            "https://github.com/Ada/course",
            ("github", "Ada", "course", "https://ada.github.io/course"),
        ),
        ("https://github.com/ada/a.b/", ("github", "ada", "a.b", "https://ada.github.io/a.b")),
        ("https://gitlab.com/ada/c.git", ("gitlab", "ada", "c", "https://ada.gitlab.io/c")),
    ],
)
def test_all_follows_from_the_repository_s_address(url, found):
    host, owner, name, book = found
    assert address.read(config(url)) == Address(host, owner, name, "main", book)
    assert address.book(config(url)) == book


def test_a_book_elsewhere_is_where_it_is_said_to_be():
    elsewhere = config("https://github.com/ada/course", baseurl="https://example.org/a/")
    assert address.book(elsewhere) == "https://example.org/a"


def test_without_an_address_there_is_none():
    assert address.read({}) is address.read(config()) is None
    assert address.book({}) == address.book(config()) == ""


@pytest.mark.parametrize(
    "url",
    ["ada/course", "https://github.com/ada", "http://github.com/a/b", "https://example.org/a/b"],
)
def test_what_is_no_address_of_a_repository_is_refused(url):
    with pytest.raises(
        ValueError, match=f"url must be https://github.com/OWNER/NAME.* got '{url}'"
    ):
        address.read(config(url))


def test_a_branch_must_be_named():
    with pytest.raises(ValueError, match="branch must name a branch"):
        address.read(config("https://github.com/ada/course", branch=""))
