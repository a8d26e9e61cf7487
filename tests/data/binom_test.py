"""Writes binom_test.csv: the limits that statsmodels finds by inverting the exact binomial test.

Run with: python binom_test.py     Run last with statsmodels 0.15.0 (BSD licence).
"""

import csv
from pathlib import Path

SEVERAL_CROSSINGS = [(0, 29), (0, 50), (1, 30), (8, 50), (5, 353), (2, 22), (4, 139), (1, 247), (0, 154)]
GRID = [(x, n) for n in (1, 2, 5, 20, 148) for x in sorted({0, 1, 2, n // 3, n // 2, n - 1, n}) if x <= n]


def main() -> None:
    """Invert, and write."""
    from statsmodels.stats.proportion import proportion_confint

    with Path(__file__).with_suffix(".csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["level", "successes", "trials", "low", "high"])
        for level in (0.8, 0.95, 0.99, 0.999):
            for x, n in GRID + SEVERAL_CROSSINGS:
                low, high = proportion_confint(x, n, 1 - level, "binom_test")
                writer.writerow([level, x, n, repr(float(low)), repr(float(high))])


if __name__ == "__main__":
    main()
