"""Reference for the tests of decision curves by dcurves 1.1.7: `pip install dcurves`, then `python dcurves.py FOLDER`.

FOLDER contains `df_binary.csv`, `r_case1_results.csv` and `r_case3_results.csv` of the package's repository
(MSKCC-Epi-Bio/dcurves, `tests/benchmark_data`, Apache License 2.0). The data are simulated, and first appeared in R's
package dcurves (ddsjoberg/dcurves, MIT License); the results of the two files are those of that package.

Writes `dcurves.csv` (750 cases) and `dcurves_reference.csv`.
"""

import sys
from pathlib import Path

import pandas as pd
from dcurves import dca
from statsmodels.api import GLM, families

THRESHOLDS = [*(percent / 100 for percent in range(1, 51)), 0.6, 0.7, 0.8, 0.9]
COLUMNS = ["model", "threshold", "net_benefit", "net_intervention_avoided"]

folder = Path(sys.argv[1])
data = pd.read_csv(folder / "df_binary.csv")
data["marker_risk"] = (
    GLM.from_formula("cancer ~ marker", data.astype({"cancer": int}), family=families.Binomial()).fit().fittedvalues
)
models = ["famhistory", "cancerpredmarker", "marker_risk"]
data[["cancer", *models]].to_csv("dcurves.csv", index=False)

rows = [
    dca(data=data, outcome="cancer", modelnames=models, thresholds=THRESHOLDS, prevalence=prevalence)[COLUMNS].assign(
        package="Python", prevalence=prevalence
    )
    for prevalence in (None, 0.05)
]
for name, theirs in (("r_case1_results.csv", "famhistory"), ("r_case3_results.csv", "marker")):
    found = pd.read_csv(folder / name).query(f"variable == '{theirs}' and threshold > 0")
    # The third file subtracts the harm of the test itself.
    found["net_benefit"] += found["harm"]
    found["net_intervention_avoided"] += found["harm"] * (1 - found["threshold"]) / found["threshold"]
    found = found.rename(columns={"variable": "model"}).replace({"marker": "marker_risk"})
    rows.append(found[COLUMNS].assign(package="R", prevalence=None))
pd.concat(rows).query("model != 'none'").to_csv("dcurves_reference.csv", index=False)
