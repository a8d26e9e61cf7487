"""Names as people write them: small and capital letters, blanks, hyphens and signs make no difference."""

from __future__ import annotations

import re
from collections.abc import Mapping


def canonical(name: str) -> str:
    """Return a name in lower case, with underscores for blanks and hyphens.

    Examples
    --------
    >>> canonical("Mid-p"), canonical(" Cohen kappa ")
    ('mid_p', 'cohen_kappa')
    """
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def by_word(listed: Mapping[str, str]) -> dict[str, str]:
    """Return the meaning of each word, from the words of each meaning with blanks between them.

    Examples
    --------
    >>> by_word({"low": "lower ci_low", "high": "upper"})
    {'lower': 'low', 'ci_low': 'low', 'upper': 'high'}
    """
    return {word: meaning for meaning, words in listed.items() for word in words.split()}


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text with blanks and line breaks between them."""
    return frozenset(text.split())


def squeezed(name: str) -> str:
    """Return a name in lower case without blanks, hyphens and other signs, which "F1-Score" and "f1_score" share.

    Examples
    --------
    >>> squeezed("Youden's J"), squeezed("AUC-ROC")
    ('youdensj', 'aucroc')
    """
    return re.sub(r"[\W_]", "", name.lower())
