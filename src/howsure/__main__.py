"""``python -m howsure``: the command line."""

from howsure.cli import main

main()
