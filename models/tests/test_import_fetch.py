"""Price lists that are fetched: from a server of this machine, as no test opens the network."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from command import answer, run
from test_import_prices import F16S, SAMPLE

from tierwright.common.errors import BadInput
from tierwright.hardware.imports import fetch

OFFER = "/offers/v1.0/aws/AmazonEC2/current/us-east-1/index.json"
EXACT = "0.1000000000000000055"
"""A price that a binary number would change."""


class Mirror(BaseHTTPRequestHandler):
    """The two services, as far as they are asked."""

    asked: list[str]
    answers: dict[str, tuple[int, bytes, dict[str, str]]]

    def do_GET(self) -> None:
        type(self).asked.append(self.path)
        parts = urlsplit(self.path)
        page = parse_qs(parts.query).get("$skip", [""])[0]
        status, body, headers = self.answers.get(parts.path + page, (404, b"none", {}))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if "Content-Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def mirror() -> Iterator[Any]:
    kind: Any = type("Kept", (Mirror,), {"asked": [], "answers": {}})
    server = ThreadingHTTPServer(("127.0.0.1", 0), kind)
    kind.base = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield kind
    server.shutdown()
    thread.join()
    server.server_close()


def put(mirror: Any, path: str, body: bytes, status: int = 200, **headers: str) -> None:
    mirror.answers[path] = (
        status,
        body,
        {name.replace("_", "-"): value for name, value in headers.items()},
    )


def page(items: list[str], following: str | None) -> bytes:
    link = json.dumps(following)
    text = ",".join(items)
    return f'{{"BillingCurrency":"USD","Items":[{text}],"NextPageLink":{link},"Count":1}}'.encode()


AZURE = "/api/retail/prices"


class TestFetch:
    """Through the command, as a user runs it."""

    def test_the_offer_file_of_aws_is_the_bytes_that_were_sent(
        self, mirror: Any, tmp_path: Path
    ) -> None:
        raw, output = json.dumps(SAMPLE).encode(), tmp_path / "ec2.json"
        put(mirror, OFFER, raw)
        done = run(
            *(
                "prices",
                "fetch",
                "aws",
                "--offer",
                "AmazonEC2",
                "--region",
                "us-east-1",
            ),
            *("-o", output, "--from", mirror.base, "--yes", "--json"),
        )
        assert done.returncode == 0, done.stderr
        assert output.read_bytes() == raw
        assert json.loads(done.stdout)["bytes"] == len(raw)
        # The host is named before anything is asked of it.
        assert done.stderr.startswith(mirror.base.removeprefix("http://"))
        assert mirror.asked == [OFFER]
        assert answer("import", "prices", output)["format"] == "aws"

    def test_pages_of_azure_are_one_list_with_its_numbers_as_sent(
        self, mirror: Any, tmp_path: Path
    ) -> None:
        items = [
            json.dumps({**F16S, "retailPrice": "@", "unitPrice": "@"}).replace(
                '"@"', EXACT
            ),
            json.dumps({**F16S, "skuId": "second", "note": '"Items": [1]'}),
        ]
        put(mirror, AZURE, page(items[:1], f"{mirror.base}{AZURE}?$skip=1"))
        put(mirror, f"{AZURE}1", page([], f"{mirror.base}{AZURE}?$skip=2"))
        put(mirror, f"{AZURE}2", page(items[1:], None))
        output = tmp_path / "azure.json"
        done = run(
            *("prices", "fetch", "azure", "--filter", "armRegionName eq 'westeurope'"),
            *("-o", output, "--from", mirror.base, "--yes"),
        )
        assert done.returncode == 0, done.stderr
        assert EXACT in output.read_text()
        assert len(json.loads(output.read_text())["Items"]) == 2
        assert "armRegionName+eq" in mirror.asked[0]
        assert answer("import", "prices", output)["read"] == 2

    def test_nothing_is_asked_of_the_host_without_a_yes(
        self, mirror: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        output = tmp_path / "x.json"
        arguments = (
            *(
                "prices",
                "fetch",
                "aws",
                "--offer",
                "AmazonEC2",
                "--region",
                "us-east-1",
            ),
            *("-o", output, "--from", mirror.base),
        )
        done = run(*arguments)
        assert done.returncode == 2
        assert "--yes" in done.stderr
        assert mirror.asked == []
        assert not output.exists()


class TestRefusals:
    """A part of a list never looks like one."""

    def refused(self, mirror: Any, output: Path, **given: Any) -> BadInput:
        with pytest.raises(BadInput) as found:
            fetch.fetched(
                fetch.aws("AmazonEC2", "us-east-1", base=mirror.base), output, **given
            )
        assert list(output.parent.iterdir()) == []
        assert found.value.hint
        return found.value

    def test_a_list_above_the_limit(self, mirror: Any, tmp_path: Path) -> None:
        put(mirror, OFFER, b" " * 1000)
        error = self.refused(mirror, tmp_path / "x", most_bytes=999)
        assert "larger than" in error.message

    def test_an_answer_that_ends_early(self, mirror: Any, tmp_path: Path) -> None:
        put(mirror, OFFER, b"{}", Content_Length="1000")
        self.refused(mirror, tmp_path / "x")

    def test_a_redirection_is_not_followed(self, mirror: Any, tmp_path: Path) -> None:
        put(mirror, OFFER, b"", 302, Location="https://elsewhere.example/x")
        assert "elsewhere" in self.refused(mirror, tmp_path / "x").message
        assert len(mirror.asked) == 1

    def test_nobody_answers(self, tmp_path: Path) -> None:
        with pytest.raises(BadInput, match="could not be fetched"):
            fetch.fetched(
                fetch.aws("AmazonEC2", "us-east-1", base="http://127.0.0.1:9"),
                tmp_path / "x",
            )

    @pytest.mark.parametrize(
        "link",
        ["https://elsewhere.example/api", "http://127.0.0.1:9/api", None, "file:///x"],
    )
    def test_a_next_page_elsewhere_or_the_same_one(
        self, mirror: Any, tmp_path: Path, link: str | None
    ) -> None:
        wanted = fetch.azure("x eq 'y'", base=mirror.base)
        put(mirror, AZURE, page([], wanted.url if link is None else link))
        with pytest.raises(BadInput):
            fetch.fetched(wanted, tmp_path / "x")
        assert len(mirror.asked) == 1

    @pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"Items": 7}', b"{}"])
    def test_no_page_of_prices(self, mirror: Any, tmp_path: Path, body: bytes) -> None:
        put(mirror, AZURE, body)
        with pytest.raises(BadInput, match="other than a page"):
            fetch.fetched(fetch.azure("x", base=mirror.base), tmp_path / "x")

    def test_a_file_that_exists_stays(self, mirror: Any, tmp_path: Path) -> None:
        output = tmp_path / "x"
        output.write_text("mine")
        with pytest.raises(BadInput, match="exists"):
            fetch.fetched(fetch.azure("x", base=mirror.base), output)
        assert output.read_text() == "mine"
        assert mirror.asked == []

    def test_files_of_the_user_stay(self, mirror: Any, tmp_path: Path) -> None:
        output, theirs = tmp_path / "x.json", tmp_path / "x.json.part"
        theirs.write_text("mine")
        put(mirror, OFFER, b"{}")
        wanted = fetch.aws("AmazonEC2", "us-east-1", base=mirror.base)
        assert fetch.fetched(wanted, output) == 2
        assert theirs.read_text() == "mine"
        assert sorted(tmp_path.iterdir()) == [output, theirs]
        usual = tmp_path / "usual"
        usual.touch()
        assert output.stat().st_mode == usual.stat().st_mode

    @pytest.mark.parametrize("has_links", [True, False])
    def test_a_file_that_appears_meanwhile_stays(
        self,
        mirror: Any,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        has_links: bool,
    ) -> None:
        def refuse(*_: Any) -> None:
            raise PermissionError("no links here")

        if not has_links:
            monkeypatch.setattr("os.link", refuse)
        output = tmp_path / "x.json"
        put(mirror, OFFER, b"{}")
        wanted = fetch.aws("AmazonEC2", "us-east-1", base=mirror.base)
        with pytest.raises(BadInput):
            fetch.fetched(wanted, output, on_bytes=lambda _: output.write_text("mine"))
        assert output.read_text() == "mine"
        assert list(tmp_path.iterdir()) == [output]
        output.unlink()
        assert fetch.fetched(wanted, output) == 2
        assert list(tmp_path.iterdir()) == [output]

    @pytest.mark.parametrize(
        ("first", "second", "is_same"),
        [
            ("https://h/a", "https://h:443/b", True),
            ("https://h:443/a", "https://h/b", True),
            ("http://h/a", "http://H:80/b", True),
            ("https://h/a", "https://h:8443/b", False),
            ("https://h:8443/a", "https://h/b", False),
            ("https://h/a", "http://h/b", False),
            ("https://h/a", "https://h:99999/b", False),
            ("https://h/a", "https://[h/b", False),
        ],
    )
    def test_ports(self, first: str, second: str, is_same: bool) -> None:
        assert (fetch._spoken_to(first) == fetch._spoken_to(second)) is is_same

    @pytest.mark.parametrize("link", ["https://[x", "http://127.0.0.1:99999999/api"])
    def test_a_next_page_that_is_no_address(
        self, mirror: Any, tmp_path: Path, link: str
    ) -> None:
        put(mirror, AZURE, page([], link))
        with pytest.raises(BadInput, match="another host"):
            fetch.fetched(fetch.azure("x eq 'y'", base=mirror.base), tmp_path / "x")

    @pytest.mark.parametrize(
        "base",
        [
            "https://[x",
            "https://h:port",
            "https://h:99999",
            "https://h/a b",
            "https://h/\u00e4",
            "http://example.com",
            "ftp://127.0.0.1",
            "https://u@h",
            "https://",
            "http://127.0.0.1/?x=1",
        ],
    )
    def test_addresses(self, base: str) -> None:
        with pytest.raises(BadInput, match="https://"):
            fetch.azure("x", base=base)

    @pytest.mark.parametrize("name", ["", "../x", "a b", "x/y"])
    def test_names(self, name: str) -> None:
        with pytest.raises(BadInput):
            fetch.aws(name, "us-east-1")
        with pytest.raises(BadInput):
            fetch.aws("AmazonEC2", name)
        assert fetch.aws("AmazonEC2", "us-east-1").host == urlsplit(fetch.AWS).netloc
