//! What is replayed, as Python says it.

use std::collections::BTreeMap;

use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tierwright_simulator::Error;
use tierwright_simulator::sweep::Configuration;

use crate::errors::to_python;
use crate::replay::page_count;

pub(crate) fn read_configurations(given: Vec<Bound<'_, PyDict>>) -> PyResult<Vec<Configuration>> {
    given
        .into_iter()
        .map(|configuration| read_configuration(&configuration))
        .collect()
}

/// A size of a configuration: its key, the parameter's name and its least value.
pub(crate) type Size = (&'static str, &'static str, u32);
const ONE_SIZE: &[Size] = &[("pages", "pages", 1)];
const TWO_SIZES: &[Size] = &[
    ("ram_pages", "ram-pages", 1),
    ("flash_pages", "flash-pages", 0),
];

/// The families: the key of a configuration that names what is replayed, and its sizes.
const FAMILIES: &[(&str, &[Size])] = &[
    ("policy", ONE_SIZE),
    ("buffer", ONE_SIZE),
    ("scheme", TWO_SIZES),
    ("chooser", TWO_SIZES),
    ("flash_cache", TWO_SIZES),
];

/// The family of a name, with the sizes of its configurations.
pub(crate) fn family(name: &str) -> PyResult<&'static (&'static str, &'static [Size])> {
    let found = FAMILIES.iter().find(|family| family.0 == name);
    found.ok_or_else(|| {
        let names: Vec<_> = FAMILIES.iter().map(|family| family.0).collect();
        to_python(&Error::BadParameter {
            name: "family",
            value: name.to_owned(),
            message: "is unknown".to_owned(),
            hint: format!("choose one of {}", names.join(", ")),
        })
    })
}

/// The configuration of a family: its sizes in the order of the table.
pub(crate) fn configuration(
    family: &str,
    name: String,
    pages: &[u64],
    options: Option<BTreeMap<String, String>>,
) -> Configuration {
    let options = options.unwrap_or_default().into_iter().collect();
    match (family, pages) {
        ("policy", &[pages]) => Configuration::Policy {
            policy: name,
            pages,
            options,
        },
        ("buffer", &[pages]) => Configuration::Buffer {
            buffer: name,
            pages,
            options,
        },
        ("scheme", &[ram_pages, flash_pages]) => Configuration::Scheme {
            scheme: name,
            ram_pages,
            flash_pages,
            options,
        },
        ("chooser", &[ram_pages, flash_pages]) => Configuration::Chooser {
            chooser: name,
            ram_pages,
            flash_pages,
            options,
        },
        (_, &[ram_pages, flash_pages]) => Configuration::FlashCache {
            flash_cache: name,
            ram_pages,
            flash_pages,
            options,
        },
        _ => unreachable!("each family has one or two sizes"),
    }
}

/// `{policy|buffer, pages, options?}` or `{scheme|chooser|flash_cache, ram_pages, flash_pages, options?}`;
/// nothing else.
fn read_configuration(given: &Bound<'_, PyDict>) -> PyResult<Configuration> {
    let mut kind = None;
    for candidate in FAMILIES {
        if given.contains(candidate.0)? {
            kind = Some(candidate);
            break;
        }
    }
    let Some((kind, sizes)) = kind else {
        let kinds: Vec<_> = FAMILIES.iter().map(|(kind, _)| *kind).collect();
        return Err(PyKeyError::new_err(format!(
            "a configuration lacks one of {}",
            kinds.join(", ")
        )));
    };
    for key in given.keys() {
        let key: String = key.extract()?;
        let known = key == *kind || key == "options" || sizes.iter().any(|size| size.0 == key);
        if !known {
            let mut known = vec![*kind];
            known.extend(sizes.iter().map(|size| size.0));
            return Err(PyTypeError::new_err(format!(
                "a configuration of a {kind} has no `{key}`; it has {}, options",
                known.join(", ")
            )));
        }
    }
    let wanted = |key: &str| {
        given
            .get_item(key)?
            .ok_or_else(|| PyKeyError::new_err(format!("a configuration lacks `{key}`")))
    };
    let options: Option<BTreeMap<String, String>> = match given.get_item("options")? {
        Some(options) => options.extract()?,
        None => None,
    };
    let name: String = wanted(kind)?.extract()?;
    let mut pages = Vec::new();
    for &(key, parameter, least) in *sizes {
        pages.push(page_count(parameter, &wanted(key)?, least)?);
    }
    Ok(configuration(kind, name, &pages, options))
}
