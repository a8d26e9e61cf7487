"""Random words by their number."""

import numpy as np

from howsure.native.random_words import words_at


def mixed(state):
    """SplitMix64's output for a state, by whole numbers of any size."""
    word = state
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB % 2**64
    return word ^ (word >> 31)


def test_words_are_those_of_splitmix64():
    """Word i of a key is SplitMix64's output for the key plus i + 1 steps, modulo 2**64."""
    key = 2**64 - 12345
    expected = [mixed((key + 0x9E3779B97F4A7C15 * (index + 1)) % 2**64) for index in (0, 1, 2, 10**12)]
    assert words_at(np.uint64(key), np.array([0, 1, 2, 10**12])).tolist() == expected


def test_words_are_those_that_its_authors_published():
    """The first words of the seed 1234567 equal the output of Vigna's reference program."""
    assert words_at(1234567, np.arange(5)).tolist() == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
