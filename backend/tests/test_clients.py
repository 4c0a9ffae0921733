"""Clients made from the OpenAPI document call the running server: openapi-python-client, and hey-api, which the page uses.

Both generators are locked with hashes: `requirements/clients.txt`, `frontend/package-lock.json`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from live_app import Application

from tierwright_server.http.examples import EXAMPLES
from tierwright_server.questions.quote_rankings import service

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "backend" / "openapi.json"
UV = ROOT / ".tools" / "uv" / "bin" / "uv"
BIN = Path(sys.executable).parent
NODE_MODULES = ROOT / "frontend" / "node_modules"

PYTHON = """
import json, sys, time
from client import Client
from client.api.catalog import list_devices
from client.api.costs import create_quote_ranking, get_quote_ranking
from client.models import Problem, QuoteRankingIn, QuoteRankingOut, QuoteRankingRunOut

with Client(base_url=sys.argv[1]) as client:
    body = json.loads(sys.argv[2])
    devices = list_devices.sync(client=client)
    made = create_quote_ranking.sync_detailed(client=client, body=QuoteRankingIn.from_dict(body))
    assert isinstance(made.parsed, QuoteRankingOut), made
    read = get_quote_ranking.sync(made.parsed.ranking_id, client=client)
    many = QuoteRankingIn.from_dict(body | {"quotes": body["quotes"] * 2})
    begun = create_quote_ranking.sync_detailed(client=client, body=many)
    assert isinstance(begun.parsed, QuoteRankingRunOut), begun
    while not isinstance(later := get_quote_ranking.sync(begun.parsed.ranking_id, client=client), QuoteRankingOut):
        assert isinstance(later, QuoteRankingRunOut), later
        time.sleep(0.2)
    wrong = create_quote_ranking.sync_detailed(
        client=client, body=QuoteRankingIn.from_dict(body | {"workload_id": "nowhere"}))
    assert isinstance(wrong.parsed, Problem), wrong
    print(json.dumps({
        "devices": len(devices.items), "status": made.status_code.value,
        "same": read.to_dict() == made.parsed.to_dict(),
        "ranked": [each.quote_id for each in made.parsed.ranked], "purchase": made.parsed.ranked[0].purchase_usd,
        "accepted": begun.status_code.value, "unreadable": [each.code for each in later.unreadable],
        "missing": [wrong.status_code.value, wrong.parsed.detail]}))
"""

TYPESCRIPT = """
import { createClient, createConfig } from "./gen/client";
import { createQuoteRanking, getQuoteRanking, listDevices } from "./gen/sdk.gen";

const [baseUrl, text] = process.argv.slice(2);
const client = createClient(createConfig({ baseUrl }));
const body = JSON.parse(text);
const devices = await listDevices({ client });
const made = await createQuoteRanking({ client, body });
const read = await getQuoteRanking({ client, path: { ranking_id: made.data.ranking_id } });
const begun = await createQuoteRanking({ client, body: { ...body, quotes: [...body.quotes, ...body.quotes] } });
let later;
do {
  await new Promise((done) => setTimeout(done, 200));
  later = await getQuoteRanking({ client, path: { ranking_id: begun.data.ranking_id } });
} while (later.response.status === 202);
const wrong = await createQuoteRanking({ client, body: { ...body, workload_id: "nowhere" } });
console.log(JSON.stringify({
  devices: devices.data.items.length, status: made.response.status,
  same: JSON.stringify(read.data) === JSON.stringify(made.data),
  ranked: made.data.ranked.map((each) => each.quote_id), purchase: made.data.ranked[0].purchase_usd,
  accepted: begun.response.status, unreadable: later.data.unreadable.map((each) => each.code),
  missing: [wrong.response.status, wrong.error.detail],
}));
"""


def run(*command: object, **options: Any) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(each) for each in command],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def clients_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that has the generator, from the locked requirements."""
    folder = tmp_path_factory.mktemp("clients") / "venv"
    run(UV, "venv", "--quiet", "--no-project", "--python", sys.executable, folder)
    python = folder / "bin" / "python"
    locked = ROOT / "requirements" / "clients.txt"
    install = ("pip", "install", "--quiet", "--require-hashes", "--python", python)
    run(UV, *install, "-r", locked)
    return python


def python_client(python: Path, folder: Path, url: str, body: str) -> str:
    made = folder / "client"
    generate = (python.with_name("openapi-python-client"), "generate", "--meta", "none")
    done = run(*generate, "--path", DOCUMENT, "--output-path", made, cwd=folder)
    said = done.stdout + done.stderr
    # Only what tus sends in pieces has a content type that the generator does not know.
    assert said.count("Endpoint will not be generated") == 1, said
    assert "PATCH /api/v1/uploads/{upload_id}" in said
    script = folder / "call.py"
    script.write_text(PYTHON, encoding="utf-8")
    return run(python, script, url, body, cwd=folder).stdout


def typescript_client(folder: Path, url: str, body: str) -> str:
    environment = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    plugins = ("@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk")
    bins = NODE_MODULES / ".bin"
    generate = (bins / "openapi-ts", "-i", DOCUMENT, "-o", folder / "gen", "-p")
    run(*generate, *plugins, env=environment, cwd=NODE_MODULES.parent)
    (folder / "call.ts").write_text(TYPESCRIPT, encoding="utf-8")
    bundle = ("--file", folder / "call.mjs", "--platform", "node", "--format", "esm")
    run(bins / "rolldown", folder / "call.ts", *bundle, env=environment, cwd=folder)
    return run("node", folder / "call.mjs", url, body, env=environment).stdout


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("generator", ["openapi-python-client", "hey-api"])
def test_a_generated_client_calls_the_server(
    generator: str,
    application: Application,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    body = dict(EXAMPLES["create_quote_ranking"].body)
    monkeypatch.setattr(service, "MOST_AT_ONCE", len(body["quotes"]))
    url = str(application.client.base_url).removesuffix("/").removesuffix("/api/v1")
    given = json.dumps(body | {"seed": len(generator)})
    said = (
        typescript_client(tmp_path, url, given)
        if generator == "hey-api"
        else python_client(
            request.getfixturevalue("clients_python"), tmp_path, url, given
        )
    )
    found = json.loads(said)
    by_hand = application.client.post("/quote-rankings", json=json.loads(given)).json()
    assert found["devices"] == len(application.get("/catalog/devices")["items"])
    assert (found["status"], found["accepted"], found["same"]) == (201, 202, True)
    assert found["ranked"] == [each["quote_id"] for each in by_hand["ranked"]]
    assert found["purchase"] == by_hand["ranked"][0]["purchase_usd"]
    # Each quote stands twice in the second batch, so neither can be ranked.
    assert set(found["unreadable"]) == {"quote_id_twice"}
    status, detail = found["missing"]
    assert status == 404
    assert "nowhere" in detail
