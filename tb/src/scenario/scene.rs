// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A scenario of one unit at its ports: the payloads sent on its channels, and the payloads expected on them.

use bcu_isa::ports::Port;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A unit that is driven step by step. Every `ready` that is an input is 1 until a step sets it, and shared memory answers
/// automatically.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Name of the unit, as exported.
    pub unit: String,
    /// Number of cycles from a request to shared memory to its answer.
    #[serde(default = "latency")]
    pub latency: u64,
    /// The steps in order, after a cycle of reset in which all inputs are 0.
    pub steps: Vec<Step>,
}

fn latency() -> u64 {
    4
}

/// Values of ports by name; names of a channel's ports omit the channel prefix.
pub type Values = BTreeMap<String, Number>;

/// A number, or the name of a value in the port table. A number above 2^63 is written as text, as in `"0x8000000000000000"`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Number {
    Value(u64),
    Name(String),
}

/// A step.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Step {
    /// Offers a payload on each of the named channels until it is taken; unnamed fields are 0. A strobe, which has no `ready`, is driven
    /// for one cycle.
    Send(BTreeMap<String, Values>),
    /// The next transfer on each of the named channels has these values; unnamed fields match anything. The transfer must occur within 1000
    /// cycles. Every transfer must be matched by a step on `fault`, and on each channel that some step of the scene matches.
    See(BTreeMap<String, Values>),
    /// Drives inputs from this step on.
    Set(Values),
    /// Expected outputs in the last cycle.
    Is(Values),
    /// Runs this number of cycles without any other action.
    Cycles(u64),
    /// Overwrites a word of shared memory.
    Store(Word),
    /// The expected value of a word of shared memory, after all writes of the unit so far.
    Memory(Word),
}

/// A word of shared memory.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Word {
    #[serde(default)]
    pub cta: u64,
    /// The word's offset divided by 8.
    pub object: u64,
    pub word: Number,
}

impl Number {
    /// The number as a value of `port`.
    pub fn value_for(&self, port: Option<&Port>) -> Result<u64, String> {
        match self {
            Number::Value(value) => Ok(*value),
            Number::Name(name) => {
                let names = port.map_or(&[][..], |port| &port.values);
                let hex = name.strip_prefix("0x").and_then(|digits| u64::from_str_radix(&digits.replace('_', ""), 16).ok());
                let found = names.iter().position(|value| value == name).map(|value| value as u64).or(hex);
                found.ok_or_else(|| match names {
                    [] => format!("`{name}` is not a number; expected one, or `\"0x…\"`"),
                    names => format!("`{name}` is not a value of this port; expected one of {}", names.join(", ")),
                })
            }
        }
    }
}

impl Scene {
    /// The codes of the faults that the scene expects: `MbarrierCount` is `mbarrier_count`.
    pub fn faults(&self) -> impl Iterator<Item = String> + '_ {
        let seen = self.steps.iter().filter_map(|step| if let Step::See(seen) = step { seen.get("fault") } else { None });
        let named = seen.filter_map(|fault| if let Some(Number::Name(code)) = fault.get("code") { Some(code) } else { None });
        named.map(|code| {
            let lower = |c: char| if c.is_uppercase() { format!("_{}", c.to_lowercase()) } else { c.to_string() };
            code.chars().map(lower).collect::<String>().trim_start_matches('_').to_string()
        })
    }
}
