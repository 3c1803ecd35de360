import pandas as pd
import pytest

from perfmodel.labs.prediction.shootout import net_scores, record_nets
from perfmodel.labs.prediction.three_ways import contestants
from perfmodel.prediction.arena.contest import compete
from perfmodel.prediction.nets import learners


def test_every_data_set_says_where_its_scores_come_from():
    scores = net_scores.recorded_nets()
    for name in scores["dataset"].unique():
        about = net_scores.recorded_nets(name).attrs[name]
        assert {"jax", "jaxlib", "numpy"} <= set(about["provenance"]["versions"])
        entries = set(scores.loc[scores["dataset"] == name, "contestant"])
        assert set(about["settings"]) == entries
        assert not any("0x" in text for text in about["settings"].values())


def test_names_the_data_sets_that_there_are():
    with pytest.raises(ValueError, match="dataset must be one of matrix products.*got 'moon'"):
        net_scores.recorded_nets("moon")


def test_new_scores_replace_those_of_the_same_data_set(tmp_path):
    def scores(name, values):
        return pd.DataFrame({"dataset": name, "contestant": "net", "mape": values})

    path = tmp_path / "kept.csv"
    net_scores.save(scores("a", [0.1, 0.2]), {"net": "old"}, {"jax": "1"}, path)
    net_scores.save(scores("b", [0.3]), {"net": "other"}, {"jax": "1"}, path)
    net_scores.save(scores("a", [0.4]), {"net": "new"}, {"jax": "2"}, path)
    kept = net_scores._load(path)
    assert kept[["dataset", "mape"]].to_numpy().tolist() == [["b", 0.3], ["a", 0.4]]
    assert kept.attrs["a"]["settings"] == {"net": "new"}
    assert kept.attrs["a"]["provenance"]["versions"]["jax"] == "2"


def test_a_job_that_is_none_is_refused():
    with pytest.raises(SystemExit, match="job must be one of gemm-fp64, gemm-fp32, hosts"):
        record_nets.main(["moon"])


@pytest.mark.skipif(not learners.jax_installed(), reason="JAX is not installed: pip install jax")
def test_a_recorded_row_comes_out_again():
    data = contestants.dataset("fp64")
    entries = [net for net in record_nets.gemm_nets() if net.name == "six prices x perceptron"]
    again = compete(data, entries, contestants.inside(data, [30], [0])).iloc[0]
    kept = net_scores.recorded_nets(data.name)
    (row,) = kept[
        (kept["contestant"] == "six prices x perceptron")
        & (kept["split"] == "random")
        & (kept["points"] == 30)
        & (kept["seed"] == 0)
    ].to_dict("records")
    # Rounding in another order, on another processor, is amplified by training.
    assert again["mape"] == pytest.approx(row["mape"], rel=0.05)
