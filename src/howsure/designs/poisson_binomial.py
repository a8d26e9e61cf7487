"""Poisson binomial distribution: successes among independent trials with unequal probabilities."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from howsure.arrays import Array
from howsure.native.ends import are_ones, total
from howsure.native.moments import MOST_POWERS, chance_sums

LOG_NEGLIGIBLE = 40.0  # exp(-40) = 4e-18: the omitted tails of a distribution are below rounding error
LEFT_OUT = 1e-13  # of a logarithm
WITHIN = 0.5  # the argument of a series of a logarithm that converges fast
BLOCK = 2**13  # factors that are multiplied at once: they stay in the cache


def poisson_binomial(probability: Array, number: Array | None = None, sums: Array | None = None) -> tuple[int, Array]:
    """Return the distribution of the number of successes: its smallest value and the probabilities from there on.

    Parameters
    ----------
    probability
        Probability of success of each trial.
    number
        Number of trials with this probability; one by default.
    sums
        Their first `chance_sums`, up to the second power or a higher one, if known.

    Returns
    -------
    start, mass
        ``mass[i]`` is the probability of ``start + i`` successes; the mass outside is below 1e-17.

    Notes
    -----
    The distribution is the discrete Fourier transform of the characteristic function (Hong 2013). Bernstein's
    inequality limits the range of values. Only about thirty frequencies are needed, for any number of trials: those
    where the bound ``|phi(w)| <= exp(-variance * (1 - cos w))`` is not negligible. The cost is linear and the result
    exact to rounding.

    The characteristic function has the series ``log phi(w) = sum (-1)**(k+1) S_k z**k / k``, with ``z = exp(iw) - 1``
    and the power sums ``S_k = sum p**k``. Many trials need few terms, because z is then small at all those frequencies.
    The remainder after the m-th term is at most ``n |z|**(m+1) / ((m+1) (1 - |z|))``. The series is used if this is
    below 1e-13 with no more terms than frequencies, else the product over the trials.

    References
    ----------
    Hong (2013), Computational Statistics & Data Analysis 59.

    Examples
    --------
    >>> start, mass = poisson_binomial(np.array([0.5, 0.2]))
    >>> start, mass.round(6).tolist()
    (0, [0.4, 0.5, 0.1])
    """
    trials = np.broadcast_to(1.0, len(probability)) if number is None else np.asarray(number, dtype=float)
    sums = chance_sums(probability, trials, 2) if sums is None else sums
    mean, square = sums[1:3]
    variance = max(float(mean - square), 0.0)
    # Bernstein: P(|X - mean| >= x) <= 2 exp(-x² / (2 (variance + x / 3))).
    reach = LOG_NEGLIGIBLE / 3 + np.sqrt((LOG_NEGLIGIBLE / 3) ** 2 + 2 * LOG_NEGLIGIBLE * variance)
    start = max(int(np.floor(mean - reach)), 0)
    stop = min(int(np.ceil(mean + reach)), round(total(trials)))
    size = stop - start + 1
    padded = _fast(size)
    frequency = 2 * np.pi * np.arange(padded // 2 + 1) / padded
    kept = variance * (1 - np.cos(frequency)) <= LOG_NEGLIGIBLE
    transform = np.zeros(len(frequency), dtype=complex)
    transform[kept] = _characteristic(probability, trials, sums, frequency[kept]) * np.exp(
        -1j * frequency[kept] * start
    )
    mass = np.maximum(np.fft.irfft(transform.conj(), padded)[:size], 0.0)
    return start, mass / mass.sum()


def _fast(size: int) -> int:
    """Return a size of at least this one, at most an eighth larger, whose Fourier transform is fast."""
    step = 1 << max(size.bit_length() - 4, 0)
    return -(-size // step) * step


def _characteristic(probability: Array, trials: Array, sums: Array, frequency: Array) -> Array:
    """Return ``prod(1 - p + p exp(iw))`` at each frequency."""
    steps = np.exp(1j * frequency) - 1
    terms = _terms(float(np.abs(steps).max()), total(trials), len(steps))
    if terms:
        orders = np.arange(1, terms + 1)
        series = -np.power.outer(-steps, orders) / orders
        known = sums if terms < len(sums) else chance_sums(probability, trials, terms)
        return np.asarray(np.exp(series @ known[1 : terms + 1]))
    product = np.ones(len(frequency), dtype=complex)
    single = are_ones(trials)
    for block in _blocks(len(probability), max(BLOCK // len(steps), 1)):
        factors = 1 + np.multiply.outer(probability[block], steps)
        product *= np.prod(factors if single else factors ** trials[block, None], axis=0)
    return product


def _terms(largest: float, number: float, most: int) -> int:
    """Return the number of terms with a remainder below rounding error; 0 if too many are needed."""
    if largest >= WITHIN:
        return 0
    orders = np.arange(1, min(most, MOST_POWERS) + 1)
    left = number * largest ** (orders + 1.0) / ((orders + 1) * (1 - largest))
    return int(orders[left < LEFT_OUT][0]) if (left < LEFT_OUT).any() else 0


def _blocks(size: int, step: int) -> Iterator[slice]:
    return (slice(first, first + step) for first in range(0, size, step))
