"""The Gauntlet: agents on an ops shift full of traps, who share what they learn.

`python -m scripts.gauntlet` runs the whole of it; docs/gauntlet.md says what it shows.
"""
