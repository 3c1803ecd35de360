import numpy as np
import pytest

from perfmodel.labs.offloading.fuyou.folds import by_fold
from perfmodel.labs.offloading.fuyou.inputs import measured

STEPS = measured()


def test_each_fold_is_one_number_of_ssds_and_learns_from_all_others():
    seen = []

    def predict(kept, left):
        seen.append((set(kept.drives.tolist()), set(left.drives.tolist()), len(kept.rate)))
        return left.batch

    assert by_fold(predict) == pytest.approx(STEPS.batch)
    counts = {1.0, 2.0, 3.0, 6.0, 12.0}
    assert [asked for _, asked, _ in seen] == [{drives} for drives in sorted(counts)]
    assert all(learned == counts - asked for learned, asked, _ in seen)
    assert [kept for *_, kept in seen] == [17, 17, 17, 17, 12]


def test_predictions_stand_in_the_order_of_the_steps():
    found = by_fold(lambda kept, left: np.full(len(left.rate), kept.rate.mean()))
    for drives in (1, 12):
        mean = STEPS.rate[STEPS.drives != drives].mean()
        assert found[STEPS.drives == drives] == pytest.approx(mean)
