// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares a report with the expectations of a scenario.

use super::cause::{self, cause};
use super::expect::{Expect, ExpectBlocked, ExpectFault, ExpectGeneration, ExpectLanes};
use bcu_machine::report::{Blocked, BlockedLanes, Fault, Generation, Report};

/// The differences between a report and the expectations, one sentence each; empty if there are none. The lines of the expectations are
/// those of the program, the lines of the report have `lines_before` more.
pub fn check(expect: &Expect, lines_before: usize, report: &Report) -> Vec<String> {
    let mut expect = expect.clone();
    let lines = expect.faults.iter_mut().map(|fault| &mut fault.line);
    lines.chain(expect.blocked.iter_mut().map(|warp| &mut warp.line)).flatten().for_each(|line| *line += lines_before);
    let mut wrong = vec![];
    if report.verdict != expect.verdict {
        let cause = cause(report).map_or(String::new(), |cause| format!(": {cause}"));
        wrong.push(format!("expected the verdict `{}`, got `{}`{cause}", expect.verdict.name(), report.verdict.name()));
    }
    if let Some(most) = expect.max_cycles.filter(|most| report.cycles > *most) {
        wrong.push(format!("expected at most {most} cycles, got {}", report.cycles));
    }
    if let Some(generations) = &expect.generations {
        pairs("generation", generations, &report.generations, generation, &mut wrong);
    }
    pairs("fault", &expect.faults, &report.faults, fault, &mut wrong);
    let unexpected = report.faults.get(expect.faults.len()).filter(|_| report.verdict == expect.verdict);
    wrong.extend(unexpected.map(|fault| format!("not expected: {}", cause::fault(fault))));
    let hang = report.hang.as_ref();
    pairs("blocked warp", &expect.blocked, hang.map_or(&[], |h| h.blocked.as_slice()), blocked, &mut wrong);
    pairs("group of waiting lanes", &expect.lanes, hang.map_or(&[], |h| h.lanes.as_slice()), lanes, &mut wrong);
    for word in &expect.memory {
        let found = report.memory.iter().find(|w| (w.cta, w.address) == (word.cta, word.address)).map(|w| w.value);
        if found != Some(word.value) {
            let space = word.cta.map_or("global memory".to_string(), |cta| format!("shared memory of CTA {cta}"));
            wrong.push(format!(
                "expected {:#x} at {:#x} of {space}, got {}",
                word.value,
                word.address,
                found.map_or("nothing".to_string(), |value| format!("{value:#x}"))
            ));
        }
    }
    let stopped: Vec<(usize, usize)> = hang.map_or(vec![], |h| h.stopped.iter().map(|s| (s.cta, s.warp)).collect());
    if stopped != expect.stopped {
        wrong.push(format!("expected these warps stopped by the fault policy, {:?}, got {stopped:?}", expect.stopped));
    }
    let circle = hang.map_or(0, |h| h.circle.len());
    if let Some(warps) = expect.circle.filter(|warps| *warps != circle) {
        wrong.push(format!("expected a circular wait of {warps} warps, got {circle}"));
    }
    wrong
}

/// Compares two lists element by element; `differ` names the differences of a pair.
fn pairs<E, G>(what: &str, expected: &[E], found: &[G], differ: fn(&E, &G) -> Vec<String>, wrong: &mut Vec<String>) {
    if expected.len() != found.len() {
        wrong.push(format!("{what}: expected {}, got {}", expected.len(), found.len()));
    }
    for (i, (e, g)) in expected.iter().zip(found).enumerate() {
        wrong.extend(differ(e, g).into_iter().map(|text| format!("{what} {i}: {text}")));
    }
}

/// Collects the names and values that differ.
#[derive(Default)]
struct Differences(Vec<String>);

impl Differences {
    fn same<T: PartialEq + std::fmt::Debug>(&mut self, name: &str, expected: &T, found: &T) {
        if expected != found {
            self.0.push(format!("expected {name} {}, got {}", shown(expected), shown(found)));
        }
    }

    /// Compares a value with its expectation; an omitted expectation matches any value.
    fn given<T: PartialEq + std::fmt::Debug>(&mut self, name: &str, expected: &Option<T>, found: T) {
        if let Some(expected) = expected {
            self.same(name, expected, &found);
        }
    }
}

/// A value as text, without Rust's names of optional values.
fn shown(value: &impl std::fmt::Debug) -> String {
    let text = format!("{value:?}");
    match text.strip_prefix("Some(").and_then(|rest| rest.strip_suffix(')')) {
        Some(inside) => inside.to_string(),
        None if text == "None" => "none".to_string(),
        None => text,
    }
}

fn sorted(mut warps: Vec<usize>) -> Vec<usize> {
    warps.sort_unstable();
    warps
}

fn generation(e: &ExpectGeneration, g: &Generation) -> Vec<String> {
    let mut d = Differences::default();
    let order: Vec<usize> = g.arrivals.iter().map(|a| a.warp).collect();
    d.same("CTA, barrier and number", &(e.cta, e.id, e.number), &(g.cta, g.id, g.number));
    d.given("order", &e.order, order.clone());
    d.given("arrived", &e.arrived.clone().map(sorted), sorted(order));
    d.given("released", &e.released.clone().map(sorted), sorted(g.waits.iter().map(|w| w.warp).collect()));
    d.given("reduction", &e.reduction.map(Some), g.reduction);
    d.given("value", &e.value.map(Some), g.value);
    d.same("exited", &e.exited, &g.exited);
    d.0
}

fn fault(e: &ExpectFault, g: &Fault) -> Vec<String> {
    let mut d = Differences::default();
    d.same("code", &e.code, &g.code);
    d.same("CTA and warp", &(e.cta, e.warp), &(g.cta, g.warp));
    d.given("id", &e.id.map(Some), g.id);
    d.given("line", &e.line, g.place.as_ref().map_or(0, |p| p.line));
    d.given("stopped", &e.stopped.map(Some), g.stopped);
    d.0
}

fn blocked(e: &ExpectBlocked, g: &Blocked) -> Vec<String> {
    let mut d = Differences::default();
    d.same("CTA, warp and barrier", &(e.cta, e.warp, e.id), &(g.cta, g.warp, g.id));
    d.given("line", &e.line, g.place.line);
    d.given("arrived", &e.arrived.clone().map(sorted), sorted(g.arrived.iter().map(|a| a.warp).collect()));
    d.given("missing", &e.missing.clone().map(sorted), sorted(g.missing.iter().map(|m| m.warp).collect()));
    d.0
}

fn lanes(e: &ExpectLanes, g: &BlockedLanes) -> Vec<String> {
    let mut d = Differences::default();
    d.same(
        "CTA, warp, waiting and missing lanes",
        &(e.cta, e.warp, e.waiting, e.missing),
        &(g.cta, g.warp, g.waiting, g.missing),
    );
    d.0
}
