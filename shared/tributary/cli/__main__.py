"""`python -m tributary.cli` is the same as `tributary`."""

from tributary.cli import main

main()
