// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One of the two sides: a unit's text as gates around its memories.

use super::cut::{cut, wire, Memory, Ports};
use crate::circuit::aig::Gates;
use crate::circuit::yosys;
use anyhow::{ensure, Context, Result};
use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// A step of a cycle, in an order in which each comes after what it needs.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Number among the ands.
    And(usize),
    /// Number of the memory that is read, at all of its read ports.
    Read(usize),
}

/// The bits between a unit and one of its memories.
#[derive(Debug, Default)]
pub struct Pins {
    /// Literals.
    pub address: Vec<u32>,
    /// Variables.
    pub data: Vec<usize>,
    /// Literals.
    pub enable: Vec<u32>,
    pub place: Vec<u32>,
    pub value: Vec<u32>,
}

#[derive(Debug)]
pub struct Side {
    pub gates: Gates,
    pub ports: Ports,
    pub memories: Vec<Memory>,
    pub pins: Vec<Pins>,
    pub steps: Vec<Step>,
    /// Number of the and that gives a variable.
    drivers: Vec<Option<usize>>,
}

impl Side {
    /// Reads the module `top` of a Verilog file; what is made on the way lies in `folder` under `name`.
    pub fn read(file: &Path, top: &str, folder: &Path, name: &str) -> Result<Side> {
        let file = file.canonicalize().with_context(|| format!("cannot read {}", file.display()))?;
        let flat = "proc\nflatten\nopt_expr -keepdc\nopt_clean\ncheck -assert\nmemory_collect\nopt_clean";
        let script =
            format!("read_verilog \"{}\"\nhierarchy -check -top {top}\n{flat}\nwrite_rtlil {name}.il\n", file.display());
        yosys(folder, &format!("{name}-flat"), &script)?;
        let path = folder.join(format!("{name}.il"));
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let cut = cut(&text).with_context(|| format!("in {}", file.display()))?;
        fs::write(folder.join(format!("{name}-cut.il")), &cut.text)?;
        // A bit that Verilog leaves unknown is 0 on both sides.
        let known = "chtype -set $shift t:$shiftx\nsetundef -undriven -zero";
        let gates = "opt_expr\ndffunmap\ntechmap\nsimplemap\nopt_expr\naigmap\nopt_clean";
        let write = format!("write_aiger -ascii -symbols {name}.aag");
        yosys(folder, &format!("{name}-gates"), &format!("read_rtlil {name}-cut.il\n{known}\n{gates}\n{write}\n"))?;
        let path = folder.join(format!("{name}.aag"));
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let gates = Gates::read(&text).with_context(|| format!("the gates of {}", file.display()))?;
        Side::new(gates, cut.ports, cut.memories).with_context(|| format!("in {}", file.display()))
    }

    fn new(gates: Gates, ports: Ports, memories: Vec<Memory>) -> Result<Side> {
        let mut pins: Vec<Pins> = vec![];
        for at in 0..memories.len() {
            let name = |what: &str| wire(at, what);
            let outputs = |what: &str| gates.outputs.iter().filter(|o| o.name == name(what)).map(|o| o.literal).collect();
            let data = gates.inputs.iter().filter(|i| i.name == name("data")).map(|i| i.variable).collect();
            pins.push(Pins {
                address: outputs("address"),
                data,
                enable: outputs("enable"),
                place: outputs("place"),
                value: outputs("value"),
            });
        }
        let steps = steps(&gates, &pins)?;
        let mut drivers = vec![None; gates.variables];
        for (at, (variable, ..)) in gates.ands.iter().enumerate() {
            drivers[*variable] = Some(at);
        }
        Ok(Side { gates, ports, memories, pins, steps, drivers })
    }

    /// The number of the and that gives a variable, if one does.
    pub fn driver(&self, variable: usize) -> Option<usize> {
        self.drivers[variable]
    }
}

/// The order of a cycle's ands and reads.
fn steps(gates: &Gates, pins: &[Pins]) -> Result<Vec<Step>> {
    let mut makers: HashMap<usize, Step> = gates.ands.iter().enumerate().map(|(at, (v, ..))| (*v, Step::And(at))).collect();
    makers.extend(pins.iter().enumerate().flat_map(|(at, p)| p.data.iter().map(move |v| (*v, Step::Read(at)))));
    let mut steps = vec![];
    // 1: begun, 2: done.
    let (mut ands, mut reads) = (vec![0u8; gates.ands.len()], vec![0u8; pins.len()]);
    let all = (0..gates.ands.len()).map(Step::And).chain((0..pins.len()).map(Step::Read));
    for root in all {
        let mut left = vec![root];
        while let Some(step) = left.last().copied() {
            let (state, needs) = match step {
                Step::And(at) => (&mut ands[at], vec![gates.ands[at].1, gates.ands[at].2]),
                Step::Read(at) => (&mut reads[at], pins[at].address.clone()),
            };
            let before = *state;
            *state = (before + 1).min(2);
            match before {
                0 => {
                    for need in needs {
                        let Some(maker) = makers.get(&(need as usize / 2)).copied() else { continue };
                        let state = match maker {
                            Step::And(at) => ands[at],
                            Step::Read(at) => reads[at],
                        };
                        ensure!(state != 1, "there is a loop without a register");
                        if state == 0 {
                            left.push(maker);
                        }
                    }
                }
                1 => {
                    steps.push(step);
                    left.pop();
                }
                _ => {
                    left.pop();
                }
            }
        }
    }
    Ok(steps)
}
