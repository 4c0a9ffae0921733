"""Write backend/openapi.json from the routes, or check that it is up to date.

Usage: python scripts/generate_openapi.py [--check]
"""

import argparse
import difflib
import json
import sys
from pathlib import Path

from tierwright_server.app import make_app
from tierwright_server.common.settings import Settings

TARGET = Path(__file__).resolve().parents[1] / "backend" / "openapi.json"


def main() -> int:
    """Write the document; with --check, only compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="compare instead of writing"
    )
    check: bool = parser.parse_args().check
    text = (
        json.dumps(make_app(Settings()).openapi(), indent=1, ensure_ascii=False) + "\n"
    )
    present = TARGET.read_text(encoding="utf-8") if TARGET.exists() else ""
    if text == present:
        return 0
    if not check:
        TARGET.write_text(text, encoding="utf-8")
        print(f"wrote {TARGET.name}")
        return 0
    lines = difflib.unified_diff(
        present.splitlines(), text.splitlines(), "committed", "generated", lineterm=""
    )
    print("\n".join(list(lines)[:60]))
    print(f"error: {TARGET.name} does not match the routes", file=sys.stderr)
    print("hint: run python scripts/generate_openapi.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
