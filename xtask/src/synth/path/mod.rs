// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The critical path of a measured design as a table, with the names of the source text: for a unit block and field in Rust and the file of
//! the block, for other designs instance and signal in Verilog.

mod hierarchy;
mod netlist;
mod report;
mod rust;

use hierarchy::{Hierarchy, Place, Relation};
use netlist::Netlist;
use report::{Kind, Report};
pub use rust::Blocks;
use std::fmt::Write as _;

/// The instance of the measured design in the wrapper.
const DESIGN: &str = "unit.";

/// What is known about the names of one measured design.
pub struct Names<'a> {
    hierarchy: Hierarchy,
    netlist: Netlist,
    /// The blocks of the Rust source text; `None` for a design in Verilog.
    blocks: Option<&'a Blocks>,
    /// The name of the design in the table.
    design: String,
}

/// One row of the table: cells in one block whose wires have one name.
#[derive(Debug, PartialEq)]
struct Row {
    block: String,
    signal: String,
    file: String,
    luts: usize,
    ns: f64,
}

impl<'a> Names<'a> {
    /// `modules`: Yosys' JSON of the modules before they are flattened. `mapped`: the JSON that nextpnr places.
    pub fn read(top: &str, design: &str, modules: &str, mapped: &str, blocks: Option<&'a Blocks>) -> anyhow::Result<Names<'a>> {
        let (hierarchy, netlist) = (Hierarchy::read(modules, top)?, Netlist::read(mapped)?);
        Ok(Names { hierarchy, netlist, blocks, design: design.to_string() })
    }

    /// The critical path in nextpnr's report, as text; `None` if the design has no path between registers.
    pub fn table(&self, report: &str) -> anyhow::Result<Option<String>> {
        Ok(report::read(report)?.map(|report| self.text(&report)))
    }

    fn text(&self, report: &Report) -> String {
        let rows = self.rows(report);
        let wires: f64 = report.hops.iter().map(|hop| hop.wire).sum();
        let total: f64 = rows.iter().map(|row| row.ns).sum();
        let luts: usize = rows.iter().map(|row| row.luts).sum();
        let others = [(Kind::Mux, "multiplexers after LUTs"), (Kind::Carry, "bits of carry")].map(|(kind, what)| {
            let count = report.hops.iter().filter(|hop| hop.kind == kind).count();
            if count == 0 {
                String::new()
            } else {
                format!(", {count} {what}")
            }
        });
        let others = others.concat();
        let mut text = format!(
            "{total:.1} ns ({:.0} MHz), {luts} LUT levels{others}, {:.1} ns in cells, {wires:.1} ns in wires\n\
             | block | wire | LUTs | ns | at | file |\n|---|---|---|---|---|---|\n",
            1000.0 / total,
            total - wires
        );
        let mut at = 0.0;
        for Row { block, signal, file, luts, ns } in &rows {
            at += ns;
            let luts = if *luts == 0 { String::new() } else { luts.to_string() };
            let _ = writeln!(text, "| {block} | {signal} | {luts} | {ns:.2} | {at:.2} | {file} |");
        }
        text + &format!("Delay by block: {}\n", shares(&rows, total))
    }

    fn rows(&self, report: &Report) -> Vec<Row> {
        let mut rows: Vec<Row> = vec![];
        let add = |rows: &mut Vec<Row>, row: Row| match rows.last_mut() {
            Some(last) if last.block == row.block && last.signal == row.signal => {
                last.luts += row.luts;
                last.ns += row.ns;
            }
            _ => rows.push(row),
        };
        for hop in &report.hops {
            let (luts, ns) = (usize::from(hop.kind == Kind::Lut), hop.cell + hop.wire);
            // A wire that nextpnr adds belongs to the cell before it.
            if let Some(last) = rows.last_mut().filter(|_| hop.net.starts_with('$')) {
                last.luts += luts;
                last.ns += ns;
                continue;
            }
            let place = self.best(&self.netlist.names(&hop.net), hop.kind == Kind::Start);
            let (block, mut signal, file) = self.shown(place.as_ref());
            if hop.kind == Kind::Start {
                let is_input = place.is_some_and(|place| self.hierarchy.is_input(&place));
                signal = format!("start: {}{signal}", if is_input { "input " } else { "" });
            }
            add(&mut rows, Row { block, signal, file, luts, ns });
        }
        let (cell, pin) = &report.end;
        let end = self.netlist.end(cell, pin);
        let (block, signal, file) = self.shown(self.best(&end.names, true).as_ref());
        add(&mut rows, Row { block, signal: format!("end: {signal}"), file, luts: usize::from(end.has_lut), ns: report.setup });
        rows
    }

    /// The place of a wire with these names: where it is driven, if one of the names is a signal of the source text; of several names of a
    /// register's output the one that the register has. `None`: the wire is in the wrapper.
    fn best(&self, names: &[String], is_register: bool) -> Option<Place> {
        let places = names.iter().filter_map(|name| Some(self.hierarchy.place(name.strip_prefix(DESIGN)?)));
        let places = places.map(|place| match place.relation {
            Relation::Is | Relation::Into => self.hierarchy.driver(&place),
            Relation::From | Relation::Cell => place,
        });
        let order = |place: &Place| match place.relation {
            Relation::Is if is_register && place.signal.ends_with("_q") => 0,
            Relation::Is => 1,
            Relation::Into => 2,
            Relation::From => 3,
            Relation::Cell => 4,
        };
        places.min_by_key(order)
    }

    /// Block, signal and file of a place.
    fn shown(&self, place: Option<&Place>) -> (String, String, String) {
        let Some(Place { instances, signal, relation, .. }) = place else {
            return ("wrapper".to_string(), "outputs".to_string(), String::new());
        };
        let block_of = |instances: &[String]| {
            let (module, _) = self.hierarchy.text_of(instances)?;
            self.blocks?.of_module(module)
        };
        let mut path = self.design.clone();
        for (at, instance) in instances.iter().enumerate() {
            let name = block_of(&instances[..at]).map_or(instance.clone(), |block| block.name_of(instance));
            let _ = write!(path, ".{name}");
        }
        let block = block_of(instances);
        let signal = block.filter(|_| *relation != Relation::Cell).map_or(signal.clone(), |block| block.name_of(signal));
        let signal = match relation {
            Relation::Is | Relation::Cell => format!("`{signal}`"),
            Relation::Into => format!("into `{signal}`"),
            Relation::From => format!("from `{signal}`"),
        };
        let verilog = self.hierarchy.text_of(instances).map_or(String::new(), |(_, source)| file_and_line(source));
        let file = match self.blocks {
            Some(_) => block.map_or(String::new(), |block| block.file.clone()),
            None => verilog,
        };
        (path, signal, file)
    }
}

/// Name and first line of the file in Yosys' attribute `src`, `folder/file.v:12.1-20.10`.
fn file_and_line(source: &str) -> String {
    let first = source.split('|').next().unwrap_or_default();
    let name = first.rsplit('/').next().unwrap_or_default();
    name.split('.').take(2).collect::<Vec<_>>().join(".")
}

/// The blocks in the order of the path, each with its share of the delay.
fn shares(rows: &[Row], total: f64) -> String {
    let mut blocks: Vec<(&str, f64)> = vec![];
    for row in rows {
        match blocks.iter_mut().find(|(block, _)| *block == row.block) {
            Some((_, ns)) => *ns += row.ns,
            None => blocks.push((&row.block, row.ns)),
        }
    }
    let share = |(block, ns): (&str, f64)| format!("{block} {:.0} %", 100.0 * ns / total);
    blocks.into_iter().map(share).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULES: &str = r#"{"modules": {
        "bcu_gather": {"attributes": {"src": "g.v:1.1-2.1"}, "ports": {},
            "netnames": {"check_match": {"bits": [3]}, "held_q": {"bits": [4]}, "held": {"bits": [4]}},
            "cells": {"check": {"type": "bcu_gather_check", "connections": {"match": [3], "row": [4]}}}},
        "bcu_gather_check": {"attributes": {"src": "work/g.v:7.1-9.1"},
            "ports": {"match": {"direction": "output", "bits": [2]}, "row": {"direction": "input", "bits": [3]}},
            "netnames": {"match": {"bits": [2]}, "row": {"bits": [3]}}, "cells": {}}}}"#;
    const MAPPED: &str = r#"{"modules": {"wrap": {
        "netnames": {"unit.held": {"bits": [4]}, "unit.held_q": {"bits": [4]}, "unit.check.row": {"bits": [4]},
            "unit.check_match": {"bits": [3]}, "out": {"bits": [9]}},
        "cells": {"out_FF": {"connections": {"D": [3], "Q": [9]}}}}}}"#;
    const REPORT: &str = r#"{"critical_paths": [{"from": "a", "to": "a", "path": [
        {"type": "clk-to-q", "delay": 1.0, "to": {"cell": "c", "port": "O"}},
        {"type": "routing", "delay": 2.0, "to": {"cell": "d", "port": "I0"}, "net": "unit.check.row"},
        {"type": "logic", "delay": 0.5, "to": {"cell": "d", "port": "O"}},
        {"type": "routing", "delay": 0.5, "to": {"cell": "e", "port": "I1"}, "net": "unit.check.match_SB_LUT4_O_I2"},
        {"type": "logic", "delay": 0.5, "to": {"cell": "e", "port": "O"}},
        {"type": "routing", "delay": 0.25, "to": {"cell": "out_FF", "port": "D"}, "net": "unit.check_match"},
        {"type": "logic", "delay": 0.25, "to": {"cell": "f", "port": "COUT"}},
        {"type": "routing", "delay": 0, "to": {"cell": "out_FF", "port": "D"}, "net": "$nextpnr_ICESTORM_LC_0$O"},
        {"type": "setup", "delay": 0.25, "to": {"cell": "out_FF", "port": "D"}}]}]}"#;

    #[test]
    fn a_path_has_the_names_of_its_source_text() {
        let names = Names::read("bcu_gather", "gather", MODULES, MAPPED, None).unwrap();
        let table = names.table(REPORT).unwrap().unwrap();
        let expected = "5.2 ns (190 MHz), 2 LUT levels, 1 bits of carry, 2.5 ns in cells, 2.8 ns in wires\n\
            | block | wire | LUTs | ns | at | file |\n|---|---|---|---|---|---|\n\
            | gather | start: `held_q` |  | 3.00 | 3.00 | g.v:1 |\n\
            | gather.check | into `match` | 1 | 1.00 | 4.00 | g.v:7 |\n\
            | gather.check | `match` | 1 | 1.00 | 5.00 | g.v:7 |\n\
            | wrapper | end: outputs |  | 0.25 | 5.25 |  |\n\
            Delay by block: gather 57 %, gather.check 38 %, wrapper 5 %\n";
        assert_eq!(table, expected);
        let blocks = Blocks::read(&xtask::root()).unwrap();
        let names = Names::read("bcu_gather", "gather", MODULES, MAPPED, Some(&blocks)).unwrap();
        let table = names.table(REPORT).unwrap().unwrap();
        assert!(table.contains("| gather.check | `match` | 1 | 1.00 | 5.00 | hw/src/unit/gather/check.rs |\n"), "{table}");
        assert_eq!(names.table(r#"{"critical_paths": []}"#).unwrap(), None);
    }
}
