"""`python -m perfmodel` is the command `perfmodel`."""

from perfmodel.command import main

if __name__ == "__main__":
    main(prog_name="perfmodel")
