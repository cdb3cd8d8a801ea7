// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The machine on which a run was started, for its record and its report.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::{env, fs};

/// The file in which Linux has the name of the machine.
const HOST_NAME: &str = "/proc/sys/kernel/hostname";

/// The machine on which a run was started. It does not decide whether a run can be resumed or joined.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The name of the machine.
    pub host: String,
    /// The versions of the tools, by their names.
    pub tools: BTreeMap<String, String>,
}

impl Origin {
    /// This machine, with the given tools.
    pub fn here(tools: impl IntoIterator<Item = (String, String)>) -> Origin {
        let of_variable = || ["HOSTNAME", "COMPUTERNAME"].iter().find_map(|name| env::var(name).ok());
        let host = fs::read_to_string(HOST_NAME).ok().or_else(of_variable).unwrap_or_default();
        let host = if host.trim().is_empty() { "unknown" } else { host.trim() };
        Origin { host: host.to_string(), tools: tools.into_iter().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_a_name_of_one_line() {
        let origin = Origin::here([("tool".to_string(), "1.0".to_string())]);
        assert!(!origin.host.is_empty() && origin.host.lines().count() == 1, "{origin:?}");
        assert_eq!(origin.tools["tool"], "1.0");
    }
}
