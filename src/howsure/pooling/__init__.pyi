# The names of this namespace, each once: read by type checkers, and at run time to find where a name is defined.

from .conflation import conflate as conflate
