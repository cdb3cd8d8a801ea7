// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A report as text: verdict, faults, hang, generations, waits.

mod faults;
pub(crate) mod hang;
mod memory;
mod table;

use super::report::{Assumed, GatewayPhase, Generation, GridTotal, Report};
use super::sentence;
use super::sentence::place::number;
use bcu_program::launch::{kernel_title, shortened};
use hang::write_hang;
use memory::write_memory;
pub use memory::WordType;
use std::fmt;
use table::{lines, table};

/// The other columns of the tables with names of kernels, and the columns that a shortened name has at least.
const GRID_COLUMNS: usize = 58;
const WARP_COLUMNS: usize = 56;
const SHORTEST_NAME: usize = 16;

/// What the text of a report contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The type of the words of shared memory; `None`: the text has only their number.
    pub shared: Option<WordType>,
    /// The columns of the terminal. Long names of kernels are shortened to fit; `None`: they are complete.
    pub columns: Option<usize>,
}

/// A report with its view. With `{}` long lists are cut; with `{:#}` they are complete.
pub struct Viewed<'a> {
    report: &'a Report,
    view: View,
}

impl Report {
    /// The text of the report, which has several lines, each with a line end.
    pub fn view(&self, view: View) -> Viewed<'_> {
        Viewed { report: self, view }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(&self.view(View { shared: Some(WordType::Unsigned), columns: None }), f)
    }
}

impl Viewed<'_> {
    /// The name of a kernel, demangled, and shortened if the line has `others` other columns of characters.
    fn name(&self, name: &str, others: usize) -> String {
        let title = kernel_title(name);
        match self.view.columns {
            Some(columns) => shortened(&title, columns.saturating_sub(others).max(SHORTEST_NAME)),
            None => title,
        }
    }
}

impl fmt::Display for Viewed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (viewed, view) = (self, self.view);
        self.report.write(f, viewed, view)
    }
}

impl Report {
    fn write(&self, f: &mut fmt::Formatter, viewed: &Viewed, view: View) -> fmt::Result {
        let verdict = self.verdict.name();
        let engine = self.engine.map_or(String::new(), |engine| format!("engine {engine}, "));
        writeln!(f, "verdict: {verdict} after {} cycles ({engine}policy {}, seed {})", self.cycles, self.policy, self.seed)?;
        if !self.grids.is_empty() {
            writeln!(f, "\ngrids")?;
            let heads = ["grid", "kernel", "CTAs", "first CTA in cycle", "ended in cycle"].map(String::from);
            table(f, &heads, &self.grids.iter().map(|g| grid(g, viewed)).collect::<Vec<_>>())?;
        }
        lines(f, &faults::texts(&self.faults))?;
        lines(f, &self.misuses.iter().map(faults::misuse).collect::<Vec<_>>())?;
        if let Some(hang) = &self.hang {
            write_hang(f, hang)?;
        }
        if !self.generations.is_empty() {
            writeln!(f, "\nbarrier generations, in the order of release")?;
            // The column with results is omitted if no generation is a reduction.
            let reduced = self.generations.iter().any(|g| g.reduction.is_some());
            let heads = [
                "CTA",
                "barrier",
                "gen",
                "wanted",
                "released",
                "result",
                "arrivals: warp form@cycle (line)",
                "waited: warp=cycles",
            ];
            let shown = |cells: Vec<String>| {
                cells.into_iter().enumerate().filter(|(i, _)| reduced || *i != 5).map(|(_, c)| c).collect()
            };
            let rows: Vec<Vec<String>> = self.generations.iter().map(|g| shown(generation(g))).collect();
            table(f, &shown(heads.map(String::from).to_vec()), &rows)?;
        }
        if !self.phases.is_empty() {
            writeln!(f, "\nphases of named barriers, in the order of completion")?;
            let heads = [
                "CTA",
                "barrier",
                "phase",
                "producers",
                "consumers",
                "completed",
                "signals: warp type@cycle (line)",
                "waited: warp=cycles",
            ];
            table(f, &heads.map(String::from), &self.phases.iter().map(phase).collect::<Vec<_>>())?;
        }
        for Assumed { place, branch, times_true, times_false } in &self.assumed {
            let what = if *branch { "taken" } else { "executed" };
            let place = sentence::place(place);
            writeln!(
                f,
                "\nassumed at {place}: {what} {times_true} times, not {what} {times_false} times; the real outcome is unknown"
            )?;
        }
        write_memory(f, &self.memory, view.shared)?;
        if self.lost_faults > 0 {
            writeln!(f, "\nfaults lost because the fault queue was full: {}", self.lost_faults)?;
        }
        for unknown in &self.unknown_buffers {
            writeln!(f, "\nunknown: {unknown}")?;
        }
        if self.unknown_stores > 0 {
            let stores = self.unknown_stores;
            writeln!(f, "\nmemory is unknown: {stores} stores by lanes had unknown addresses")?;
        }
        if !self.warps.is_empty() {
            writeln!(f, "\nwarps")?;
            let several = self.warps.iter().any(|w| w.multiprocessor.is_some());
            let exit = |cycle: Option<u64>| cycle.map_or("-".to_string(), |c| c.to_string());
            let row = |w: &super::report::WarpTotal| {
                let sm = if several { vec![w.multiprocessor.map_or("-".to_string(), |sm| sm.to_string())] } else { vec![] };
                let totals = vec![
                    w.warp.to_string(),
                    viewed.name(&w.program, WARP_COLUMNS),
                    w.steps.to_string(),
                    w.waited.to_string(),
                    exit(w.exited),
                ];
                [vec![w.cta.to_string()], sm, totals].concat()
            };
            let rows: Vec<Vec<String>> = self.warps.iter().map(row).collect();
            let heads = ["CTA", "multiprocessor", "warp", "program", "steps", "cycles waited", "exit in cycle"];
            let heads = heads.into_iter().filter(|head| several || *head != "multiprocessor").map(String::from);
            table(f, &heads.collect::<Vec<_>>(), &rows)?;
        }
        Ok(())
    }
}

fn grid(g: &GridTotal, viewed: &Viewed) -> Vec<String> {
    let cycle = |cycle: Option<u64>| cycle.map_or("-".to_string(), |cycle| cycle.to_string());
    let ctas = match g.ctas {
        1 => g.first_cta.to_string(),
        ctas => format!("{}-{}", g.first_cta, g.first_cta + ctas - 1),
    };
    vec![g.grid.to_string(), viewed.name(&g.kernel, GRID_COLUMNS), ctas, cycle(g.began), cycle(g.ended)]
}

fn generation(g: &Generation) -> Vec<String> {
    let arrival =
        |a: &super::report::Arrival| format!("{} {}@{} ({})", a.warp, sentence::form(a.form), a.cycle, number(&a.place));
    let mut arrivals: Vec<String> = g.arrivals.iter().map(arrival).collect();
    if g.restored > 0 {
        arrivals.push(format!("{} restored", g.restored));
    }
    arrivals.extend(g.exited.map(|w| format!("{w} exit")));
    let waits: Vec<String> = g.waits.iter().map(|w| format!("{}={}", w.warp, w.cycles)).collect();
    let wanted = g.threads.map_or("all".to_string(), |t| format!("{t} threads"));
    let result = g.reduction.zip(g.value).map_or("-".to_string(), |(reduction, value)| format!("{reduction} = {value}"));
    vec![
        g.cta.to_string(),
        g.id.to_string(),
        g.number.to_string(),
        wanted,
        g.released.to_string(),
        result,
        arrivals.join(", "),
        if waits.is_empty() { "-".to_string() } else { waits.join(", ") },
    ]
}

fn phase(p: &GatewayPhase) -> Vec<String> {
    let signal =
        |s: &super::report::Signal| format!("{} {}@{} ({})", s.warp, sentence::role(s.role), s.cycle, number(&s.place));
    let signals: Vec<String> = p.signals.iter().map(signal).collect();
    let waits: Vec<String> = p.waits.iter().map(|w| format!("{}={}", w.warp, w.cycles)).collect();
    let numbers = [p.cta as u64, p.id.into(), p.number as u64, p.producers.into(), p.consumers.into(), p.completed];
    let waits = if waits.is_empty() { "-".to_string() } else { waits.join(", ") };
    [numbers.map(|number| number.to_string()).to_vec(), vec![signals.join(", "), waits]].concat()
}
