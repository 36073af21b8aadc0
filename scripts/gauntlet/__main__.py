"""`python -m scripts.gauntlet`: the runner."""

import sys

from scripts.gauntlet.run import main

if __name__ == "__main__":
    sys.exit(main())
