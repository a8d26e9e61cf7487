"""Names of the schemes in which tokens are tagged; the command line needs nothing else of the entities."""

from typing import Literal, TypeAlias

Scheme: TypeAlias = Literal["IOB2", "BIO", "IOBES", "BIOES", "BILOU"]
