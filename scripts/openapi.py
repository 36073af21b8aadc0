"""Writes docs/openapi.json: `python -m scripts.openapi`."""

import json
from importlib.metadata import version
from pathlib import Path

from tributary.edge.http.openapi import document

PATH = Path(__file__).parents[1] / "docs" / "openapi.json"


def text() -> str:
    """The file's content."""
    return json.dumps(document(version("tributary")), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
