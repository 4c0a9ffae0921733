"""One example of every operation, in the API's document and sent by a test.

An example is a request that works on a fresh installation as it stands, but for ids of things
that must first be made: those are `Made`, shown as an id in the document and replaced by a real
one where the example is sent. `backend/tests/test_examples.py` holds one maker for each kind.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


class Made(str):
    """An id, a path or a hash of something that must be made before the example is sent."""

    kind: str

    def __new__(cls, kind: str, shown: str = "3f9c0d1e8a7b6c5d") -> "Made":
        """Make the text that the document shows."""
        made = super().__new__(cls, shown)
        made.kind = kind
        return made


@dataclass(frozen=True)
class Example:
    """A request: what stands in the path, the query, the headers and the body."""

    body: Any = None
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


_WORKLOAD = {"workload_id": "example"}
_FLASH = {"flash_device_id": "face2016-samsung-840pro-256"}
_DISK = {"disk_device_id": "face2016-cheetah-15k6-single"}
_POINT = {
    **_WORKLOAD,
    "ram_pages": 2000,
    "flash_pages": 8000,
    **_FLASH,
    **_DISK,
}
_PRICED = {"price_book_id": "street-2026-q3"}
_MAP = {
    **_WORKLOAD,
    "flash_device_id": "samsung-pm9a3-7.68tb-u2",
    **_DISK,
    "ram_pages": 2000,
}
_CACHED = {
    **_WORKLOAD,
    "ram_pages": 1000,
    "flash_pages": 6000,
    "flash_device_id": "samsung-pm9a3-7.68tb-u2",
    "disk_device_id": "toshiba-mg10-20tb",
    **_PRICED,
}
_CHECKED = {**_POINT, "start": "cold", "ram_pages": 500, "flash_pages": 4000}
_TUS = {"tus-resumable": "1.0.0"}
_SIXTEEN_BYTES = "time_us,op,rel,b"
_CURVE = {
    "text": "size_mib,hit_ratio\n1,0.3\n8,0.5\n64,0.8\n512,0.95\n",
    "page_bytes": 8192,
    "accesses": 1_000_000,
}
_PRODUCTION = {
    "data_bytes": 4 * 2**40,
    "accesses_per_s": 80000.0,
    "recorded_data_bytes": 512 * 2**20,
    "clients": 4,
    "accesses_per_unit": 20.0,
}
_DESCRIPTION = {
    "page_bytes": 8192,
    "data_bytes": 800 * 2**30,
    "accesses_per_s": 20_000,
    "write_share": 0.2,
    "components": [
        {"kind": "zipf", "exponent": 0.9, "weight": 8, "data_share": 0.3},
        {"kind": "scan", "weight": 1, "write_share": 0, "data_share": 0.5},
        {
            "kind": "hot_cold",
            "hot_data_share": 0.1,
            "hot_access_share": 0.9,
            "weight": 1,
        },
    ],
}
_DEVICE = {
    "name": "Our SSD",
    "kind": "nvme",
    "figures": {
        "read_iops": {"value": 100_000, "unit": "1/s", "source": "measured with fio"},
        "write_iops": {"value": 50_000, "unit": "1/s", "source": "measured with fio"},
    },
}
_PRICE_BOOK = {
    "name": "Our quote",
    "date": "2026-10-01",
    "prices": [{"kind": "nvme", "usd_per_gb": "0.12", "source": "quote 4711"}],
}
_SCENARIO = {
    "name": "Twice the RAM",
    "question": "compare",
    "state": {"ram": 4000, "flash": 8000},
    "asks": {"evaluation": {**_POINT, "ram_pages": 4000}},
}
_ADVICE_TEMPLATE = {
    "name": "Storage team",
    "template": {
        "candidates": {"kinds": ["instances", "volumes"], "providers": ["aws"]},
        "constraints": {"usd_per_month": "5000", "flash_life_years": 5},
        "horizon_months": 48,
    },
}
_QUOTED = {
    **_WORKLOAD,
    "files": [
        {
            "name": "acme.csv",
            "text": "quote_id,supplier,currency,valid_until,kind,item,quantity,unit,price\n"
            "Q-18,ACME,USD,2026-12-31,instance,aws-i4i.4xlarge,2,HUR,1.25\n",
        }
    ],
    "day": "2026-10-01",
}
_FIO = {
    "fio version": "fio-3.36",
    "timestamp": 1_700_000_000,
    "global options": {"direct": "1", "ioengine": "libaio", "bs": "4k"},
    "jobs": [
        {
            "jobname": "random reads",
            "groupid": 0,
            "error": 0,
            "job options": {"rw": "randread", "iodepth": "1"},
            "read": {
                "iops": 10_000,
                "total_ios": 600_000,
                "runtime": 60_000,
                "lat_ns": {"mean": 99_000},
                "clat_ns": {"mean": 97_000},
            },
        }
    ],
}
_SMART = {
    "model_name": "Disk 1",
    "nvme_smart_health_information_log": {
        "data_units_written": 2_000_000,
        "power_on_hours": 2400,
        "percentage_used": 7,
    },
}
_PROFILE = {
    "schema": "tierwright-profile",
    "schema_version": 1,
    "accesses": 12,
    "distinct_pages": 5,
    "write_accesses": 3,
    "page_bytes": 8192,
    "duration_s": 0.00011,
    "curve": {
        "pages": [1, 2, 3, 4, 5],
        "misses": [12, 11, 7, 5, 5],
        "write_backs": [3, 3, 1, 0, 0],
    },
    "thinned_error": 0.0,
    "trace": {
        "source_format": "postgres_csv",
        "tells_writes": True,
        "warnings": [],
        "assumptions": [],
    },
}
_UPLOAD = Made("upload")
_UPLOAD_BEGUN = Made("upload begun")

_ROOT = {
    "get_root": Example(),
    "get_health": Example(),
    "get_live": Example(),
    "get_ready": Example(),
}

_CATALOG = {
    "list_formats": Example(),
    "list_policies": Example(),
    "list_schemes": Example(),
    "list_flash_metadata": Example(),
    "get_device_vocabulary": Example(),
    "list_servers": Example(query={"provider": "aws"}),
    "list_volumes": Example(query={"provider": "aws"}),
    "list_parts": Example(query={"kind": "dimm"}),
    "list_price_history": Example(),
    "list_workload_presets": Example(),
    "list_devices": Example(query={"role": "flash", "currency": "EUR"}),
    "create_device": Example(_DEVICE),
    "get_device": Example(
        path={"device_id": "samsung-pm9a3-7.68tb-u2"}, query={"page_bytes": 4096}
    ),
    "update_device": Example(_DEVICE, path={"device_id": Made("device")}),
    "delete_device": Example(path={"device_id": Made("device")}),
    "copy_device": Example(
        {"name": "Our PM9A3"}, path={"device_id": "samsung-pm9a3-7.68tb-u2"}
    ),
    "list_price_books": Example(),
    "create_price_book": Example(_PRICE_BOOK),
    "list_exchange_rates": Example(query=_PRICED),
    "get_price_book": Example(path=_PRICED),
    "update_price_book": Example(
        {**_PRICE_BOOK, "notes": "Valid until the end of the year."},
        path={"price_book_id": Made("price book")},
    ),
    "delete_price_book": Example(path={"price_book_id": Made("price book")}),
    "import_fio": Example({"document": _FIO, "name": "Rig 7"}),
    "plan_measurement": Example({"folder": "/srv/data", "page_bytes": 8192}),
}

_TRACES = {
    "list_uploads": Example(),
    "describe_tus": Example(),
    "create_upload": Example(
        headers={
            **_TUS,
            "upload-length": "16",
            # "trace.csv" in base64, as the protocol has it.
            "upload-metadata": "filename dHJhY2UuY3N2",
        }
    ),
    "head_upload": Example(path={"upload_id": _UPLOAD_BEGUN}, headers=_TUS),
    "patch_upload": Example(
        _SIXTEEN_BYTES,
        path={"upload_id": _UPLOAD_BEGUN},
        headers={**_TUS, "upload-offset": "0"},
    ),
    "delete_upload": Example(path={"upload_id": _UPLOAD}, headers=_TUS),
    "get_upload": Example(path={"upload_id": _UPLOAD}),
    "register_file": Example({"path": Made("file", "/srv/traces/orders.csv")}),
    "verify_upload": Example(
        {
            "sha256": Made(
                "sha256",
                "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            )
        },
        path={"upload_id": _UPLOAD},
    ),
    "preview_upload": Example({"format": "postgres_csv"}, path={"upload_id": _UPLOAD}),
    "get_storage": Example(),
    "delete_stored": Example(path={"kind": "upload", "stored_id": _UPLOAD}),
    "list_workloads": Example(query={"limit": 20}),
    "create_workload": Example(
        {"upload_id": _UPLOAD, "name": "Orders", "format": "postgres_csv"}
    ),
    "create_workload_from_profile": Example({"name": "Orders", "profile": _PROFILE}),
    "create_workload_from_curve": Example(
        {**_CURVE, "name": "Orders", "dirty_share": 0.25}
    ),
    "get_workload": Example(path=_WORKLOAD),
    "rename_workload": Example(
        {"name": "Orders of May"}, path={"workload_id": Made("workload")}
    ),
    "delete_workload": Example(path={"workload_id": Made("workload")}),
    "read_workload_again": Example(path={"workload_id": Made("failed workload")}),
    "get_conversion_log": Example(path=_WORKLOAD),
    "get_curve": Example(path=_WORKLOAD, query={"points": 50}),
    "get_relations": Example(path=_WORKLOAD),
    "create_joined_workload": Example({"page_bytes": 16_384}, path=_WORKLOAD),
    "get_joined_workloads": Example(path=_WORKLOAD),
    "preview_scaled_workload": Example(_PRODUCTION, path=_WORKLOAD),
    "create_scaled_workload": Example(
        {**_PRODUCTION, "name": "Orders at 4 TiB"}, path=_WORKLOAD
    ),
    "create_workload_from_description": Example({**_DESCRIPTION, "name": "Orders"}),
    "create_composed_workload": Example(
        {
            "name": "Orders and logs on one machine",
            "workloads": [_WORKLOAD, {**_WORKLOAD, "times_recorded": 0.5}],
        }
    ),
    "create_workload_from_measurements": Example(
        {
            "name": "Orders, measured twice",
            "workload_ids": [Made("present point"), Made("simulated pool")],
        }
    ),
    "list_description_kinds": Example(),
    "preview_description": Example(
        {"preset": "oltp", "data_bytes": 2**40, "accesses_per_s": 20_000}
    ),
    "list_curve_kinds": Example(),
    "preview_given_curve": Example(_CURVE),
}

_QUESTIONS = {
    "ask_compare": Example({**_POINT, **_PRICED}),
    "derive_compare": Example(_POINT),
    "list_scheme_map_options": Example(),
    "ask_scheme_map": Example(
        {
            **_MAP,
            "x": {"axis": "flash_per_ram", "low": 1, "high": 16, "points": 5},
            "y": {"axis": "dirty_share", "low": 0, "high": 1, "points": 3},
        }
    ),
    "ask_scheme_map_point": Example({**_MAP, "flash_pages": 8000}),
    "ask_flash_choice": Example(
        {**_WORKLOAD, "ram_pages": 2000, "flash_pages": 8000, **_DISK, **_PRICED}
    ),
    "ask_directories": Example(_POINT),
    "ask_wear": Example({**_POINT, "accesses_per_s": 5000}),
    "ask_flash_device": Example(
        {"logical_pages": 16_384, "spare": 0.28, "trim_share": 0.1, "spares": [0.5]}
    ),
    "ask_device_health": Example({"document": _SMART, "rated_tb": 4840}),
    "ask_recovery": Example({**_POINT, "accesses_per_s": 5000}),
    "ask_fragment_cache": Example(_POINT),
    "ask_transaction_writes": Example({"dirty_pages": 16, "ram_bytes": 16_777_216}),
    "ask_transaction_replay": Example(
        {"source": "half_loaded", "committed": 8, "running": 16}
    ),
    "list_transaction_studies": Example(query={"limit": 20}),
    "create_transaction_study": Example(
        {"ram_pages": [64, 256], "page_bytes": 8192, "crash": "end"}
    ),
    "get_transaction_study": Example(
        path={"study_id": Made("transaction study")}, query={"write_us": 300}
    ),
    "delete_transaction_study": Example(
        path={"study_id": Made("ended transaction study")}
    ),
    "ask_tier_cost": Example(
        {
            "device_ids": ["samsung-pm9a3-7.68tb-u2"],
            "held_bytes": 1_000_000_000_000,
            **_PRICED,
        }
    ),
    "ask_access_cost": Example(
        {"page_bytes": 8192, "device_id": "samsung-pm9a3-7.68tb-u2", **_PRICED}
    ),
    "ask_bill": Example(
        {
            "server": "aws-i4i.4xlarge",
            "volume": [{"id": "aws-ebs-gp3", "size_gib": 1024, "iops": 16000}],
            "power": {"watts": 250, "pue": 1.2},
            "carbon": {"kg_per_kwh": [0.2, 0.4]},
        }
    ),
    "ask_configurations": Example(
        {"kinds": ["instances"], "max_machines": 2, "max_io_us": 5.0}, path=_WORKLOAD
    ),
    "ask_advice": Example(
        {
            "have": {
                "ram_bytes": 16 * 2**30,
                "disk_device_id": "seagate-exos-x24-24tb",
                "disks": 2,
                "usd_per_month": "900",
            },
            "candidates": {"kinds": ["instances", "volumes"], "max_machines": 2},
            "constraints": {"usd_per_month": "5000"},
            "horizon_months": 24,
        },
        path=_WORKLOAD,
    ),
    "report_advice": Example(
        {
            "candidates": {"kinds": ["instances", "volumes"], "max_machines": 2},
            "how_sure": False,
        },
        path=_WORKLOAD,
        query={"format": "pdf", "title": "What to buy for orders"},
    ),
    "ask_composition": Example(
        {
            "workloads": [
                {**_WORKLOAD, "accesses_per_s": 5000},
                {**_WORKLOAD, "times_recorded": 0.5, "miss_weight": 2},
            ],
            "ram_pages": 4000,
        }
    ),
    "report_placement": Example(
        {
            "workloads": [{**_WORKLOAD, "accesses_per_s": 5000}],
            "candidates": {"kinds": ["instances"], "max_machines": 2},
        },
        query={"format": "html"},
    ),
    "ask_placement": Example(
        {
            "workloads": [
                {**_WORKLOAD, "accesses_per_s": 5000},
                {**_WORKLOAD, "times_recorded": 0.5},
            ],
            "candidates": {"kinds": ["instances"], "max_machines": 2},
            "constraints": {"usd_per_month": "5000"},
            "horizon_months": 24,
        }
    ),
    "read_import": Example(
        {
            "kind": "quotes",
            "name": "acme.csv",
            "text": "quote_id,currency,valid_until,part_number,quantity,unit,price,price_per\n"
            "Q-17,EUR,2026-12-31,BOX-1,2,EA,8999.00,1\nQ-17,EUR,2026-12-31,RAIL-4,100,PCE,10.000,100\n",
        }
    ),
    "import_price_book": Example(
        {
            "name": "ACME, drives",
            "text": "sku,date,currency,price,unit,kind,item\n"
            "MZQL27T6HBLA,2026-10-01,USD,980.00,EA,device,samsung-pm9a3-7.68tb-u2\n",
        }
    ),
    "get_line_mapping": Example(),
    "replace_line_mapping": Example(
        {
            "line": [
                {
                    "part_number": "MZQL27T6HBLA",
                    "is": [{"kind": "device", "item": "samsung-pm9a3-7.68tb-u2"}],
                }
            ]
        }
    ),
    "replay_quote_ranking": Example(_QUOTED),
    "check_quote_report": Example(
        {**_QUOTED, "statements": {"need": "Orders double in a year."}}
    ),
    "report_quote_ranking": Example(_QUOTED, query={"format": "html"}),
    "create_quote_ranking": Example(
        {
            **_WORKLOAD,
            "quotes": [
                {
                    "quote_id": "Q-17",
                    "supplier": "ACME",
                    "currency": "EUR",
                    "valid_until": "2026-12-31",
                    "lead_time_days": 15,
                    "lines": [
                        {
                            "part_number": "BOX-1",
                            "quantity": 2,
                            "unit": "EA",
                            "price": "8999.00",
                        },
                        {"kind": "shipping", "quantity": 1, "price": "49.00"},
                    ],
                },
                {
                    "quote_id": "Q-18",
                    "currency": "USD",
                    "lines": [
                        {
                            "kind": "instance",
                            "item": "aws-i4i.4xlarge",
                            "quantity": 2,
                            "unit": "HUR",
                            "price": "1.25",
                        }
                    ],
                },
            ],
            "have": {
                "ram_bytes": 16 * 2**30,
                "disk_device_id": "seagate-exos-x24-24tb",
                "disks": 2,
                "usd_per_month": "900",
            },
            "rates": [
                {
                    "currency": "EUR",
                    "per_usd": "0.88",
                    "date": "2026-09-30",
                    "source": "stated by the buyer",
                }
            ],
            "mapping": [
                {
                    "part_number": "BOX-1",
                    "is": [
                        {"kind": "server", "item": "chassis-dell-r760"},
                        {
                            "kind": "part",
                            "item": "dimm-ddr5-rdimm-64gb",
                            "quantity": 8,
                        },
                        {
                            "kind": "device",
                            "item": "samsung-pm9a3-7.68tb-u2",
                            "quantity": 2,
                        },
                    ],
                }
            ],
            "constraints": {"usd_per_month": "5000"},
            "day": "2026-10-01",
        }
    ),
    "get_quote_ranking": Example(path={"ranking_id": Made("quote ranking")}),
    "ask_dram_or_flash": Example({**_WORKLOAD, "ram_pages": 2000, **_FLASH, **_DISK}),
    "ask_throughput": Example({**_POINT, "clients": 20, "think_us": 5000}),
    "ask_what_to_cache": Example(_CACHED),
    "ask_course": Example(
        {
            "system": "face",
            "ram_pages": 1000,
            "flash_pages": 6000,
            "flash_device_id": "samsung-pm9a3-7.68tb-u2",
            "disk_device_id": "face2016-cheetah-15k6-single",
            "disks": 8,
            "clients": 20,
            "crash_at": 0.5,
        },
        path={"workload_id": "example"},
    ),
    "ask_response": Example(
        {
            **{key: value for key, value in _POINT.items() if key != "workload_id"},
            "accesses_per_s": 200,
            "peak_accesses_per_s": 400,
        },
        path=_WORKLOAD,
    ),
    "list_formulas": Example(),
    "get_formula": Example(path={"name": "face.writeback_chain"}),
    "ask_formula": Example(
        {"inputs": {"k": 2, "C_disk_write": 7.1, "C_flash_write": 0.9}},
        path={"name": "face.writeback_chain"},
    ),
    "get_formula_page": Example(path={"name": "face.writeback_chain"}),
}

_CHECKS = {
    "check_dram_or_flash": Example(
        {**_WORKLOAD, "ram_pages": 500, **_FLASH, **_DISK, "start": "cold"}
    ),
    "check_compare": Example({**_CHECKED, "flash_caches": ["larc"]}),
    "check_scheme_map": Example(
        {
            **_MAP,
            "start": "cold",
            "x": {"axis": "flash_per_ram", "low": 1, "high": 16, "points": 5},
            "y": {"axis": "asymmetry", "low": 1, "high": 16, "points": 3},
            "x_points": 2,
            "y_points": 2,
            "flash_caches": ["larc"],
        }
    ),
    "check_throughput": Example(
        {**_CHECKED, "clients": 20, "flash_caches": ["face", "lazy_cleaning"]}
    ),
    "check_response": Example(
        {
            **_CHECKED,
            "disks": 8,
            "accesses_per_s": 200,
            "arrivals": "clients",
            "clients": 4,
            "flash_caches": ["face"],
        }
    ),
    "check_advice": Example(
        {
            "have": {
                "ram_bytes": 64 * 2**20,
                "disk_device_id": "seagate-exos-x24-24tb",
                "disks": 400,
                "usd_per_month": "30",
            },
            "candidates": {"kinds": ["instances", "volumes"], "max_machines": 2},
            "start": "cold",
        },
        path=_WORKLOAD,
    ),
    "get_advice_check": Example(path={"advice_check_id": Made("advice check")}),
    "get_response_replay": Example(
        path={"response_replay_id": Made("response replay")}
    ),
    "check_wear": Example({**_CHECKED, "accesses_per_s": 5000}),
    "check_flash_choice": Example(
        {key: value for key, value in _CHECKED.items() if key != "flash_device_id"}
    ),
    "check_directories": Example({**_CHECKED, "flash_caches": ["larc"]}),
    "check_recovery": Example({**_CHECKED, "accesses_per_s": 5000}),
    "check_fragment_cache": Example(_CHECKED),
    "check_what_to_cache": Example(_CACHED),
    "get_category_counts": Example(
        path={"category_counts_id": Made("category counts")}
    ),
}

_REPLAYS = {
    "create_simulation": Example(_POINT),
    "get_simulation": Example(path={"simulation_id": Made("simulation")}),
    "get_simulator": Example(),
    "list_sweeps": Example(query=_WORKLOAD),
    "create_sweep": Example(
        {
            **_WORKLOAD,
            "contenders": [
                {"family": "policy", "name": "2q", "options": {"k_in": "0.5"}},
                {"family": "scheme", "name": "lazy"},
            ],
            "ram_pages": [1000, 2000],
            "flash_pages": [8000],
        }
    ),
    "get_sweep": Example(path={"sweep_id": Made("sweep")}, query={**_FLASH, **_DISK}),
    "create_miniature": Example(
        {**_WORKLOAD, "policy": "lru", "sizes": [1000, 2000, 4000]}
    ),
    "get_miniature": Example(path={"miniature_id": Made("miniature")}),
    "create_pool_split": Example({**_WORKLOAD, "pages": 2000}),
    "get_pool_split": Example(path={"pool_split_id": Made("pool split")}),
    "get_pool_split_costs": Example(
        path={"pool_split_id": Made("pool split")}, query={"asymmetry": 4}
    ),
    "get_pool_split_gains": Example(path={"pool_split_id": Made("pool split")}),
    "create_pool_advisor": Example({**_WORKLOAD, "pages": 500}),
    "get_pool_advisor": Example(path={"pool_advisor_id": Made("pool advisor")}),
    "get_pool_advisor_epochs": Example(
        path={"pool_advisor_id": Made("pool advisor")}, query={"estimation_s": 0.01}
    ),
    "create_windows": Example({**_WORKLOAD, "windows": 8, "sizes": [1000, 4000]}),
    "get_windows": Example(path={"windows_id": Made("windows")}),
    "get_window_curves": Example(path={"windows_id": Made("windows")}),
    "create_sampled_profile": Example({**_WORKLOAD, "sample_rate": 0.1}),
    "get_sampled_profile": Example(
        path={"sampled_profile_id": Made("sampled profile")}
    ),
    "get_sampled_curve": Example(path={"sampled_profile_id": Made("sampled profile")}),
    "create_summaries": Example(_WORKLOAD),
    "get_summaries": Example(path={"summaries_id": Made("summaries")}),
    "get_summary_tables": Example(path={"summaries_id": Made("summaries")}),
    "get_workload_summaries": Example(
        path={"workload_id": Made("workload with summaries")}
    ),
}

_KEPT = {
    "list_runs": Example(query={"status": "succeeded", "limit": 20}),
    "get_run": Example(path={"run_id": Made("run")}),
    "cancel_run": Example(path={"run_id": Made("run")}),
    "stream_run": Example(path={"run_id": Made("run")}),
    "list_scenarios": Example(query={"limit": 20}),
    "create_scenario": Example(_SCENARIO),
    "get_scenario": Example(path={"scenario_id": Made("scenario")}),
    "update_scenario": Example(
        {**_SCENARIO, "name": "Twice the RAM, again", "version": 1},
        path={"scenario_id": Made("scenario")},
    ),
    "delete_scenario": Example(path={"scenario_id": Made("scenario")}),
    "list_advice_templates": Example(query={"limit": 20}),
    "create_advice_template": Example(_ADVICE_TEMPLATE),
    "get_advice_template": Example(path={"template_id": Made("advice template")}),
    "update_advice_template": Example(
        {**_ADVICE_TEMPLATE, "name": "Storage team, next year"},
        path={"template_id": Made("advice template")},
    ),
    "delete_advice_template": Example(path={"template_id": Made("advice template")}),
    "restore_scenario": Example(path={"scenario_id": Made("deleted scenario")}),
}

EXAMPLES: Mapping[str, Example] = {
    **_ROOT,
    **_CATALOG,
    **_TRACES,
    **_QUESTIONS,
    **_CHECKS,
    **_REPLAYS,
    **_KEPT,
}


def add_examples(document: dict[str, Any]) -> None:
    """Put each example into its operation: beside the body, and at each parameter."""
    for operations in document["paths"].values():
        for operation in operations.values():
            example = EXAMPLES.get(operation["operationId"])
            if example is not None:
                _add(operation, example)


def _add(operation: dict[str, Any], example: Example) -> None:
    places = {"path": example.path, "query": example.query, "header": example.headers}
    for parameter in operation.get("parameters", []):
        given = places[parameter["in"]]
        if parameter["name"] in given:
            parameter["example"] = given[parameter["name"]]
    if example.body is not None:
        [content] = operation["requestBody"]["content"].values()
        content["example"] = example.body
