"""Examples of each command, shown at the end of its help."""

from __future__ import annotations

EXAMPLES = {
    "howsure": (
        "howsure examples",
        "howsure report examples/breast_cancer.csv --y-true label --y-pred logistic -o report.html",
        "howsure compare examples/breast_cancer.csv --y-true label --y-pred logistic forest --metric f1",
    ),
    "report": (
        "howsure report breast_cancer.csv --y-true label --y-pred logistic --by tumour_size -o report.html",
        "howsure report breast_cancer.csv --y-true label --y-pred logistic forest --pos-label malignant -m f1 mcc",
        "howsure report breast_cancer.csv --y-true label --y-score score_forest --fail-under roc_auc=0.95",
        "howsure report digits.csv --y-true label --y-pred logistic --groups block --per-class",
        (
            "howsure report breast_cancer.csv --y-true label --y-score score_forest --threshold 0.3 --by tumour_size "
            "-m sensitivity specificity roc_auc --checklist stard-ai -o stard.html"
        ),
    ),
    "matrix": (
        "howsure matrix digits_matrix.csv",
        "howsure matrix digits_matrix.csv --metrics f1@macro kappa --confidence-level 0.99 --format json",
    ),
    "compare": (
        "howsure compare breast_cancer.csv --y-true label --y-pred logistic forest naive_bayes --metric mcc",
        "howsure compare breast_cancer.csv --y-true label --y-score score_logistic score_forest --metric roc_auc",
    ),
    "cross-validated": (
        "howsure cross-validated breast_cancer.csv --y-true label --y-pred logistic forest --fold fold",
        "howsure cross-validated breast_cancer.csv --y-true label --y-score score_forest --fold fold -m roc_auc",
    ),
    "unlabelled": (
        "howsure unlabelled breast_cancer.csv --y-score score_logistic --threshold 0.5",
        "howsure unlabelled breast_cancer.csv --y-score score_logistic --by fold --reference 0 --format csv",
    ),
    "reviewed": ("howsure reviewed predictions.csv --y-true label --y-pred model --reviewed checked",),
    "review-plan": (
        "howsure review-plan predictions.csv --y-true label --y-pred model --metric recall --budget 100",
        "howsure review-plan predictions.csv --y-true label --y-pred model --reviewed checked --metric f1 --budget 50",
    ),
    "judge": ("howsure judge answers.csv --judge verdict --human human --width 0.2 --fail-under pass_rate=0.6",),
    "label-next": (
        "howsure label-next pool.csv --y-pred model --y-score score --pos-label 1 -n 20 -o rows.csv",
        "howsure label-next pool.csv --y-pred model --y-score score --pos-label 1 --y-true label -n 20 --seed 1",
    ),
    "plan": (
        "howsure plan breast_cancer.csv --y-true label --y-pred logistic --metric f1 --width 0.02",
        "howsure plan breast_cancer.csv --y-true label --y-pred logistic forest --metric accuracy --power 0.8",
        "howsure plan --sensitivity 0.9 --specificity 0.8 --positives 100 --negatives 900 --metric recall --width 0.1",
    ),
    "decision-curve": (
        "howsure decision-curve breast_cancer.csv --y-true label --y-score score_logistic --thresholds 0.1 0.3 0.5",
        (
            "howsure decision-curve breast_cancer.csv --y-true label --y-score score_logistic score_forest "
            "--pos-label malignant -o decisions.html"
        ),
    ),
    "entities": ("howsure entities tagged.conll", "howsure entities tagged.conll --y-true 2 --y-pred 3 4"),
    "evals": (
        "howsure evals logs --cluster passage --baseline old",
        "howsure evals logs --baseline old --fail-if-worse 0.05 -o report.html",
    ),
    "leaderboard": (
        "howsure leaderboard breast_cancer.csv --y-true label --y-pred logistic forest naive_bayes --metric f1",
        "howsure leaderboard logs --cluster passage",
    ),
    "gaps": (
        "howsure gaps breast_cancer.csv --y-true label --y-pred logistic --by tumour_size --pos-label malignant",
        (
            "howsure gaps breast_cancer.csv --y-true label --y-score score_logistic --by tumour_size -m roc_auc "
            "--pairs -o gaps.html"
        ),
    ),
    "require": (
        (
            "howsure require breast_cancer.csv --y-true label --y-pred logistic --pos-label malignant "
            "-r 'sensitivity>0.8' 'specificity>0.9'"
        ),
        (
            "howsure require breast_cancer.csv --y-true label --y-score score_forest --pos-label malignant --certify "
            "-r 'recall>0.9' -o threshold.html"
        ),
    ),
    "readers": (
        "howsure readers reads.csv --rating rating --truth truth --reader reader --case case --modality modality",
        (
            "howsure readers reads.csv --call call --truth truth --reader reader --case case --modality modality "
            "-m sensitivity -o study.html"
        ),
    ),
    "examples": ("howsure examples", "howsure report examples/breast_cancer.csv --y-true label --y-pred logistic"),
    "study init": ("howsure study init results --metrics f1@macro mcc",),
    "study run": ("howsure study run results/study.toml --out tables -o study.html",),
    "metrics": ("howsure metrics", "howsure metrics fbeta", "howsure metrics calibration"),
    "methods": ("howsure methods", "howsure methods wilson", "howsure methods roc_auc"),
}


def shown(command: str) -> str:
    """Return the examples of a command, a line each, in Markdown."""
    return "\n".join(("Examples:", "", *(f"- `{line}`" for line in EXAMPLES[command])))
