"""Rankings of quotes over HTTP: kept and read again byte for byte, one item failing alone."""

from typing import Any

import pytest
from live_app import Application

from tierwright_server.http.examples import EXAMPLES
from tierwright_server.questions.quote_rankings import repository, schemas, service

PATH = "/quote-rankings"
DRIVE = "samsung-pm9a3-7.68tb-u2"


def quote(name: Any, usd: Any = 980, **more: Any) -> dict[str, Any]:
    return {
        "quote_id": name,
        "currency": "USD",
        "valid_until": "2026-12-31",
        "lines": [
            {
                "kind": "part",
                "item": "dimm-ddr5-rdimm-64gb",
                "quantity": 2,
                "unit": "EA",
                "price": "400.10",
            },
            {
                "kind": "device",
                "item": DRIVE,
                "quantity": 2,
                "unit": "EA",
                "price": usd,
            },
        ],
        **more,
    }


def asked(*quotes: Any, **more: Any) -> dict[str, Any]:
    return {
        "workload_id": "example",
        "quotes": list(quotes),
        "day": "2026-10-01",
        **more,
    }


class TestKept:
    def test_it_is_read_again_byte_for_byte(self, application: Application) -> None:
        body = EXAMPLES["create_quote_ranking"].body
        first = application.client.post(PATH, json=body)
        assert first.status_code == 201, first.text
        found = first.json()
        place = f"/api/v1{PATH}/{found['ranking_id']}"
        assert first.headers["location"] == place
        again = application.client.get(f"{PATH}/{found['ranking_id']}")
        assert again.status_code == 200
        assert again.content == first.content
        second = application.client.post(PATH, json=body)
        assert second.content == first.content
        assert [each["quote_id"] for each in found["ranked"]] == [
            "Q-17",
            "Q-18",
        ]
        [nothing] = found["rejected"]
        assert (nothing["quote_id"], nothing["constraint"]) == (
            "do_nothing",
            "peak_busy",
        )
        lacks = nothing["value"] - nothing["limit"]
        assert nothing["relaxation"] == pytest.approx(lacks)
        assert found["option_zero"]["usd_per_month"] == "900.00"
        assert found["unreadable"] == []
        codes = [each["code"] for each in found["ranked"][0]["cautions"]]
        assert codes == ["no_rails", "no_power", "shipping_counted"]

    def test_the_order_of_quotes_does_not_matter(
        self, application: Application
    ) -> None:
        pair = quote("A", 980), quote("B", "980.01")
        one, other = (
            application.client.post(PATH, json=asked(*given))
            for given in (pair, pair[::-1])
        )
        assert one.content == other.content
        assert [each["quote_id"] for each in one.json()["ranked"]] == ["A", "B"]

    def test_the_oldest_of_too_many_go_first(
        self, application: Application, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(repository, "MOST_KEPT", 1)
        first, second = (
            application.client.post(PATH, json=asked(quote("A", usd))).json()
            for usd in (1, 2)
        )
        assert application.client.get(f"{PATH}/{second['ranking_id']}").is_success
        gone = application.client.get(f"{PATH}/{first['ranking_id']}")
        assert gone.status_code == 404
        assert first["ranking_id"] in gone.json()["detail"]
        assert "POST /api/v1/quote-rankings" in gone.json()["hint"]


class TestItems:
    def test_each_fails_alone(self, application: Application) -> None:
        found = application.post(
            PATH,
            asked(
                7,
                quote("E", currency="EUR"),
                quote("A"),
                quote("P", "1,116"),
                quote("F", 980.25),
            ),
            201,
        )
        assert [(each["index"], each["code"]) for each in found["unreadable"]] == [
            (0, "not_a_quote"),
            (1, "no_exchange_rate"),
            (3, "line_left_out"),
        ]
        bought = {each["quote_id"]: each["purchase_usd"] for each in found["ranked"]}
        # A number of JSON is the amount that it prints.
        assert bought == {"A": "2760.20", "F": "2760.70"}
        assert found["option_zero"] is None

    @pytest.mark.parametrize("depth", [100, 600, 900])
    def test_what_is_nested_deeply_is_no_quote(
        self, application: Application, depth: int
    ) -> None:
        deep = "[" * depth + "]" * depth
        for field, status in (("quotes", 201), ("mapping", 422)):
            other = '"mapping": []' if field == "quotes" else '"quotes": [1]'
            body = f'{{"workload_id": "example", {other}, "{field}": [{deep}]}}'
            answered = application.client.post(
                PATH, content=body, headers={"content-type": "application/json"}
            )
            assert answered.status_code == status, answered.text
            if status == 201:
                [left] = answered.json()["unreadable"]
                assert left["code"] == "not_a_quote"

    def test_more_than_a_request_may_have(self, application: Application) -> None:
        many = [quote(str(at)) for at in range(schemas.MOST_QUOTES + 1)]
        refused = application.client.post(PATH, json=asked(*many))
        assert refused.status_code == 422
        assert application.client.post(PATH, json=asked()).status_code == 422

    @pytest.mark.parametrize(
        ("wrong", "where"),
        [
            ({"workload_id": "nowhere"}, "nowhere"),
            ({"mapping": [{"part_number": "P"}]}, "body.mapping.line[0].is"),
            ({"flash_device_id": "nowhere"}, "flash_device_id"),
            ({"day": "2026-02-30"}, "2026-02-30"),
            ({"constraints": {"usd_per_month": -1}}, "usd_per_month"),
        ],
    )
    def test_what_is_wrong_with_all_of_it_is_refused(
        self, application: Application, wrong: dict[str, Any], where: str
    ) -> None:
        refused = application.client.post(PATH, json=asked(quote("A"), **wrong))
        assert refused.status_code in (404, 422), refused.text
        assert where in refused.text


async def _nothing() -> None:
    """No ranking is kept, so it is made again."""


class TestRuns:
    MANY = 6

    @pytest.fixture(autouse=True)
    def few_at_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A run for a few quotes is the same and is soon over."""
        monkeypatch.setattr(service, "MOST_AT_ONCE", self.MANY - 1)

    def many(self, **more: Any) -> dict[str, Any]:
        quotes = [quote(f"Q-{at}", 980 + at) for at in range(self.MANY - 2)]
        return asked(*quotes, 7, quote("E", currency="EUR"), **more)

    def test_more_quotes_than_a_client_waits_for(
        self, application: Application, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        body = self.many(
            have=EXAMPLES["create_quote_ranking"].body["have"],
            constraints={"usd_per_month": 10_000},
        )
        begun = application.client.post(PATH, json=body)
        assert begun.status_code == 202, begun.text
        stands = begun.json()
        place = begun.headers["location"]
        assert place == f"/api/v1{PATH}/{stands['ranking_id']}"
        assert int(begun.headers["retry-after"]) >= 1
        assert (stands["quotes"], stands["run"]["kind"]) == (self.MANY, "quote_ranking")
        run = application.wait_run(stands["run"]["id"])
        assert (run["status"], run["unit"]) == ("succeeded", "quotes")
        read = application.client.get(f"{PATH}/{stands['ranking_id']}")
        assert read.status_code == 200, read.text
        found = read.json()
        assert run["message"] == found["finding"]
        assert [each["code"] for each in found["unreadable"]] == [
            "not_a_quote",
            "no_exchange_rate",
        ]
        ids = [each["quote_id"] for each in (*found["ranked"], *found["rejected"])]
        assert sorted(ids) == ["Q-0", "Q-1", "Q-2", "Q-3", "do_nothing"]
        # The request again, and the id that the ranking states, give the same bytes.
        again = application.client.post(PATH, json=body)
        assert (again.status_code, again.content) == (201, read.content)
        own = application.client.get(f"{PATH}/{found['ranking_id']}")
        assert own.content == read.content
        # So does what is ranked while the client waits.
        monkeypatch.setattr(service, "MOST_AT_ONCE", self.MANY)
        monkeypatch.setattr(repository, "get", lambda *_: _nothing())
        at_once = application.client.post(PATH, json=body)
        assert (at_once.status_code, at_once.content) == (201, read.content)

    def test_cancelled_it_says_so_and_starts_again(
        self, application: Application
    ) -> None:
        body = self.many(seed=3)
        begun = application.post(PATH, body, 202)
        application.post(f"/runs/{begun['run']['id']}/cancel", {}, 200)
        run = application.wait_run(begun["run"]["id"])
        asked_for = application.client.get(f"{PATH}/{begun['ranking_id']}")
        if run["status"] == "succeeded":  # it was faster than the request to stop it
            assert asked_for.status_code == 200
            return
        assert asked_for.status_code == 409
        assert "cancelled" in asked_for.json()["detail"]
        again = application.post(PATH, body, 202)
        assert again["ranking_id"] == begun["ranking_id"]
        assert again["run"]["id"] != begun["run"]["id"]
        application.post(f"/runs/{again['run']['id']}/cancel", {}, 200)

    @pytest.mark.parametrize(
        "wrong",
        [
            {"workload_id": "nowhere"},
            {"mapping": [{"part_number": "P"}]},
            {"day": "2026-02-30"},
            {"constraints": {"usd_per_month": -1}},
        ],
    )
    def test_what_is_wrong_with_all_of_it_starts_no_run(
        self, application: Application, wrong: dict[str, Any]
    ) -> None:
        refused = application.client.post(PATH, json=self.many() | wrong)
        assert refused.status_code in (404, 422), refused.text
