"""The `tributary` command."""

import sys


def main() -> None:
    """Run the command line; exit status 0 done, 1 refused, failed or cancelled, 2 wrong usage."""
    try:
        from tributary.cli.run import run
    except ImportError as error:
        sys.exit(f"tributary: {error.name} is not installed: pip install 'tributary[cli]'")
    run()
