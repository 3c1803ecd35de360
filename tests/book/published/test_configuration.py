import pytest

from perfcourse.book.published import configuration


def config(url="", baseurl=""):
    return {
        "title": "A course",
        "repository": {"url": url, "branch": "main"},
        "html": {"baseurl": baseurl, "favicon": "f.svg"},
        "sphinx": {"extra_extensions": ["a"], "config": {"html_context": {"mode": "auto"}}},
    }


def test_without_an_address_there_are_no_buttons_no_sitemap_and_nobody_else_s_repository():
    done = configuration.completed(config(), {})
    assert done["repository"] == {"url": ""}
    assert "launch_buttons" not in done
    assert done["sphinx"]["extra_extensions"] == ["a"]
    assert "ogp_site_url" not in done["sphinx"]["config"]
    assert done["html"] == {"baseurl": "", "favicon": "f.svg"}


def test_with_a_repository_all_follows():
    done = configuration.completed(config("https://github.com/ada/course"), {"a.ipynb": "a.md"})
    assert done["html"]["baseurl"] == "https://ada.github.io/course/"
    assert done["html"]["favicon"] == "f.svg"
    assert done["sphinx"]["extra_extensions"] == ["a", "sphinx_sitemap", "sphinx.ext.githubpages"]
    context = done["sphinx"]["config"]["html_context"]
    assert context["mode"] == "auto"
    assert context["written"] == {"a.ipynb": "a.md"}
    assert "https://github.com/ada/course/edit/main/" in context["edit_page_url_template"]
    assert done["launch_buttons"]["colab_url"]


def test_gitlab_has_its_own_way_to_edit_and_no_colab():
    done = configuration.completed(config("https://gitlab.com/ada/course"), {})
    assert "/-/edit/main/" in done["sphinx"]["config"]["html_context"]["edit_page_url_template"]
    assert set(done["launch_buttons"]) == {"binderhub_url", "notebook_interface"}
    assert done["sphinx"]["extra_extensions"] == ["a", "sphinx_sitemap"]


def test_a_book_without_a_repository_has_a_sitemap_and_no_buttons():
    done = configuration.completed(config(baseurl="https://example.org/a"), {})
    assert done["sphinx"]["config"]["ogp_site_url"] == "https://example.org/a/"
    assert "sphinx_sitemap" in done["sphinx"]["extra_extensions"]
    assert "launch_buttons" not in done


def test_a_wrong_address_stops_the_build_with_its_value():
    with pytest.raises(ValueError, match="repository: url must be .* got 'course'"):
        configuration.completed(config("course"), {})


@pytest.mark.parametrize(
    ("host", "links"),
    [
        (
            "github",
            ["archive/refs/heads/main.zip", "codespaces.new/ada/course", "v2/gh/ada/course"],
        ),
        ("gitlab", ["-/archive/main/course-main.zip", "v2/gl/ada%2Fcourse/main"]),
    ],
)
def test_the_files_are_told_from_the_address(host, links):
    done = configuration.completed(config(f"https://{host}.com/ada/course"), {})
    told = done["parse"]["myst_substitutions"]["files"]
    assert f"git clone https://{host}.com/ada/course" in told
    for link in links:
        assert link in told
    assert ("codespaces" in told) == (host == "github")
