"""What a request says is read as its author meant it, or refused with its place."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tierwright_server.http.strict_json import faults_in

HEADERS = {"Content-Type": "application/json"}


def post(application, path, text):
    return application.client.post(path, content=text.encode(), headers=HEADERS)


def places(answer):
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    return [fault["where"] for fault in answer.json()["errors"]]


class TestBodies:
    @pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
    def test_a_number_that_json_has_not(self, application, number):
        text = f'{{"name": "n", "state": {{"ram": [1, {number}]}}}}'
        assert places(post(application, "/scenarios", text)) == ["body.state.ram.1"]

    def test_a_key_that_stands_twice(self, application):
        text = '{"name": "n", "state": {"ram": 1, "ram": 2}}'
        answer = post(application, "/scenarios", text)
        assert places(answer) == ["body.state"]
        assert "ram" in answer.json()["detail"]

    @pytest.mark.parametrize("text", ['{"name": "\\ud800", "state": {}}'])
    def test_half_of_a_surrogate_pair(self, application, text):
        assert places(post(application, "/scenarios", text)) == ["body.name"]

    def test_a_surrogate_in_a_key(self, application):
        text = '{"name": "n", "state": {"\\udfff": 1}}'
        assert places(post(application, "/scenarios", text)) == ["body.state"]

    def test_a_whole_pair_is_a_character(self, application):
        text = '{"name": "\\ud83d\\ude00", "state": {}}'
        answer = post(application, "/scenarios", text)
        assert answer.status_code == 201, answer.text
        assert answer.json()["name"] == "\U0001f600"

    @pytest.mark.parametrize("months", ["36.0", "3.6e1", "360e-1"])
    def test_a_whole_number_may_be_written_with_a_point(self, application, months):
        answer = post(application, "/evaluations", evaluation(months=months))
        assert "body.amortisation_months" not in answer.text

    @pytest.mark.parametrize("months", ['"36"', '"1_0"', '" 5 "', "true", "36.5"])
    def test_text_and_truth_are_no_numbers(self, application, months):
        answer = post(application, "/evaluations", evaluation(months=months))
        assert places(answer) == ["body.amortisation_months"]

    @pytest.mark.parametrize("share", ['"0.5"', '"\u0660"', "true"])
    def test_nor_are_they_shares(self, application, share):
        text = evaluation()[:-1] + f', "dirty_share": {share}}}'
        assert places(post(application, "/evaluations", text)) == ["body.dirty_share"]


def evaluation(months="36"):
    return (
        '{"workload_id": "example", "ram_pages": 10, "flash_pages": 10, '
        '"flash_device_id": "x", "disk_device_id": "y", '
        f'"amortisation_months": {months}}}'
    )


class TestQueries:
    def test_a_key_that_the_address_does_not_have(self, application):
        answer = application.client.get("/runs", params={"state": "failed"})
        assert places(answer) == ["query.state"]
        assert "`status`" in answer.json()["hint"]

    def test_an_address_without_a_query_says_so(self, application):
        answer = application.client.get("/health", params={"deep": "1"})
        assert places(answer) == ["query.deep"]
        assert answer.json()["hint"] == "Send no query: this address has no parameters."

    @pytest.mark.parametrize("limit", ["1_0", " 5 ", "٣", "1e1", "5.0", ""])
    def test_whole_numbers_in_digits_alone(self, application, limit):
        answer = application.client.get("/runs", params={"limit": limit})
        assert places(answer) == ["query.limit"]

    @pytest.mark.parametrize("value", ["1", "yes", "True", " true", ""])
    def test_truth_in_two_words_alone(self, application, value):
        answer = application.client.get("/uploads", params={"complete": value})
        assert answer.status_code == 422
        assert "must be `true` or `false`" in answer.text

    def test_known_keys_are_taken(self, application):
        answer = application.client.get("/runs", params={"limit": "5", "offset": "0"})
        assert answer.status_code == 200


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)


class TestReader:
    @given(JSON)
    @settings(suppress_health_check=[HealthCheck.too_slow])
    def test_sound_json_has_no_fault(self, value):
        assert faults_in(json.dumps(value).encode()) == []
        assert faults_in(json.dumps(value, ensure_ascii=False).encode()) == []

    @given(JSON, st.sampled_from(["NaN", "1e400", '"\\ud8ff"', '{"a":1,"a":1}']))
    @settings(suppress_health_check=[HealthCheck.too_slow])
    def test_a_fault_is_found_wherever_it_stands(self, value, fault):
        text = json.dumps({"left": value, "at": [value, 0], "right": value})
        damaged = text.replace(', 0], "right"', f', {fault}], "right"')
        assert [each.where for each in faults_in(damaged.encode())] == ["body.at.1"]

    def test_what_is_no_json_is_left_to_its_reader(self):
        assert faults_in(b"{") == faults_in(b"\xff") == faults_in(b"[" * 100_000) == []
