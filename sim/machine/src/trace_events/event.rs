// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An event of the trace, and its arguments.

use bcu_program::Place;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// A time in halves of a cycle, which the file has in cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Time(u64);

impl Time {
    /// The start of a cycle.
    pub fn at(cycle: u64) -> Time {
        Time(2 * cycle)
    }

    /// The middle of a cycle.
    pub fn within(cycle: u64) -> Time {
        Time(2 * cycle + 1)
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 % 2 {
            0 => serializer.serialize_u64(self.0 / 2),
            _ => serializer.serialize_f64(self.0 as f64 / 2.0),
        }
    }
}

/// The track of an event: a process, and a thread in it. The numbers of threads are unique in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct Track {
    pub pid: u64,
    pub tid: u64,
}

/// A value of an argument.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Value {
    Number(u64),
    Text(String),
}

impl From<u64> for Value {
    fn from(number: u64) -> Value {
        Value::Number(number)
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Value {
        Value::Number(number as u64)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_string())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text)
    }
}

/// The arguments of an event, which a viewer shows as details.
#[derive(Clone, Debug, Default)]
pub(super) struct Args(Vec<(&'static str, Value)>);

impl Args {
    pub fn one(key: &'static str, value: impl Into<Value>) -> Args {
        Args::default().with(key, value)
    }

    pub fn with(mut self, key: &'static str, value: impl Into<Value>) -> Args {
        self.0.push((key, value.into()));
        self
    }

    /// The location of an instruction: its source, if the text was compiled, its line and its text.
    pub fn at(self, place: &Place) -> Args {
        let source = place.origin.as_ref().map(|origin| origin.of_author().to_string());
        let args = source.into_iter().fold(self, |args, source| args.with("source", source));
        let others = place.origin.iter().flat_map(|origin| origin.others_of_author()).map(ToString::to_string);
        let others = others.collect::<Vec<_>>().join(", ");
        let args = if others.is_empty() { args } else { args.with("source_may_be", others) };
        args.with("line", place.line).with("instruction", &*place.text)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Args {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|(key, value)| map.serialize_entry(key, value))?;
        map.end()
    }
}

/// An event, with the keys of the Trace Event Format.
#[derive(Debug, Default, Serialize)]
pub(super) struct Event<'a> {
    /// The phase, which is the type of the event.
    pub ph: &'static str,
    pub pid: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tid: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ts: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dur: Option<Time>,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub cat: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// Of the end of a flow: `e` binds it to the enclosing slice.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub bp: &'static str,
    /// The scope of an instant: `t` thread, `p` process, `g` the whole trace.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub s: &'static str,
    #[serde(skip_serializing_if = "Args::is_empty")]
    pub args: Args,
}
