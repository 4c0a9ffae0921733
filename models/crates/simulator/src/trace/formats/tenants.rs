//! Name spaces of key traces: the tenant of each record as a space of its own.

use serde::{Deserialize, Serialize};

use crate::hash::FastMap;

/// Numbers tenants densely, in order of first appearance; their names are their numbers in the file.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Tenants {
    numbers: FastMap<u32, u32>,
    names: Vec<String>,
    last: u32,
    last_number: u32,
}

impl Tenants {
    #[inline]
    pub(super) fn number(&mut self, tenant: u32) -> u32 {
        if tenant != self.last || self.names.is_empty() {
            self.last_number = self.look_up(tenant);
            self.last = tenant;
        }
        self.last_number
    }

    fn look_up(&mut self, tenant: u32) -> u32 {
        // Fewer tenants than numbers of 32 bits: a tenant has at most 24.
        let next = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(tenant).or_insert(next);
        if number == next {
            self.names.push(tenant.to_string());
        }
        number
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }
}
