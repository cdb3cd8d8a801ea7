// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The critical path of a design that was measured, with the names of its source text.

use super::flow::{Exported, Flow};
use super::measured::Figures;
use super::path::{Blocks, Names};
use super::place::report_file;
use anyhow::{Context, Result};
use std::fs;

impl Flow {
    /// The critical path of the middle seed; `None` on standard cells and if the design does not fit. `name`: unit or module, in the
    /// table. `at`: the configuration or parameters. `blocks`: the blocks of the units; `None` for a design in Verilog.
    pub fn critical_path(
        &self,
        design: &Exported,
        (name, at): (&str, &str),
        figures: &Figures,
        blocks: Option<&Blocks>,
    ) -> Result<Option<String>> {
        let Some(seed) = figures.median_seed() else { return Ok(None) };
        let Exported { stem, top, .. } = design;
        let read = |file: String| fs::read_to_string(self.work.join(&file)).with_context(|| format!("cannot read {file}"));
        let modules = self.modules(stem, top, &design.reading(self.style()).0)?;
        let names = Names::read(top, name, &modules, &read(format!("{stem}.json"))?, blocks)?;
        let table = names.table(&read(report_file(stem, seed))?)?;
        let head = format!("Critical path of {name}{at} on {:?}, seed {seed}", self.device);
        Ok(Some(table.map_or(format!("{head}: no path between registers\n"), |table| format!("{head}: {table}"))))
    }
}
