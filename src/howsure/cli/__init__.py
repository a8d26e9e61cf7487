"""The command line: ``howsure report FILE --y-true … --y-pred …`` and its companions."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; errors of input end with one line on stderr and exit code 2."""
    try:
        from howsure.cli.app import app
    except ImportError as error:
        sys.stderr.write(f"howsure: the command line needs '{error.name}'. Install it: pip install 'howsure[cli]'\n")
        raise SystemExit(2) from None
    from howsure.errors import HowsureError

    try:
        app.meta(sys.argv[1:])
    except HowsureError as error:
        sys.stderr.write(f"howsure: {error}\n")
        raise SystemExit(2) from None
    except BrokenPipeError:
        # The reader went away (`| head`): nothing is wrong.
        sys.stderr.close()
        raise SystemExit(0) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None
