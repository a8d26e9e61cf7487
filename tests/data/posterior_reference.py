"""Write posterior_reference.csv: medians and spreads of prob_conf_mat's posterior draws of the matrices in mnist_digits.

Run with: python posterior_reference.py     Run last with prob_conf_mat 0.4.0 (MIT licence); it takes some minutes.

The spread is half the distance of the quantiles at 16 % and 84 %. Both are nan if some draws are not finite.
"""

import csv
from pathlib import Path

import numpy as np

DATA = Path(__file__).parent
DRAWS = 20_000
METRICS = [
    "acc", "ba", "mcc", "kappa", "mae", "mse", "rmse", "offby1", "polynomial_weighted_kappa",
    *(f"{name}@macro" for name in (
        "prevalence", "model_bias", "tpr", "fnr", "ppv", "fdr", "fpr", "tnr", "for", "npv", "f1", "fbeta+beta=2",
        "informedness", "markedness", "p4", "jaccard", "plr", "nlr", "log_plr", "dor", "log_dor",
        "prevalence_threshold", "diag_mass",
    )),
    "f1@weighted", "f1@geometric", "f1@min", "f1@max",
]  # fmt: skip


def main() -> None:
    """Draw, and write."""
    import prob_conf_mat

    with (DATA / "posterior_reference.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["matrix", "prior", "metric", "median", "spread"])
        for path in sorted((DATA / "mnist_digits").glob("*.csv")):
            counts = np.loadtxt(path, delimiter=",", dtype=int).tolist()
            for prior in (0, 1, "half"):
                study = prob_conf_mat.Study(seed=3, num_samples=DRAWS, ci_probability=0.95)
                study.add_experiment("g/e", confusion_matrix=counts, prevalence_prior=prior, confusion_prior=prior)
                for metric in METRICS:
                    study.add_metric(metric)
                    drawn = study.get_metric_samples(metric, "g/e", "posterior").values.ravel()
                    finite = np.isfinite(drawn).all()
                    low, median, high = np.quantile(drawn, [0.16, 0.5, 0.84]) if finite else [np.nan] * 3
                    writer.writerow([path.stem, prior, metric, f"{median:.7g}", f"{(high - low) / 2:.7g}"])


if __name__ == "__main__":
    main()
