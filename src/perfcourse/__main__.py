"""Run the command as `python -m perfcourse`."""

from perfcourse.cli import main

if __name__ == "__main__":
    main(prog_name="perfcourse")
