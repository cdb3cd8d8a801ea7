// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The critical path in the timing report of nextpnr (`--report`).

use anyhow::{Context, Result};
use serde::Deserialize;

/// The slowest path between two registers.
#[derive(Debug, PartialEq)]
pub struct Report {
    /// From the start register to the last cell before the end.
    pub hops: Vec<Hop>,
    /// The cell of the end register and the pin at which the path enters this cell.
    pub end: (String, String),
    /// Time in this cell before the clock edge, in ns.
    pub setup: f64,
}

/// A cell of the path and the wire after it.
#[derive(Debug, PartialEq)]
pub struct Hop {
    pub kind: Kind,
    pub cell: f64,
    pub wire: f64,
    /// The name of the wire.
    pub net: String,
}

/// The kind of a cell of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Start,
    Lut,
    Carry,
    /// A multiplexer that joins two LUTs, on ECP5.
    Mux,
    Other,
}

#[derive(Deserialize)]
struct Json {
    critical_paths: Vec<JsonPath>,
}

#[derive(Deserialize)]
struct JsonPath {
    from: String,
    to: String,
    path: Vec<Segment>,
}

#[derive(Deserialize)]
struct Segment {
    #[serde(rename = "type")]
    kind: String,
    delay: f64,
    to: Pin,
    net: Option<String>,
}

#[derive(Deserialize)]
struct Pin {
    cell: String,
    port: String,
}

/// The kind of a cell, by the pin at which the path leaves the cell.
fn kind_of(port: &str) -> Kind {
    match port {
        "COUT" | "FCO" => Kind::Carry,
        _ if port.starts_with("OFX") => Kind::Mux,
        "O" | "F" | "F0" | "F1" => Kind::Lut,
        _ => Kind::Other,
    }
}

/// Reads the report; `None` if the design has no path between registers.
pub fn read(text: &str) -> Result<Option<Report>> {
    let json: Json = serde_json::from_str(text).context("nextpnr wrote no timing report")?;
    let between_registers = json.critical_paths.into_iter().filter(|path| path.from != "<async>" && path.to != "<async>");
    let total = |path: &JsonPath| path.path.iter().map(|segment| segment.delay).sum::<f64>();
    let Some(longest) = between_registers.max_by(|a, b| total(a).total_cmp(&total(b))) else { return Ok(None) };
    let mut report = Report { hops: vec![], end: Default::default(), setup: 0.0 };
    let mut cell = (Kind::Start, 0.0);
    for Segment { kind, delay, to, net } in longest.path {
        match kind.as_str() {
            "routing" => {
                report.hops.push(Hop { kind: cell.0, cell: cell.1, wire: delay, net: net.unwrap_or_default() });
                report.end = (to.cell, to.port);
            }
            "setup" => report.setup = delay,
            "logic" => cell = (kind_of(&to.port), delay),
            _ => cell = (Kind::Start, delay),
        }
    }
    Ok(Some(report))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_path_between_registers_is_read() {
        let pin = |cell: &str, port: &str| format!(r#"{{"cell": "{cell}", "loc": [1, 2], "port": "{port}"}}"#);
        let segment = |kind: &str, delay: f64, to: String, net: &str| {
            format!(r#"{{"type": "{kind}", "delay": {delay}, "from": {}, "to": {to}{net}}}"#, pin("x", "y"))
        };
        let path = |from: &str, scale: f64| {
            let segments = [
                segment("clk-to-q", scale, pin("a", "O"), ""),
                segment("routing", 2.0, pin("b", "I1"), r#", "net": "first""#),
                segment("logic", 0.5, pin("b", "O"), ""),
                segment("routing", 0.25, pin("c", "I3"), r#", "net": "second[3]""#),
                segment("setup", 0.125, pin("c", "I3"), ""),
            ];
            format!(r#"{{"from": "{from}", "to": "posedge k", "path": [{}]}}"#, segments.join(","))
        };
        let text =
            format!(r#"{{"critical_paths": [{}, {}, {}]}}"#, path("<async>", 9.0), path("posedge k", 1.0), path("k", 0.5));
        let report = read(&text).unwrap().unwrap();
        let hop = |kind, cell, wire, net: &str| Hop { kind, cell, wire, net: net.to_string() };
        assert_eq!(report.hops, [hop(Kind::Start, 1.0, 2.0, "first"), hop(Kind::Lut, 0.5, 0.25, "second[3]")]);
        assert_eq!((report.end, report.setup), (("c".to_string(), "I3".to_string()), 0.125));
        assert_eq!(read(r#"{"critical_paths": []}"#).unwrap(), None);
        assert!(read("{}").is_err());
    }

    #[test]
    fn the_pin_that_a_path_leaves_by_gives_the_kind_of_the_cell() {
        assert_eq!(
            ["O", "F1", "OFX", "COUT", "RDATA_1"].map(kind_of),
            [Kind::Lut, Kind::Lut, Kind::Mux, Kind::Carry, Kind::Other]
        );
    }
}
