// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whether a fault can be seen at all: sequential equivalence of the unit without and with it, by Yosys' ABC.
//!
//! The inputs are free, channel rules included, but for a reset in the first cycle; both sides power up with the same contents. The
//! module alone is tried first: if nothing can be seen at its ports, nothing can be seen anywhere. Then what is around it, up to the
//! exported unit that it is part of, whose ports the regression sees. Outputs of a module that is exported count from the cycle after
//! the first reset on and where they mean something, as in lockstep, those of another from that reset on and always.

use super::miter::{miter, Question};
use super::netlist::{Mutant, Netlist};
use super::regression::top_of;
use crate::circuit::abc::{abc, verdict, Verdict, MERGE};
use crate::circuit::aig::Gates;
use anyhow::{Context, Result};
use bcu_hw::catalog::{self, UNITS};
use bcu_hw::config::Config;
use bcu_hw::ports::Port;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// What was found about a fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Nothing can be seen at the ports of this module.
    Equal(String),
    /// There are inputs of the exported unit, of so many cycles, that show it.
    Differs(usize),
    /// Not decided in time.
    Open,
}

/// The circuits that were asked for so far.
pub struct Prover<'a> {
    netlist: &'a Netlist,
    folder: &'a Path,
    seconds: u64,
    /// The ports of every exported unit, by its module.
    ports: BTreeMap<String, Vec<Port>>,
    gates: Mutex<BTreeMap<String, Arc<Gates>>>,
}

impl<'a> Prover<'a> {
    /// `seconds`: how long one question may take.
    pub fn new(netlist: &'a Netlist, config: &Config, folder: &'a Path, seconds: u64) -> Prover<'a> {
        let units = UNITS.iter().filter_map(|unit| Some((top_of(unit), catalog::build(config, unit)?.ports())));
        Prover { netlist, folder, seconds, ports: units.collect(), gates: Mutex::default() }
    }

    /// `scopes`: the mutant's module and what is around it, the last being an exported unit.
    pub fn ask(&self, mutant: &Mutant, scopes: &[String]) -> Result<Answer> {
        let mut answer = Answer::Open;
        for (at, scope) in (1..).zip(scopes) {
            let ports = self.ports.get(scope).map_or(&[][..], Vec::as_slice);
            let question = Question { select: mutant.select, from_start: at != scopes.len(), ports };
            answer = self.in_scope(mutant, scope, &question)?;
            if let Answer::Equal(_) = answer {
                break;
            }
        }
        Ok(answer)
    }

    fn in_scope(&self, mutant: &Mutant, scope: &str, question: &Question) -> Result<Answer> {
        let Some(file) = miter(self.gates(scope)?.as_ref(), question)? else {
            return Ok(Answer::Equal(scope.to_string()));
        };
        let name = format!("{}-in-{scope}.aig", mutant.id.replace('/', "-"));
        let path = self.folder.join(&name);
        fs::write(&path, file).with_context(|| format!("cannot write {}", path.display()))?;
        // What shows soon is looked for first, then a proof; each step has its share of the time.
        for step in self.steps() {
            let script = format!("read_aiger {name}; {MERGE}; {step}");
            let Some(said) = abc(self.folder, &script, None)? else { continue };
            match verdict(&said)? {
                Verdict::Found { cycle, .. } => return Ok(Answer::Differs(cycle + 1)),
                Verdict::Proved => return Ok(Answer::Equal(scope.to_string())),
                Verdict::Open => (),
            }
        }
        Ok(Answer::Open)
    }

    fn steps(&self) -> [String; 2] {
        [format!("bmc3 -F 30 -T {}", self.seconds.div_ceil(4)), format!("pdr -T {}", self.seconds)]
    }

    /// What the answers depend on beside the netlist.
    pub fn method(&self) -> String {
        let meanings: Vec<_> = self.ports.values().flatten().map(|port| (&port.name, &port.when)).collect();
        format!("{MERGE}; {}; {meanings:?}", self.steps().join("; "))
    }

    fn gates(&self, scope: &str) -> Result<Arc<Gates>> {
        // Held while Yosys works, so that nobody does the same beside it.
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
