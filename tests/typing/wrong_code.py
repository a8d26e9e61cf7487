"""Code that type checkers must refuse: each line is wrong as its comment states, and has its error."""

from __future__ import annotations

import howsure as hs

truth, said = [1, 0, 1, 1, 0], [1, 0, 0, 1, 0]
score = [0.9, 0.2, 0.6, 0.7, 0.1]
table = hs.from_counts([[50, 3], [5, 42]])


def mistakes() -> None:
    """Not to be called."""
    # misspelt keywords
    hs.f1_score(truth, said, sample_wieght=None)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    hs.accuracy_score(truth, said, normalise=True)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    hs.fbeta_score(truth, said, beta=2, averages="macro")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    hs.roc_auc_score(truth, score, multiclass="ovr")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    hs.classification_report(truth, said, names=["a", "b"])  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    hs.estimate(table, "f1", confidence=0.9)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    hs.evaluate(table, metric="f1")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    hs.roc_curve(truth, score, sample_wieght=None)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    hs.values(score, grups=said)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    hs.fbeta_score(truth, said)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]

    # misspelt names
    hs.f1_score(truth, said, method="wilsn")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
    hs.accuracy_score(truth, said, method="wilsn")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    hs.f1_score(truth, said, average="makro")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
    hs.cohen_kappa_score(truth, said, weights="quadratisch")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    hs.roc_auc_score(truth, score, multi_class="over")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
    hs.estimate(table, "f1", method="wilsn")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
    hs.f1_scores(truth, said)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]

    # wrong types
    hs.f1_score(truth, said, confidence_level="0.95")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
    hs.recall_score(truth, said, zero_division="zero")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
    hs.log_loss(truth, score, n_resamples="many")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    hs.f1_score(truth, said).upper()  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    hs.f1_score(truth, said, average=None).bit_length()  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
