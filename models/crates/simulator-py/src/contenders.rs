//! What the core replays, by family, as Python functions.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use tierwright_simulator::replay::buffers::{self, AboutBuffer};
use tierwright_simulator::replay::{self, About, FlashCacheAbout, Setting};

use crate::configurations::family;
use crate::errors::to_python;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(contenders, module)?)?;
    module.add_function(wrap_pyfunction!(flash_cache_goes_by_time, module)?)?;
    module.add_function(wrap_pyfunction!(admissions, module)?)
}

/// A policy as a dict: its data can lie on a device.
#[derive(IntoPyObject)]
struct PolicyContender {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    paper: &'static str,
    needs: Vec<&'static str>,
    options: Vec<Choice>,
    device_options: Vec<Choice>,
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

/// A buffer as a dict: it says how small it may be, too.
#[derive(IntoPyObject)]
struct BufferContender {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    paper: &'static str,
    least_pages: u32,
    needs: Vec<&'static str>,
    options: Vec<Choice>,
    device_options: Vec<Choice>,
}

/// A flash cache as a dict: it says which counts it has names of its own for, too.
#[derive(IntoPyObject)]
struct FlashCacheContender {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    paper: &'static str,
    needs: Vec<&'static str>,
    options: Vec<Choice>,
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

impl From<&About> for PolicyContender {
    fn from(about: &About) -> Self {
        let Contender {
            name,
            title,
            description,
            paper,
            needs,
            options,
        } = about.into();
        Self {
            name,
            title,
            description,
            paper,
            needs,
            options,
            device_options: device_options(),
        }
    }
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

impl From<&AboutBuffer> for BufferContender {
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
            least_pages: about.least_pages,
            needs: about.needs.iter().map(|need| need.name()).collect(),
            options: options.collect(),
            device_options: device_options(),
        }
    }
}

impl From<&FlashCacheAbout> for FlashCacheContender {
    fn from(cache: &FlashCacheAbout) -> Self {
        let options = cache.options().into_iter().map(|option| Choice {
            name: option.name,
            description: option.description,
            default: option.default,
            values: option.values.to_owned(),
        });
        let counters = cache.own_counters().map(|own| Counter {
            name: own.name,
            unit: own.unit,
            meaning: own.meaning,
        });
        Self {
            name: cache.about.name,
            title: cache.about.title,
            description: cache.about.description,
            paper: cache.about.paper,
            needs: cache.needs.to_vec(),
            options: options.collect(),
            counters: counters.collect(),
        }
    }
}

/// Lists the contenders of a family.
#[pyfunction]
#[pyo3(signature = (family))]
fn contenders<'py>(py: Python<'py>, family: &str) -> PyResult<Bound<'py, PyAny>> {
    match self::family(family)?.0 {
        "policy" => {
            let rows = replay::policies().iter().map(PolicyContender::from);
            rows.collect::<Vec<_>>().into_pyobject(py)
        }
        "scheme" => listed(replay::schemes()).into_pyobject(py),
        "chooser" => listed(replay::choosers()).into_pyobject(py),
        "buffer" => {
            let rows = buffers::buffers().iter().map(BufferContender::from);
            rows.collect::<Vec<_>>().into_pyobject(py)
        }
        _ => {
            let rows = replay::flash_caches().iter().map(FlashCacheContender::from);
            rows.collect::<Vec<_>>().into_pyobject(py)
        }
    }
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
