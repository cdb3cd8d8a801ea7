// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The exported unit in Yosys: its modules, the list of single faults, and one netlist in which an input selects the fault.

use crate::circuit::yosys;
use anyhow::{bail, Context, Result};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Input of the mutated netlist that selects a fault; the value 0 selects none.
pub const SELECT: &str = "mutant";
/// The width of [`SELECT`].
pub const SELECT_BITS: usize = 16;
/// The module of the whole unit.
pub const TOP: &str = "bcu";

/// A module of the export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    pub name: String,
    pub cells: usize,
    /// Modules of which this module has instances.
    pub children: BTreeSet<String>,
}

/// A single fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// The id of the fault: `<module>/<number in the module>`.
    pub id: String,
    /// The value of [`SELECT`] that selects the fault.
    pub select: u64,
    pub module: String,
    /// The arguments of Yosys' `mutate`.
    pub change: String,
    /// The wire and the source location that the fault affects, in the notation of `mutate`.
    pub source: String,
}

/// The modules and faults of an export, and the folder of the generated files.
pub struct Netlist {
    folder: PathBuf,
    /// The module of the exported unit.
    top: String,
    pub modules: BTreeMap<String, Module>,
    pub mutants: Vec<Mutant>,
}

impl Netlist {
    /// Lists `count` faults in the modules of `text` that are `top` or below it and whose names are in `wanted` (empty: all modules). Puts
    /// all of these faults into one netlist.
    pub fn new(text: &str, top: &str, wanted: &[String], count: usize, seed: u64, folder: &Path) -> Result<Netlist> {
        fs::write(folder.join("unit.v"), text).with_context(|| format!("cannot write into {}", folder.display()))?;
        let stat = folder.join("stat.json");
        if !stat.is_file() {
            // If a module has the attribute `top`, `stat -json` also prints the hierarchy as a
            // tree, which is not JSON.
            let count = "setattr -mod -unset top\ntee -q -o stat.new stat -json";
            yosys(folder, "base", &format!("read_verilog unit.v\nprep -top {top}\nwrite_rtlil base.il\n{count}\n"))?;
            fs::rename(folder.join("stat.new"), &stat)?;
        }
        let modules = modules(&fs::read_to_string(&stat)?)?;
        let chosen: Vec<&Module> = modules.values().filter(|m| wanted.is_empty() || wanted.contains(&m.name)).collect();
        for name in wanted {
            if !modules.contains_key(name) {
                let names: Vec<&str> = modules.keys().map(String::as_str).collect();
                bail!("`{name}`: unknown module; the modules are {}", names.join(", "));
            }
        }
        let mut netlist =
            Netlist { folder: folder.to_path_buf(), top: top.to_string(), mutants: vec![], modules: modules.clone() };
        netlist.list(&chosen, count, seed)?;
        if !folder.join("mutated.il").is_file() {
            let apply = |m: &Mutant| format!("mutate -ctrl {SELECT} {SELECT_BITS} {} {}\n", m.select, m.change);
            let mutations: String = netlist.mutants.iter().map(apply).collect();
            yosys(folder, "apply", &format!("read_rtlil base.il\n{mutations}write_rtlil mutated.new\n"))?;
            fs::rename(folder.join("mutated.new"), folder.join("mutated.il"))?;
        }
        Ok(netlist)
    }

    fn list(&mut self, chosen: &[&Module], count: usize, seed: u64) -> Result<()> {
        let shares = shares(&chosen.iter().map(|m| m.cells).collect::<Vec<_>>(), count);
        let file = |name: &str| self.folder.join(format!("{name}.list"));
        if !chosen.iter().all(|m| file(&m.name).is_file()) {
            // Yosys lists a few more faults than needed, because `split` leaves some of them out.
            let mutate_module = |(m, n): (&&Module, &usize)| {
                format!("mutate -list {} -seed {seed} -module {name} -o {name}.list\n", n + n / 4 + 4, name = m.name)
            };
            let commands: String = chosen.iter().zip(&shares).map(mutate_module).collect();
            yosys(&self.folder, "list", &format!("read_rtlil base.il\n{commands}"))?;
        }
        for (module, share) in chosen.iter().zip(shares) {
            let text = fs::read_to_string(file(&module.name))?;
            for (change, source) in text.lines().filter_map(split).take(share) {
                let (number, select) = (self.count_of(&module.name) + 1, self.mutants.len() as u64 + 1);
                let id = format!("{}/{number}", module.name);
                self.mutants.push(Mutant { id, select, module: module.name.clone(), change, source });
            }
        }
        if self.mutants.len() >= 1 << SELECT_BITS {
            bail!("{} faults; expected at most {} in one netlist", self.mutants.len(), (1 << SELECT_BITS) - 1);
        }
        Ok(())
    }

    /// The number of faults in a module.
    pub fn count_of(&self, module: &str) -> usize {
        self.mutants.iter().filter(|m| m.module == module).count()
    }

    /// The module `top` and all modules below it.
    pub fn below(&self, top: &str) -> BTreeSet<String> {
        let mut modules_below = BTreeSet::new();
        let mut open_modules = vec![top.to_string()];
        while let Some(name) = open_modules.pop() {
            if let Some(module) = self.modules.get(&name) {
                open_modules.extend(module.children.iter().cloned());
            }
            modules_below.insert(name);
        }
        modules_below
    }

    /// `module`, and then the modules that contain all of its instances, the smallest first. The
    /// list ends with the first exported unit.
    pub fn around(&self, module: &str, units: &[String]) -> Vec<String> {
        let holds =
            |name: &&String| name.as_str() != module && self.below(name).contains(module) && !self.reaches(module, name);
        let mut scopes: Vec<String> = self.modules.keys().filter(holds).cloned().collect();
        scopes.sort_by_key(|name| self.below(name).len());
        scopes.insert(0, module.to_string());
        let unit_position = scopes.iter().position(|name| units.contains(name) || *name == self.top);
        scopes.truncate(unit_position.map_or(scopes.len(), |end| end + 1));
        scopes
    }

    /// Whether the exported unit has an instance of `module` outside the module `around`.
    fn reaches(&self, module: &str, around: &str) -> bool {
        let (mut visited, mut open_modules) = (BTreeSet::new(), vec![self.top.as_str()]);
        while let Some(name) = open_modules.pop() {
            if name == module {
                return true;
            }
            if name != around && visited.insert(name) {
                open_modules.extend(self.modules.get(name).iter().flat_map(|m| &m.children).map(String::as_str));
            }
        }
        false
    }

    /// The module `top` with the faults in it and below it, as Verilog text. Modules without a fault keep the exported text, because
    /// Verilator 5.006 generates wrong code from some of Yosys' texts.
    pub fn verilog(&self, top: &str) -> Result<String> {
        let name = format!("{top}.mutated.v");
        let path = self.folder.join(&name);
        if !path.is_file() {
            let (faulty, plain): (Vec<String>, Vec<String>) =
                self.below(top).into_iter().partition(|name| self.is_faulty(name));
            // Verilator 5.006 also generates wrong code for a vector whose bits have different drivers; the hubs have such vectors.
            // `splitnets` avoids that.
            let split = if self.top == TOP { "" } else { "splitnets\n" };
            let write = format!("{split}select {}\nwrite_verilog -noattr -selected {name}.yosys", faulty.join(" "));
            yosys(&self.folder, &format!("verilog-{top}"), &format!("read_rtlil mutated.il\nhierarchy -top {top}\n{write}\n"))?;
            let read = |file: &str| fs::read_to_string(self.folder.join(file)).with_context(|| format!("cannot read {file}"));
            let text = read(&format!("{name}.yosys"))? + &only(&read("unit.v")?, &plain);
            fs::write(self.folder.join(format!("{name}.new")), text).with_context(|| format!("cannot write {name}"))?;
            fs::rename(self.folder.join(format!("{name}.new")), &path)?;
        }
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    }

    /// Whether there is a fault in this module or below it.
    fn is_faulty(&self, module: &str) -> bool {
        self.below(module).iter().any(|name| self.count_of(name) > 0)
    }

    /// The module `top` with the faults in it and below it, flattened, as an and-inverter graph in ASCII AIGER with symbols.
    pub fn gates(&self, top: &str) -> Result<String> {
        let path = self.folder.join(format!("{top}.gates"));
        if !path.is_file() {
            let map_gates = "memory_map\nopt_expr\ndffunmap\ntechmap\nsimplemap\nopt_expr\nabc -g AND -fast\nopt_clean";
            let write = format!("write_aiger -ascii -symbols {top}.gates.new");
            let script = format!("read_rtlil mutated.il\nhierarchy -top {top}\nflatten\n{map_gates}\n{write}\n");
            yosys(&self.folder, &format!("gates-{top}"), &script)?;
            fs::rename(self.folder.join(format!("{top}.gates.new")), &path)?;
        }
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    }
}

/// The text without the modules whose names are not in `modules`; lines between modules remain.
fn only(text: &str, modules: &[String]) -> String {
    let mut inside = true;
    let keep = |line: &&str| {
        if let Some(rest) = line.strip_prefix("module ") {
            inside = modules.iter().any(|name| rest.split([' ', '(', ';']).next() == Some(name));
        }
        let was_inside = inside;
        inside |= line.starts_with("endmodule");
        was_inside
    };
    text.lines().filter(keep).map(|line| format!("{line}\n")).collect()
}

/// The number of faults for each module, from the numbers of cells. Half of the faults are spread
/// evenly, so that every module has one; half are spread in proportion to the cells.
fn shares(cells: &[usize], count: usize) -> Vec<usize> {
    let total: usize = cells.iter().sum::<usize>().max(1);
    let even = (count / 2 / cells.len().max(1)).max(1);
    let remainder = count.saturating_sub(even * cells.len());
    let mut shares: Vec<usize> = cells.iter().map(|c| even + remainder * c / total).collect();
    let given: usize = shares.iter().sum();
    let places = shares.len().max(1);
    (0..count.saturating_sub(given)).for_each(|more| shares[more % places] += 1);
    shares
}

/// Splits a line of `mutate -list` into the change, and the wire and source location that the
/// change affects; `None` for a fault that is left out. Faults of clocks are left out, because a
/// clock is not logic. Faults of the resets of read ports are left out, because Yosys adds these
/// resets to every memory and nothing drives them. Faults of the enables of read ports are left out,
/// because Yosys needs constant enables.
fn split(line: &str) -> Option<(String, String)> {
    let line = line.strip_prefix("mutate ")?;
    let at = [" -wire ", " -src "].iter().filter_map(|mark| line.find(mark)).min().unwrap_or(line.len());
    let (change, source) = line.split_at(at);
    let mut words = change.split(' ');
    let port = words.find(|w| *w == "-port").and_then(|_| words.next()).unwrap_or_default();
    let clock = port == "clock" || port.to_ascii_uppercase().ends_with("CLK");
    let unused = ["RD_EN", "RD_SRST", "RD_ARST"].contains(&port);
    (!clock && !unused).then(|| (change.to_string(), source.trim().to_string()))
}

/// The modules with their numbers of cells and their instances, from the output of `stat -json`.
fn modules(stat: &str) -> Result<BTreeMap<String, Module>> {
    #[derive(Deserialize)]
    struct Stat {
        modules: BTreeMap<String, Counts>,
    }
    #[derive(Deserialize)]
    struct Counts {
        num_cells: usize,
        num_cells_by_type: BTreeMap<String, usize>,
    }
    // Yosys 0.23 leaves a comma after the last module.
    let stat: Stat = serde_json::from_str(&stat.replace("},\n\n}", "}\n}"))
        .context("`stat -json` of Yosys has another form: Debian 12's Yosys 0.23 is needed")?;
    let plain = |name: &str| name.trim_start_matches('\\').to_string();
    let module = |(name, counts): (String, Counts)| {
        let children = counts.num_cells_by_type.keys().filter(|cell| cell.starts_with(TOP)).map(|cell| plain(cell)).collect();
        (plain(&name), Module { name: plain(&name), cells: counts.num_cells, children })
    };
    Ok(stat.modules.into_iter().map(module).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_module_gets_a_share_and_large_ones_more() {
        let shares = shares(&[2, 50, 0, 100], 100);
        assert_eq!(shares.iter().sum::<usize>(), 100);
        assert!(shares[2] >= 12 && shares[3] > shares[1] && shares[1] > shares[0], "{shares:?}");
        assert_eq!(super::shares(&[1, 1, 1], 2), [1, 1, 1]);
    }

    #[test]
    fn of_a_text_only_the_named_modules_are_left_and_what_stands_between() {
        let text = "`default_nettype none\nmodule a (\n  input b\n);\nendmodule\n// c\nmodule ab (\n);\nendmodule\n`default_nettype wire\n";
        let without = "`default_nettype none\n// c\nmodule ab (\n);\nendmodule\n`default_nettype wire\n";
        assert_eq!(only(text, &["ab".to_string()]), without);
        assert_eq!(only(text, &["a".to_string(), "ab".to_string()]), text);
    }

    #[test]
    fn around_a_module_is_what_holds_all_its_instances() {
        let module = |name: &str, children: &[&str]| {
            let children = children.iter().map(ToString::to_string).collect();
            (name.to_string(), Module { name: name.to_string(), cells: 1, children })
        };
        let list = [
            module(TOP, &["bcu_named", "bcu_mem_order"]),
            module("bcu_named", &["bcu_operands", "bcu_results", "bcu_ram"]),
            module("bcu_operands", &["bcu_coded"]),
            module("bcu_results", &["bcu_coded"]),
            module("bcu_coded", &[]),
            module("bcu_mem_order", &["bcu_ram"]),
            module("bcu_ram", &[]),
        ];
        let netlist = Netlist { folder: PathBuf::new(), top: TOP.to_string(), modules: list.into(), mutants: vec![] };
        let units = ["bcu_named", "bcu_mem_order"].map(String::from);
        let around = |module: &str| netlist.around(module, &units).join(" ");
        assert_eq!(around("bcu_coded"), "bcu_coded bcu_named");
        assert_eq!(around("bcu_operands"), "bcu_operands bcu_named");
        assert_eq!(around("bcu_ram"), "bcu_ram bcu");
        assert_eq!((around("bcu_mem_order"), around(TOP)), ("bcu_mem_order".to_string(), TOP.to_string()));
    }

    #[test]
    fn faults_of_clocks_and_of_resets_that_nothing_drives_are_left_out() {
        let line = |port: &str| {
            format!("mutate -mode inv -module m -cell $a$1 -port {port} -portbit 0 -wire w -wirebit 0 -src f.v:1.1-1.2")
        };
        assert_eq!((split(&line("CLK")), split(&line("RD_CLK")), split(&line("clock"))), (None, None, None));
        assert_eq!((split(&line("RD_SRST")), split(&line("RD_ARST"))), (None, None));
        let (change, source) = split(&line("A")).unwrap();
        assert_eq!(change, "-mode inv -module m -cell $a$1 -port A -portbit 0");
        assert_eq!(source, "-wire w -wirebit 0 -src f.v:1.1-1.2");
    }
}
