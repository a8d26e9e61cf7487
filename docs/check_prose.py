"""Counts sentences of the documents and the docstrings that are hard to read, and checks the shares.

The limits are those of the documents of SciPy, statsmodels and scikit-learn, with some room. Run by ``make check``;
``python docs/check_prose.py --list`` prints the sentences that it counts. Ends with 1 if a share is above its limit.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
LONGEST = 30  # words of a sentence
LIMITS = {"long": 5.0, "preposition first": 1.5, "what-clause": 0.4, "code as a person": 0.4, "obscure word": 0.4}
HABITS = {
    "preposition first": re.compile(r"^(Of|By|From|Among|With|Along|Without|Beside|To)\b"),
    "what-clause": re.compile(r"\bwhat (is|are|it|they|the|a|its|that|was|were|makes|varies|lies|tells|one)\b"),
    "code as a person": re.compile(
        r"\b(knows?|tells?|told|asks? (of|for|whether)|is asked|are asked|believes?|is silent)\b"
    ),
    "obscure word": re.compile(
        r"\b(mend(s|ed|ing)?|worth|beside|alike|for want of|begins?|suits?|the one that|those that|"
        r"hold(s|ing)? the truth|as far as|no (longer )?(independent|number|match|method can))\b"
    ),
}
FENCE = re.compile(r"```.*?```", re.DOTALL)
EXAMPLE = re.compile(r"^\s*(>>>|\.\.\.|\|).*$", re.MULTILINE)
SECTION = re.compile(r"^(Parameters|Returns|Raises|Notes|References|Examples|Attributes)\n-+$", re.MULTILINE)
PARAMETER = re.compile(r"^\s*[\w*, ]+ : .*$", re.MULTILINE)
BLOCK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+]|\d+\.|#+|:)\s)")  # paragraphs, items and headings
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*])")


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text with more than three words."""
    text = PARAMETER.sub(".", SECTION.sub(".", EXAMPLE.sub("", FENCE.sub("", text))))
    for block in BLOCK.split(text):
        line = re.sub(r"\s+", " ", block).strip().lstrip("#-*+ ")
        yield from (each for each in SENTENCE.split(line) if len(each.split()) > 3)


def documents() -> Iterator[tuple[str, str]]:
    """Yield the place and the text of each document."""
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        if "_build" not in path.parts:
            yield str(path.relative_to(ROOT)), path.read_text()


def docstrings() -> Iterator[tuple[str, str]]:
    """Yield the place and the text of each docstring."""
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (text := ast.get_docstring(node)):
                yield f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}", text


def main(*, listed: bool) -> int:
    """Print the shares, in per cent, and return 1 if one is above its limit."""
    above = 0
    for kind, texts in (("documents", documents()), ("docstrings", docstrings())):
        counts, number = Counter[str](), 0
        for place, text in texts:
            for each in sentences(text):
                number += 1
                found = [habit for habit, pattern in HABITS.items() if pattern.search(each)]
                found += ["long"] * (len(each.split()) > LONGEST)
                counts.update(found)
                if listed and found:
                    sys.stdout.write(f"{place} ({', '.join(found)}): {each}\n")
        shares = {habit: 100 * counts[habit] / number for habit in LIMITS}
        sys.stdout.write(f"{kind}: {', '.join(f'{habit} {share:.2f} %' for habit, share in shares.items())}\n")
        for habit in (each for each, limit in LIMITS.items() if shares[each] > limit):
            sys.stdout.write(f"{kind}: {habit} is above its limit of {LIMITS[habit]} %; --list prints the sentences\n")
            above += 1
    return int(above > 0)


if __name__ == "__main__":
    sys.exit(main(listed="--list" in sys.argv[1:]))
