"""The alternative annotator test: whether a model can replace human annotators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.comparison.multiplicity import adjusted_p_values
from howsure.designs.variance_details import VarianceDetails
from howsure.errors import HowsureError, real_number, whole_number
from howsure.estimates.estimate import Estimate
from howsure.estimates.estimation import estimate
from howsure.estimates.grouped import apply_by_group
from howsure.grids import Tabular
from howsure.metrics.one_rater import Contests, average_advantage, chosen, contests
from howsure.metrics.rating_weights import IDENTITY, weights_of
from howsure.metrics.registry import REGISTRY
from howsure.metrics.scored import of_cells
from howsure.metrics.spec import Spec
from howsure.tables.protocols import effective_sample_size
from howsure.tables.ratings import RatingsTable
from howsure.tables.table import require_table

ENOUGH = 0.5  # proportion of the annotators that the model has to equal
NEEDS = "`alt_test` takes a table of ratings of the model and of people, as `ratings` makes it."


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class AltTest(Tabular):
    """Whether a model annotates as well as people do, by the alternative annotator test.

    Parameters
    ----------
    rater : str
        The model.
    epsilon : float
        Largest acceptable advantage of a person over the model, as a probability, to allow for the cost of people.
    winning_rate : float
        Proportion of the annotators that the model equals: the null hypothesis that they are better by at least
        ``epsilon`` is rejected.
    advantage : Estimate
        Average advantage probability: how often the model agrees with the others at least as well as an annotator does,
        averaged over the annotators, with its interval.
    annotators : dict of str to Estimate
        For each annotator how often the model agrees with the others at least as well.
    differences, p_values, adjusted : dict of str to float
        For each annotator: that probability for the annotator minus that for the model; its p-value; and the p-value
        adjusted for the number of annotators.
    q : float
        False discovery rate: the level of the adjusted p-values.

    Examples
    --------
    >>> import howsure as hs
    >>> people = [["a", "a", "b"], ["b", "b", "b"], ["a", "a", "a"], ["b", "a", "b"]] * 12
    >>> table = hs.ratings([[*said, max(said, key=said.count)] for said in people])
    >>> found = hs.labels.alt_test(table, 3)
    >>> found.winning_rate, found.passes
    (1.0, True)
    """

    rater: str
    epsilon: float
    winning_rate: float
    advantage: Estimate
    annotators: dict[str, Estimate]
    differences: dict[str, float]
    p_values: dict[str, float]
    adjusted: dict[str, float]
    q: float

    @property
    def passes(self) -> bool:
        """Whether the model equals at least half of the annotators."""
        return self.winning_rate >= ENOUGH

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per annotator."""
        return [
            {
                "annotator": name,
                "advantage": found.value,
                "low": found.low,
                "high": found.high,
                "difference": self.differences[name],
                "p_value": self.p_values[name],
                "adjusted": self.adjusted[name],
                "wins": self.adjusted[name] <= self.q,
                "confidence_level": found.confidence_level,
            }
            for name, found in self.annotators.items()
        ]

    def __str__(self) -> str:
        return (
            f"{self.rater}: winning rate {self.winning_rate:.2f} (ε = {self.epsilon:g}), "
            f"average advantage probability {self.advantage}"
        )


@apply_by_group
def alt_test(
    table: object,
    rater: object,
    *,
    epsilon: float = 0.2,
    q: float = 0.05,
    weights: str = IDENTITY,
    min_items: int = 30,
    confidence_level: float = 0.95,
) -> AltTest:
    """Test whether a model annotates as well as people: the alternative annotator test of Calderon et al.

    Each annotator is left out in turn. On every item the annotator and the model are compared by their agreement with
    the other people. The model equals the annotator if the annotator's probability of agreeing at least as well
    exceeds the model's by significantly less than ``epsilon``.

    Parameters
    ----------
    table : RatingsTable or Tables
        A table from `ratings`, with three people or more and the model (two or more per item); also by group.
    rater : str
        The model: the name of its column, or of the rater.
    epsilon : float
        Largest acceptable advantage of a person: 0.2 for experts, 0.15 for skilled annotators, 0.1 for crowd workers.
    q : float
        False discovery rate among the annotators (Benjamini and Yekutieli).
    weights : str
        Weights of partial agreement between categories, such as ``"quadratic"``; the better of two raters is then the
        one with the smaller squared error.
    min_items : int
        Annotators with fewer items that the model and a third rater also rated are left out.
    confidence_level : float
        Confidence level of the intervals, between 0 and 1.

    Returns
    -------
    AltTest
        For `Tables`, a `Grouped` of them.

    Raises
    ------
    HowsureError
        If the table is not of ratings, there is no such rater, there are fewer than two people, or none has enough
        items.

    Notes
    -----
    Let d be the annotator's success minus the model's on an item: −1, 0 or 1. The p-value is that of Student's t test
    of the hypothesis that the mean of d is at least ε, with the design-based variance (weights and clusters of items).
    If d is the same for all n items, the p-value is ``(1 − ε)ⁿ``, the probability that no success of the annotator is
    observed, or 1. The authors advise 30 items or more; with fewer they use a rank test.

    References
    ----------
    Calderon, Reichart, Dror (2025), The alternative annotator test for LLM-as-a-judge, ACL; Benjamini, Yekutieli
    (2001), Annals of Statistics 29.

    Examples
    --------
    >>> import numpy as np, howsure as hs
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(0, 3, 100)
    >>> skill = {"ann": 0.8, "bob": 0.85, "cy": 0.75, "model": 0.8}
    >>> said = {name: np.where(rng.random(100) < p, truth, rng.integers(0, 3, 100)) for name, p in skill.items()}
    >>> print(hs.labels.alt_test(hs.ratings(said), "model"))
    model: winning rate 1.00 (ε = 0.2), average advantage probability 0.930 [0.869, 0.967]
    """
    ratings = require_table(RatingsTable, table, NEEDS)
    margin, level = _share("epsilon", epsilon), _share("q", q)
    own, matrix = ratings.rater(rater), weights_of(weights, ratings)
    chosen("alt_test", ratings, str(rater))
    name = str(ratings.raters.tolist()[own])
    people = {str(each): at for at, each in enumerate(ratings.raters.tolist()) if at != own}
    met = {each: contests(ratings, own, at, matrix) for each, at in people.items()}
    least = whole_number("min_items", min_items)
    people = {each: at for each, at in people.items() if effective_sample_size(ratings, met[each].held * 1.0) >= least}
    if not people:
        raise HowsureError(
            f"No annotator shares {least} items with {name!r} and a third. Annotate more, or lower `min_items`."
        )
    definition = REGISTRY.find("advantage_probability")
    assert definition is not None  # noqa: S101 - it is shipped
    asked = {} if weights == IDENTITY else {"weights": weights}

    def advantage(*others: str) -> Estimate:
        against = {"against": others[0]} if len(others) == 1 else {}
        spec = Spec(definition, {"rater": name} | against | asked)
        metric = of_cells(spec, average_advantage([met[each] for each in others]), (0.0, 1.0))
        return estimate(ratings, metric, confidence_level=confidence_level)

    tested = {each: _tested(ratings, met[each], margin) for each in people}
    p_values = {each: p for each, (_, p) in tested.items()}
    adjusted = dict(zip(people, adjusted_p_values([*p_values.values()], "fdr_by").tolist(), strict=True))
    return AltTest(
        rater=name,
        epsilon=margin,
        winning_rate=float(np.mean([p <= level for p in adjusted.values()])),
        advantage=advantage(*people),
        annotators={each: advantage(each) for each in people},
        differences={each: difference for each, (difference, _) in tested.items()},
        p_values=p_values,
        adjusted=adjusted,
        q=level,
    )


def _share(name: str, value: object) -> float:
    found = real_number(name, value)
    if not 0 <= found < 1:
        raise HowsureError(f"`{name}` is at least 0 and less than 1, not {found:g}.")
    return found


def _tested(table: RatingsTable, found: Contests, margin: float) -> tuple[float, float]:
    """Return the annotator's advantage over the model, and the p-value of an advantage of at least the margin."""
    from scipy import special

    cells, held = table.cells, found.held * 1.0
    each = found.loses * 1.0 - found.wins
    total, items = float(cells @ held), float(effective_sample_size(table, held))
    mean = float(cells @ each) / total
    gradient = held * (each - mean) / total
    inflation, degrees_of_freedom = VarianceDetails.of(table.design).small_sample_correction(cells, gradient)
    degrees_of_freedom = min(float(degrees_of_freedom), items - 1)
    square = float(table.design.variance(cells, gradient) * inflation * items / (items - 1)) if items > 1 else np.nan
    if not square > 0:
        return mean, (1 - margin) ** items if mean < margin else 1.0
    return mean, float(special.stdtr(degrees_of_freedom, (mean - margin) / np.sqrt(square)))
