//! The flash device, for Python.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tierwright_simulator::Error;
use tierwright_simulator::ftl::{
    self as core, Collection, Copies, Ftl, Mapping, Op, Order, Part, Request, Settings, Synthetic,
};

use crate::arguments::{PyProgress, to_dict};
use crate::errors::to_python;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(simulate_ftl, module)?)?;
    module.add_function(wrap_pyfunction!(ftl_mappings, module)?)?;
    module.add_function(wrap_pyfunction!(serve_ftl, module)?)
}

/// A device.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct DeviceGiven {
    logical_pages: u32,
    blocks: u32,
    block_pages: u32,
    collection: String,
    choices: u32,
    streams: u32,
    copies: String,
    reserve: u32,
    buffer_pages: u32,
    mapping: String,
}

/// Logical pages that are written in one way.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct PartGiven {
    pages: u32,
    write_share: f64,
    order: String,
    exponent: f64,
    stream: u32,
    run_pages: u32,
}

fn unknown(name: &'static str, value: &str, known: &str) -> PyErr {
    to_python(&Error::BadParameter {
        name,
        value: value.to_owned(),
        message: "is unknown".to_owned(),
        hint: format!("use one of {known}"),
    })
}

impl DeviceGiven {
    pub(crate) fn asked(&self, seed: u64) -> PyResult<Settings> {
        Ok(Settings {
            logical_pages: self.logical_pages,
            blocks: self.blocks,
            block_pages: self.block_pages,
            collection: match self.collection.as_str() {
                "greedy" => Collection::Greedy,
                "fifo" => Collection::Fifo,
                "random" => Collection::Random,
                "choices" => Collection::Choices(self.choices),
                "cost-benefit" => Collection::CostBenefit,
                other => {
                    let known = "greedy, fifo, random, choices, cost-benefit";
                    return Err(unknown("gc", other, known));
                }
            },
            streams: self.streams,
            copies: match self.copies.as_str() {
                "stream" => Copies::Stream,
                "apart" => Copies::Apart,
                other => return Err(unknown("copies", other, "stream, apart")),
            },
            reserve: self.reserve,
            seed,
            buffer_pages: self.buffer_pages,
            mapping: Mapping::called(&self.mapping).ok_or_else(|| {
                let known: Vec<_> = Mapping::TABLE.iter().map(|about| about.name).collect();
                unknown("mapping", &self.mapping, &known.join(", "))
            })?,
        })
    }
}

impl PartGiven {
    fn asked(&self) -> PyResult<Part> {
        Ok(Part {
            pages: self.pages,
            write_share: self.write_share,
            order: match self.order.as_str() {
                "uniform" => Order::Uniform,
                "sequential" => Order::Sequential,
                "zipf" => Order::Zipf {
                    exponent: self.exponent,
                },
                other => return Err(unknown("order", other, "uniform, sequential, zipf")),
            },
            stream: self.stream,
            run_pages: self.run_pages,
        })
    }
}

/// Name, title and description of every translation layer.
#[pyfunction]
fn ftl_mappings() -> Vec<(&'static str, &'static str, &'static str)> {
    let table = Mapping::TABLE.iter();
    table
        .map(|about| (about.name, about.title, about.description))
        .collect()
}

/// Runs a synthetic workload on a flash device.
#[pyfunction]
#[pyo3(signature = (device, parts, *, trim_share, warm_up, requests, seed, on_progress=None))]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python")]
#[expect(clippy::too_many_arguments, reason = "device and workload")]
fn simulate_ftl(
    py: Python<'_>,
    device: DeviceGiven,
    parts: Vec<PartGiven>,
    trim_share: f64,
    warm_up: u64,
    requests: u64,
    seed: u64,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'_, PyDict>> {
    let settings = device.asked(seed)?;
    let workload = Synthetic {
        parts: parts
            .iter()
            .map(PartGiven::asked)
            .collect::<PyResult<_>>()?,
        trim_share,
        warm_up,
        requests,
        seed,
    };
    let mut progress = PyProgress::new(on_progress);
    let found = py.detach(|| core::simulate(settings, &workload, &mut |step| progress.call(step)));
    to_dict(py, &progress.finish(found)?)
}

/// Serves given writes and trims, of which the first do not count.
#[pyfunction]
#[pyo3(signature = (device, pages, trims, streams, *, warm_up, seed))]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python")]
fn serve_ftl<'py>(
    py: Python<'py>,
    device: DeviceGiven,
    pages: PyReadonlyArray1<'py, u32>,
    trims: PyReadonlyArray1<'py, bool>,
    streams: PyReadonlyArray1<'py, u8>,
    warm_up: usize,
    seed: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let settings = device.asked(seed)?;
    let (pages, trims) = (pages.as_slice()?, trims.as_slice()?);
    let streams = streams.as_slice()?;
    if trims.len() != pages.len() || streams.len() != pages.len() {
        return Err(to_python(&Error::BadParameter {
            name: "requests",
            value: format!("{}, {}, {}", pages.len(), trims.len(), streams.len()),
            message: "pages, trims and streams differ in length".to_owned(),
            hint: "give one of each per request".to_owned(),
        }));
    }
    let found = py.detach(|| {
        let mut ftl = Ftl::new(settings)?;
        let requests = pages.iter().zip(trims).zip(streams);
        let mut requests = requests.map(|((&page, &trim), &stream)| Request {
            page,
            op: if trim { Op::Trim } else { Op::Write },
            stream: u32::from(stream),
        });
        ftl.serve(requests.by_ref().take(warm_up))?;
        ftl.restart_counters();
        ftl.serve(requests)?;
        Ok(ftl.result())
    });
    to_dict(py, &found.map_err(|error| to_python(&error))?)
}
