//! Traces from bytes on disk to accesses: formats, streams, the canonical file.

#[cfg(test)]
mod blocks;
#[cfg(test)]
mod doubts;
#[cfg(test)]
mod every_format;
#[cfg(test)]
mod formats;
#[cfg(test)]
mod fuzz;
mod joined;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod streams;
mod summaries;
#[cfg(test)]
mod support;
#[cfg(test)]
mod wrong_numbers;
