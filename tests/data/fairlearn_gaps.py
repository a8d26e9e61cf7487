"""Reference for the tests of groups by Fairlearn 0.15.0: `pip install fairlearn`, then `python fairlearn_gaps.py`."""

import json
import sys

import fairlearn.metrics as fl
import numpy as np
from sklearn.metrics import precision_score

METRICS = {
    "recall": fl.true_positive_rate,
    "fpr": fl.false_positive_rate,
    "selection_rate": fl.selection_rate,
    "precision": precision_score,
}
CRITERIA = ("demographic_parity", "equalized_odds", "equal_opportunity")


def cases(n=3000):
    """Return truth, predictions and groups."""
    rng = np.random.RandomState(11)
    y_true, group = rng.randint(0, 2, n), rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])
    return y_true, np.where(rng.uniform(size=n) < np.where(group == "c", 0.75, 0.88), y_true, 1 - y_true), group


def main():
    """Print the reference."""
    y_true, y_pred, group = cases()
    beside = {"sensitive_features": group}
    frame = fl.MetricFrame(
        metrics=METRICS,
        y_true=y_true,
        y_pred=y_pred,
        n_boot=2000,
        ci_quantiles=[0.025, 0.1587, 0.5, 0.8413, 0.975],
        random_state=0,
        **beside,
    )
    ways = ("between_groups", "to_overall")
    functions = {}
    for criterion in CRITERIA:
        for kind in ("difference", "ratio"):
            function = getattr(fl, f"{criterion}_{kind}")
            for way in ways:
                functions[f"{criterion}_{kind},{way}"] = float(function(y_true, y_pred, method=way, **beside))
    for kind in ("difference", "ratio"):
        function = getattr(fl, f"equalized_odds_{kind}")
        functions[f"equalized_odds_{kind},mean"] = float(function(y_true, y_pred, agg="mean", **beside))
    weights = np.random.RandomState(3).uniform(0.5, 2, len(y_true))
    weighted = fl.equalized_odds_difference(y_true, y_pred, sample_weight=weights, **beside)
    functions["equalized_odds_difference,weights"] = float(weighted)
    found = {
        "by_group": {name: frame.by_group[name].to_dict() for name in METRICS},
        "overall": frame.overall.to_dict(),
        "difference": {way: frame.difference(method=way).to_dict() for way in ways},
        "ratio": {way: frame.ratio(method=way).to_dict() for way in ways},
        "group_min": frame.group_min().to_dict(),
        "group_max": frame.group_max().to_dict(),
        "by_group_ci": [each.to_dict() for each in frame.by_group_ci],
        "difference_ci": [each.to_dict() for each in frame.difference_ci(method="between_groups")],
        "functions": functions,
    }
    json.dump(found, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
