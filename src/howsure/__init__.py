"""How sure are you of that F1? Confidence intervals for classifier metrics.

>>> import howsure as hs
>>> y_true, y_pred = [0, 1, 1, 0] * 25, [0, 1, 0, 0] * 25
>>> table = hs.confusion(y_true, y_pred)  # or scores, paired, values, from_counts, ...
>>> print(hs.estimate(table, "f1"))  # one metric with its interval
0.667 [0.533, 0.778]

``hs.evaluate(table)`` gives several metrics, ``hs.compare(hs.paired(y_true, {"a": a, "b": b}), "f1")`` the difference
of two models, ``hs.plan(table, "f1", width=0.05)`` the number of cases, and ``hs.report_of(table)`` a report. Interval
methods, tables, designs and results are in ``hs.methods``, ``hs.tables``, ``hs.designs`` and ``hs.results``.
"""

from howsure.namespaces import namespace


def _metric(name):  # noqa: ANN001, ANN202 - the stub has the types
    from howsure.metrics.other_names import advice
    from howsure.metrics.spec import named

    short = name.removesuffix("_score")
    found = short if named(short) else name
    definition = named(found)
    if definition is None:
        return advice(name)
    spec = "+".join([found, *(f"{argument}=…" for argument in definition.required)])
    call = "scores(y_true, y_score)" if definition.cuts_scores else definition.form.call
    table = call if call == "table" else f"hs.{call}"
    return f"Write `hs.{'leaderboard' if 'preferences' in call else 'estimate'}({table}, '{spec}')`."


__getattr__, __dir__, __all__ = namespace(__name__, __file__, _metric)
