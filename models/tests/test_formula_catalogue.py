"""No formula without a vector, a page and a property; no kernel without an oracle and both.

A *kernel* is a public function of the models that computes something of a model. Those that the
vectors of the conformance table reach are held by them. Every other needs a test that is marked
``@pytest.mark.oracle("module.function")``, one that draws inputs and is marked
``@pytest.mark.formula("module.function")``, and a page of docs/models that names it. A new public
function fails here until it has them, or stands among `JOINED` or `NO_MODEL` with the reason.
"""

import ast
import importlib
import inspect
import json
import pkgutil
import re
import runpy
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest
import typer

import tierwright
from tierwright.catalogue.vectors import conformance
from tierwright.cli.app import main
from tierwright.evaluate import metadata

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "models"
PROFILE_PAGES = ROOT / "docs" / "traces"
TESTS = ROOT / "models" / "tests"
VECTORS = ROOT / "fixtures" / "vectors"
CATALOGUE = re.compile(r"\*\*((?:kv|fd|face|sce|zhou)\.\w+)\*\*")
"""How section 9 of the restated models writes a name."""


def vectors(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["vectors"]
    return found


def own_files() -> list[Path]:
    return sorted(VECTORS.glob("*.json"))


OUTSIDE = {
    "_simulator": "the core, in Rust",
    "hardware.capabilities": "asks which figures a device states",
    "hardware.catalog": "reads the catalogue",
    "cli": "the command line: reads and prints",
    "catalogue.vectors.conformance": "runs vectors",
    "simulate.contenders": "reads names and options of contenders",
    "common.answer": "words and plain data",
    "common.wording": "words for numbers",
    "common.parameters": "words for parameters",
    "evaluate.page_flow.results": "plain data",
    "common.derivation": "words and plain data",
    "hardware.device": "reads device files",
    "trace.tables": "reads tables",
    "common.documents": "reads files",
    "common.errors": "errors",
    "hardware.fio": "reads results of fio; held by recorded files",
    "hardware.fio_record": "reads the record of a measurement; held by test_measure.py",
    "hardware.imports": "reads files; held by test_import_quotes.py, test_import_prices.py and "
    "test_import_inventory.py",
    "hardware.measure.fio_program": "runs fio; held by test_measure.py",
    "hardware.measure.place": "asks the file system; held by test_measure.py",
    "hardware.measure.plan": "lists runs and their limits; held by test_measure.py",
    "hardware.measure.run": "executes a plan; held by test_measure.py",
    "catalogue": "words about formulas, and checks of their inputs",
    "profile.given": "reads curves; held by its own tests",
    "hardware.running_tiers": "names of tiers and what was timed; held by test_counters.py",
    "profile.next_step": "words; held by test_next_step.py",
    "profile.evidence": "plain data and words; held by test_counters.py",
    "common.checks": "checks inputs",
    "evaluate.page_flow.decision": "compares costs, and prices replays; held by test_decision.py",
    "advise.at_load": "words; held by test_at_load.py",
    "advise.behind_instance": "words; held by test_behind_instance.py",
    "advise.advice._asked": "checks what is asked; held by test_advice.py",
    "advise.advice._bounded": "searches options by bounds; held by test_advice_bounded.py",
    "advise.advice._caches": "replays flash caches beside page flow; held by test_advice_caches.py",
    "advise.advice._checked": "replays options beside the model; held by test_advice.py",
    "advise.advice._as_stated": "states an amount; held by test_advice_bills.py",
    "advise.advice._billed": "sums of the rows of a bill; held by test_advice_scenario_prices.py",
    "advise.advice._outlasting": "words, and the next option that lasts; held by test_advice_outlasting.py",
    "advise.advice._price_dates": "finds old prices in a table; held by test_advice_price_dates.py",
    "advise.advice._repriced": "prices of a table; held by test_advice_scenario_prices.py",
    "advise.advice._conflict": "asks again which limits conflict; held by test_advice_conflict.py",
    "advise.advice._near_misses": "chooses what is replayed beside the model; held by test_advice_near_misses.py",
    "advise.advice._choice": "parts of `advise.advice.answer`; held by test_advice.py",
    "advise.advice._flat": "parts of `advise.advice.answer`; held by test_advice_later.py",
    "advise.advice._continuous": "prices sizes of any kind by `least_cost`, in words; held by test_advice_continuous.py",
    "advise.advice._confidence": "draws and words; held by test_advice_sure.py",
    "advise.advice._contenders": "evaluates options on other curves; held by test_advice_sure.py",
    "advise.advice._dirty_share": "words, and the choice without dirty pages; held by test_advice_elsewhere.py",
    "advise.advice._elsewhere": "options on other curves; held by test_advice_elsewhere.py",
    "advise.advice._draws": "inputs at places of their ranges; held by test_advice_sure.py",
    "advise.advice._notes": "words",
    "advise.advice._numbers": "asks how many devices are enough; held by test_advice_more_devices.py",
    "advise.advice._scenarios": "asks in other scenarios; held by test_advice_later.py",
    "advise.advice._standing": "parts of `advise.advice.answer` and `advise.quote_ranking.answer`; held by "
    "test_advice.py and test_quote_ranking.py",
    "advise.advice._repeat": "states what was asked; held by test_report_repeat.py",
    "advise.placement._groups": "asks for every group of workloads; held by test_placement.py",
    "advise.placement._words": "words",
    "advise.placement.found": "data classes and words",
    "advise.advice._prices": "prices that may be off; held by test_advice_sure.py",
    "advise.advice._plans": "asks for the assignment of each hardware; held by test_advice_assignments.py",
    "profile.part_files": "files and their names; held by test_parts.py, test_ranges.py and test_numbered_parts.py",
    "profile.numbered_parts": "converts files; held by test_numbered_parts.py, which compares with one conversion of all",
    "advise.advice._split": "asks for the split of each option; held by test_advice_split.py",
    "advise.advice._evidence": "figures of an option; held by test_advice_evidence.py",
    "advise.placement._short": "words; held by test_all_data.py",
    "evaluate.compose.short": "words; held by test_all_data.py",
    "advise.advice._endurance": "cautions; held by test_advice_unknown.py and test_advice_growing_writes.py",
    "advise.advice._busy_times": "weighs what busy times rest on; held by test_advice_busy_times.py",
    "advise.advice._machine": "tells which prices lack a machine; held by test_advice.py and test_placement.py",
    "advise.advice._unknown": "lists what is unknown; held by test_advice_unknown.py",
    "advise.advice._rates": "which rates no source states, in words; held by test_advice_unknown.py",
    "advise.advice._left_out": "words; held by test_advice_unknown.py",
    "advise.advice._unrated": "a caution; held by test_advice_unknown.py",
    "advise.advice._same_hardware": "words; held by test_advice_same_hardware.py",
    "advise.advice._staircase": "asks at other limits; held by test_advice_staircase.py",
    "advise.advice._sure": "asks at other ends; held by test_advice.py",
    "advise.advice._table": "parts of `advise.advice.answer`; held by test_advice.py",
    "advise.advice._when": "asks for later months; held by test_advice_later.py",
    "advise.advice._why_not": "parts of `advise.advice.answer`; held by test_advice.py",
    "advise.advice._words": "words; held by test_advice.py",
    "advise.advice.found": "plain data",
    "advise.advice.unknown_regrets": "words; held by test_unknown_regrets.py",
    "advise.advice.limit_cost": "words, and which steps are shown; held by test_limit_cost.py",
    "advise.bill_carbon": "words and sums of lines; held by test_bill_carbon.py",
    "advise.advice.request": "reads files; held by test_advice.py",
    "advise.advice.template": "reads files; held by test_advice_template.py",
    "advise.exports": "writes the bill in other formats; held by test_exports.py",
    "advise.quote_ranking._offered": "reads quotes; held by test_quote_ranking.py",
    "advise.quote_ranking._priced": "sums of lines; held by test_quote_ranking.py",
    "advise.quote_ranking._words": "words; held by test_quote_ranking.py",
    "advise.report": "words, markup and a file that is read; held by test_report.py",
    "evaluate.page_flow.map_effects": "evaluates at other ends; held by test_advise_scheme_map.py",
    "evaluate.page_flow.effects": "evaluates at other ends; held by test_effects.py",
    "evaluate.page_flow.other_ends": "evaluates at other ends; held by test_effects.py",
    "advise.scale._curves": "parts of `advise.scale.answer`; held by test_scale.py",
    "advise.scale._factors": "parts of `advise.scale.answer`; held by test_scale.py",
    "advise.dram_or_flash.effects": "asks at other ends; held by test_cautions.py",
    "advise.flash_choice_effects": "asks at other ends; held by test_cautions.py",
    "advise.throughput.effects": "asks at other ends; held by test_cautions.py",
    "advise.response.cautions": "words",
    "advise.response.effects": "asks at other ends; held by test_advise_response.py",
    "advise.response.rows": "rows of an answer; held by test_advise_response.py",
    "advise.response.steps": "words and numbers of a derivation",
    "advise.response.words": "words; held by test_advise_response.py",
    "advise.in_production": "sizes by `recorded_sizes`, and rates; held by test_in_production.py",
    "advise.pool_split_effects": "prices replays at other ends; held by test_pool_split_effects.py",
    "advise.compose_effects": "asks at other ends; held by test_other_effects.py",
    "advise.transaction_effects": "compares counts at other times; held by test_other_effects.py",
    "advise.wear_effects": "asks at other ends; held by test_cautions.py",
    "evaluate.page_flow.explain": "words for numbers",
    "evaluate.page_flow.cautions": "words for numbers",
    "catalogue.vectors.fd": "inputs and outputs of vectors",
    "hardware.prices": "reads price books",
    "hardware.facts": "reads files of servers, volumes and parts",
    "hardware.servers": "reads files of servers",
    "hardware.volumes": "reads files of volumes",
    "hardware.parts": "reads files of parts",
    "hardware.build": "reads a CONFIG; held by test_bill.py",
    "hardware.price_history": "reads files of prices over time",
    "hardware.workload_presets": "reads files of presets; held by test_described.py",
    "common.currency": "states amounts in a currency; held by test_currency.py",
    "profile.summaries_document": "reads and writes summaries",
    "trace.conversions": "files: what a killed process left",
    "trace.sources.address": "text: buckets and keys",
    "trace.sources.shelf": "files and objects under names; held by test_parts.py",
    "simulate.executors": "starts threads, processes or a cluster; held by test_executors.py",
    "simulate.dask_cluster": "opens a cluster; held by test_executors.py",
    "advise.advice._responses": "response times of options, by the models of response; held by test_advice.py",
    "trace.sources.copies": "files: copies of objects",
    "trace.sources.shared": "files: copies of objects that processes share; held by test_executors.py",
    "trace.sources.store": "a store at the other end of a line",
    "trace.sources.door": "carries bytes to a store; held by test_store_door.py",
    "trace.sources.files": "files: which ones, and whether they changed",
    "trace.reading": "reads traces; held by the golden files",
    "trace.notes": "words for numbers",
    "common.shipped": "files: where shipped facts lie",
    "common.cautions": "words for numbers",
    "common.fields": "reads values of documents",
    "profile.document": "reads and writes files",
    "profile.several": "reads profiles and rates; held by test_compose.py",
    "profile.windows": "reads a key of a file, and hands on what the core counts; held by test_advice_sure.py",
    "profile.measure": "hands on what the core counts; held by the golden files",
    "simulate.replay": "hands on what the core counts; held by the golden files",
    "simulate.timed": "hands on what the core counts; held by test_response_replay.py",
    "profile.summaries": "titles of what the core counts",
    "trace.tokens": "writes a trace",
    "catalogue.vectors.transactions": "inputs and outputs of vectors",
    "common.units": "reads and prints sizes",
    "catalogue.vectors.face": "inputs and outputs of vectors",
    "catalogue.vectors.sce": "inputs and outputs of vectors",
}
"""Modules without models."""

NO_MODEL = {
    "advise.quote_ranking.switching.switches": "rankings at other prices, rates and sizes; held by test_report_paper.py",
    "advise.advice.advice_on": "what `answer` is made of",
    "advise.advice._steps.beyond": "words",
    "advise.advice._steps.cheapest": "words",
    "advise.quote_ranking.switching.said": "words",
    "profile.parts.accesses_of": "hands on what the core counts",
    "profile.parts.is_whole": "looks for a file; held by test_parts.py",
    "profile.parts.joined_counts": "hands on what the core joins; held by test_parts.py",
    "profile.parts.noted": "words of readers; held by test_parts.py",
    "profile.relations.listed": "rows of the core that `measured` lists; held by test_parts.py",
    "profile.workers.spread": "does work anew whose worker died; held by test_parts.py",
    "advise.transaction_study.check_crash": "checks an input; held by test_transactions.py",
    "simulate.transactions.check_spare": "checks an input; held by test_transactions.py",
    "simulate.spread.miniatures": "the same miniatures by workers; held by test_executors.py",
    "simulate.spread.sweep": "the same sweep by workers; held by test_executors.py",
    "simulate.spread.singles": "the same replays by workers; held by test_executors.py",
    "trace.objects.forget_copies": "files: copies of objects; held by test_executors.py",
    "trace.objects.on_this_machine": "files: copies of objects; held by test_parts.py",
    "advise.quote_ranking.today": "the present day",
    "advise.advice.named_book": "finds a price book",
    "evaluate.bill.power_note": "words",
    "evaluate.bill.size_sold_gib": "the size of `billed_size_gib`",
    "evaluate.bill.volume_count_limit": "picks the name of a limit; held by test_bill.py",
    "advise.point.scale_sentence": "words; held by test_scale.py",
    "advise.scale.pages.is_joinable": "reads what a format states; held by test_joined_workloads.py",
    "advise.configurations.as_read": "writes amounts as numbers; held by test_configurations.py",
    "advise.configurations.name_of": "words",
    "advise.configurations.data_bytes_of": "reads what is stated; held by test_configurations.py",
    "advise.configurations.rates_of": "reads what is stated; held by test_configurations.py",
    "evaluate.advice.bought.budget_tb": "hands on `write_budget`",
    "evaluate.advice.cover.subsets": "lists groups; held by test_placement.py",
    "evaluate.advice.bought.part_budget_tb": "hands on `write_budget`",
    "evaluate.advice.limits.left_out_in_turn": "a key to sort by",
    "evaluate.configurations.sold.disk_id": "names a device",
    "evaluate.configurations.sold.disk_of_server": "finds a device",
    "evaluate.advice.limits.values": "picks a column",
    "evaluate.advice.rows.device_times": "hands on `service_us`",
    "evaluate.advice.rows.joined": "puts tables together",
    "evaluate.advice.tiers.devices_for_space": "a quotient of two sizes, rounded up; held by test_advice_refuted.py",
    "evaluate.advice.tiers.each_usd": "a product of a price and a capacity; held by test_advice.py",
    "evaluate.configurations.sold.local_device": "picks stated rates; held by test_configurations.py",
    "evaluate.configurations.sold.volume_device": "picks stated rates; held by test_configurations.py",
    "evaluate.configurations.columns.enumerate_sold": "the loop of `enumerate_configurations`",
    "evaluate.configurations.columns.stacked": "puts tables together",
    "evaluate.configurations.times.drive_times": "picks times of devices; held by test_configurations.py",
    "evaluate.configurations.times.store_times": "picks times of devices; held by test_configurations.py",
    "evaluate.configurations.times.times_of": "picks times of devices; held by test_configurations.py",
    "evaluate.page_flow.load.deciding_terms": "picks the terms of a replay or of the model",
    "evaluate.configurations.sold.part_entry": "picks a stated price",
    "evaluate.configurations.sold.sold": "lists what is sold; held by test_configurations.py",
    "advise.configurations.volumes_not_stated": "words",
    "evaluate.configurations.sold.volume_options": "picks sizes and rates to rent; held by "
    "test_configurations.py",
    "advise.compose.usual_pages": "a share of a sum; held by test_compose.py",
    "advise.device_import.answer": "hands on `fio.import_fio`, in words",
    "evaluate.described.workload.about_description": "words",
    "evaluate.described.workload.described_finding": "words",
    "advise.miniature.answer": "hands on `replay.miniatures`, in words; held by test_questions.py",
    "advise.miniature.estimate_of": "quotients of counts; held by backend/tests/test_miniatures.py",
    "advise.miniature.lru_hit_ratio_of": "hands on `Curve.misses`",
    "advise.outer.standing": "words",
    "advise.outer.standing_of_range": "words",
    "advise.pool_advisor.with_notes": "words",
    "advise.pool_advisor.for_production": "hands on the buffer of production; held by test_in_production.py",
    "advise.miniature.estimator_of": "words",
    "advise.miniature.replayed_hit_ratio": "a quotient of counts; held by test_in_production.py",
    "advise.scale.request.factor_of": "reads a number",
    "advise.scale.request.mean_and_peak": "chooses rates; held by test_rates.py",
    "advise.scale.request.rate_of_units": "a product; held by test_scale.py",
    "advise.scale.request.read_production": "reads a file; held by test_scale.py",
    "advise.since.finding": "words",
    "advise.checks.flash_caches.notes_of": "words",
    "advise.checks.flash_caches.standing_for": "leaves out names; held by test_scale_replays.py",
    "advise.checks.flash_life.about_lives": "words",
    "evaluate.scale.replays.caches_apart": "words",
    "evaluate.scale.replays.pages_apart": "words",
    "evaluate.scale.replays.unfilled": "words",
    "evaluate.scale.replays.writes_apart": "words",
    "evaluate.scale.replays.writes_multiplied": "words",
    "simulate.erase_blocks.few_blocks": "a note, where a count is below a constant; held by test_few_erase_blocks.py",
    "simulate.priced.about_batches": "a caution, where a rate is not stated",
    "simulate.priced.about_batches_text": "words",
    "simulate.transactions.about_logs": "words",
    "simulate.transactions.keeps_log": "asks whether a name is that of a constant",
    "advise.checks.flash_life.rate_of": "chooses a rate; held by test_flash_life.py",
    "simulate.scaled_units.large_sentences": "words",
    "simulate.scaled_units.stand_in_options": "joins the options of `units_of` and `options_at`; held by test_scaled_units.py",
    "simulate.scaled_units.units_sentence": "words",
    "simulate.erase_blocks.noted": "adds words; held by test_few_erase_blocks.py",
    "simulate.stated_rate.paced_configurations": "chooses an option; held by test_stretched_replays.py",
    "simulate.stated_rate.refuse_on_simulated_time": "checks an option; held by test_stretched_replays.py",
    "evaluate.ram_tax.preset_of_cache": "picks a preset; held by test_ram_tax.py",
    "evaluate.ram_tax.is_of_cache": "compares names; held by test_ram_tax.py",
    "evaluate.ram_tax.pages_left": "hands on `ram_tax.tax` or `ram_pages_left`; held by test_ram_tax.py",
    "evaluate.ram_tax.taxes_of": "`ram_tax.tax` of several flash caches; held by test_ram_tax.py",
    "evaluate.ram_tax.tax_of_replay": "hands on `ram_tax.tax`; held by test_ram_tax.py",
    "evaluate.ram_tax.words": "words",
    "evaluate.ram_tax.words_of_range": "words",
    "advise.sweep.answer": "hands on `replay.sweep`, priced, in words; held by test_questions.py",
    "advise.sweep.finding": "words",
    "advise.sweep.label_of": "words",
    "advise.sweep.mean": "a mean",
    "advise.sweep.mean_miss_ratio": "a mean",
    "advise.sweep.ram_left": "hands on `ram_tax.pages_left`",
    "advise.sweep.row_of": "quotients of counts, priced by `price`; held by "
    "backend/tests/test_sweeps.py",
    "advise.sweep.sizes_between": "picks sizes to replay",
    "advise.decide.decide": "replays and compares; held by test_decision.py",
    "advise.decide.replayed_by_key": "replays; held by test_replay_checks.py",
    "advise.decide.replayed_rows": "replays; held by test_decision.py",
    "simulate.warm_up.accesses_of": "reads a share of a trace as accesses",
    "simulate.warm_up.parse": "reads an option",
    "evaluate.page_flow.load.about_load": "words for numbers",
    "evaluate.page_flow.terms.check_terms": "checks an input",
    "evaluate.break_even.gains.about_metadata": "words",
    "advise.dram_or_flash.break_even.about_bought": "words",
    "evaluate.break_even.replayed.check_sizes": "picks the sizes that a check replays",
    "evaluate.break_even.replayed.replayed_break_even": "prices counters of replays; held by "
    "backend/tests/test_break_evens.py, which replays them once more",
    "evaluate.break_even.schemes.scheme_gain_terms": "words and numbers of a derivation",
    "evaluate.break_even.schemes.steady_difference": "a measured bound; held by `make break-evens`",
    "evaluate.break_even.schemes.time_without": "C0 of the curve, held as `page_flow.costs`",
    "profile.steady_state.check_new_pages": "checks an input",
    "advise.dram_or_flash.break_even.tier_prices": "picks prices of book or devices",
    "evaluate.break_even.gains.check_old_share": "checks an input",
    "evaluate.economics.tier_price": "picks a price of book or device",
    "hardware.smart.read_smart": "reads a file",
    "hardware.measure.steady.parse_rate_log": "reads a log",
    "hardware.smart.smart_from_mapping": "reads a file",
    "profile.categories.counted": "hands on what the core counts; held by test_cachesack.py",
    "profile.categories.kinds": "lists what the core tells apart; held by test_cachesack.py",
    "profile.curve.thinned_sizes": "picks sizes to list",
    "simulate.priced.single_disk_writes": "takes one counter from another; held by test_flash_caches_beside.py",
    "simulate.priced.too_short_to_write": "picks a note; held by test_flash_life.py",
    "simulate.priced.flash_pages_written": "adds two counters; held by test_flash_caches_beside.py",
    **dict.fromkeys(
        (
            "evaluate.configurations.sold.rent_entries",
            "hardware.rents.lacking",
            "hardware.rents.rented",
            "hardware.rents.rents_from_list",
            "hardware.rents.servers_at",
            "hardware.rents.volumes_at",
        ),
        "reads, finds or hands on rents of a price book; held by test_import_rents.py",
    ),
    "profile.rates.from_mapping": "reads a key of a file; held by test_rates.py",
    "profile.production.from_mapping": "reads keys of a file",
    "profile.production.parts_from_mapping": "reads a key of a file",
    "profile.relations.bounded": "picks relations to list; held by test_relations.py",
    "profile.relations.from_mapping": "reads a key of a file",
    "profile.relations.is_catalog": "reads a name",
    "evaluate.metadata.preset": "finds a preset by name",
    "evaluate.metadata.stated": "makes a preset of what the user states",
    "evaluate.page_flow.counts.check_sizes": "checks inputs",
    "evaluate.page_flow.counts.check_evidence": "checks inputs; held by test_counters.py",
    "evaluate.compose.shared.check_sizes": "checks inputs",
    "evaluate.page_flow.scheme_map.check_axes": "checks inputs",
    "evaluate.page_flow.scheme_map.check_question": "checks inputs",
    "evaluate.page_flow.scheme_map.least_of": "compares costs",
    "advise.point.budget_sentence": "words",
    "advise.cachesack.in_words": "words",
    "advise.cachesack.replay_options": "writes options of a replay; held by test_advice_assignments.py",
    "advise.pool_split.for_production": "hands on the buffer of production; held by test_in_production.py",
    "advise.compare.explained": "words and numbers of a derivation",
    "advise.compare.of_evaluation": "puts an evaluation into words",
    "advise.compare.of_range": "puts both ends into words",
    "advise.compare.price_basis": "words",
    "evaluate.scale.replays.recorded_rate": "a quotient of counts; held by test_advice_caches.py",
    "advise.compare.shares_of": "quotients of counts",
    **dict.fromkeys(
        (
            "advise.checks.checked.at_recorded_sizes",
            "advise.checks.checked.not_checked",
            "advise.checks.points.directory_of",
            "simulate.erase_blocks.fitting_block_pages",
            "advise.checks.points.recorded_replays",
            "advise.checks.checked.row",
            "advise.checks.checked.verdict",
            "advise.checks.compare.compare",
            "advise.checks.compare.io_time_us",
            "advise.checks.compare.model_of",
            "advise.checks.directories.check",
            "advise.checks.dram_or_flash.check",
            "advise.checks.dram_or_flash.how_wide",
            "advise.checks.flash_caches.at_a_rate",
            "advise.checks.flash_caches.at_the_load",
            "advise.checks.flash_caches.besides",
            "advise.checks.flash_caches.check",
            "advise.checks.flash_caches.evaluation_replays",
            "advise.checks.dram_or_flash.cache_replays",
            "advise.checks.dram_or_flash.dram_step",
            "advise.checks.dram_or_flash.replayed",
            "advise.checks.flash_caches.options_of_caches",
            "advise.checks.flash_caches.paces",
            "advise.checks.flash_caches.with_options",
            "advise.checks.flash_caches.flash_cache_replays",
            "advise.checks.flash_caches.replayed",
            "advise.checks.flash_caches.taxes_at",
            "advise.checks.flash_caches.taxes_of_evaluation",
            "advise.checks.flash_caches.with_replayed_ram",
            "advise.checks.flash_choice.check",
            "advise.checks.fragment_cache.check",
            "advise.checks.fragment_cache.finding",
            "advise.checks.recovery.finding",
            "advise.checks.scheme_map.check",
            "advise.checks.scheme_map.replayed",
            "advise.checks.scheme_map.study",
            "simulate.priced.with_flash_writes",
            "advise.checks.throughput.check",
            "advise.checks.throughput.decided",
            "advise.checks.throughput.flash_cache_replays",
            "advise.checks.throughput.replayed",
            "advise.checks.wear.check",
            "advise.checks.wear.data_replays",
            "advise.checks.data_on_flash.about_data",
            "advise.checks.data_on_flash.as_flash",
            "advise.checks.data_on_flash.data_replays",
            "advise.checks.data_on_flash.data_titles",
            "advise.checks.data_on_flash.is_on_flash",
            "advise.checks.wear.flash_cache_replays",
            "advise.checks.wear.options_of",
            "advise.checks.wear.replayed",
        ),
        "an answer beside counters of replays, in words; the counts are held by "
        "test_replay_checks.py and test_answer_replays.py, the answers of the API by "
        "backend/tests/test_replay_checks.py and test_break_evens.py",
    ),
    "advise.fragment_cache.finding_of": "words",
    "advise.fragment_cache.mean_page_basis": "words",
    "advise.checks.response.check": "an answer beside replays on simulated time, in words; held by "
    "test_advise_response.py",
    "advise.checks.response.times_of": "hands on the times of a station",
    "advise.response.rates_of": "picks stated rates",
    "evaluate.response.schemes.checked_rates": "checks an input",
    "evaluate.response.schemes.whole_ram_left": "hands on `ram_pages_left`",
    "advise.throughput.present_setting": "picks the value of a point",
    "hardware.mixed_load.beside_writes_us": "`beside_writes` at the figures of a device; held by test_mixed_load.py",
    "hardware.mixed_load.mixed_load_basis": "names a model",
    "advise.throughput.of_study": "puts a study into words",
    "advise.throughput.weigh_point": "asks at other ends; held by test_cautions.py",
    "advise.throughput.steps.steps": "words and numbers of a derivation",
    "advise.throughput.usual_points": "picks points to look at",
    "advise.throughput.words.busiest": "names the busiest station",
    **dict.fromkeys(
        (
            f"advise.throughput.words.{name}"
            for name in (
                "close_sentence",
                "contenders",
                "finding",
                "leading_ends",
                "range_finding",
                "range_sentence",
                "sentence",
            )
        ),
        "words",
    ),
    "advise.transaction_replay.check_room": "checks inputs",
    "advise.transaction_study.counts_of": "reads a document",
    "advise.transaction_study.shown": "plain data of a row",
    **dict.fromkeys(
        (
            f"advise.dram_or_flash.words.{name}"
            for name in (
                "cautions",
                "ends_of_money",
                "finding",
                "flip_finding",
                "interval_sentence",
                "range_finding",
                "sentence",
                "steps",
                "surplus",
                "value_steps",
            )
        ),
        "words",
    ),
    "advise.dram_or_flash.end.one_end": "what `dram_or_flash.answer` is made of, held there",
    "advise.dram_or_flash.rows.no_flip": "words",
    "advise.dram_or_flash.rows.nullable": "names what is not finite",
    "advise.dram_or_flash.rows.plan_is_trend": "hands on `Curve.uncertain`",
    "advise.dram_or_flash.rows.price_ratio": "a quotient of prices",
    "advise.dram_or_flash.rows.prices_used": "names prices",
    "advise.dram_or_flash.rows.step_rows": "names and reasons of what `analyse` found",
    "advise.dram_or_flash.rows.useful_pages": "reads the end of a curve",
    "advise.point.rate_of": "a quotient, with words",
    "advise.point.scheme_titles": "names",
    "advise.device_health.answer": "hands on `endurance.wear.remaining`, with words",
    "advise.recovery.page_flow_times": "hands on `service_us`, in seconds",
    "advise.wear.drives_sentence": "words",
    "advise.pool_advisor.about_largest": "words",
    "advise.pool_advisor.of_document": "unpacks an answer",
    "advise.pool_gain.from_where": "words",
    "advise.pool_gain.on_devices": "sorts devices; prices by `SplitSurvey.gains`",
    "advise.pool_gain.stated_asymmetry": "hands on `device_asymmetry`",
    "advise.pool_gain.usual_asymmetry": "bounds `device_asymmetry`",
    "advise.pool_split.about_largest": "words",
    "advise.pool_split.at_asymmetry": "hands on `SplitSurvey.at`, with words",
    "advise.pool_split.largest_buffer": "bounds the work",
    "advise.pool_advisor.least_window": "bounds the work",
    "advise.pool_advisor.splits_around": "picks splits to replay",
    "advise.pool_advisor.static_splits": "picks splits to replay",
    "evaluate.transactions.study.operations_derivation": "words for a time",
    "evaluate.page_flow.scheme_map.margin_of": "compares costs",
    "evaluate.page_flow.scheme_map.too_close_to_call": "compares costs",
    "evaluate.pool_split.counts.cautions": "words",
    "evaluate.pool_split.counts.counts_of": "hands on what the core counts",
    "evaluate.pool_split.counts.all_writes": "adds a counter up",
    "evaluate.pool_split.counts.break_even": "hands counts to `break_even_asymmetry`",
    "advise.pool_survey.estimated_best": "compares costs",
    "advise.pool_survey.candidates": "picks splits to look at",
    "advise.pool_survey.arrays_of": "packs a survey",
    "advise.pool_survey.survey_of": "unpacks a survey",
    "profile.steady_state.check_start": "checks an input",
    "profile.thinning.error_bounded": "picks sizes to list",
    "evaluate.break_even.gains.flash_gain_terms": "numbers of a derivation",
    "evaluate.throughput.schemes.demand_terms": "numbers of a derivation",
    "common.ties.at_both_ends": "compares names",
    "common.ties.leaders": "compares numbers",
    "simulate.transactions.concurrent_loads": "makes a workload",
    "simulate.transactions.device_of": "sizes a device",
    "simulate.transactions.half_loaded": "makes a workload",
    "simulate.transactions.parse_events": "reads a file",
    "simulate.transactions.survey_events": "counts what a file holds",
    "evaluate.response.schemes.operation_times": "picks two figures",
}
"""Public functions that compute nothing of a model."""

JOINED = {
    "advise.transaction_study.planned": "blocks of a device by the pages that it holds; held by test_transactions.py",
    "profile.parts.profile_of_parts": "counts of parts, joined by the core; held by test_parts.py",
    "advise.scheme_map.answer": "maps at both ends, in words",
    "advise.scheme_map.at_point": "a cell of a map, in words",
    "evaluate.page_flow.at_load.at_load": "counts and prices of devices, scheme by scheme",
    "advise.compare.answer": "evaluation, decision by replay, in words",
    "advise.fragment_cache.answer": "a study of what a workload tells",
    "advise.compose.answer": "a shared cache beside a split, in words",
    "advise.placement.answer": "the advice of every group, and the choice among them; held by test_placement.py",
    "advise.course.answer": "a replay by window, in words",
    "advise.response.answer": "page flow, queues, mixtures, in words",
    "evaluate.response.schemes.scheme_response": "page flow, queues, mixtures",
    "advise.compose.curves": "hit ratios of shared caches and splits; held by test_compose.py",
    "advise.throughput.answer": "costs, laws, mean-value analysis, in words",
    "advise.transaction_replay.answer": "a replay a buffer, in words",
    "advise.transaction_writes.answer": "both ways of writing, in words",
    "advise.dram_or_flash.answer": "thetas, equal money, flips, in words",
    "advise.recovery.answer": "rates, filling and restart",
    "advise.recovery.redo_window": "accesses of a time, at most those of a trace",
    "advise.recovery.redone_of": "means of what the core counts by window",
    "advise.wear.answer": "page flow, budget, lives and money",
    "advise.dram_or_flash.break_even.analyse": "thetas, money, intervals",
    "evaluate.endurance.outlook.wear_outlook": "page flow, budget, lifetimes",
    "advise.fragment_cache.fragment_study": "threads, rates, memory of each size",
    "advise.flash_choice.answer": "an evaluation a device",
    "evaluate.page_flow.map_point.map_point": "a cell of a map",
    "advise.directories.answer": "directory sizes, hits, costs",
    "advise.pool_split.answer": "rates, costs, optimum of one buffer",
    "advise.pool_gain.answer": "a choice and its replay at each R",
    "advise.pool_advisor.answer": "drift, replays and prices by epoch",
    "advise.pool_survey.survey": "estimates and replays of a trace",
    "advise.clean_only.clean_only": "the formula on the counts of a replay",
    "evaluate.throughput.schemes.scheme_throughput": "costs, laws, mean-value analysis",
    "advise.bill.answer": "lines, sums and limits of a build",
    "advise.configurations.answer": "rows, their speeds, the front",
    "advise.advice.answer": "options, limits, the choice and its reasons, in words",
    "evaluate.advice.bought.bought": "operations and times of configurations, scheme by scheme",
    "evaluate.advice.tiers.tiers": "operations, counts and prices of devices, scheme by scheme",
    "advise.tier_cost.answer": "costs and utilisation of devices",
    "advise.access_cost.answer": "the cost of a tier over what its device serves",
    "advise.transaction_study.answer": "a replay a size, in words",
    "advise.transaction_study.priced": "counts at times, in words",
    "advise.transaction_study.replays": "a replay a size",
    "advise.transaction_replay.residents": "the state a replay ends in",
    "simulate.transactions.compare_buffers": "a replay a variant",
    "evaluate.transactions.study.leaving_order": "average access times, and the order",
}
"""Answers that put kernels together; an oracle and a page, and the properties of their parts."""


def functions() -> Iterator[tuple[str, CodeType]]:
    """Public functions of the models, by module and name."""
    for module in pkgutil.walk_packages(tierwright.__path__, "tierwright."):
        short = module.name.removeprefix("tierwright.")
        if any(short == name or short.startswith(f"{name}.") for name in OUTSIDE):
            continue
        for name, found in vars(importlib.import_module(module.name)).items():
            if (
                inspect.isfunction(found)
                and found.__module__ == module.name
                and not name.startswith("_")
            ):
                yield f"{short}.{name}", inspect.unwrap(found).__code__


@cache
def reached() -> frozenset[CodeType]:
    """What runs while our vectors are run."""
    seen: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            seen.add(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        for path in own_files():
            conformance.run_file(path)
    finally:
        sys.setprofile(before)
    return frozenset(seen)


@cache
def kernels() -> frozenset[str]:
    """Public kernels that no vector reaches, and the presets of memory."""
    named = {
        name
        for name, code in functions()
        if name not in NO_MODEL and code not in reached()
    }
    return frozenset(
        named | {f"evaluate.metadata.PRESETS.{name}" for name in metadata.PRESETS}
    )


def marked(decorator: ast.expr, mark: str) -> Iterator[str]:
    """Names in ``@pytest.mark.formula("a", "b")``."""
    if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith(
        f"mark.{mark}"
    ):
        for argument in decorator.args:
            assert isinstance(argument, ast.Constant)
            yield str(argument.value)


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@cache
def properties() -> dict[str, list[str]]:
    """Formula or kernel to the properties that hold it; only what hypothesis draws inputs for."""
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.glob("test_*.py")):
        for node in ast.walk(parsed(path)):
            if not isinstance(node, ast.FunctionDef):
                continue
            texts = [ast.unparse(decorator) for decorator in node.decorator_list]
            names = [name for d in node.decorator_list for name in marked(d, "formula")]
            if names:
                drawn = any(
                    text.startswith(("given(", "hypothesis.given(")) for text in texts
                )
                assert drawn, f"{path.name}: {node.name} is marked but draws no inputs"
            for name in names:
                found.setdefault(name, []).append(f"{path.name}::{node.name}")
    return found


@pytest.mark.parametrize("path", own_files(), ids=lambda path: path.name)
def test_every_vector_of_ours_passes(path: Path) -> None:
    document = json.loads(path.read_text("utf-8"))
    assert document["provenance"]
    report = conformance.run_file(path)
    assert report.failures == ()
    assert (report.passed, report.unknown) == (len(document["vectors"]), 0)
    assert len({vector["id"] for vector in document["vectors"]}) == report.passed


def test_an_independent_hand_reaches_the_same_numbers() -> None:
    """Plain re-computations, which import nothing of the product, cover every formula."""
    script = TESTS / "independent_formulas.py"
    imported = [
        node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
        for node in ast.walk(ast.parse(script.read_text("utf-8")))
        if isinstance(node, (ast.Import, ast.ImportFrom))
    ]
    assert not [name for name in imported if (name or "").startswith("tierwright")]
    document = runpy.run_path(str(script))["build"]()
    assert document == json.loads((VECTORS / "independent.json").read_text("utf-8"))
    covered = {vector["formula"] for vector in document["vectors"]}
    assert sorted(set(conformance.FORMULAS) - covered) == []


def test_every_formula_has_a_vector(shared: Path) -> None:
    files = [*own_files(), shared / "reference" / "paper-vectors.json"]
    if not files[-1].is_file():
        pytest.skip("no paper vectors in the shared reference material")
    have = {vector["formula"] for path in files for vector in vectors(path)}
    assert sorted(set(conformance.FORMULAS) - have) == []


def test_every_formula_of_the_catalogue_is_implemented(shared: Path) -> None:
    """Section 9 of the restated models: the families that this product answers for."""
    path = shared / "reference" / "paper-models.md"
    if not path.is_file():
        pytest.skip("no restated models in the shared reference material")
    section = path.read_text("utf-8").split("\n## 9.")[1].split("\n## 10.")[0]
    names = set(CATALOGUE.findall(section))
    assert len(names) > 60
    families = {name.split(".")[0] for name in conformance.FORMULAS}
    wanted = {name for name in names if name.split(".")[0] in families}
    assert sorted(wanted - set(conformance.FORMULAS)) == []


def test_every_formula_has_a_page() -> None:
    text = "\n".join(path.read_text("utf-8") for path in sorted(PAGES.glob("*.md")))
    absent = [name for name in conformance.FORMULAS if f"`{name}`" not in text]
    assert absent == []


def test_every_formula_has_a_property() -> None:
    held = properties()
    assert sorted(set(conformance.FORMULAS) - set(held)) == []
    stale = set(held) - set(conformance.FORMULAS) - kernels()
    assert sorted(stale) == []  # no mark names what is not there


def used_in(path: Path) -> set[str]:
    """Names that a test uses, by itself and by the modules beside it that it imports."""
    tree = parsed(path)
    found = {
        node.attr if isinstance(node, ast.Attribute) else node.id
        for node in ast.walk(tree)
        if isinstance(node, (ast.Attribute, ast.Name))
    }
    for node in ast.walk(tree):
        beside = TESTS / f"{getattr(node, 'module', '')}.py"
        if isinstance(node, ast.ImportFrom) and beside.is_file():
            found |= used_in(beside)
    return found


def oracles() -> dict[str, list[str]]:
    """Kernel to the tests that hold it against something else."""
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.glob("test_*.py")):
        tree = parsed(path)
        used = used_in(path)
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef):
                continue
            names = [n for d in node.decorator_list for n in marked(d, "oracle")]
            if names:
                asserts = any(isinstance(each, ast.Assert) for each in ast.walk(node))
                assert asserts, f"{path.name}: {node.name} asserts nothing"
            for name in names:
                preset = name.startswith("evaluate.metadata.PRESETS.")
                called = "PRESETS" if preset else name.rpartition(".")[2]
                assert called in used, f"{path.name} never calls {name}"
                found.setdefault(name, []).append(f"{path.name}::{node.name}")
    return found


def test_every_kernel_has_an_oracle() -> None:
    held = oracles()
    assert sorted(kernels() - set(held)) == []
    assert sorted(set(held) - kernels()) == []  # no stale marks


def test_every_kernel_has_a_property() -> None:
    assert sorted(kernels() - set(JOINED) - set(properties())) == []


def test_every_kernel_has_a_page() -> None:
    pages = [*sorted(PAGES.glob("*.md")), *sorted(PROFILE_PAGES.glob("*.md"))]
    text = "\n".join(path.read_text("utf-8") for path in pages)
    absent = []
    for kernel in kernels():
        name = kernel.rpartition(".")[2]
        if not re.search(rf"`(\w+\.)*{name}`|\b{name}\(", text):
            absent.append(kernel)
    assert sorted(absent) == []


def test_what_stands_apart_is_there_and_needs_to() -> None:
    """No stale entry, and none that hides what a vector holds already."""
    present = dict(functions())
    assert sorted((set(NO_MODEL) | set(JOINED)) - set(present)) == []
    assert sorted(set(JOINED) - kernels()) == []
    modules = {
        module.name.removeprefix("tierwright.")
        for module in pkgutil.walk_packages(tierwright.__path__, "tierwright.")
    }
    assert sorted(set(OUTSIDE) - modules) == []


# --- where each is reached --------------------------------------------------------------

ROW = re.compile(
    r"^\| `([\w.]+)` \| `([\w -]+)` \| (?:`([^`]+)`)? ?\| ?(.*?) ?\|$", re.M
)


def doors() -> list[tuple[str, str, str, str]]:
    text = (PAGES / "reach.md").read_text("utf-8")
    found: list[tuple[str, str, str, str]] = ROW.findall(text)
    return found


def test_every_formula_is_reached_from_somewhere() -> None:
    rows = doors()
    assert [row[0] for row in rows] == list(conformance.FORMULAS)
    assert all(row[2] and row[3] for row in rows)


def test_the_commands_addresses_and_pages_named_exist() -> None:
    from tierwright.cli.app import app

    command = typer.main.get_command(app)
    document = json.loads((ROOT / "backend" / "openapi.json").read_text("utf-8"))
    source = ROOT / "frontend" / "src"
    pages = (source / "questions" / "registry.ts").read_text("utf-8")
    menu = (source / "questions" / "navigation.ts").read_text("utf-8")
    for formula, words, address, page in doors():
        found: Any = command
        for word in words.split():
            found = found.commands.get(word)
            assert found is not None, f"{formula}: no command `{words}`"
        assert not address or f"/api/v1{address}" in document["paths"], formula
        assert not page or f'"{page}"' in pages + menu, f"{formula}: no page {page}"


def test_any_formula_can_be_asked_by_its_name(
    capsys: pytest.CaptureFixture[str],
) -> None:
    vector = next(
        each
        for each in vectors(VECTORS / "independent.json")
        if each["formula"] == "face.writeback_chain" and "error" not in each["expected"]
    )
    given = json.dumps(vector["inputs"])
    arguments = ["formula", "face.writeback_chain", "--inputs", given, "--json"]
    assert main(arguments) == 0
    found = json.loads(capsys.readouterr().out)
    said = {"estimator", "validity", "source", "warnings"}
    assert found.keys() - said == vector["expected"].keys()
    assert {key: found[key] for key in found.keys() - said} == pytest.approx(
        vector["expected"]
    )
    assert main(["formula"]) == 0
    assert len(capsys.readouterr().out.split()) == len(conformance.FORMULAS)
    for wrong, part in (
        (["formula", "face.nothing"], "face.theta"),
        (["formula", "zhou.io_time_us"], "reads: is missing"),
        (["formula", "zhou.io_time_us", "--inputs", "["], "not JSON"),
        (["formula", "zhou.io_time_us", "--inputs", "[]"], "not a JSON object"),
        (
            ["formula", "zhou.aat", "--inputs", '{"transactions": 3}'],
            "must be an object",
        ),
    ):
        assert main(wrong) == 2
        assert part in capsys.readouterr().err
