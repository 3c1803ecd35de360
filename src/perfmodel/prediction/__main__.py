"""A contest on your own runs: `python -m perfmodel.prediction --help` says how."""

from perfmodel.prediction.own_data.command import main

if __name__ == "__main__":
    main(prog_name="python -m perfmodel.prediction")
