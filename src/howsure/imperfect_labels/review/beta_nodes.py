"""Quadrature nodes and weights for the mean of a function of a rate with a Beta distribution."""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array

WIDTHS = 10.0  # distance from a step, in its widths, beyond which the function is treated as constant
EDGE = 40.0  # absolute logit beyond which a rate is treated as 0 or 1
TAIL = 1e-18  # probability of a rate beyond the nodes
PANEL, DEGREE = 2.0, 16  # widths per panel, and nodes per panel
MESH = 400  # points of the mesh that places the panels


def jacobi_nodes(a: float, b: float, number: int) -> tuple[Array, Array]:
    """Return quadrature nodes and weights for the mean under ``Beta(a, b)`` (Gauss–Jacobi, by Golub and Welsch).

    Examples
    --------
    >>> nodes, weights = jacobi_nodes(2.0, 6.0, 8)
    >>> round(float(nodes @ weights), 12), round(float(nodes**2 @ weights), 12)  # 2/8, 2·3/(8·9)
    (0.25, 0.083333333333)
    """
    from scipy import linalg

    order = np.arange(1, number, dtype=float)
    first, second = b - 1.0, a - 1.0  # Jacobi exponents of 1 - x and 1 + x
    total = 2 * order + first + second
    middle = np.empty(number)
    middle[0] = (second - first) / (first + second + 2)
    middle[1:] = (second**2 - first**2) / (total * (total + 2))
    # The first coefficient is 0/0 for exponents that sum to -1; the common factor is cancelled here.
    beside = 4 * order * (order + first) * (order + second) / (total**2 * (total + 1))
    beside[0] = 4 * (1 + first) * (1 + second) / ((2 + first + second) ** 2 * (3 + first + second))
    beside[1:] *= (order[1:] + first + second) / (total[1:] - 1)
    values, vectors = linalg.eigh_tridiagonal(middle, np.sqrt(beside))
    return (1 + values) / 2, vectors[0] ** 2


def stepped_nodes(a: float, b: float, middle: float, width: float) -> tuple[Array, Array]:
    """Return quadrature nodes and weights under ``Beta(a, b)`` for a function that changes only around ``middle``.

    The rule uses Gauss–Legendre panels in the logit, which are short where the function or the density changes. More
    than ten widths from the middle the function is constant: one node covers all rates below, and one all rates above.

    Examples
    --------
    >>> nodes, weights = stepped_nodes(2.0, 6.0, 0.3, 1e-6)
    >>> round(float(weights @ (nodes < 0.3)), 4)  # P(rate < 0.3) = 0.6706
    0.6706
    """
    from scipy import special

    edge = float(special.expit(-EDGE))
    first = max(float(special.betaincinv(a, b, TAIL)), edge)
    last = min(1 - float(special.betaincinv(b, a, TAIL)), 1 - np.finfo(float).eps)
    low, high = np.clip([middle - WIDTHS * width, middle + WIDTHS * width], first, max(first, last))
    mesh = np.linspace(special.logit(low), special.logit(high), MESH)
    pace = max(1.0, (1 / a + 1 / b) ** -0.5)  # changes of the density per unit of the logit
    progress = pace * mesh + special.expit(mesh) / width
    panels = int(np.ceil((progress[-1] - progress[0]) / PANEL)) + 1
    ends = np.interp(np.linspace(progress[0], progress[-1], panels + 1), progress, mesh)
    unit, shares = np.polynomial.legendre.leggauss(DEGREE)
    half = np.diff(ends)[:, None] / 2
    logits = (ends[:-1, None] + half * (unit + 1)).ravel()
    logarithm = a * special.log_expit(logits) + b * special.log_expit(-logits) - special.betaln(a, b)
    inside = np.exp(logarithm) * (half * shares).ravel()
    weights = np.concatenate([[special.betainc(a, b, low)], inside, [special.betaincc(a, b, high)]])
    return np.concatenate([[low], special.expit(logits), [high]]), weights
