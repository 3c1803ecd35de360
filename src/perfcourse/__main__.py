"""The door of the `perfcourse` command: it opens, or says in one sentence what is missing."""

import signal
import sys


def main() -> None:
    """Run the command."""
    try:
        from perfcourse.commands.cli import main as command
    except ModuleNotFoundError as error:
        sys.exit(
            f"perfcourse needs {error.name}, of the extra 'course': pip install 'perfmodel[course]'"
        )
    except KeyboardInterrupt:
        print("Error: stopped before anything was begun", file=sys.stderr)
        sys.exit(128 + signal.SIGINT)
    command(prog_name="perfcourse")


if __name__ == "__main__":
    main()
