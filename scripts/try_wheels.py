"""Installs the wheels of `dist/` into empty environments and lets them do the whole job.

For each Python that is there (3.11 and newer), in a path with a space, as an ordinary user too
where it runs as root: nothing is compiled, and neither a compiler nor Node is in PATH. The worked
example is profiled and evaluated, then the application serves, takes an upload, evaluates it and
shows its page. It needs the package index for what the wheels depend on.
"""

import argparse
import base64
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from build_wheels import hashes

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
FLASH, DISK = "samsung-pm9a3-7.68tb-u2", "seagate-exos-2x18-18tb"
ORDINARY_USER = 65534  # nobody
TOOLS = ("sh", "env", "uname", "cat", "ls", "id", "locale", "getconf", "readlink")
"""What a bare machine has in PATH; no compiler, no Node, no cargo."""


def as_user(user: int | None) -> dict[str, Any]:
    """Return what starts a process as a user; None: as the one that we are."""
    return {} if user is None else {"user": user, "group": user, "extra_groups": []}


def is_there(version: str, user: int | None) -> Path | None:
    """Find a Python that can make environments, and that the user may run."""
    pyenv = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions"
    folders = [
        *os.environ.get("PATH", "").split(os.pathsep),
        *map(str, sorted(pyenv.glob(f"{version}.*/bin"))),
    ]
    asked = (
        "import sys, venv, ensurepip; "
        "print('%d.%d' % sys.version_info[:2], sys.executable)"
    )
    for folder in folders:
        path = Path(folder) / f"python{version}"
        try:
            done = subprocess.run(
                [path, "-c", asked],
                capture_output=True,
                text=True,
                check=False,
                **as_user(user),
            )
        except OSError:
            continue
        found, _, executable = done.stdout.strip().partition(" ")
        if found == version:
            return Path(executable)  # `path` may be a script that looks for it
    return None


class Trial:
    """One environment, and the user that it is tried as."""

    def __init__(self, python: Path, folder: Path, user: int | None) -> None:
        self.folder, self.user = folder, user
        self.bin = folder / "an environment" / "bin"
        bare = folder / "bare"
        bare.mkdir()
        for name in TOOLS:
            if found := shutil.which(name):
                (bare / name).symlink_to(found)
        self.environment = {
            **{
                name: value
                for name, value in os.environ.items()
                # Where the package index is, and its certificates.
                if name.startswith(("PIP_", "SSL_", "REQUESTS_", "LANG"))
            },
            "HOME": str(folder),
            "PATH": f"{self.bin}:{bare}",
            "TMPDIR": str(folder),
        }
        self.run(python, "-m", "venv", self.bin.parent)

    def run(self, *command: str | Path) -> str:
        """Run a command to its end, and return what it says."""
        done = subprocess.run(
            [str(part) for part in command],
            cwd=self.folder,
            env=self.environment,
            **as_user(self.user),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(
                f"error: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
            )
        return done.stdout

    def install(self) -> None:
        """Install both wheels, and compile nothing."""
        wheels = [DIST / name for name in hashes(DIST)]
        pip = (self.bin / "python", "-m", "pip", "--disable-pip-version-check")
        self.run(*pip, "install", "--quiet", "--only-binary", ":all:", *wheels)
        self.run(*pip, "check")
        # Under the package's own name too, as `uvx` looks for it.
        names = (
            self.run(self.bin / f"tierwright{end}", "--version")
            for end in ("", "-server")
        )
        assert len(set(names)) == 1, "two commands"

    def doctor(self) -> str:
        """Let it look at the machine, and return what it notes; it fails where anything lacks."""
        said = json.loads(self.run(self.bin / "tierwright", "doctor", "--json"))
        return "; ".join(
            f"{each['what']}: {each['found']}"
            for each in said["findings"]
            if each["state"] != "ok"
        )

    def command_line(self) -> str:
        """Profile and evaluate the worked example, and return the best scheme."""
        tierwright = self.bin / "tierwright"
        where = "from tierwright.common.shipped import shipped_folder; print(shipped_folder())"
        shipped = Path(self.run(self.bin / "python", "-c", where).strip())
        trace = shipped / "fixtures" / "traces" / "tpcc-20w-cut.csv.zst"
        profile = self.folder / "a profile.json"
        self.run(
            tierwright, "profile", trace, "-o", profile, "--sizes", "1000,6000,7000"
        )
        sizes = ("--ram-pages", "1000", "--flash-pages", "6000")
        devices = ("--flash-device", FLASH, "--disk-device", DISK)
        answer = self.run(tierwright, "evaluate", profile, *sizes, *devices, "--json")
        self.run(tierwright, "formula", "--json")
        return str(json.loads(answer)["best"])

    def application(self) -> str:
        """Serve, upload, evaluate, and return the best scheme."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        data, said = self.folder / "data", self.folder / "server.out"
        server = subprocess.Popen(
            [self.bin / "tierwright", "serve", "--port", str(port), "--data-dir", data],
            cwd=self.folder,
            env=self.environment,
            **as_user(self.user),
            stdout=said.open("w"),
            stderr=(self.folder / "server.log").open("w"),
        )
        try:
            wait(lambda: "Tierwright is ready: " in said.read_text())
            return use(f"http://127.0.0.1:{port}")
        except BaseException:
            sys.stderr.write((self.folder / "server.log").read_text()[-3000:])
            raise
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(60)


def ask(address: str, body: Any = None, **headers: str) -> tuple[Any, Any]:
    """Send a request, and return the answer's headers and its document."""
    raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    method = headers.pop("method", "GET" if body is None else "POST")
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if raw is not None and "Content-Type" not in named:
        named["Content-Type"] = "application/json"
    request = urllib.request.Request(address, raw, named, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        text = answer.read().decode()
        is_json = "json" in answer.headers.get("Content-Type", "")
        return answer.headers, json.loads(text) if is_json else text


def use(server: str) -> str:
    """Take a person's way through the application."""
    api = f"{server}/api/v1"
    assert ask(f"{api}/health/ready")[1]["status"] == "ready"
    try:
        page = ask(server)[1]
    except urllib.error.HTTPError as error:
        raise SystemExit(
            f"error: the page: {error.code} {error.read()[:300]!r}"
        ) from error
    assert "<title>" in page, "the page is not there"
    script = page.split('src="/assets/')[1].split('"')[0]
    assert "react" in ask(f"{server}/assets/{script}")[1], "the page has no script"
    trace = b"time_us,op,rel,block\n" + b"".join(
        b"%d,%c,1,%d\n" % (at, b"RW"[at % 5 == 0], at * 7919 % 997)
        for at in range(20_000)
    )
    head, _ = ask(
        f"{api}/uploads",
        b"",
        Tus_Resumable="1.0.0",
        Upload_Length=str(len(trace)),
        Upload_Metadata="filename " + base64.b64encode(b"a trace.csv").decode(),
    )
    upload = head["Location"]
    offset = {"Content_Type": "application/offset+octet-stream", "Upload_Offset": "0"}
    ask(f"{server}{upload}", trace, method="PATCH", Tus_Resumable="1.0.0", **offset)
    body = {"upload_id": upload.rsplit("/", 1)[-1], "name": "a trace"}
    workload = ask(f"{api}/workloads", body)[1]
    wait(lambda: ask(f"{api}/workloads/{workload['id']}")[1]["status"] == "ready")
    asked = {
        "workload_id": workload["id"],
        "ram_pages": 100,
        "flash_pages": 500,
        "flash_device_id": FLASH,
        "disk_device_id": DISK,
    }
    return str(ask(f"{api}/evaluations", asked)[1]["best"])


def wait(holds: Any) -> None:
    """Wait until something holds, at most ten minutes."""
    until = time.monotonic() + 600
    while True:
        try:
            if holds():
                return
        except OSError:
            pass
        if time.monotonic() > until:
            raise SystemExit("error: the application was not ready within ten minutes")
        time.sleep(0.3)


def main() -> None:
    """Try each Python, as each user."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--python", action="append", help="such as 3.12; default: all")
    asked = options.parse_args().python
    users = [None] if os.geteuid() else [None, ORDINARY_USER]
    tried = 0
    for version in asked or PYTHONS:
        for user in users:
            name = "root" if user is None and os.geteuid() == 0 else "a user"
            python = is_there(version, user)
            if python is None:
                print(f"Python {version} as {name}: not on this machine")
                continue
            with tempfile.TemporaryDirectory(prefix="tierwright wheels ") as made:
                folder = Path(made)
                folder.chmod(0o711)
                if user is not None:
                    os.chown(folder, user, user)
                trial = Trial(python, folder, user)
                trial.install()
                if notes := trial.doctor():
                    print(f"Python {version} as {name}: doctor notes: {notes}")
                best = trial.command_line(), trial.application()
                print(
                    f"Python {version} as {name}: best {best[0]}; served, best {best[1]}",
                    flush=True,
                )
                tried += 1
    if not tried:
        raise SystemExit("error: no Python to try the wheels with")


if __name__ == "__main__":
    main()
