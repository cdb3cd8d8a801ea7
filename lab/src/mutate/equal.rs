// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks whether a fault is observable: ABC decides whether a module with the fault is
//! sequentially equivalent to the module without it.
//!
//! In the first cycle `reset` is 1. Apart from that the inputs are arbitrary and may break the
//! channel rules. Both sides power up with equal contents. The check starts with the module of the
//! fault alone: if none of its ports shows the fault, the fault is not observable anywhere.
//! Otherwise the check continues with the modules around it, up to the exported unit whose ports
//! the regression observes. The outputs of an exported unit are compared from the cycle after the
//! first reset on, and only while they are valid, as in lockstep. The outputs of another module are
//! compared in every cycle, including that of the first reset.

use super::miter::{miter, Compared, Miter, Question};
use super::netlist::{Mutant, Netlist};
use super::regression::top_of;
use crate::circuit::abc::{abc, outputs, verdict, Verdict, MERGE};
use crate::circuit::aig::Gates;
use anyhow::{Context, Result};
use bcu_hw::catalog;
use bcu_isa::config::Config;
use bcu_isa::ports::Port;
use bcu_isa::units::UNITS;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// `ATTEMPTS`: the maximum number of attempts of [`Prover::stays_inside`]. `DEPTH`: the number of cycles in which each attempt searches for
/// further registers that the fault reaches.
const ATTEMPTS: usize = 20;
const DEPTH: usize = 14;

/// The result of the check of a fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The fault is not observable at the ports of this module.
    Equal(String),
    /// The fault is observable: an input sequence of this number of cycles shows it at the ports of
    /// the outermost module that was checked.
    Differs(usize),
    /// Not decided within the time limits.
    Open,
}

/// Checks mutants. Keeps the circuits that were read so far, by module.
pub struct Prover<'a> {
    netlist: &'a Netlist,
    folder: &'a Path,
    seconds: u64,
    /// The ports of every exported unit, by its module.
    ports: BTreeMap<String, Vec<Port>>,
    gates: Mutex<BTreeMap<String, Arc<Gates>>>,
}

impl<'a> Prover<'a> {
    /// Creates a prover; `seconds` is the time limit of each proof. A bounded search gets a quarter
    /// of it.
    pub fn new(netlist: &'a Netlist, config: &Config, folder: &'a Path, seconds: u64) -> Prover<'a> {
        let units = UNITS.iter().filter_map(|unit| Some((top_of(unit), catalog::build(config, unit)?.ports())));
        Prover { netlist, folder, seconds, ports: units.collect(), gates: Mutex::default() }
    }

    /// Checks a mutant. `scopes` are the mutant's module, then the modules around it; the last is an exported unit.
    pub fn ask(&self, mutant: &Mutant, scopes: &[String]) -> Result<Answer> {
        let mut answer = Answer::Open;
        for scope in scopes {
            let exported = self.ports.get(scope);
            let ports = exported.map_or(&[][..], Vec::as_slice);
            let question = Question { select: mutant.select, from_start: exported.is_none(), ports };
            answer = self.in_scope(mutant, scope, &question)?;
            if let Answer::Equal(_) = answer {
                break;
            }
        }
        Ok(answer)
    }

    fn in_scope(&self, mutant: &Mutant, scope: &str, question: &Question) -> Result<Answer> {
        let gates = self.gates(scope)?;
        let equal = || Answer::Equal(scope.to_string());
        let whole = miter(&gates, question, None)?;
        if whole.compared.is_empty() {
            return Ok(equal());
        }
        let name = format!("{}-in-{scope}", mutant.id.replace('/', "-"));
        // First a bounded search for early differences, then two attempts at a proof: with most
        // registers shared, and of the whole circuit. Each step has a time limit of its own.
        let file = self.write(&name, &whole)?;
        let [soon, ever] = self.steps();
        match self.search(&file, &format!("{MERGE}; {soon}"))? {
            Verdict::Found { cycle, .. } => return Ok(Answer::Differs(cycle + 1)),
            Verdict::Proved => return Ok(equal()),
            Verdict::Open => (),
        }
        if self.stays_inside(&gates, question, &format!("{name}-inside"))? {
            return Ok(equal());
        }
        match self.search(&file, &format!("{MERGE}; {ever}"))? {
            Verdict::Found { cycle, .. } => Ok(Answer::Differs(cycle + 1)),
            Verdict::Proved => Ok(equal()),
            Verdict::Open => Ok(Answer::Open),
        }
    }

    /// Returns whether ABC proves that the fault reaches no port of the circuit; the fault may reach registers.
    ///
    /// The copies without and with the fault share the registers that the fault has not reached in
    /// a search, so that most of the circuit is common. The proof shows by induction over the cycles
    /// that these registers stay equal. If the fault reaches a shared register, the next
    /// attempt duplicates that register.
    fn stays_inside(&self, gates: &Gates, question: &Question, name: &str) -> Result<bool> {
        let mut twice = BTreeSet::new();
        for _ in 0..ATTEMPTS {
            let parts = miter(gates, question, Some(&twice))?;
            if parts.compared.is_empty() {
                return Ok(true);
            }
            let file = self.write(name, &parts)?;
            let soon = format!("bmc3 -ax -F {DEPTH} -T {}", self.seconds.div_ceil(4));
            let mut reached = self.search_all(&file, &soon)?;
            if reached.is_empty() {
                match self.search(&file, &self.steps()[1])? {
                    Verdict::Proved => return Ok(true),
                    Verdict::Open => return Ok(false),
                    Verdict::Found { output, .. } => reached.push(output),
                }
            }
            let before = twice.len();
            twice.extend(reached.iter().filter_map(|output| match parts.compared.get(*output) {
                Some(Compared::Register(at)) => Some(*at),
                _ => None,
            }));
            // Only a port differs, so there is no register to duplicate. This does not show that
            // the fault is observable, because a shared register may differ in reality. The later
            // search in the whole circuit decides.
            if twice.len() == before {
                return Ok(false);
            }
        }
        Ok(false)
    }

    fn write(&self, name: &str, miter: &Miter) -> Result<String> {
        let name = format!("{name}.aig");
        let path = self.folder.join(&name);
        fs::write(&path, &miter.file).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(name)
    }

    fn search(&self, file: &str, steps: &str) -> Result<Verdict> {
        let said = abc(self.folder, &format!("read_aiger {file}; {steps}"), None)?;
        said.map_or(Ok(Verdict::Open), |said| verdict(&said))
    }

    /// The outputs that the ABC commands `step` find to be 1.
    fn search_all(&self, file: &str, step: &str) -> Result<Vec<usize>> {
        let said = abc(self.folder, &format!("read_aiger {file}; {step}"), None)?.unwrap_or_default();
        Ok(outputs(&said))
    }

    fn steps(&self) -> [String; 2] {
        [format!("bmc3 -F 30 -T {}", self.seconds.div_ceil(4)), format!("pdr -T {}", self.seconds)]
    }

    /// A text with everything on which the answers depend, except the netlist. Recorded answers of another method are not reused.
    pub fn method(&self) -> String {
        let meanings: Vec<_> = self.ports.values().flatten().map(|port| (&port.name, &port.when, &port.values)).collect();
        format!("{MERGE}; {}; inside {ATTEMPTS} {DEPTH} by output; {meanings:?}", self.steps().join("; "))
    }

    fn gates(&self, scope: &str) -> Result<Arc<Gates>> {
        // The lock is held while Yosys runs, so that no other thread does the same work.
        let mut known = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(gates) = known.get(scope) {
            return Ok(gates.clone());
        }
        let text = self.netlist.gates(scope)?;
        let gates = Arc::new(Gates::read(&text).with_context(|| format!("the gates of {scope}"))?);
        known.insert(scope.to_string(), gates.clone());
        Ok(gates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcu_isa::config;

    /// A test unit that ignores a value `a` whose highest bit is 1: the output does not depend on such a value. So some faults in the lower
    /// bits are not observable.
    const TEXT: &str = "
module bcu (input wire clock, input wire reset, input wire [3:0] a, output reg y);
  reg [3:0] held;
  reg refused;
  always @(posedge clock) begin
    held <= reset ? 4'd0 : a;
    refused <= reset ? 1'b1 : a[3];
    y <= reset ? 1'b0 : (^held[2:0]) & (held[3] ? held[1] : held[0]) & !refused;
  end
endmodule
";

    #[test]
    fn what_stays_inside_is_equal_and_what_differs_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let netlist = Netlist::new(TEXT, "bcu", &[], 60, 1, folder.path()).unwrap();
        let config = config::named("small").unwrap();
        let prover = Prover::new(&netlist, &config, folder.path(), 10);
        let gates = Gates::read(&netlist.gates("bcu").unwrap()).unwrap();
        let (mut inside, mut differ) = (0, 0);
        for mutant in &netlist.mutants {
            let question = Question { select: mutant.select, from_start: false, ports: &[] };
            let whole = miter(&gates, &question, None).unwrap();
            if whole.compared.is_empty() {
                continue;
            }
            let file = prover.write("whole", &whole).unwrap();
            let verdict = prover.search(&file, "pdr -T 10").unwrap();
            match prover.stays_inside(&gates, &question, "inside").unwrap() {
                true => assert_eq!(verdict, Verdict::Proved, "{mutant:?}"),
                false => assert_ne!(verdict, Verdict::Proved, "{mutant:?}"),
            }
            *(if verdict == Verdict::Proved { &mut inside } else { &mut differ }) += 1;
        }
        assert!(inside > 0 && differ > 10, "{inside} stay inside, {differ} differ, of {} faults", netlist.mutants.len());
    }
}
