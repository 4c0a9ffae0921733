//! What the core replays, by family, as Python functions.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tierwright_simulator::replay::buffers::{self, AboutBuffer};
use tierwright_simulator::replay::{self, About, FlashCacheAbout, Setting};

use crate::configurations::family;
use crate::errors::to_python;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(contenders, module)?)?;
    module.add_function(wrap_pyfunction!(flash_cache_goes_by_time, module)?)?;
    module.add_function(wrap_pyfunction!(admissions, module)?)
}

/// One contender as a dict.
#[derive(IntoPyObject)]
struct Contender {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    paper: &'static str,
    needs: Vec<&'static str>,
    options: Vec<Choice>,
}

/// What policies and buffers say besides: their data can lie on a device.
#[derive(IntoPyObject)]
struct OnDevice {
    device_options: Vec<Choice>,
}

/// What buffers say besides.
#[derive(IntoPyObject)]
struct OfBuffer {
    least_pages: u32,
    device_options: Vec<Choice>,
}

/// What flash caches say besides: which counts they have names of their own for.
#[derive(IntoPyObject)]
struct OfFlashCache {
    counters: Vec<Counter>,
}

/// A count that a flash cache has a name of its own for, as a dict.
#[derive(IntoPyObject)]
struct Counter {
    name: &'static str,
    unit: &'static str,
    meaning: &'static str,
}

/// One option of a contender as a dict.
#[derive(IntoPyObject)]
struct Choice {
    name: &'static str,
    description: &'static str,
    default: &'static str,
    values: String,
}

impl From<&Setting> for Choice {
    fn from(option: &Setting) -> Self {
        Self {
            name: option.name,
            description: option.description,
            default: option.default,
            values: option.range(),
        }
    }
}

/// The options of a device that holds the data.
fn device_options() -> Vec<Choice> {
    replay::device_options().iter().map(Choice::from).collect()
}

impl From<&About> for Contender {
    fn from(about: &About) -> Self {
        let options = about.options.iter().map(Choice::from);
        Self {
            name: about.name,
            title: about.title,
            description: about.description,
            paper: about.paper,
            needs: about.needs.iter().map(|need| need.name()).collect(),
            options: options.collect(),
        }
    }
}

impl From<&AboutBuffer> for Contender {
    fn from(about: &AboutBuffer) -> Self {
        let options = about.options.iter().map(|option| Choice {
            name: option.name,
            description: option.description,
            default: option.default,
            values: option.values.to_owned(),
        });
        Self {
            name: about.name,
            title: about.title,
            description: about.description,
            paper: about.paper,
            needs: about.needs.iter().map(|need| need.name()).collect(),
            options: options.collect(),
        }
    }
}

impl From<&FlashCacheAbout> for Contender {
    fn from(cache: &FlashCacheAbout) -> Self {
        let options = cache.options().into_iter().map(|option| Choice {
            name: option.name,
            description: option.description,
            default: option.default,
            values: option.values.to_owned(),
        });
        Self {
            name: cache.about.name,
            title: cache.about.title,
            description: cache.about.description,
            paper: cache.about.paper,
            needs: cache.needs.to_vec(),
            options: options.collect(),
        }
    }
}

impl From<&FlashCacheAbout> for OfFlashCache {
    fn from(cache: &FlashCacheAbout) -> Self {
        let counters = cache.own_counters().map(|own| Counter {
            name: own.name,
            unit: own.unit,
            meaning: own.meaning,
        });
        Self {
            counters: counters.collect(),
        }
    }
}

/// Lists the contenders of a family.
#[pyfunction]
#[pyo3(signature = (family))]
fn contenders<'py>(py: Python<'py>, family: &str) -> PyResult<Bound<'py, PyAny>> {
    match self::family(family)?.0 {
        "policy" => joined(py, replay::policies(), |_| OnDevice {
            device_options: device_options(),
        }),
        "scheme" => listed(replay::schemes()).into_pyobject(py),
        "chooser" => listed(replay::choosers()).into_pyobject(py),
        "buffer" => joined(py, buffers::buffers(), |buffer| OfBuffer {
            least_pages: buffer.least_pages,
            device_options: device_options(),
        }),
        _ => joined(py, replay::flash_caches(), OfFlashCache::from),
    }
}

/// The contenders of a table, each with what its family says besides.
fn joined<'py, 'table, A, B>(
    py: Python<'py>,
    table: &'table [A],
    besides: impl Fn(&'table A) -> B,
) -> PyResult<Bound<'py, PyAny>>
where
    Contender: From<&'table A>,
    B: IntoPyObject<'py, Target = PyDict, Output = Bound<'py, PyDict>, Error = PyErr>,
{
    let rows = table.iter().map(|about| {
        let row = Contender::from(about).into_pyobject(py)?;
        row.update(besides(about).into_pyobject(py)?.as_mapping())?;
        Ok(row)
    });
    rows.collect::<PyResult<Vec<_>>>()?.into_pyobject(py)
}

/// Tells whether a flash cache with these options does something by time.
#[pyfunction]
#[pyo3(signature = (name, flash_pages, options = None))]
fn flash_cache_goes_by_time(
    name: &str,
    flash_pages: u64,
    options: Option<BTreeMap<String, String>>,
) -> PyResult<bool> {
    let options: Vec<_> = options.unwrap_or_default().into_iter().collect();
    replay::flash_cache_goes_by_time(name, flash_pages, &options).map_err(|error| to_python(&error))
}

/// Lists the rules by which flash takes RAM victims.
#[pyfunction]
fn admissions() -> Vec<Contender> {
    listed(replay::admissions())
}

fn listed(table: &[About]) -> Vec<Contender> {
    table.iter().map(Contender::from).collect()
}
