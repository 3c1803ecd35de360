"""The door of the `perfcourse` command: it opens, or says in one sentence what is missing."""

import sys
from importlib.util import find_spec

NEEDED = ("jinja2", "yaml")
"""Of the extra `course`, without which no command starts."""


def main() -> None:
    """Run the command."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        sys.exit(
            f"perfcourse needs {' and '.join(missing)}, of the extra 'course': "
            "pip install 'perfmodel[course]'"
        )
    from perfcourse.cli import main as command

    command(prog_name="perfcourse")


if __name__ == "__main__":
    main()
