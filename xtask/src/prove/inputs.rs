// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The input of SymbiYosys for each job: the properties, the sizes, and the unit, mutated or not. The unit is exported, or hand-written.

use super::job::Job;
use super::table::Proof;
use super::{channels, pins, table};
use anyhow::{Context, Result};
use bcu_hw::unit::latency;
use bcu_hw::{catalog, export, verilog};
use bcu_isa::config::Config;
use bcu_isa::ports::Port;
use bcu_isa::units;
use std::collections::btree_map::{BTreeMap, Entry};
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The endings of the files of `tb/proofs` that SymbiYosys reads.
const ENDINGS: [&str; 4] = ["sby", "sv", "v", "vh"];

/// An exported unit.
struct Export {
    top: String,
    text: String,
    ports: Vec<Port>,
}

/// The texts from which the input files of all jobs are made.
pub struct Inputs {
    /// `proofs.toml`.
    pub table: String,
    /// The files of `tb/proofs` that SymbiYosys reads, by name.
    files: BTreeMap<String, String>,
    /// The Verilog files of `verilog-out/common`, by name.
    common: BTreeMap<String, String>,
    /// The exported units that were needed so far, by configuration and unit.
    exports: Mutex<BTreeMap<(String, String), Arc<Export>>>,
}

impl Inputs {
    /// Reads `tb/proofs` and `verilog-out/common`.
    pub fn read(root: &Path) -> Result<Inputs> {
        let folder = root.join("tb/proofs");
        let (files, common) = (texts(&folder, &ENDINGS)?, texts(&root.join("verilog-out/common"), &["v"])?);
        Ok(Inputs { table: text_of(&folder.join("proofs.toml"))?, files, common, exports: Mutex::default() })
    }

    /// The text of a hand-written unit: its files, one after the other.
    pub fn common_text(&self, proof: &Proof) -> Result<String> {
        let file = |name: &String| {
            let missing =
                || format!("proof {}: verilog-out/common has no {name}; correct `common` in tb/proofs/proofs.toml", proof.name);
            self.common.get(name).map(String::as_str).with_context(missing)
        };
        proof.common.iter().map(file).collect()
    }

    /// The files of a job, by name. A proof of a hand-written unit has no files that follow from a port table.
    pub fn of(&self, job: &Job) -> Result<BTreeMap<String, String>> {
        let config = table::config_of(job.task)
            .with_context(|| format!("task {}: its name does not begin with a configuration", job.name))?;
        let text_with = |text: &str, in_second_unit: bool| match job.mutant {
            Some(mutant) if mutant.in_second_unit == in_second_unit => table::mutated(text, mutant),
            _ => Ok(text.to_string()),
        };
        let mut files = self.files.clone();
        files.insert("sizes.vh".to_string(), sizes(&config));
        if !job.proof.common.is_empty() {
            files.insert("unit.v".to_string(), text_with(&self.common_text(job.proof)?, false)?);
            Self::leave_only_property(job, &mut files)?;
            return Ok(files);
        }
        let unit = self.export(job, &config, &job.proof.unit)?;
        files.insert("unit.v".to_string(), text_with(&unit.text, false)?);
        if let Some(second_unit) = &job.proof.second_unit {
            let second_unit = self.export(job, &config, second_unit)?;
            files.insert("beside.v".to_string(), text_with(&second_unit.text, true)?);
        }
        Self::leave_only_property(job, &mut files)?;
        let falters = job.mutant.and_then(|mutant| mutant.falters.as_deref());
        files.insert("channels.sv".to_string(), channels::checker(&unit.top, &unit.ports, falters));
        files.extend(pins::files(&job.proof.unit, &unit.top, &unit.ports));
        Ok(files)
    }

    /// Leaves to the job of a mutant only the property that must fail.
    fn leave_only_property(job: &Job, files: &mut BTreeMap<String, String>) -> Result<()> {
        let Some(mutant) = job.mutant else { return Ok(()) };
        let name = format!("{}.sby", job.proof.file());
        let script = files.get(&name).with_context(|| format!("proof {}: tb/proofs has no {name}", job.proof.name))?;
        let alone = table::alone(script, &mutant.fails);
        files.insert(name, alone);
        Ok(())
    }

    /// Writes the files of a job into the empty folder `work`.
    pub fn write(&self, job: &Job, work: &Path) -> Result<()> {
        if work.exists() {
            fs::remove_dir_all(work).with_context(|| format!("cannot empty {}", work.display()))?;
        }
        fs::create_dir_all(work).with_context(|| format!("cannot create {}", work.display()))?;
        for (name, text) in self.of(job)? {
            let path = work.join(name);
            fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }

    /// A CRC of `proofs.toml` and of all files of the jobs. It differs if a property, an assumption or the exported Verilog has changed.
    pub fn checksum(&self, jobs: &[&Job]) -> Result<String> {
        let mut crc = crc32fast::Hasher::new();
        crc.update(self.table.as_bytes());
        for job in jobs {
            crc.update(job.name.as_bytes());
            for (name, text) in self.of(job)? {
                crc.update(name.as_bytes());
                crc.update(text.as_bytes());
            }
        }
        Ok(format!("{:08x}", crc.finalize()))
    }

    /// Appends a text to a file of `tb/proofs`, as an edit would.
    #[cfg(test)]
    pub fn append(&mut self, name: &str, text: &str) {
        self.files.get_mut(name).unwrap().push_str(text);
    }

    fn export(&self, job: &Job, config: &Config, name: &str) -> Result<Arc<Export>> {
        let mut exports = self.exports.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(match exports.entry((config.name.to_string(), name.to_string())) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(vacant) => {
                let unit = catalog::build(config, name).with_context(|| {
                    format!("proof {}: `{name}` is not a unit; the units are {}", job.proof.name, units::UNITS.join(", "))
                })?;
                let (top, text) = (verilog::Options::new(unit.name()).top, export::text(config, name)?);
                vacant.insert(Arc::new(Export { top, text, ports: unit.ports() })).clone()
            }
        })
    }
}

fn text_of(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The files of a folder that have one of these endings, by name.
fn texts(folder: &Path, endings: &[&str]) -> Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| endings.iter().any(|of| ending == *of)) {
            files.insert(path.file_name().unwrap_or_default().to_string_lossy().into_owned(), text_of(&path)?);
        }
    }
    Ok(files)
}

/// The sizes of the configuration and the latencies of the contract, for the properties.
fn sizes(config: &Config) -> String {
    let bits = |values: usize| (usize::BITS - values.saturating_sub(1).leading_zeros()).max(1) as usize;
    let list = [
        ("W", config.warps),
        ("LW", bits(config.warps)),
        ("C", config.cta_slots),
        ("LC", bits(config.cta_slots)),
        ("CW", bits(config.warps + 1)),
        ("VW", bits(config.lanes + 1)),
        ("I", config.ids()),
        ("LANES", config.lanes),
        ("OUTSTANDING", config.max_outstanding),
        ("LOSES", usize::from(config.lose_faults)),
        ("X", config.mbarrier_objects),
        ("XI", bits(config.mbarrier_objects)),
        ("XW", bits(config.smem_bytes / 8)),
        ("XL", config.limit_bits),
        ("SMEM", config.smem_bytes),
        ("KC", bits(config.cluster_slots)),
        ("KG", bits(config.grid_slots)),
        ("SMS", config.sms),
        ("REMOTE", config.max_remote),
        // Cycles from a transfer into `named` to its effect, which is one cycle before the release.
        // Operations of two pipeline slots take one cycle more.
        ("EFFECT", latency::NAMED_RELEASE as usize - 1),
        ("EFFECT_LONG", latency::NAMED_EXIT_RELEASE as usize - 1),
    ];
    list.iter().map(|(name, value)| format!("`define {name} {value}\n")).collect()
}
