"""Compare the alternative annotator test with the output of its authors' notebook, on their data.

Run ``python benchmarks/alt_test.py FOLDER`` with a checkout of github.com/nitaytech/AltTest. Prints the differences.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import howsure as hs

EPSILON = {  # of the notebook; the last four are compared by the root of the squared error
    "wax": 0.1,
    "lgbteen": 0.2,
    "mtbench": 0.2,
    "framing": 0.15,
    "cebab_aspects": 0.1,
    "summeval": 0.2,
    "10k_prompts": 0.15,
    "cebab_stars": 0.1,
    "lesion": 0.15,
}
OF_NUMBERS = {"summeval", "10k_prompts", "cebab_stars", "lesion"}
LINE = re.compile(r"^(\S+) (\S+) \[\w+\]:\s+Winning Rate=([\d.]+)\s+Advantage Probability=([\d.]+)", re.MULTILINE)


def main(folder: Path) -> None:
    cells = json.loads((folder / "alt_test_example.ipynb").read_text())["cells"]
    printed = "".join("".join(each.get("text", "")) for cell in cells for each in cell.get("outputs", []))
    known = {(data, model): numbers for data, model, *numbers in LINE.findall(printed)}
    other = 0
    for (data, model), numbers in known.items():
        people, models = (
            json.loads((folder / "data" / data / f"{who}_annotations.json").read_text()) for who in ("human", "llm")
        )
        names = sorted({item for said in people.values() for item in said})
        said = {who: [each.get(item) for item in names] for who, each in (people | {"model": models[model]}).items()}
        weights = "quadratic" if data in OF_NUMBERS else "identity"
        found = hs.labels.alt_test(hs.ratings(said, check=False), "model", epsilon=EPSILON[data], weights=weights)
        ours = [f"{found.winning_rate:.2f}", f"{found.advantage.value:.2f}"]
        if ours != numbers:
            other += 1
            print(data, model, "printed", *numbers, "here", *ours)
    print(f"{len(known) - other} of {len(known)} are the same.")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
