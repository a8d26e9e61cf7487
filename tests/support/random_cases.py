"""Random data of every kind of table: few cases and rare classes more often than not."""

from dataclasses import dataclass, field, replace

import numpy as np

import howsure as hs

KINDS = ["confusion", "confusion", "scores", "paired", "paired_scores", "multiclass_scores", "calibrated"]
KINDS += ["values", "trials", "judged", "events", "detections", "ratings", "ratings", "preferences", "entities"]
NAMED = {"y_true", "y_pred", "human", "judge", "rating"}  # columns of classes
IN_STRATA = {"confusion", "scores", "paired", "paired_scores", "multiclass_scores", "values", "trials"}
NAMES = [
    ["a", "b", "c", "d", "e"],
    ["yes", "no", "maybe", "ill", "well"],
    [10, 2, 33, 4, 5],
    ["é", "β", "0", "x y", "Z"],
]


@dataclass(frozen=True)
class Case:
    """Data of one kind, and a function that makes a table of them."""

    kind: str
    columns: dict
    keywords: dict = field(default_factory=dict)

    def table(self):
        """Return the table."""
        return getattr(hs, self.kind)(**self.columns, **self.keywords)

    @property
    def size(self):
        """How many cases there are."""
        first = next(iter(self.columns.values()))
        return len(next(iter(first.values())) if isinstance(first, dict) else first)

    def rows(self, order):
        """Return the same data in another order."""
        return replace(self, columns=_each(self.columns, lambda part: part[order]))

    def scaled(self, factor):
        """Return the same data with other units of the weights."""
        return replace(self, columns=self.columns | {"sample_weight": self.columns["sample_weight"] * factor})

    @property
    def has_own_names(self):
        """Whether its classes have names that are not numbers: an order of numbers could be one of the classes."""
        return "labels" in self.keywords and self.keywords["labels"].dtype.kind == "U"

    @property
    def can_be_split(self):
        """Whether the rows of a group, alone, have the same classes and design that they have as a group."""
        return "strata" not in self.columns and (
            self.kind not in {"ratings", "detections", "events", "entities"} or "labels" in self.keywords
        )

    def renamed(self):
        """Return the same data with names of the classes that come in the opposite order."""
        labels = self.keywords["labels"]
        others = dict(zip(labels.tolist(), sorted("klmno"[: len(labels)], reverse=True), strict=True))

        def change(part):
            words = np.array([None if each is None else others[each] for each in part.ravel().tolist()], dtype=object)
            return words.reshape(part.shape).astype(part.dtype if part.dtype == object else str)

        named = {name: part for name, part in self.columns.items() if name in NAMED}
        keywords = self.keywords | {"labels": np.array(list(others.values()))}
        return replace(self, columns=self.columns | _each(named, change), keywords=keywords)

    def split(self, rng):
        """Return the table of two random groups, and each group's rows alone."""
        group = self.columns["task"] % 2 if self.kind == "trials" else rng.integers(0, 2, self.size)
        alone = {name: self.rows(group == name) for name in np.unique(group).tolist()}
        return replace(self, columns=self.columns | {"by": group}), alone


def _each(columns, change):
    return {
        name: {key: change(value) for key, value in part.items()} if isinstance(part, dict) else change(part)
        for name, part in columns.items()
    }


def a_case(rng):
    """Return random data: few cases and rare classes more often than not."""
    n, classes = int(rng.choice([1, 2, 5, 12, 30, 80])), int(rng.integers(2, 6))
    shares = rng.dirichlet(np.full(classes, rng.choice([0.2, 1.0, 5.0])))
    truth, skill = rng.choice(classes, n, p=shares), rng.choice([0.0, 0.5, 0.9, 1.0])
    columns = {}
    if rng.random() < 0.3:
        spread = rng.choice([0.0, 0.5, 2.0])
        columns["sample_weight"] = rng.lognormal(0, spread, n) * (rng.random(n) > 0.1 * rng.integers(0, 2))
    if rng.random() < 0.3:
        columns["groups"] = rng.integers(0, max(1, n // int(rng.integers(1, 5))), n)
    kind = str(rng.choice(KINDS))
    labels = np.array(NAMES[rng.integers(len(NAMES))][:classes])

    def predicted():
        return labels[np.where(rng.random(n) < skill, truth, rng.integers(0, classes, n))]

    def scored():
        noise = rng.normal(0, rng.choice([0.05, 0.3, 1.0]), n)
        score = 1 / (1 + np.exp(-3 * (truth > 0) + 1.5 + 4 * noise))
        return np.round(score, int(rng.integers(1, 6)))

    makers = {
        ("values", "trials"): lambda: of_numbers(rng, kind, columns, scored),
        ("events", "detections"): lambda: of_units(rng, kind, columns, truth, labels),
        ("confusion", "judged", "paired"): lambda: of_labels(rng, kind, columns, labels[truth], labels, predicted),
        ("ratings",): lambda: of_ratings(rng, columns, labels, predicted),
        ("entities",): lambda: of_documents(rng, columns, n),
        ("preferences",): lambda: of_battles(rng, columns, n),
        ("scores", "paired_scores", "calibrated"): lambda: of_scores(rng, kind, columns, truth, scored),
        ("multiclass_scores",): lambda: of_score_matrix(rng, columns, truth, labels, skill),
    }
    case = next(make for kinds, make in makers.items() if kind in kinds)()
    return in_strata(rng, case) if kind in IN_STRATA and rng.random() < 0.25 else case


def in_strata(rng, case):
    """Return the same data as drawn from a few strata, of unknown sizes, known shares or a population small or large."""
    number = int(rng.integers(1, 4))
    if rng.random() < 0.4:
        unit = case.columns.get("groups", case.columns.get("task", rng.permutation(case.size)))
        return replace(case, columns=case.columns | {"strata": unit % number})
    of_rows = case.columns["task"] % number if case.kind == "trials" else rng.integers(0, number, case.size)
    sizes = rng.dirichlet(np.ones(number)) + 0.1
    finite = rng.choice([0.0, 1.0, 1e6])
    drawn = np.bincount(of_rows, minlength=number)
    sizes = drawn + np.floor(finite * 10 * sizes) if finite else sizes * (drawn > 0) / sizes[drawn > 0].sum()
    names = np.unique(of_rows).tolist()
    keywords = {"stratum_sizes": {name: float(sizes[name]) for name in names}}
    return replace(case, columns=case.columns | {"strata": of_rows}, keywords=case.keywords | keywords)


def of_scores(rng, kind, columns, truth, scored):
    """Return scores of one model or of two, or of cases whose labels are not known."""
    if kind == "calibrated":
        weights = {name: part for name, part in columns.items() if name == "sample_weight"}
        return Case(kind, weights | {"y_score": scored()}, {"target": str(rng.choice(["batch", "population"]))})
    columns["y_true"] = (truth > 0).astype(int)
    score = scored() if kind == "scores" else {name: scored() for name in "AB"}
    return Case(kind, columns | {"y_score": score})


def of_score_matrix(rng, columns, truth, labels, skill):
    """Return the scores of several classes."""
    score = rng.dirichlet(np.ones(len(labels)), len(truth)) + skill * np.eye(len(labels))[truth]
    columns |= {"y_true": labels[truth], "y_score": score / score.sum(1, keepdims=True)}
    return Case("multiclass_scores", columns, {"labels": labels})


def of_labels(rng, kind, columns, truth, labels, predicted):
    """Return labels and predictions of one model or several, or verdicts of a judge and a few human labels."""
    if kind == "confusion":
        own = {"y_true": truth, "y_pred": predicted()}
    elif kind == "paired":
        own = {"y_true": truth, "y_pred": {name: predicted() for name in "ABC"[: rng.integers(2, 4)]}}
    else:
        seen = rng.random(len(truth)) < rng.choice([0.1, 0.5, 1.0])
        own = {"human": np.where(seen, truth.astype(object), None), "judge": predicted()}
    return Case(kind, columns | own, {"labels": labels})


def of_ratings(rng, columns, labels, predicted):
    """Return ratings of items by several raters, with gaps or without; of one set of raters or of two."""
    gaps = rng.choice([0.0, 0.1, 0.6])

    def rated():
        said = np.stack([predicted() for _ in range(rng.integers(2, 5))], 1).astype(object)
        said[rng.random(said.shape) < gaps] = None
        return said

    rating = {"A": rated(), "B": rated()} if rng.random() < 0.3 else rated()
    return Case("ratings", columns | {"rating": rating}, {"labels": labels} if rng.random() < 0.5 else {})


def of_battles(rng, columns, n):
    """Return random battles of a few models, some of which never meet, or always win."""
    models = np.array(["p", "q", "r", "s"][: rng.integers(2, 5)], dtype=object)
    first = rng.integers(0, len(models), n)
    second = (first + rng.integers(1, len(models), n)) % len(models)
    apart = rng.choice([0.0, 1.0, 50.0]) * (second - first)
    won = np.where(rng.random(n) < 1 / (1 + np.exp(-apart)), models[first], models[second])
    winner = np.where(rng.random(n) < rng.choice([0.0, 0.3, 1.0]), "tie", won)
    return Case("preferences", columns | {"a": models[first], "b": models[second], "winner": winner})


def of_numbers(rng, kind, columns, scored):
    """Return random values of one model or two, or random runs of tasks."""
    numbers = scored()
    if kind == "values":
        given = {"A": numbers, "B": scored()} if rng.random() < 0.3 else numbers
        if rng.random() < 0.3:
            return Case(kind, columns | {"score": given, "truth": scored()})
        return Case(kind, columns | {"score": given}, {"bounds": (0, 1)} if rng.random() < 0.5 else {})
    n = len(numbers)
    task = rng.integers(0, max(1, n // int(rng.integers(1, 5))), n)
    of_task = {name: part[task] for name, part in columns.items()}
    return Case(kind, of_task | {"success": (rng.random(n) < numbers) * 1, "task": task})


def of_detections(rng, columns, truth, labels):
    """Return random detections with boxes in images, of one model or two; the classes are those of the truths."""

    def boxes(number):
        corner = rng.integers(0, 12, (number, 2))
        return np.hstack([corner, corner + rng.integers(1, 8, (number, 2))])

    many = [rng.permutation(truth)[: rng.integers(0, 4)] for _ in truth]
    target = [{"boxes": boxes(len(each)), "labels": labels[each].tolist()} for each in many]

    def detected():
        found = np.empty(len(target), dtype=object)
        for index, each in enumerate(target):
            known = np.flatnonzero(rng.random(len(each["labels"])) < 0.7)
            more = rng.integers(0, 3)
            said = [each["labels"][place] for place in known] + rng.choice(labels, more).tolist()
            where = np.vstack([each["boxes"][known] + rng.integers(-1, 1, (len(known), 4)) * [1, 1, 0, 0], boxes(more)])
            found[index] = {"boxes": where, "labels": said, "scores": np.round(rng.random(len(said)), 2)}
        return found

    preds = {"A": detected(), "B": detected()} if rng.random() < 0.3 else detected()
    images = np.empty(len(target), dtype=object)
    images[:] = target
    iou = [0.3, 0.5, 0.75] if rng.random() < 0.5 else 0.5
    return Case("detections", {"preds": preds, "target": images} | columns, {"iou": iou})


def of_units(rng, kind, columns, truth, labels):
    """Return random events, or detections, in units, of one model or two."""
    if kind == "detections":
        return of_detections(rng, columns, truth, labels)
    n, every, rate = len(truth), columns, rng.gamma(1, 3, 3)
    unit = np.arange(n)
    if rng.random() < 0.5:
        shown = labels[: int(rng.integers(1, len(labels) + 1))]
        unit = np.repeat(unit, len(shown))
        every = {name: part[unit] for name, part in columns.items()} | {"label": np.tile(shown, n)}
    models = ["A", "B"][: int(rng.integers(1, 3))]
    if len(models) > 1:
        every = {name: np.tile(part, 2) for name, part in every.items()} | {"model": np.repeat(models, len(unit))}
    numbers = {
        name: rng.poisson(each, len(unit) * len(models)) for name, each in zip(("tp", "fp", "fn"), rate, strict=True)
    }
    return Case("events", numbers | every | {"unit": np.tile(unit, len(models))})


def of_documents(rng, columns, n):
    """Return documents with the tags of their tokens, or with spans, of one model or two."""
    tags = ["O", "B-LOC", "I-LOC", "B-PER", "I-PER", "E-PER", "S-LOC", "L-LOC", "U-PER"][: int(rng.choice([5, 9]))]
    lengths = rng.integers(0, 9, n)
    skill, are_spans = rng.choice([0.0, 0.7, 1.0]), rng.random() < 0.4
    truth = [rng.choice(tags, length) for length in lengths]

    def spans(document):
        return [(place, place + 1 + len(tag), tag[2:]) for place, tag in enumerate(document) if tag != "O"]

    def documents(tagged):
        found = np.empty(n, dtype=object)
        found[:] = [spans(each.tolist()) if are_spans else each.tolist() for each in tagged]
        return found

    def said():
        return documents([np.where(rng.random(len(each)) < skill, each, rng.choice(tags, len(each))) for each in truth])

    pred = {"A": said(), "B": said()} if rng.random() < 0.3 else said()
    scheme = None if rng.random() < 0.6 else str(rng.choice(["IOB2", "IOBES", "BILOU"]))
    return Case("entities", {"y_true": documents(truth), "y_pred": pred} | columns, {"scheme": scheme})
