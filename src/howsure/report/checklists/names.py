"""Names of the checklists."""

from __future__ import annotations

from typing import Literal, get_args

ChecklistName = Literal["tripod-ai", "stard-ai", "claim", "model-card"]
NAMES: tuple[ChecklistName, ...] = get_args(ChecklistName)
