"""Rankings of quotes over HTTP: kept and read again byte for byte, one item failing alone."""

import asyncio
import base64
import io
import json
import zipfile
from dataclasses import replace
from typing import Any

import pytest
from live_app import Application
from sqlalchemy import delete
from sqlalchemy.ext.asyncio import async_sessionmaker

from tierwright.hardware.catalog import price_books
from tierwright_server.hardware.catalog.service import keep_imported
from tierwright_server.hardware.imports import service as imports
from tierwright_server.hardware.imports.schemas import FileImportIn, LineMappingIn
from tierwright_server.http.examples import EXAMPLES
from tierwright_server.questions.quote_rankings import repository, schemas, service
from tierwright_server.storage import tables
from tierwright_server.storage.db import make_engine

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
        # No device can be busy all the time and more, so no limit admits it.
        assert nothing["value"] > 1
        assert nothing["relaxation"] is None
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

    def test_they_are_bounded_in_bytes_and_in_time(
        self, application: Application, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(repository, "MOST_KEPT_BYTES", 1)
        first, second = (
            application.client.post(PATH, json=asked(quote("A", usd))).json()
            for usd in (3, 4)
        )
        for found, status in ((first, 404), (second, 200)):
            kept = application.client.get(f"{PATH}/{found['ranking_id']}")
            assert kept.status_code == status

        async def expire(after_s: float) -> None:
            engine = make_engine(application.settings.database_url)
            settings = application.settings.model_copy(
                update={"analysis_expires_s": after_s}
            )
            await service.expire(settings, async_sessionmaker(engine))
            await engine.dispose()

        for after_s, status in ((3600.0, 200), (1e-6, 404)):
            asyncio.run(expire(after_s))
            kept = application.client.get(f"{PATH}/{second['ranking_id']}")
            assert kept.status_code == status


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


CSV = (
    "quote_id,supplier,currency,valid_until,part_number,quantity,unit,price\n"
    "Q-1,ACME,USD,{until},BOX,2,EA,7000.00\n"
    "Q-2,ACME,USD,2026-12-31,BOX,2,EA,7100.00\n"
)
BOX = {
    "part_number": "BOX",
    "is": [
        {"kind": "server", "item": "chassis-dell-r760"},
        {"kind": "part", "item": "dimm-ddr5-rdimm-64gb", "quantity": 8},
        {"kind": "device", "item": DRIVE, "quantity": 2},
        {"kind": "part", "item": "rails"},
        {"kind": "part", "item": "power", "quantity": 2},
    ],
}
HAVE = {
    "ram_bytes": 2**37,
    "machines": 2,
    "disk_device_id": DRIVE,
    "disks": 4,
    "usd_per_month": "700",
}


def cart(until: str = "2026-12-31", **more: Any) -> dict[str, Any]:
    return {
        "workload_id": "example",
        "files": [{"name": "acme", "text": CSV.format(until=until)}],
        "mapping": [BOX],
        "day": "2026-10-01",
        "have": HAVE,
        **more,
    }


class TestDirtyShareUnknown:
    """A workload that was made of a hit-ratio curve does not say which evicted pages are dirty."""

    def workload(self, application: Application) -> str:
        made = application.post(
            "/workloads/from-curve",
            {
                "name": "curve for quotes",
                "text": "size_mib,hit_ratio\n1,0.3\n8,0.5\n64,0.8\n512,0.95\n",
                "page_bytes": 8192,
                "accesses": 1_000_000,
                "data_bytes": 2**40,
            },
            201,
        )
        return str(made["id"])

    def test_what_depends_on_it_is_a_range(self, application: Application) -> None:
        body = asked(
            quote("A"),
            quote("B", 1100),
            workload_id=self.workload(application),
            accesses_per_s=20_000,
            have=HAVE,
        )
        open_ = application.post(PATH, body, 201)
        ends = [
            application.post(PATH, {**body, "dirty_share": share}, 201)
            for share in (0, 1)
        ]
        assert open_["ranking_id"] not in {each["ranking_id"] for each in ends}
        assert [each["quote_id"] for each in open_["ranked"]] == [
            each["quote_id"] for each in ends[1]["ranked"]
        ]
        for place, each in enumerate(open_["ranked"]):
            assert each["option"]["io_time_us_per_access"] is None
            low, high = each["option"]["ranges"]["io_time_us_per_access"]
            known = [end["ranked"][place]["option"] for end in ends]
            assert low == pytest.approx(known[0]["io_time_us_per_access"])
            assert high == pytest.approx(known[1]["io_time_us_per_access"])
        assert "If none is, the order is the same." in open_["finding"]
        assert open_["cautions"][0]["code"] == "dirty_share_unknown"
        assert not any("dirty" in end["finding"] for end in ends)

    def test_the_paper_says_both_ends_of_where_another_wins(
        self, application: Application
    ) -> None:
        body = asked(
            quote("A"),
            workload_id=self.workload(application),
            accesses_per_s=20_000,
            have=HAVE,
        )
        known = {**body, "dirty_share": 0}
        of_time = application.post(PATH, known, 201)["ranked"][0]["option"]
        limit = {"io_time_us_per_access": of_time["io_time_us_per_access"] * 1.01}
        found = application.post(PATH, {**body, "constraints": limit}, 201)
        assert found["ranked"] == []
        assert (
            "If none is, 2 options keep them, quote `A` the first" in found["finding"]
        )
        check = application.post(f"{PATH}/report-check", body, 200)
        assert all(each["ends"] == [] for each in check["switching"])
        done = application.client.post(
            f"{PATH}/report", params={"format": "html"}, json=body
        )
        assert done.status_code == 200, done.text
        assert "whatever their share" in done.text


class TestPaper:
    """Files of quotes, and the paper for approval that is made of them."""

    def test_a_file_is_what_its_quotes_are(self, application: Application) -> None:
        found = application.post(PATH, cart(), 201)
        assert [each["quote_id"] for each in found["ranked"]] == [
            "Q-1",
            "Q-2",
            "do_nothing",
        ]
        first = found["ranked"][0]
        assert (first["supplier"], first["valid_until"]) == ("ACME", "2026-12-31")
        assert first["option"]["bill"][0]["source"].startswith("quote Q-1 of ACME")

    @pytest.mark.parametrize("wrong", [{"quotes": [quote("A")]}, {"files": []}])
    def test_files_or_quotes(
        self, application: Application, wrong: dict[str, Any]
    ) -> None:
        refused = application.client.post(PATH, json=cart(**wrong))
        assert refused.status_code == 422
        assert "body.quotes" in refused.text

    def test_carts_without_an_id_are_named_like_their_files(
        self, application: Application
    ) -> None:
        form = "NEW_ITEM-DESCRIPTION[1]=x&NEW_ITEM-QUANTITY[1]=2&NEW_ITEM-UNIT[1]=EA&NEW_ITEM-PRICE[1]={}&NEW_ITEM-CURRENCY[1]=USD&NEW_ITEM-VENDORMAT[1]=BOX"
        files = [
            {"name": name, "format": "oci", "text": form.format(usd)}
            for name, usd in (("one", 7000), ("two", 7100))
        ]
        found = application.post(PATH, cart(files=files), 201)
        assert [each["quote_id"] for each in found["ranked"]][:2] == ["one", "two"]

    def test_the_check_names_what_is_missing_until_it_is_stated(
        self, application: Application
    ) -> None:
        def codes(**more: Any) -> list[str]:
            found = application.post(f"{PATH}/report-check", cart(**more), 200)
            assert found["passes"] is (found["sent_back"] == [])
            return [each["code"] for each in found["sent_back"]]

        assert set(codes(have=None)) >= {"no_option_zero"}
        assert set(codes()) >= {"undated_price"}
        stated = {"today_cost": "2026-09-30, invoices"}
        assert "undated_price" not in codes(statements=stated)
        assert "expired_quote" in codes(until="2026-09-30", statements=stated)

    @pytest.mark.parametrize(
        ("form", "begins"),
        [
            ("html", b"<!DOCTYPE html>"),
            ("json", b"{"),
            ("focus", b"BilledCost"),
            ("opencost", b"EndTimestamp"),
            ("purchases", b""),
        ],
    )
    def test_every_form_is_a_file(
        self, application: Application, form: str, begins: bytes
    ) -> None:
        done = application.client.post(
            f"{PATH}/report",
            params={"format": form},
            json=cart(statements={"need": "More orders"}),
        )
        assert done.status_code == 200, done.text
        assert begins in done.content
        assert "attachment" in done.headers["content-disposition"]
        if form == "html":
            assert b"More orders" in done.content
            assert b"Q-1" in done.content

    def test_nothing_that_can_be_exported(self, application: Application) -> None:
        body = cart(constraints={"usd_per_month": "1"})
        done = application.client.post(
            f"{PATH}/report", params={"format": "focus"}, json=body
        )
        assert done.status_code == 422
        assert "nothing to export" in done.text

    def test_a_day_that_no_forecast_follows(self, application: Application) -> None:
        done = application.client.post(
            f"{PATH}/report", params={"format": "focus"}, json=cart(day="9999-12-31")
        )
        assert done.status_code == 422
        assert "9999-12-31" in done.text


class TestImports:
    """What is understood of a file."""

    def read(self, application: Application, kind: str, text: str, **more: Any) -> Any:
        return application.post("/imports", {"kind": kind, "text": text, **more}, 200)

    def test_quotes_and_what_the_mapping_lacks(self, application: Application) -> None:
        text = CSV.format(until="2026-11-30") + "Q-3,ACME,USD,,RAIL,1,XX,1\n"
        found = self.read(application, "quotes", text)
        assert (found["read"], found["taken"], found["currency"]) == (3, 2, "USD")
        assert found["dates"]["valid_until"] == "2026-11-30"
        assert [each["by"] for each in found["unmapped"]] == [
            {"supplier": "ACME", "part_number": "BOX"}
        ]
        assert "XX" in found["skipped"][0]["reason"]
        assert {
            "printed": "EA",
            "understood": found["units"][0]["understood"],
        } in found["units"]
        assert [each["name"] for each in found["unresolved"]] == ["BOX", "BOX"]
        known = self.read(application, "quotes", text, mapping=[BOX])
        assert (known["unmapped"], known["unresolved"]) == ([], [])

    def test_an_inventory_becomes_what_there_is(self, application: Application) -> None:
        text = (
            '{"blockdevices":[{"name":"nvme0n1","type":"disk","size":7681501126656,"rota":false,"tran":"nvme","model":"SAMSUNG M1","serial":"S1"}]}\n'
            "Handle 0x0011, DMI type 17, 92 bytes\nMemory Device\n\tSize: 64 GB\n\tLocator: A1\n\tType: DDR5\n"
        )
        found = self.read(application, "inventory", text)
        assert found["have"] is None
        assert found["have_reason"]
        [model] = found["unmapped"]
        told = [{**model["by"], "is": [{"kind": "device", "item": DRIVE}]}]
        found = self.read(application, "inventory", text, mapping=told)
        assert found["have"] == {
            "machines": 1,
            "ram_bytes": 64 * 2**30,
            "disk_device_id": DRIVE,
            "disks": 1,
        }
        assert found["unmapped"] == []

    def test_saved_answers_of_redfish_as_text_and_as_an_archive(
        self, application: Application
    ) -> None:
        system = "/redfish/v1/Systems/1"
        answers = [
            {
                "@odata.type": "#ComputerSystem.v1_9_0.ComputerSystem",
                "@odata.id": system,
                "HostName": "db1",
            },
            {
                "@odata.type": "#Memory.v1_9_0.Memory",
                "@odata.id": f"{system}/Memory/1",
                "CapacityMiB": 65536,
            },
        ]
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for at, each in enumerate(answers):
                archive.writestr(f"rack/{at}.json", json.dumps(each))
        for text, more in (
            (json.dumps(answers), {}),
            (json.dumps(answers), {"format": "redfish"}),
            (
                base64.b64encode(packed.getvalue()).decode(),
                {"encoding": "base64"},
            ),
        ):
            found = self.read(application, "inventory", text, **more)
            [group] = found["machines"]
            assert (found["format"], group["hosts"]) == ("redfish", ["db1"])
            assert group["ram_bytes"] == 64 * 2**30
        refused = application.client.post(
            "/imports", json={"kind": "inventory", "text": "%%", "encoding": "base64"}
        )
        assert refused.status_code == 422
        assert "Base64" in refused.text

    def test_answers_of_netbox_with_what_is_stated_of_the_instance(
        self, application: Application
    ) -> None:
        url = "https://netbox.example/api/dcim"
        kind = {"id": 3, "model": "RDIMM", "profile": {"id": 1, "name": "Memory"}}
        answers = [
            {
                "url": f"{url}/modules/7/",
                "device": {"id": 1, "name": "db1"},
                "module_type": {"id": 3, "model": "RDIMM"},
            },
            {**kind, "url": f"{url}/module-types/3/", "attributes": {"size": 64}},
        ]
        text = json.dumps({"results": answers})
        found = self.read(application, "inventory", text)
        assert (found["format"], found["machines"]) == ("netbox", [])
        assert found["skipped"][0]["reason"] == "no unit of memory is stated"
        stated = {"format": "netbox", "values": {"memory_unit": "GiB"}}
        [group] = self.read(application, "inventory", text, **stated)["machines"]
        assert (group["hosts"], group["ram_bytes"]) == (["db1"], 64 * 2**30)

    def test_a_price_list_and_what_is_none(self, application: Application) -> None:
        text = '{"BillingCurrency":"USD","Items":[{"currencyCode":"USD","tierMinimumUnits":0,"retailPrice":0.5,"unitPrice":0.5,"armRegionName":"westeurope","effectiveStartDate":"2026-01-01T00:00:00Z","meterId":"m","meterName":"x","productId":"p","skuId":"s","productName":"Linux","skuName":"D","serviceName":"Virtual Machines","unitOfMeasure":"1 Hour","type":"Consumption","armSkuName":"Standard_D2"}]}'
        found = self.read(application, "prices", text)
        assert (found["format"], found["taken"]) == ("azure", 1)
        refused = application.client.post(
            "/imports", json={"kind": "prices", "text": "hello"}
        )
        assert refused.status_code == 422

    def test_a_table_of_a_spreadsheet_by_its_columns(
        self, application: Application
    ) -> None:
        found = self.read(
            application,
            "quotes",
            "Teil;Preis;Menge\nBOX;12.50;2\n",
            columns={"part_number": "Teil", "price": "Preis", "quantity": "Menge"},
            values={"quote_id": "Q", "currency": "EUR", "unit": "EA"},
        )
        assert (found["format"], found["taken"], found["currency"]) == ("csv", 1, "EUR")

    def test_an_inventory_of_a_table_by_its_columns(
        self, application: Application
    ) -> None:
        found = self.read(
            application,
            "inventory",
            "Name;RAM;Platte\ndb1;256;500\n",
            columns={"host": "Name", "ram": "RAM", "drive_size": "Platte"},
            values={"memory_unit": "GiB", "drive_unit": "GB", "drive_kind": "hdd"},
        )
        [group] = found["machines"]
        assert (found["format"], group["ram_bytes"]) == ("csv", 256 * 2**30)
        assert group["drives"][0]["size_bytes"] == 500 * 10**9

    def test_quotes_of_a_table_are_ranked_by_their_columns(
        self, application: Application
    ) -> None:
        text = (
            CSV.format(until="2026-11-30")
            .replace("quote_id", "Angebot")
            .replace(",price", ",Preis")
        )
        file = {"name": "offers", "text": text}
        named = {**file, "columns": {"quote_id": "Angebot", "price": "Preis"}}
        refused = application.client.post(PATH, json=cart(files=[file]))
        assert refused.status_code == 422
        found = application.post(PATH, cart(files=[named]), 201)
        plain = {"name": "offers", "text": CSV.format(until="2026-11-30")}
        usual = application.post(PATH, cart(files=[plain]), 201)
        assert found["ranked"] == usual["ranked"]

    def test_the_mapping_is_kept_and_refuses_what_is_none(
        self, application: Application
    ) -> None:
        before = application.get("/imports/mapping")
        kept = application.client.put(
            "/imports/mapping",
            json={"line": [BOX]},
            headers={"If-Match": before["etag"]},
        )
        assert kept.status_code == 200, kept.text
        [entry] = application.get("/imports/mapping")["line"]
        assert entry["part_number"] == "BOX"
        stale = application.client.put(
            "/imports/mapping", json={"line": []}, headers={"If-Match": before["etag"]}
        )
        assert stale.status_code == 412
        bad = application.client.put("/imports/mapping", json={"line": [{}]})
        assert bad.status_code == 422
        text = CSV.format(until="2026-11-30")
        found = self.read(application, "quotes", text, mapping=[entry])
        assert found["unmapped"] == []
        assert application.client.put("/imports/mapping", json={"line": []}).is_success


def test_a_mapping_that_is_kept_can_be_sent_with_every_request() -> None:
    entries = [
        {"part_number": f"P{at}", "is": [{"kind": "device", "item": DRIVE}]}
        for at in range(10_000)
    ]
    assert len(LineMappingIn(line=entries).line) == 10_000
    sent = FileImportIn(kind="quotes", text="x", mapping=entries)
    assert len(sent.mapping) == 10_000
    ranked = schemas.QuoteRankingIn.model_validate(
        {**EXAMPLES["create_quote_ranking"].body, "mapping": entries}
    )
    assert len(ranked.mapping) == 10_000


class TestAtOnce:
    """Two equal first requests: the second waits for the first, and finds what it kept."""

    async def both(self, application: Application, act: Any) -> list[Any]:
        engine = make_engine(application.settings.database_url)
        sessions = async_sessionmaker(engine)
        try:
            async with sessions() as one, sessions() as other:
                await one.execute(delete(tables.LineMapping))
                await one.commit()
                first = await act(one)
                waiting = asyncio.create_task(act(other))
                await asyncio.sleep(0.5)
                assert not waiting.done()
                await one.commit()
                second = await waiting
                await other.commit()
                return [first, second]
        finally:
            await engine.dispose()

    def test_the_mapping(self, application: Application) -> None:
        body = LineMappingIn(line=[BOX])
        before = application.client.put("/imports/mapping", json={"line": []})
        assert before.is_success

        async def act(session: Any) -> Any:
            return await imports.replace_mapping(session, body, None)

        first, second = asyncio.run(self.both(application, act))
        assert first.line == second.line
        assert application.get("/imports/mapping")["line"] == first.line
        assert application.client.put("/imports/mapping", json={"line": []}).is_success

    def test_a_price_book(self, application: Application) -> None:
        book = replace(
            next(iter(price_books().values())), id="imported-csv-at-once", default=False
        )

        async def act(session: Any) -> Any:
            return await keep_imported(session, book)

        first, second = asyncio.run(self.both(application, act))
        assert (first.is_new, second.is_new) == (True, False)
        assert first.thing == second.thing


CHANGED = {
    "name": "ACME",
    "date": "2026-10-01",
    "currency": "USD",
    "prices": [
        {
            "device_id": DRIVE,
            "usd_per_gb": "1",
            "source": "typed",
            "date": "2026-10-01",
        }
    ],
}


class TestPriceBooks:
    """Price books of imported lists."""

    def post(self, application: Application, price: str, **more: Any) -> Any:
        text = f"sku,date,currency,price,unit\nMZQL,2026-10-01,USD,{price},EA\nX,2026-10-01,USD,1,EA\n"
        return application.client.post(
            "/imports/price-books", json={"name": "ACME", "text": text, **more}
        )

    MAPPING = ({"part_number": "MZQL", "is": [{"kind": "device", "item": DRIVE}]},)

    def test_rents_of_a_list_are_those_of_the_advice_and_of_its_bill(
        self, application: Application
    ) -> None:
        text = (
            "sku,region,date,currency,price,unit,kind,item\n"
            "VM,eu-central-1,2026-10-01,USD,0.01,HUR,instance,aws-i4i.4xlarge\n"
        )
        made = application.client.post(
            "/imports/price-books", json={"name": "Contract", "text": text}
        )
        assert made.status_code == 201, made.text
        book = made.json()["price_book"]
        [rent] = book["rents"]
        assert (rent["instance"], rent["usd"]) == ("aws-i4i.4xlarge", "0.01")
        assert (rent["unit"], rent["region"]) == ("USD/hour", "eu-central-1")
        kept = application.get(f"/catalog/price-books/{book['id']}")
        assert kept["rents"] == book["rents"]
        found = application.client.post(
            "/workloads/example/advice",
            json={
                "price_book_id": book["id"],
                "candidates": {"kinds": ["instances"], "servers": ["aws-i4i.4xlarge"]},
            },
        )
        assert found.status_code == 200, found.text
        best = found.json()["recommendation"]
        [line] = [each for each in best["bill"] if each["kind"] == "server"]
        assert (line["unit_price"], line["date"]) == ("0.01", "2026-10-01")
        # What the option states is a body of the bill.
        bill = application.client.post("/bills", json=best["config"])
        assert bill.status_code == 200, bill.text
        assert bill.json()["usd_per_month"] == best["usd_per_month"]

    def test_the_same_list_is_one_book_and_a_newer_one_names_what_changed(
        self, application: Application
    ) -> None:
        known = {"mapping": list(self.MAPPING)}
        first = self.post(application, "980", **known)
        assert first.status_code == 201, first.text
        made = first.json()
        book = made["price_book"]
        assert book["prices"][0]["device_id"] == DRIVE
        assert book["id"].startswith("own-imported-csv-")
        assert (made["earlier_id"], made["changes"]) == (None, [])
        assert [each["name"] for each in made["left"]] == ["X"]
        assert f"in the book `{book['id']}`;" in made["finding"]
        assert (made["warnings"], made["skipped"]) == ([], [])
        assert book["imported"] is True
        # It is named by its content: another content is another book.
        refused = application.client.put(
            f"/catalog/price-books/{book['id']}",
            json=CHANGED,
        )
        assert refused.status_code == 409, refused.text
        assert "POST /api/v1/catalog/price-books" in refused.json()["hint"]
        kept = application.get(f"/catalog/price-books/{book['id']}")
        assert kept["prices"] == book["prices"]
        assert (kept["rents"], book["rents"]) == ([], [])
        missing = application.client.put(
            "/catalog/price-books/own-imported-csv-none",
            json=CHANGED,
        )
        assert missing.status_code == 404
        again = self.post(application, "980", **known)
        assert again.status_code == 200
        assert again.json()["price_book"]["id"] == book["id"]
        assert again.json()["is_new"] is False
        newer = self.post(application, "1020", **known)
        assert newer.status_code == 201
        assert newer.json()["earlier_id"] == book["id"]
        [change] = newer.json()["changes"]
        assert (change["what"], change["before"] != change["after"]) == (DRIVE, True)
        books = application.get("/catalog/price-books", params={"origin": "own"})
        assert {book["id"], newer.json()["price_book"]["id"]} <= {
            each["id"] for each in books["items"]
        }
        used = application.client.get(
            "/catalog/exchange-rates", params={"price_book_id": book["id"]}
        )
        assert used.is_success

    def test_what_to_know_of_the_list_stands_beside_its_book(
        self, application: Application
    ) -> None:
        item = {
            "currencyCode": "USD",
            "tierMinimumUnits": 0,
            "retailPrice": 0.1,
            "unitPrice": 0.1,
            "armRegionName": "westeurope",
            "effectiveStartDate": "2026-09-01T00:00:00Z",
            "meterId": "m",
            "meterName": "Disk",
            "skuId": "MZQL",
            "serviceFamily": "Storage",
            "unitOfMeasure": "1 GiB/Month",
            "type": "Consumption",
        }
        text = json.dumps(
            {
                "BillingCurrency": "USD",
                "Items": [item, {**item, "unitOfMeasure": "1 GB/Month"}],
                "NextPageLink": "https://prices.azure.com/next",
            }
        )
        made = application.client.post(
            "/imports/price-books",
            json={"name": "Azure", "text": text, "mapping": list(self.MAPPING)},
        )
        assert made.status_code == 201, made.text
        found = made.json()
        assert {each["name"] for each in found["warnings"]} == {
            "more_pages",
            "rows_left_out",
        }
        assert any("next page" in each["message"] for each in found["warnings"])
        [skipped] = found["skipped"]
        assert skipped["row"] == "2"
        assert "1 GB/Month" in skipped["reason"]

    def test_own_devices_are_known(self, application: Application) -> None:
        own = application.post("/catalog/devices", EXAMPLES["create_device"].body, 201)[
            "id"
        ]
        text = f"sku,date,currency,price,unit,kind,item\nS,2026-10-01,USD,0.5,GiB,device,{own}\n"
        made = application.client.post(
            "/imports/price-books", json={"name": "Own", "text": text}
        )
        assert made.status_code == 201, made.text
        [price] = made.json()["price_book"]["prices"]
        assert price["device_id"] == own
        assert made.json()["left"] == []

    def test_a_list_of_nothing_known(self, application: Application) -> None:
        refused = self.post(application, "980")
        assert refused.status_code == 422
        assert "mapping" in refused.text
