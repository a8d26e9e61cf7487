"""Facts that a report may contain, each with the sentences that state it; items of checklists name them.

A fact is a function from the findings of a report to sentences: one text for every level, or one for each. Without
sentences the report lacks it. A sentence always has a number, a name or a count from the report.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from howsure.estimates.sentences import capitalized
from howsure.metrics.descriptions import metric_words
from howsure.numbers import count_text, number, p_text, percent, significant_decimals, value_text
from howsure.report.checklists.findings import Figure, Findings, brief
from howsure.report.content import Texts

MOST = 8  # figures, names or groups in a sentence
MOST_CLASSES = 5
MOST_CAUTIONS = 4
DISCRIMINATION = {"roc_auc", "average_precision", "recall_at", "sensitivity_at", "specificity_at"}
CALIBRATION = {
    *("ece", "smooth_ece", "brier_reliability", "ici", "e50", "e90", "e_max"),
    *("observed_expected", "calibration_slope", "calibration_intercept"),
}
UTILITY = {
    *("net_benefit", "standardized_net_benefit", "interventions_avoided", "expected_cost", "expected_utility"),
}
AGREEMENT = {"fleiss_kappa", "conger_kappa", "krippendorff_alpha", "gwet_ac2", "percent_agreement", "brennan_prediger"}
CLASSIFIED = {"confusion table", "multilabel table", "table of scores", "table of scores with one column per class"}
WITHOUT_TRUTH = {"table of values", "table of trials", "table of ratings", "table of preferences"}
COUNTING = {"tables", "groups", "readers", "net_benefit"}  # results of reports that state their number of cases
Stated = Iterable[Texts]


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that a report may contain.

    Parameters
    ----------
    find : callable
        Return the sentences, from the findings of a report.
    remedy : str
        How a report is made that contains it.
    """

    find: Callable[[Findings], Stated]
    remedy: str


FACTS: dict[str, Fact] = {}


def fact(name: str, remedy: str) -> Callable[[Callable[[Findings], Stated]], Callable[[Findings], Stated]]:
    """Return a decorator that registers a fact."""

    def registered(find: Callable[[Findings], Stated]) -> Callable[[Findings], Stated]:
        FACTS[name] = Fact(find, remedy)
        return find

    return registered


def some(parts: Sequence[Texts], where: str = "") -> Texts:
    """Return a list in words, at each level: the first ones, and the number of the others."""
    shown = parts[:MOST]
    more = f", and {len(parts) - MOST} more{f' in “{where}”' if where else ''}" if len(parts) > MOST else ""
    levels = max((len(each) for each in shown), default=1)
    return tuple(
        ", ".join(each[level] if len(each) > 1 else each[0] for each in shown) + more for level in range(levels)
    )


def classified(found: Findings) -> list[dict[str, Any]]:
    """Return the tables of all cases that have true classes."""
    return [each for each in found.tables if each["kind"] in CLASSIFIED and each["has_labels"]]


def weighted(table: dict[str, Any]) -> str:
    """Return a note if the counts of a table are not numbers of cases; empty otherwise."""
    if not table["is_counted"]:
        return " (estimated counts)"
    is_plain = not table["has_one_label"] or math.isclose(sum(table["class_totals"]), table["cases"])
    return "" if is_plain else " (weighted counts)"


# --- cases --------------------------------------------------------------------------------------------------------


@fact("sample", "howsure report")
def sample(found: Findings) -> Stated:
    """Yield the number of cases, models and classes."""
    return [(f"Evaluated: {cases_of(found)}.",)] if cases_of(found) else []


def cases_of(found: Findings) -> str:
    """Return the number of cases in words; empty if the report does not state it."""
    stated = COUNTING & found.results.keys()
    return found.report.about.partition(" · ")[0] if stated else ""


@fact("classes", "howsure report")
def classes(found: Findings) -> Stated:
    """Yield the names of the classes."""
    for table in classified(found)[:1]:
        names = [brief(label) for label in table["labels"]]
        more = f", and {len(names) - MOST_CLASSES} more" if len(names) > MOST_CLASSES else ""
        positive = f"; the positive class is “{names[-1]}”" if len(names) == 2 else ""
        listed = ", ".join(f"“{name}”" for name in names[:MOST_CLASSES])
        yield (f"{len(names)} classes: {listed}{more}{positive}.",)


@fact("outcomes", "howsure report")
def outcomes(found: Findings) -> Stated:
    """Yield the cases of each class."""
    kept = {tuple(each["class_totals"]): each for each in classified(found)}
    for table in list(kept.values())[:MOST]:
        yield (f"{brief(table['model']) + ': ' if len(kept) > 1 else ''}{_totals(table)}{weighted(table)}.",)


def _totals(table: dict[str, Any]) -> str:
    totals, labels = table["class_totals"], table["labels"]
    total = sum(totals) if table["has_one_label"] else table["cases"]
    if len(labels) > MOST_CLASSES:
        return f"{count_text(min(totals))} to {count_text(max(totals))} cases in each of {len(labels)} classes"
    shares = (f" ({100 * each / total:.1f} %)" if total else "" for each in totals)
    return ", ".join(
        f"{count_text(each)} “{brief(label)}”{share}" for each, label, share in zip(totals, labels, shares, strict=True)
    )


@fact("group sizes", "--by")
def group_sizes(found: Findings) -> Stated:
    """Yield the cases of each group."""
    first = found.tables[0]["model"] if found.tables else ""
    sizes = {group_name(each): each["cases"] for each in found.group_tables if each["model"] == first}
    sizes |= {each["group"]: each["cases"] for each in found.results.get("groups", ())}
    if sizes:
        listed = some([(f"{brief(group)} {count_text(cases)}",) for group, cases in sizes.items()], "Groups")[0]
        yield (f"Cases by group: {listed}.",)


def group_name(table: dict[str, Any]) -> str:
    """Return the group of a table in words."""
    return ", ".join(str(value) for value in table["group"].values() if value is not None)


@fact("exclusions", "--labels with the classes that count")
def left_out(found: Findings) -> Stated:
    """Yield the rows that were left out."""
    number_of = found.results.get("left_out")
    return [(f"{number_of:,} rows were left out: their labels are not among the classes named.",)] if number_of else []


@fact("missing labels", "howsure report")
def missing(found: Findings) -> Stated:
    """Yield the number of evaluated rows without a label or a prediction."""
    known = found.results.get("missing_labels")
    return [] if known is None else [(f"Evaluated rows without a label or a prediction: {known}.",)]


@fact("clusters", "--groups")
def clusters(found: Findings) -> Stated:
    """Yield the sampling design, if cases are not independent."""
    designs = dict.fromkeys(each["design"] for each in found.tables if each.get("design"))
    return [(f"The intervals account for the design: cases {each}.",) for each in designs]


# --- performance --------------------------------------------------------------------------------------------------


@fact("estimates", "howsure report")
def estimates(found: Findings) -> Stated:
    """Yield the metrics with their intervals."""
    unseen = "" if all(each["has_labels"] for each in found.tables) else "expected under the scores, without labels: "
    return _listed(found.wholes, unseen)


@fact("accuracy", "howsure report")
def accuracy(found: Findings) -> Stated:
    """Yield the metrics of predictions that were compared with true classes."""
    is_compared = any(each["has_labels"] and each["kind"] not in WITHOUT_TRUTH for each in found.tables)
    return _listed(found.wholes) if is_compared or "readers" in found.results else ()


def _listed(figures: Sequence[Figure], start: str = "") -> Iterator[Texts]:
    if figures:
        yield tuple(capitalized(f"{start}{each}.") for each in some([one.said() for one in figures], "Metrics"))


def _family(found: Findings, family: set[str]) -> Iterator[Texts]:
    return _listed([each for each in found.wholes if each.family in family])


@fact("discrimination", "--y-score and the metric roc_auc or average_precision")
def discrimination(found: Findings) -> Stated:
    """Yield the areas under curves, and rates at a stated rate."""
    return _family(found, DISCRIMINATION)


@fact("calibration", "--y-score and the metrics calibration_slope and observed_expected")
def calibration(found: Findings) -> Stated:
    """Yield the metrics of calibration."""
    return _family(found, CALIBRATION)


@fact("utility", "--y-score and the metric net_benefit")
def utility(found: Findings) -> Stated:
    """Yield the net benefit and other utilities."""
    yield from found.report.headline if "net_benefit" in found.results else ()  # of a decision curve
    yield from _family(found, UTILITY)


@fact("agreement", "hs.ratings and the metric krippendorff_alpha")
def agreement(found: Findings) -> Stated:
    """Yield the agreement of raters."""
    return _family(found, AGREEMENT)


@fact("metrics", "howsure report")
def metrics(found: Findings) -> Stated:
    """Yield the names of the metrics."""
    names = list(dict.fromkeys(metric_words(each.metric) for each in found.figures))
    if names:
        yield (f"{len(names)} metrics: {some([(name,) for name in names], 'Metrics')[0]}.",)


@fact("cross-tabulation", "--y-pred, or --y-score with --threshold")
def cross_tabulation(found: Findings) -> Stated:
    """Yield the cases by true and predicted class."""
    for table in _matrices(found):
        counts, labels = table["counts"], [brief(label) for label in table["labels"]]
        model = f"{brief(table['model'])}: " if table["model"] else "Predictions: "
        if len(labels) == 2:
            no, yes = (f"“{label}”" for label in labels)
            (tn, fp), (fn, tp) = [[count_text(each) for each in row] for row in counts]
            positive, negative = count_text(sum(counts[1])), count_text(sum(counts[0]))
            of_both = f"of {positive} {yes}, {tp} were predicted {yes} and {fn} {no}; of {negative} {no}, {tn} {no}"
            yield (f"{model}{of_both} and {fp} {yes}{weighted(table)}.",)
        else:
            total, right = sum(map(sum, counts)), sum(row[place] for place, row in enumerate(counts))
            on_it = f"{count_text(right)} of {count_text(total)} cases are on the diagonal{weighted(table)}"
            yield (f"{model}{on_it}; the table is in “Confusion matrix”.",)


def _matrices(found: Findings) -> list[dict[str, Any]]:
    return [each for each in classified(found) if each["kind"] == "confusion table" and each["counts"] is not None][
        :MOST
    ]


@fact("errors", "--y-pred, or --y-score with --threshold")
def errors(found: Findings) -> Stated:
    """Yield the most frequent confusions."""
    for table in _matrices(found):
        counts, labels = table["counts"], [brief(label) for label in table["labels"]]
        cells = [
            (counts[true][said], true, said)
            for true in range(len(labels))
            for said in range(len(labels))
            if true != said and counts[true][said]
        ]
        model = f"Errors{' of ' * bool(table['model'])}{brief(table['model'])}: "
        worst = sorted(cells, key=lambda cell: (-cell[0], *cell[1:]))[:3]
        listed = "; ".join(
            f"{count_text(cases)} of {count_text(sum(counts[true]))} “{labels[true]}” taken for “{labels[said]}”"
            for cases, true, said in worst
        )
        yield (f"{model}{listed or f'0 of {count_text(sum(map(sum, counts)))} cases'}{weighted(table)}.",)


@fact("threshold", "--y-score with --threshold")
def threshold(found: Findings) -> Stated:
    """Yield the scores from which cases are predicted positive."""
    for table in found.tables:
        if table.get("threshold") is not None:
            model = f" of {brief(table['model'])}" if table["model"] else ""
            yield (f"Positive from a score{model} of {table['threshold']:g} upwards.",)


@fact("requirements", "hs.joint_test")
def requirements(found: Findings) -> Stated:
    """Yield the statements on tested or certified requirements."""
    return found.report.headline if "requirements" in found.results else ()


@fact("plots", "--y-score of two classes")
def plots(found: Findings) -> Stated:
    """Yield the titles of the charts."""
    for section in found.report.sections:
        titles = dict.fromkeys(each.title for each in section.charts)
        if titles:
            yield (f"Plots in “{section.title}”: {', '.join(titles)}.",)


# --- groups -------------------------------------------------------------------------------------------------------


@fact("subgroups", "--by")
def subgroups(found: Findings) -> Stated:
    """Yield the main metrics in each group."""
    for name in list(dict.fromkeys(each.metric for each in found.by_group))[:2]:
        of_metric = [each for each in found.by_group if each.metric == name]
        for model in list(dict.fromkeys(each.model for each in of_metric))[:3]:
            figures = [each for each in of_metric if each.model == model]
            what = capitalized(" of ".join(filter(None, (metric_words(name), brief(model)))))
            yield tuple(f"{what} by group: {each}." for each in some([_of_group(each) for each in figures], "Groups"))


def _of_group(figure: Figure) -> Texts:
    return tuple(f"{brief(figure.group)} {each}" for each in figure.number())


@fact("intersections", "two columns of --by")
def intersections(found: Findings) -> Stated:
    """Yield the main metric in combinations of columns."""
    combined = any(sum(value is not None for value in each["group"].values()) > 1 for each in found.group_tables)
    return subgroups(found) if combined else ()


@fact("gaps", "howsure gaps")
def gaps(found: Findings) -> Stated:
    """Yield the largest differences between groups."""
    for name, each in found.results.get("largest", {}).items():
        metric = name.removesuffix(", difference")
        if metric != name and each["value"] is not None and each["low"] is not None:
            text = value_text(each["value"], each["low"], each["high"])
            yield (f"Largest difference in {metric}: {text} ({percent(each['confidence_level'])} interval).",)


@fact("heterogeneity", "sites pooled by hs.pool")
def heterogeneity(found: Findings) -> Stated:
    """Yield the variation between pooled experiments."""
    for name, each in found.results.get("aggregates", {}).items():
        if each.get("tau2") is not None:
            share = f", I² {100 * each['i2']:.0f} %" if each.get("i2") is not None else ""
            yield (f"{brief(name)}: τ² {each['tau2']:.3g}{share}.",)


@fact("comparisons", "two models on the same cases")
def compared(found: Findings) -> Stated:
    """Yield the differences between models."""
    rows = [each | {"name": name} for name, each in found.results.get("comparisons", {}).items()]
    for each in [each for each in rows if each.get("low") is not None][:MOST]:
        about = value_text(each["value"], each["low"], each["high"])
        metric = f"{metric_words(each['metric'])}, " if each.get("metric") else ""
        p_value = f", {p_text(each['p_value'])}" if each.get("p_value") is not None else ""
        yield (f"{metric}{brief(each['name'])} {about}{p_value}.",)


# --- methods and reproduction -------------------------------------------------------------------------------------


@fact("methods", "howsure report")
def methods(found: Findings) -> Stated:
    """Yield the methods of the intervals and their level."""
    level = percent(found.report.levels[found.report.level])
    used: dict[str, list[str]] = {}
    for each in found.figures:
        if each.method:
            used.setdefault(each.method, []).append(metric_words(each.metric))
    listed = [(f"{name} ({some([(each,) for each in dict.fromkeys(of)])[0]})",) for name, of in used.items()]
    if listed:
        yield (f"Intervals at {level}: {some(listed)[0]}.",)
    elif found.results.get("largest"):
        yield (f"Simultaneous intervals at {level}, for {len(found.results['pairs'])} pairs of groups.",)


@fact("precision", "howsure report")
def precision(found: Findings) -> Stated:
    """Yield the width of the first interval, and the cases that would halve it."""
    section = found.section("Metrics")
    more = section.items if section else ()
    main = [each for each in found.wholes if any(f"of {metric_words(each.metric)} needs" in said[0] for said in more)]
    for each in (main or found.wholes)[:1]:
        widths = [high - low for low, high in each.limits]
        decimals = significant_decimals(0.0, widths[each.level])
        cases = f" with {cases_of(found)}" if cases_of(found) else ""
        yield tuple(
            f"The interval of {metric_words(each.metric)} is {number(width, decimals)} wide{cases}." for width in widths
        )
    yield from more


@fact("cautions", "any report")
def cautions(found: Findings) -> Stated:
    """Yield the cautions of the report."""
    section = found.section("What to be careful about")
    if section and section.items:
        yield (f"Cautions of this report: {len(section.items)}.",)
        yield from section.items[:MOST_CAUTIONS]


@fact("software", "any report")
def software(found: Findings) -> Stated:
    """Yield the versions of the software of the evaluation."""
    listed = ", ".join(f"{name} {version}" for name, version in found.results.get("versions", {}).items())
    return [(f"Evaluated with {listed}.",)] if listed else []


@fact("files", "howsure report")
def files(found: Findings) -> Stated:
    """Yield the fingerprints of the input files."""
    section = found.section("How to reproduce this")
    return [each for each in section.items if "SHA-256" in each[0]] if section else []


@fact("command", "howsure report")
def command(found: Findings) -> Stated:
    """Yield the command that makes the report."""
    section = found.section("How to reproduce this")
    return [(f"Made by “{section.code}”.",)] if section and section.code else []
