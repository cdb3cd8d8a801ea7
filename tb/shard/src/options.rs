// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The options of a run, which its record holds.

use serde::de::DeserializeOwned;
use serde::Serialize;
use std::fmt::Display;

/// All options that can change the result of a part.
pub trait Options: Serialize + DeserializeOwned + PartialEq {
    /// The command whose runs have these options.
    const COMMAND: &'static str;

    /// The options as texts such as `--seed 4` or `no --seed`, in an order that does not depend on their values.
    fn settings(&self) -> Vec<String>;

    /// The reason, as a clause, why these options differ from `recorded` although their settings are equal, for example that an input file
    /// has changed.
    fn change(&self, recorded: &Self) -> String;

    /// The difference between a recorded run and this one, as a clause; `None`: there is none.
    fn difference(&self, recorded: &Self) -> Option<String> {
        let (was, is) = (recorded.settings(), self.settings());
        match was.iter().zip(&is).find(|(was, is)| was != is) {
            Some((was, is)) => Some(format!("the recorded run has {was}, this run has {is}")),
            None => (self != recorded).then(|| self.change(recorded)),
        }
    }
}

/// The setting of an option: `NAME VALUE`, or `no NAME`.
pub fn setting(name: &str, value: Option<impl Display>) -> String {
    value.map_or_else(|| format!("no {name}"), |value| format!("{name} {value}"))
}

/// The setting of an option without a value: `NAME`, or `no NAME`.
pub fn flag(name: &str, is_set: bool) -> String {
    if is_set {
        name.to_string()
    } else {
        format!("no {name}")
    }
}
