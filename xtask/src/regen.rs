// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Writes the generated files of the tree; tests in other crates compare them with newly generated ones.

use anyhow::{bail, Context, Result};
use bcu_hw::verilog::PREFIX;
use bcu_hw::{catalog, config, export};
use bcu_machine::check::{markdown, TABLE_BEGIN, TABLE_END};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Writes `verilog-out/`, `docs/contract/isa.md`, `docs/guide/opcodes.md`, the code table of `docs/guide/check.md`, the reset times of
/// `docs/guide/integrate.md`, the port table of `docs/contract/ports.md`, the timelines of `docs/pictures`, and the pictures of
/// `docs/contract/timing`. Prints which files changed.
pub fn run(root: &Path) -> Result<bool> {
    let list = root.join("verilog-out/committed.toml");
    let text = fs::read_to_string(&list).with_context(|| format!("cannot read {}", list.display()))?;
    let committed: BTreeMap<String, String> = toml::from_str(&text).with_context(|| list.display().to_string())?;
    for (name, unit) in &committed {
        let config = config::by_name(name).with_context(|| format!("{}: no configuration `{name}`", list.display()))?;
        let folder = root.join("verilog-out").join(name);
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let files = export::files(&config, unit, PREFIX)?;
        for (file, text) in &files {
            write(&folder.join(file), text)?;
        }
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let path = entry?.path();
            if !files.iter().any(|(file, _)| path.ends_with(file)) {
                fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
                println!("removed {}", path.display());
            }
        }
    }
    testbenches(root)?;
    write(&root.join("docs/contract/isa.md"), &bcu_isa::doc::markdown())?;
    write(&root.join("docs/guide/opcodes.md"), &bcu_program::ptx::opcode_page())?;
    let check = root.join("docs/guide/check.md");
    let text = fs::read_to_string(&check).context("cannot read docs/guide/check.md")?;
    write(
        &check,
        &between(&text, TABLE_BEGIN, TABLE_END, &markdown()).context("docs/guide/check.md lacks the markers of its table")?,
    )?;
    let integrate = root.join("docs/guide/integrate.md");
    let text = fs::read_to_string(&integrate).context("cannot read docs/guide/integrate.md")?;
    let with_resets = between(&text, export::RESET_BEGIN, export::RESET_END, &export::reset_table());
    write(&integrate, &with_resets.context("docs/guide/integrate.md lacks the markers of its table")?)?;
    let ports = root.join("docs/contract/ports.md");
    let text = fs::read_to_string(&ports).context("cannot read docs/contract/ports.md")?;
    write(&ports, &with_ports(&text)?)?;
    timelines(root)?;
    diagrams(root)?;
    Ok(true)
}

/// The testbenches of `verilog-out/testbench`, written by `bcu` itself.
fn testbenches(root: &Path) -> Result<()> {
    let list = root.join("verilog-out/testbench/committed.toml");
    let text = fs::read_to_string(&list).with_context(|| format!("cannot read {}", list.display()))?;
    for (config, units) in toml::from_str::<BTreeMap<String, Vec<String>>>(&text).with_context(|| list.display().to_string())? {
        let folder = format!("verilog-out/testbench/{config}");
        let mut args = vec!["run", "-q", "--bin", "bcu", "--", "testbench", "--config", &config, "--out", &folder];
        units.iter().for_each(|unit| args.extend(["--unit", unit]));
        let done = Command::new("cargo").current_dir(root).args(&args).output().context("cannot start cargo")?;
        if !done.status.success() {
            bail!("the testbenches of {config} cannot be written: {}", String::from_utf8_lossy(&done.stderr));
        }
    }
    Ok(())
}

/// Writes the pictures of runs, drawn by `bcu` itself. The list has each command, the file of its
/// picture, and the expected exit code.
fn timelines(root: &Path) -> Result<()> {
    let flag = "check examples/schedules/flag_read_once.ptx --fill zero --schedules 10 --picture";
    for (command, picture, code) in [
        ("run examples/producer_consumer.bcu --timeline", "docs/pictures/timeline.svg", 0),
        ("run examples/hang.bcu --timeline", "docs/pictures/hang.svg", 1),
        ("run examples/pipeline_mbarrier.bcu --timeline", "docs/pictures/mbarriers.svg", 0),
        (flag, "docs/pictures/two_orders.svg", 1),
    ] {
        let args = ["run", "-q", "--bin", "bcu", "--"].into_iter().chain(command.split(' ')).chain([picture]);
        let done = Command::new("cargo").current_dir(root).args(args).output().context("cannot start cargo")?;
        if done.status.code() != Some(code) {
            bail!("{picture} cannot be drawn: {}", String::from_utf8_lossy(&done.stderr));
        }
    }
    Ok(())
}

/// Writes the timing diagrams of `docs/contract/timing` as pictures.
fn diagrams(root: &Path) -> Result<()> {
    let folder = root.join("docs/contract/timing");
    for entry in fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            write(&path.with_extension("svg"), &diagram(&text).with_context(|| path.display().to_string())?)?;
        }
    }
    Ok(())
}

/// The SVG picture of a WaveDrom source.
pub fn diagram(source: &str) -> Result<String> {
    let figure = wavedrom::Figure::from_json(source)?;
    let mut picture = vec![];
    figure.assemble().write_svg(&mut picture)?;
    Ok(String::from_utf8(picture)? + "\n")
}

/// The page `page` with the port table of `bcu` at `default` between its markers.
fn with_ports(page: &str) -> Result<String> {
    let config = config::by_name("default").context("no configuration `default`")?;
    let unit = catalog::build(&config, "bcu").context("no bcu at default")?;
    let table = export::port_table(&*unit, &config);
    between(page, export::PORTS_BEGIN, export::PORTS_END, &table)
        .context("docs/contract/ports.md lacks the markers of its port table")
}

/// The text with `table` between the markers `begin` and `end`; `None` if the text lacks a marker.
pub fn between(text: &str, begin: &str, end: &str, table: &str) -> Option<String> {
    let (before, rest) = text.split_once(begin)?;
    let (_, after) = rest.split_once(end)?;
    Some(format!("{before}{begin}\n{table}{end}{after}"))
}

/// Writes a file if its text differs, and prints its path.
pub fn write(path: &Path, text: &str) -> Result<()> {
    let same = fs::read_to_string(path).is_ok_and(|old| old == text);
    if !same {
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_timing_diagram_is_drawn_as_it_is_written_and_shown_on_the_page() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/contract");
        let page = fs::read_to_string(docs.join("timing.md")).unwrap();
        let paths = fs::read_dir(docs.join("timing")).unwrap().map(|entry| entry.unwrap().path());
        let sources: Vec<_> = paths.filter(|path| path.extension().is_some_and(|extension| extension == "json")).collect();
        assert!(!sources.is_empty());
        for source in sources {
            let picture = source.with_extension("svg");
            let drawn = diagram(&fs::read_to_string(&source).unwrap()).unwrap();
            let committed = fs::read_to_string(&picture).unwrap_or_default();
            assert!(drawn == committed, "{} is stale: run `cargo xtask regen`", picture.display());
            let name = picture.file_name().unwrap().to_string_lossy().into_owned();
            assert!(page.contains(&format!("](timing/{name})")), "docs/contract/timing.md does not show {name}");
        }
    }
}
