// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finds a unit in a waveform: the scope with a signal for each of the unit's ports. Also defines the errors of reading a waveform.

use bcu_hw::verilog::IDENTITY;
use bcu_isa::ports::Port;
use std::collections::HashMap;
use wellen::{Hierarchy, ScopeRef, SignalRef};

/// The clock of every unit, which is not in its `Port` list.
const CLOCK: &str = "clock";

/// Why a file contains no cycles of a unit. The function `instance` returns `NoScope`, `NoPorts` and `Several`; functions of `waveform.rs`
/// return the other errors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WaveformError {
    #[error("cannot read {file} as VCD: {why}")]
    Unreadable { file: String, why: String },
    #[error("{file}:{line}: damaged VCD: {why}")]
    Damaged { file: String, line: u64, why: String },
    #[error("{scope} belongs to an export of {}, but `--config` is {config}", exported(.origin))]
    Configuration { scope: String, origin: Option<String>, config: String },
    #[error("{file}: the format is FST; expected VCD")]
    Fst { file: String },
    #[error("no scope is called `{requested}`; these scopes have a port `clock`: {}", list(.available))]
    NoScope { requested: String, available: Vec<String> },
    #[error("no scope has all ports of `{unit}`{}", lacking(.nearest))]
    NoPorts { unit: String, nearest: Option<(String, Vec<String>)> },
    #[error("{} scopes have the ports of `{unit}`: {}", .scopes.len(), list(.scopes))]
    Several { unit: String, scopes: Vec<String> },
    #[error("`{port}` has {has} bits in the scope {scope}, and {wanted} bits in the configuration {config}")]
    Width { scope: String, port: String, has: u32, wanted: usize, config: String },
    #[error("`clock` never rises in the scope {scope}")]
    NoClock { scope: String },
    #[error("`reset` is never 1 at a rising edge of `clock` in the scope {scope}")]
    NoReset { scope: String },
}

/// The configuration of an export as text, by name if it is a configuration of the project.
fn exported(name: &Option<String>) -> String {
    name.as_ref()
        .map_or("a configuration that is not part of the project".to_string(), |name| format!("the configuration {name}"))
}

fn list(names: &[String]) -> String {
    match names.is_empty() {
        true => "none".to_string(),
        false => names.join(", "),
    }
}

/// The ports that the best matching scope lacks, as text; only the first names are listed.
fn lacking(nearest: &Option<(String, Vec<String>)>) -> String {
    let Some((scope, missing)) = nearest else { return String::new() };
    let shown: Vec<String> = missing.iter().take(4).map(|name| format!("`{name}`")).collect();
    let more = match missing.len() - shown.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("; {scope} lacks {}{more}", shown.join(", "))
}

/// A unit in a waveform.
pub(super) struct Instance {
    /// Full name of the scope.
    pub scope: String,
    pub clock: SignalRef,
    /// One signal per port, in port order.
    pub signals: Vec<SignalRef>,
    /// The wire that identifies the configuration; `None` for older exports and for simulators that omit it.
    pub identity: Option<SignalRef>,
}

/// The scope named by the user, or else the only scope that has the clock and all these ports.
pub(super) fn instance(
    hierarchy: &Hierarchy,
    unit: &str,
    ports: &[Port],
    requested: Option<&str>,
) -> Result<Instance, WaveformError> {
    let candidates: Vec<Candidate> = hierarchy.all_scopes().map(|scope| Candidate::new(hierarchy, scope, ports)).collect();
    let matching: Vec<&Candidate> =
        candidates.iter().filter(|candidate| requested.is_none_or(|requested| candidate.scope == requested)).collect();
    if let (Some(requested), []) = (requested, &matching[..]) {
        let clocked = candidates.iter().filter(|candidate| candidate.clock.is_some());
        return Err(WaveformError::NoScope {
            requested: requested.to_string(),
            available: clocked.map(|candidate| candidate.scope.clone()).collect(),
        });
    }
    // A bench may have wires with the port names around the unit, and a checker has the same ports as the unit. Scopes with the same
    // signals count as one.
    let mut whole: Vec<Instance> = vec![];
    for instance in matching.iter().filter_map(|candidate| candidate.instance()) {
        if !whole.iter().any(|other| other.signals == instance.signals) {
            whole.push(instance);
        }
    }
    if whole.len() > 1 {
        let scopes = whole.into_iter().map(|instance| instance.scope).collect();
        return Err(WaveformError::Several { unit: unit.to_string(), scopes });
    }
    whole.pop().ok_or_else(|| {
        // A scope that the user has not named must have at least two of the ports, because many scopes have a signal `reset`.
        let best = matching
            .iter()
            .max_by_key(|candidate| candidate.port_count())
            .filter(|candidate| requested.is_some() || candidate.port_count() > 1);
        WaveformError::NoPorts {
            unit: unit.to_string(),
            nearest: best.map(|candidate| (candidate.scope.clone(), candidate.missing(ports))),
        }
    })
}

/// A scope, and the signals of the ports that it has.
struct Candidate {
    scope: String,
    clock: Option<SignalRef>,
    identity: Option<SignalRef>,
    signals: Vec<Option<SignalRef>>,
}

impl Candidate {
    fn new(hierarchy: &Hierarchy, scope: ScopeRef, ports: &[Port]) -> Candidate {
        let vars = hierarchy[scope].vars(hierarchy).map(|var| &hierarchy[var]);
        let vars: HashMap<&str, SignalRef> = vars.map(|var| (var.name(hierarchy), var.signal_ref())).collect();
        let signals = ports.iter().map(|port| vars.get(port.name.as_str()).copied()).collect();
        Candidate {
            scope: hierarchy[scope].full_name(hierarchy),
            clock: vars.get(CLOCK).copied(),
            identity: vars.get(IDENTITY).copied(),
            signals,
        }
    }

    fn instance(&self) -> Option<Instance> {
        let signals = self.signals.iter().copied().collect::<Option<_>>()?;
        Some(Instance { scope: self.scope.clone(), clock: self.clock?, signals, identity: self.identity })
    }

    /// The number of ports that the scope has.
    fn port_count(&self) -> usize {
        self.signals.iter().flatten().count()
    }

    fn missing(&self, ports: &[Port]) -> Vec<String> {
        let clock = self.clock.is_none().then(|| CLOCK.to_string());
        let missing = ports.iter().zip(&self.signals).filter(|(_, signal)| signal.is_none());
        clock.into_iter().chain(missing.map(|(port, _)| port.name.clone())).collect()
    }
}
