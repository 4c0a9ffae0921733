//! What replays under a chooser of page flows counted, for Python.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tierwright_simulator::replay::{Choice, OnlineResult};

use crate::arguments::to_dict;

pub(crate) fn online_row<'py>(
    py: Python<'py>,
    result: &OnlineResult,
) -> PyResult<Bound<'py, PyDict>> {
    let row = to_dict(py, result)?;
    let history = result
        .history
        .iter()
        .map(|choice| chosen(choice, &result.relation_names));
    row.set_item("history", history.collect::<Vec<_>>())?;
    Ok(row)
}

/// One choice as a dict.
#[derive(IntoPyObject)]
struct ChoiceRow<'a> {
    period: u64,
    relation: Option<u32>,
    relation_name: Option<&'a str>,
    running: &'static str,
    chosen: &'static str,
    accesses: u64,
    ram_misses: u64,
    flash_hits: u64,
    p_d: f64,
    p_d_flash: f64,
    estimates: Estimates,
}

/// The estimates of a choice as a dict of dicts, in the order in which they were made.
struct Estimates(Vec<(&'static str, EstimateRow)>);

#[derive(IntoPyObject)]
struct EstimateRow {
    effective_flash_pages: f64,
    flash_hits: f64,
    flash_misses: f64,
    cost_us: f64,
}

impl<'py> IntoPyObject<'py> for Estimates {
    type Target = PyDict;
    type Output = Bound<'py, PyDict>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        let rows = PyDict::new(py);
        for (scheme, row) in self.0 {
            rows.set_item(scheme, row)?;
        }
        Ok(rows)
    }
}

fn chosen<'a>(choice: &'a Choice, names: &'a [String]) -> ChoiceRow<'a> {
    let name = choice
        .relation
        .and_then(|number| names.get(number as usize));
    let estimates = choice.estimates.iter().map(|estimate| {
        let row = EstimateRow {
            effective_flash_pages: estimate.effective_flash_pages,
            flash_hits: estimate.flash_hits,
            flash_misses: estimate.flash_misses,
            cost_us: estimate.cost_us,
        };
        (estimate.scheme, row)
    });
    ChoiceRow {
        period: choice.period,
        relation: choice.relation,
        relation_name: name.map(String::as_str),
        running: choice.running,
        chosen: choice.chosen,
        accesses: choice.accesses,
        ram_misses: choice.ram_misses,
        flash_hits: choice.flash_hits,
        p_d: choice.dirty_share,
        p_d_flash: choice.flash_dirty_share,
        estimates: Estimates(estimates.collect()),
    }
}
