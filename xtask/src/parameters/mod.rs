// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `verilog-out/parameters`: the named barriers in one text whose sizes are parameters, joined from exports of several sizes, and proved
//! equal to exports of others.

mod differing;
mod equal;
mod fit;
mod head;
mod join;
mod layout;
mod literal;
mod print;
mod text;

use crate::regen::write;
use anyhow::{bail, Context, Result};
use bcu_hw::verilog::{self, Options, Reset, PREFIX};
use bcu_hw::{catalog, config, export};
use bcu_isa::config::Config;
use fit::Sizes;
use std::fs;
use std::path::Path;
use xtask::pool;

/// The unit whose sizes become parameters.
const UNIT: &str = "named";
/// Sizes that are needed at least: with fewer, several formulas may give the same numbers.
const LEAST_SIZES: usize = 6;
/// The configurations from which the text is joined; they begin with this word.
const JOINED: &str = "joined_";
const FOLDER: &str = "xtask/parameters";
const FILE: &str = "verilog-out/parameters/bcu_named.v";
/// The primitives that [`FILE`] instantiates, as in each export.
const PRIMITIVES: &str = "verilog-out/parameters/bcu_prim.v";

#[derive(clap::Args)]
pub struct Args {
    /// Writes nothing, but proves that the committed text equals the exports of all sizes that are built in.
    #[arg(long)]
    check: bool,
}

pub fn run(root: &Path, args: &Args) -> Result<bool> {
    let path = root.join(FILE);
    if !args.check {
        let joined: Vec<Config> = sizes().into_iter().filter(|config| config.name.starts_with(JOINED)).collect();
        if joined.len() < LEAST_SIZES {
            bail!(
                "xtask was built without the configurations of {FOLDER}: run \
                 `BCU_CONFIGS=$(echo $PWD/{FOLDER}/*.toml | tr ' ' ':') cargo xtask parameters`"
            );
        }
        let exports = joined.iter().map(|config| Ok((sizes_of(config), separate(config)?))).collect::<Result<Vec<_>>>()?;
        fs::create_dir_all(path.parent().context("a folder")?)
            .with_context(|| format!("cannot create the folder of {FILE}"))?;
        write(&path, &join::joined(&head::head(), &head::check(), &exports)?)?;
        write(&root.join(PRIMITIVES), &primitives()?)?;
    }
    let text = committed(root)?;
    pool::end_with_me()?;
    let mut good = true;
    for config in sizes() {
        let Sizes { warps, lanes, ctas, barriers } = sizes_of(&config);
        let size = format!("{warps} warps of {lanes} lanes, {ctas} CTA slots of {barriers} barriers");
        match difference(root, &config, &text)? {
            None => println!("equal: {} ({size})", config.name),
            Some(log) => {
                good = false;
                println!("not equal: {} ({size}): {log}", config.name);
            }
        }
    }
    Ok(good)
}

/// The configurations that are built in and whose sizes the parameters can have, each size once.
fn sizes() -> Vec<Config> {
    let all = config::all().filter_map(|(name, _)| config::by_name(name)).filter(has_formula);
    let mut found: Vec<Config> = vec![];
    for config in all {
        if !found.iter().any(|known| sizes_of(known) == sizes_of(&config)) {
            found.push(config);
        }
    }
    found
}

/// The committed text, with its primitives.
fn committed(root: &Path) -> Result<String> {
    let read =
        |file| fs::read_to_string(root.join(file)).with_context(|| format!("cannot read {file}: run `cargo xtask parameters`"));
    Ok(read(PRIMITIVES)? + &read(FILE)?)
}

/// The file of the primitives of an export. It is the same at every size.
fn primitives() -> Result<String> {
    let small = config::by_name("small").context("the configuration `small` is not built in")?;
    let mut files = export::files(&small, UNIT, PREFIX)?.into_iter();
    let text = files.find_map(|(name, text)| PRIMITIVES.ends_with(&name).then_some(text));
    text.filter(|text| text.ends_with(&export::primitives(Reset::default()))).context("the export of `small` has no primitives")
}

/// Why the text at the size of a configuration is not equal to the export; `None`: it is.
fn difference(root: &Path, config: &Config, text: &str) -> Result<Option<String>> {
    equal::prove(root, &config.name, text, &export::text(config, UNIT)?, &sizes_of(config))
}

/// Whether the text has the parameters of this configuration: powers of two in the range of [`head::check`], and every part built.
fn has_formula(config: &Config) -> bool {
    let sizes = sizes_of(config);
    let in_range = head::is_in_range(&sizes) && sizes.values().iter().all(|value| value.is_power_of_two());
    let Config { reductions, faults, state_words, lose_faults, pack_lsb, .. } = config;
    in_range && config.has_named() && *reductions && *faults && *state_words && !lose_faults && *pack_lsb == 4
}

fn sizes_of(config: &Config) -> Sizes {
    let Config { warps, lanes, cta_slots, .. } = config;
    let [warps, lanes, ctas, barriers] = [*warps, *lanes, *cta_slots, config.ids()].map(|value| value as u64);
    Sizes { warps, lanes, ctas, barriers }
}

/// The text of a size with a module for each instance, so that all sizes have the same modules, and a port for each field, so that no width
/// is a sum.
fn separate(config: &Config) -> Result<String> {
    let unit = catalog::build(config, UNIT).with_context(|| format!("{} has no unit `{UNIT}`", config.name))?;
    let options =
        Options { separate: true, structures: false, primitives: true, initial_values: false, ..export::options(&*unit) };
    verilog::export(unit.block(), &options).map_err(|errors| anyhow::anyhow!("{}: {errors:?}", config.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_text_equals_the_exports_of_other_sizes() {
        let root = xtask::root();
        let text = committed(&root).unwrap();
        let others: Vec<Config> = sizes().into_iter().filter(|config| !config.name.starts_with(JOINED)).collect();
        assert!(others.len() >= 3, "{:?}", others.iter().map(|config| &config.name).collect::<Vec<_>>());
        for config in others {
            let wrong = difference(&root, &config, &text).unwrap();
            assert!(
                wrong.is_none(),
                "{} differs ({wrong:?}); after a change of `named` run `BCU_CONFIGS=$(echo $PWD/{FOLDER}/*.toml | tr ' ' ':') cargo xtask parameters`",
                config.name
            );
        }
    }

    #[test]
    fn verilator_has_no_warning_at_any_size() {
        let folder = xtask::root().join("verilog-out");
        for sizes in [[8, 4, 2, 8], [64, 8, 4, 16], [32, 32, 8, 16], [8, 16, 2, 4]] {
            let names = ["WARPS", "LANES", "CTAS", "BARRIERS"];
            let set = names.iter().zip(sizes).map(|(name, size)| format!("-G{name}={size}"));
            let mut lint = std::process::Command::new("verilator");
            lint.args(["--lint-only", "-Wall", "-Wpedantic", "--top-module", "bcu_named"]).args(set);
            let files = ["small/bcu.vlt", "default/bcu.vlt", "parameters/bcu_prim.v", "parameters/bcu_named.v"]
                .map(|file| folder.join(file));
            let done = lint.args(files).output().unwrap();
            assert!(done.status.success(), "{sizes:?}: {}", String::from_utf8_lossy(&done.stderr));
        }
    }

    #[test]
    fn the_primitives_are_those_of_the_exports() {
        assert_eq!(fs::read_to_string(xtask::root().join(PRIMITIVES)).unwrap(), primitives().unwrap());
    }

    #[test]
    fn a_fault_in_the_text_is_a_difference() {
        let root = xtask::root();
        let text = committed(&root).unwrap();
        let (sound, faulty) = ("current_scrub_slot_q == LastCtaSlot", "current_scrub_slot_q != LastCtaSlot");
        assert!(text.contains(sound));
        let small = config::by_name("small").map(|small| Config { name: "small_faulty".to_string(), ..small }).unwrap();
        assert!(difference(&root, &small, &text.replace(sound, faulty)).unwrap().is_some());
    }
}
