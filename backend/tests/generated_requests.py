"""Requests that are generated from the OpenAPI document, and what every answer to them must keep.

They are tested in several files, so that several processes do it beside each other.
"""

import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from live_app import PATIENCE_S, REPOSITORY
from schemathesis.specs.openapi.checks import positive_data_acceptance

EXAMPLES = 4
"""Requests of each operation; `make test-long` goes on with the same and sends more."""
LONG_EXAMPLES = 40
SLOW_EXAMPLES = 12
"""Of an operation that takes seconds for each, in `make test-long`."""
SLOW_PATHS = ("/workloads/{workload_id}/advice", "/placements", "/placements/report")
"""Beginnings of their paths."""
PARTS = 5
KNOWN = {
    "workload_id": "example",
    "flash_device_id": "face2016-samsung-840pro-256",
    "disk_device_id": "face2016-cheetah-15k6-single",
}
DOCUMENT = REPOSITORY / "backend" / "openapi.json"
OPERATIONS = [
    result.ok()
    for result in schemathesis.openapi.from_path(DOCUMENT).get_all_operations()
]


def part(number):
    """Return every fifth operation, but for the stream of a run, which ends only with the run."""
    return [
        operation
        for operation in OPERATIONS[number::PARTS]
        if operation.definition.raw["operationId"] != "stream_run"
    ]


@schemathesis.serializer("application/offset+octet-stream")
def as_bytes(_, value):
    """Bytes of an upload are sent as they are."""
    return value if isinstance(value, bytes) else str(value).encode()


def aim(case):
    """Let a valid request name what is there, so that it gets further than a 404."""
    for part in (case.path_parameters, case.body):
        if isinstance(part, dict):
            part.update({key: KNOWN[key] for key in KNOWN if key in part})
    if isinstance(case.body, dict) and "max_machines" in case.body:
        case.body["max_machines"] = 1  # each further machine is as much work again
    if "/formulas/" in case.path and case.path_parameters:
        case.path_parameters["name"] = "face.writeback_chain"


def keep_the_promises(fuzzed, operation, examples=EXAMPLES):
    """Send generated requests of an operation; each answer has a declared status, media type and shape."""
    if examples > SLOW_EXAMPLES and any(each in operation.path for each in SLOW_PATHS):
        examples = SLOW_EXAMPLES
    base_url = str(fuzzed.client.base_url).removesuffix("/api/v1/")
    session = requests.Session()
    session.trust_env = False  # of each request it would ask for proxies

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def check(case):
        if case.meta.generation.mode.is_positive:
            aim(case)
        case.call_and_validate(
            base_url=base_url,
            session=session,
            timeout=PATIENCE_S,
            # A schema cannot say which figures, units and sizes fit together.
            excluded_checks=[positive_data_acceptance],
        )

    with session:
        check()
    assert fuzzed.get("/health")["status"] == "ok"
