// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The table of the right kernels: the verdict of one run, and what an exploration executed.

use super::check::{repeat, Checked, Checker, Explored};
use super::page::{count, names, seconds, NONE};
use anyhow::Result;

/// The checks of a kernel; `None` for one that did not end within the limit.
pub struct Kernel {
    pub name: String,
    file: String,
    plain: Option<Checked>,
    explored: Option<Checked>,
    options: Vec<String>,
}

impl Kernel {
    /// Checks the launch file of a kernel, and once more with an exploration.
    ///
    /// # Errors
    /// As [`Checker::check`].
    pub fn new(checker: &Checker, (name, file): (&str, &str), schedules: u32) -> Result<Kernel> {
        let options = vec!["--schedules".to_string(), schedules.to_string()];
        let plain = checker.check(file, &[])?;
        let explored = checker.check(file, &options)?;
        Ok(Kernel { name: name.to_string(), file: file.to_string(), plain, explored, options })
    }

    fn exploration(&self) -> Option<Explored> {
        self.explored.as_ref().and_then(|checked| checked.report.explored())
    }

    fn is_proved(&self) -> bool {
        self.plain.as_ref().is_some_and(|checked| checked.report.is_proved())
    }

    /// What the command fails for: an error, or other results in a launch that is proved.
    pub fn failures(&self) -> Vec<String> {
        let mut failures = vec![];
        for (checked, options) in [(&self.plain, &[][..]), (&self.explored, &self.options)] {
            let Some(Checked { report, .. }) = checked else { continue };
            let command = repeat(&self.file, options);
            if report.errors > 0 {
                failures.push(format!("{}: {}: `{command}`", self.name, report.found().join(", ")));
            }
            if let Some(Explored { results, .. }) = report.explored().filter(|it| report.is_proved() && it.results > 1) {
                failures.push(format!("{}: proved, but {results} different results: `{command}`", self.name));
            }
        }
        failures
    }
}

/// A sentence with the main figures, and the table.
pub fn markdown(kernels: &[Kernel], limit: u64) -> String {
    let proved = count(kernels, Kernel::is_proved);
    let whole = count(kernels, |kernel| kernel.exploration().is_some_and(|explored| explored.complete));
    let others = kernels.iter().filter(|kernel| !kernel.is_proved()).filter_map(Kernel::exploration);
    let schedules: usize = others.clone().map(|explored| explored.runs).sum();
    let wrong = count(kernels, |kernel| !kernel.failures().is_empty());
    let is_late = |kernel: &&Kernel| kernel.plain.is_none() || kernel.explored.is_none();
    let late = names(kernels.iter().filter(is_late).map(|kernel| &kernel.name));
    let mut text = format!(
        "One run proves {proved} of {} kernels. {whole} explorations executed every order; those of the kernels that are not proved executed {schedules} \
         schedules. Kernels with an error: {wrong}. Not ended in {limit} s: {late}.\n\n",
        kernels.len()
    );
    text += "| kernel | verdict of one run | schedules | orders | every order | results | check, CPU s | with exploration |\n";
    text += "|---|---|---|---|---|---|---|---|\n";
    for kernel in kernels {
        let late = format!("not in {limit} s");
        let verdict = kernel.plain.as_ref().map_or(late.clone(), |checked| checked.report.verdict());
        let explored = match kernel.exploration() {
            Some(Explored { runs, orders, results, complete }) => {
                format!("{runs} | {orders} | {} | {results}", if complete { "yes" } else { "no" })
            }
            None => format!("{late} | {NONE} | {NONE} | {NONE}"),
        };
        let time = |checked: &Option<Checked>| seconds(checked.as_ref().map(|checked| checked.cpu_seconds), limit);
        let times = [&kernel.plain, &kernel.explored].map(time).join(" | ");
        text += &format!("| `{}` | {verdict} | {explored} | {times} |\n", kernel.name);
    }
    text
}
