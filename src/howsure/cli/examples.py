"""Examples of each command, shown at the end of its help; `howsure examples` writes the files in `examples`."""

from __future__ import annotations

CANCER = "examples/breast_cancer.csv"
EXAMPLES = {
    "howsure": (
        "howsure examples",
        f"howsure report {CANCER} --y-true label --y-pred logistic -o report.html",
        f"howsure compare {CANCER} --y-true label --y-pred logistic forest --metric f1",
    ),
    "report": (
        f"howsure report {CANCER} --y-true label --y-pred logistic --by tumour_size -o report.html",
        f"howsure report {CANCER} --y-true label --y-pred logistic forest --pos-label malignant -m f1 mcc",
        f"howsure report {CANCER} --y-true label --y-score score_forest --fail-under roc_auc=0.95",
        "howsure report examples/digits.csv --y-true label --y-pred logistic --groups block --per-class",
        (
            f"howsure report {CANCER} --y-true label --y-score score_forest --threshold 0.3 --by tumour_size "
            "-m sensitivity specificity roc_auc --checklist stard-ai -o stard.html"
        ),
    ),
    "matrix": (
        "howsure matrix examples/digits_matrix.csv",
        "howsure matrix examples/digits_matrix.csv --metrics f1@macro kappa --confidence-level 0.99 --format json",
    ),
    "compare": (
        f"howsure compare {CANCER} --y-true label --y-pred logistic forest naive_bayes --metric mcc",
        f"howsure compare {CANCER} --y-true label --y-score score_logistic score_forest --metric roc_auc",
    ),
    "cross-validated": (
        f"howsure cross-validated {CANCER} --y-true label --y-pred logistic forest --fold fold",
        f"howsure cross-validated {CANCER} --y-true label --y-score score_forest --fold fold -m roc_auc",
    ),
    "unlabelled": (
        f"howsure unlabelled {CANCER} --y-score score_logistic --threshold 0.5",
        f"howsure unlabelled {CANCER} --y-score score_logistic --by fold --reference 0 --format csv",
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
        f"howsure plan {CANCER} --y-true label --y-pred logistic --metric f1 --width 0.02",
        f"howsure plan {CANCER} --y-true label --y-pred logistic forest --metric accuracy --power 0.8",
        "howsure plan --sensitivity 0.9 --specificity 0.8 --positives 100 --negatives 900 --metric recall --width 0.1",
    ),
    "decision-curve": (
        f"howsure decision-curve {CANCER} --y-true label --y-score score_logistic --thresholds 0.1 0.3 0.5",
        (
            f"howsure decision-curve {CANCER} --y-true label --y-score score_logistic score_forest "
            "--pos-label malignant -o decisions.html"
        ),
    ),
    "entities": ("howsure entities tagged.conll", "howsure entities tagged.conll --y-true 2 --y-pred 3 4"),
    "evals": (
        "howsure evals examples/logs --cluster passage --baseline old",
        "howsure evals examples/logs --baseline old --fail-if-worse 0.05 -o report.html",
    ),
    "leaderboard": (
        f"howsure leaderboard {CANCER} --y-true label --y-pred logistic forest naive_bayes --metric f1",
        "howsure leaderboard examples/logs --cluster passage",
    ),
    "gaps": (
        f"howsure gaps {CANCER} --y-true label --y-pred logistic --by tumour_size --pos-label malignant",
        (
            f"howsure gaps {CANCER} --y-true label --y-score score_logistic --by tumour_size -m roc_auc "
            "--pairs -o gaps.html"
        ),
    ),
    "require": (
        (
            f"howsure require {CANCER} --y-true label --y-pred logistic --pos-label malignant "
            "-r 'sensitivity>0.8' 'specificity>0.9'"
        ),
        (
            f"howsure require {CANCER} --y-true label --y-score score_forest --pos-label malignant --certify "
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
    "examples": ("howsure examples", f"howsure report {CANCER} --y-true label --y-pred logistic"),
    "study init": ("howsure study init results --metrics f1@macro mcc",),
    "study run": ("howsure study run results/study.toml --out tables -o study.html",),
    "metrics": ("howsure metrics", "howsure metrics fbeta", "howsure metrics calibration"),
    "methods": ("howsure methods", "howsure methods wilson", "howsure methods roc_auc"),
}


def shown(command: str) -> str:
    """Return the examples of a command, a line each, in Markdown."""
    return "\n".join(("Examples:", "", *(f"- `{line}`" for line in EXAMPLES[command])))
