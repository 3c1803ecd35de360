import pytest

from perfmodel import live
from perfmodel.labs.serving.kinetics.inputs import PRICE, model
from perfmodel.labs.serving.kinetics.token_bars import BARS, NAMES, TOKENS, parts, token_bars
from perfmodel.live.drawing import Box, Line
from perfmodel.serving import text_cost


@pytest.mark.parametrize("name", NAMES)
def test_bars_add_up_to_the_text(name):
    total = sum(sum(parts(name, place)) for place in range(BARS)) * TOKENS / BARS
    assert total == pytest.approx(float(text_cost(model(name).demand, 0, TOKENS, PRICE)))


@pytest.mark.parametrize("name", NAMES)
def test_two_boxes_a_bar_one_on_the_other(name):
    boxes = [s for s in token_bars(name, 500).shapes if isinstance(s, Box)][2:]
    assert len(boxes) == BARS
    for below, above in zip(boxes[::2], boxes[1::2], strict=True):
        assert above.y + above.height == pytest.approx(below.y)
        assert below.fill != above.fill
    heights = [box.height for box in boxes[1::2]]
    assert heights == sorted(heights)


def test_the_even_token_is_marked_once_it_is_written():
    def dashes(written):
        lines = [s for s in token_bars("8B", written).shapes if isinstance(s, Line)]
        return sum(line.style == "thin" for line in lines)

    assert dashes(600) == dashes(0) + 1
    assert token_bars("8B", 600).values["even at (tokens)"] == 196


def test_every_state_can_be_read():
    tokens = [float(t) for t in range(0, TOKENS + 1, 200)]
    live.drawing(
        token_bars,
        "c",
        "Bars that grow along the tokens of a text",
        name=live.Options("Model", {name: name for name in NAMES}),
        written=live.Slider("Tokens", tokens),
    )


def test_refuses():
    with pytest.raises(ValueError, match="written must be between 0 and 1000"):
        token_bars("8B", 2000)
