"""A table of frequencies is not read as weighted cases, or as single ones, by any source."""

import pytest

import howsure as hs

TRUE, SCORE, NUMBER = [0, 0, 0, 1, 1, 1], [1, 2, 3, 1, 2, 3], [30, 19, 8, 3, 15, 40]
RATERS, GRADES = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}, [1, 2, 3, 4, 5]
SOURCES = {
    "scores": (lambda **more: hs.scores(TRUE, SCORE, **more), NUMBER, "roc_auc"),
    "values": (lambda **more: hs.values(GRADES, **more), NUMBER[:5], "mean"),
    "outcomes": (lambda **more: hs.values([0, 1], **more), NUMBER[:2], "mean"),
    "ratings": (lambda **more: hs.ratings(RATERS, **more), NUMBER[:4], "percent_agreement"),
}


@pytest.mark.parametrize("name", SOURCES)
def test_numbers_of_cases_as_weights(name):
    """The interval would be that of a few cases; the remedy gives that of all, as repeated rows do."""
    source, number, metric = SOURCES[name]
    with pytest.raises(hs.HowsureError, match="no two lines are equal.*Give them as `counts`"):
        source(sample_weight=number)
    wide, right = (
        hs.estimate(source(**more), metric) for more in ({"sample_weight": number, "check": False}, {"counts": number})
    )
    assert wide.value == pytest.approx(right.value)
    assert wide.high - wide.low > 1.5 * (right.high - right.low)


def test_repeated_rows_are_those_of_counts():
    """An independent way to the interval of the table of frequencies."""
    rows = [each for each, times in zip(zip(TRUE, SCORE, strict=True), NUMBER, strict=True) for _ in range(times)]
    one = hs.estimate(hs.scores(*zip(*rows, strict=True)), "roc_auc")
    other = hs.estimate(hs.scores(TRUE, SCORE, counts=NUMBER), "roc_auc")
    assert (one.low, one.value, one.high) == pytest.approx((other.low, other.value, other.high))


@pytest.mark.parametrize(
    "call",
    [
        lambda: hs.scores(TRUE, [0.1, 0.22, 0.3, 0.41, 0.5, 0.36], sample_weight=NUMBER),
        lambda: hs.scores(TRUE, SCORE, sample_weight=[0.5, 1.5, 2.5, 4.5, 5, 6]),
        lambda: hs.scores(TRUE * 2, SCORE * 2, sample_weight=NUMBER * 2),
        lambda: hs.values([1.5, 2.25, 3, 4, 5.1], sample_weight=NUMBER[:5]),
        lambda: hs.values([1, 2, 4, 8], sample_weight=NUMBER[:4]),
        lambda: hs.values([0, 1, 1], sample_weight=[1, 2, 3]),
    ],
    ids=["other scores", "fractions", "repeated", "numbers", "no scale", "small"],
)
def test_weights_of_cases(call):
    """Weights may be whole numbers where the lines are cases."""
    call()


@pytest.mark.parametrize("name", ["n", "Freq"])
def test_numbers_of_cases_that_are_not_read(name):
    """A column of frequencies beside those that are read."""
    scores, grades = {"y": TRUE, "s": SCORE, name: NUMBER}, {"s": GRADES, name: NUMBER[:5]}
    for call in (
        lambda **more: hs.scores("y", "s", data=scores, **more),
        lambda **more: hs.values("s", data=grades, **more),
    ):
        with pytest.raises(
            hs.HowsureError, match=f"the column '{name}' seems to hold numbers of cases.*counts='{name}'"
        ):
            call()
        call(counts=name)
        call(check=False)
