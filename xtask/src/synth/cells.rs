// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The flow on standard cells: area in gates. Memories are excluded, because the cell package has no memory compiler.

use anyhow::{bail, Context, Result};
use std::fs;
use std::path::Path;

/// The cells of Oklahoma State University for TSMC's 0.18 um, typical corner.
pub const LIBRARY: &str = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib";
/// The cell whose area is one gate.
const GATE: &str = "NAND2X1";

/// Fails with installation instructions if the cell library is missing.
pub fn ready() -> Result<()> {
    if !Path::new(LIBRARY).exists() {
        bail!("{LIBRARY} is missing: apt-get install qflow-tech-osu018");
    }
    Ok(())
}

/// The Yosys script. It has the steps of the command `synth` with two differences: it keeps memories, and it counts them before their ports
/// are mapped. `read` has the commands that read the unit.
pub fn script(stem: &str, read: &str, top: &str) -> String {
    format!(
        "{read}; hierarchy -check -top {top}; proc; flatten; opt_clean; tee -o {stem}.mem stat; synth -run coarse:fine; \
         opt -fast -full; opt -undriven -fine; techmap; opt -fast; dfflibmap -liberty {LIBRARY}; abc -liberty {LIBRARY}; opt_clean; \
         tee -o {stem}.stat stat -liberty {LIBRARY}"
    )
}

/// The area in gates, rounded.
pub fn gates(stat: &str) -> Result<usize> {
    let library = fs::read_to_string(LIBRARY).with_context(|| format!("cannot read {LIBRARY}"))?;
    let area = number_after(stat, "Chip area for module").with_context(|| "yosys printed no area".to_string())?;
    let (_, cell) = library.split_once(&format!("cell ({GATE})")).with_context(|| format!("{LIBRARY} has no {GATE}"))?;
    let gate =
        number_after(cell, "area").filter(|area| *area > 0.0).with_context(|| format!("{GATE} has no area in {LIBRARY}"))?;
    Ok((area / gate).round() as usize)
}

/// Total number of bits of all memories.
pub fn memory_bits(stat: &str) -> Result<usize> {
    number_after(stat, "Number of memory bits").map(|bits| bits as usize).context("yosys counted no memories")
}

/// The number after the first colon that follows `words` on the same line.
fn number_after(text: &str, words: &str) -> Option<f64> {
    let line = text.split_once(words)?.1.lines().next()?;
    line.split_once(':')?.1.trim().trim_end_matches(';').trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_where_they_stand() {
        let stat = "   Number of memory bits:           8064\n   Chip area for module '\\bcu_named': 204230.000000\n";
        assert_eq!(memory_bits(stat).ok(), Some(8064));
        assert_eq!(number_after(stat, "Chip area for module"), Some(204230.0));
        assert_eq!(number_after("cell (NAND2X1) {\narea : 24;\n", "area"), Some(24.0));
        assert!(memory_bits("nothing").is_err());
    }
}
