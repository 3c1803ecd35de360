import pandas as pd
import pytest

from perfmodel.labs.prediction.shootout import record_nets
from perfmodel.labs.prediction.three_ways import contestants
from perfmodel.prediction.arena.contest import compete
from perfmodel.prediction.nets import learners, recorded


def test_every_data_set_says_where_its_scores_come_from():
    found = recorded.recorded()
    for name in found["dataset"].unique():
        about = recorded.recorded(name).attrs[name]
        assert {"jax", "jaxlib", "numpy"} <= set(about["provenance"]["versions"])
        entries = set(found.loc[found["dataset"] == name, "contestant"])
        assert set(about["settings"]) == entries
        assert not any("0x" in said for said in about["settings"].values())


def test_names_the_data_sets_that_there_are():
    with pytest.raises(ValueError, match="dataset must be one of matrix products.*got 'moon'"):
        recorded.recorded("moon")


def test_new_scores_replace_those_of_the_same_data_set(tmp_path):
    def scores(name, values):
        return pd.DataFrame({"dataset": name, "contestant": "net", "mape": values})

    path = tmp_path / "kept.csv"
    recorded.save(scores("a", [0.1, 0.2]), {"net": "old"}, {"jax": "1"}, path)
    recorded.save(scores("b", [0.3]), {"net": "other"}, {"jax": "1"}, path)
    recorded.save(scores("a", [0.4]), {"net": "new"}, {"jax": "2"}, path)
    found = recorded._load(path)
    assert found[["dataset", "mape"]].to_numpy().tolist() == [["b", 0.3], ["a", 0.4]]
    assert found.attrs["a"]["settings"] == {"net": "new"}
    assert found.attrs["a"]["provenance"]["versions"]["jax"] == "2"


def test_a_job_that_is_none_is_refused():
    with pytest.raises(SystemExit, match="job must be one of gemm-fp64, gemm-fp32, hosts"):
        record_nets.main(["moon"])


@pytest.mark.skipif(not learners.available(), reason="JAX is not installed: pip install jax")
def test_a_recorded_row_comes_out_again():
    data = contestants.dataset("fp64")
    entries = [one for one in record_nets.gemm_nets() if one.name == "refined x perceptron"]
    again = compete(data, entries, contestants.inside(data, [30], [0])).iloc[0]
    kept = recorded.recorded(data.name)
    (row,) = kept[
        (kept["contestant"] == "refined x perceptron")
        & (kept["split"] == "random")
        & (kept["points"] == 30)
        & (kept["seed"] == 0)
    ].to_dict("records")
    # Rounding in another order, on another processor, is amplified by training.
    assert again["mape"] == pytest.approx(row["mape"], rel=0.05)
