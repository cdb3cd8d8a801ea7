// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Writes the generated files of the tree; tests elsewhere compare them with a fresh generation.

use anyhow::{Context, Result};
use bcu_hw::{catalog, config, export, isa};
use std::fs;
use std::path::Path;

/// Writes `verilog-out/`, `docs/isa.md` and the port table of the README; says which files changed.
pub fn run(root: &Path) -> Result<bool> {
    for (name, _) in config::NAMED {
        let config = config::named(name).with_context(|| format!("configuration {name}"))?;
        let folder = root.join("verilog-out").join(name);
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        for (file, text) in export::files(&config)? {
            write(&folder.join(file), &text)?;
        }
    }
    write(&root.join("docs/isa.md"), &isa::doc::markdown())?;
    let readme = root.join("README.md");
    let text = fs::read_to_string(&readme).context("cannot read README.md")?;
    write(&readme, &with_ports(&text)?)?;
    Ok(true)
}

/// The README with the port table of `bcu` at `default` between its marks.
fn with_ports(readme: &str) -> Result<String> {
    let unit = config::named("default").and_then(|c| catalog::build(&c, "bcu")).context("no bcu at default")?;
    let (before, rest) = readme.split_once(export::PORTS_BEGIN).context("README.md has no mark where ports begin")?;
    let (_, after) = rest.split_once(export::PORTS_END).context("README.md has no mark where ports end")?;
    let table = export::port_table(&*unit);
    Ok(format!("{before}{}\n{table}{}{after}", export::PORTS_BEGIN, export::PORTS_END))
}

fn write(path: &Path, text: &str) -> Result<()> {
    let same = fs::read_to_string(path).is_ok_and(|old| old == text);
    if !same {
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
        println!("wrote {}", path.display());
    }
    Ok(())
}
