"""Builds the containers' image with podman or docker and says its size.

``python scripts/build_image.py [FLAG ...]``; the flags go to the engine's ``build``, such as
``--network host``. The image has the name by which docker-compose.yml asks for it.
"""

import subprocess
import sys
import time

from engines import ROOT, NoEngine, find_engine, own_image


def main(flags: list[str]) -> int:
    """Build, and print the image's size."""
    try:
        engine = find_engine()
    except NoEngine as error:
        print(f"error: {error}", file=sys.stderr)
        print(
            "hint: install podman, or start docker, then run make image again",
            file=sys.stderr,
        )
        return 2
    began = time.monotonic()
    name = own_image()
    command = [engine.name, "build", "--tag", name, *flags, str(ROOT)]
    code = subprocess.run(command, check=False, stdin=subprocess.DEVNULL).returncode
    if code:
        print(f"error: {engine.name} could not build {name}", file=sys.stderr)
        return code
    image = engine.inspect("image", name) or {}
    print(
        f"{name}: {image['Size'] / 1e6:.0f} MB, built in "
        f"{time.monotonic() - began:.0f} s by {engine.name} {engine.version}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
