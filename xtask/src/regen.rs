// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Writes the generated files of the tree; tests elsewhere compare them with a fresh generation.

use anyhow::{Context, Result};
use bcu_hw::{config, export, isa};
use std::fs;
use std::path::Path;

/// Writes `verilog-out/` and `docs/isa.md`, files that did not change included; says what was written.
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
    Ok(true)
}

fn write(path: &Path, text: &str) -> Result<()> {
    let same = fs::read_to_string(path).is_ok_and(|old| old == text);
    if !same {
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
        println!("wrote {}", path.display());
    }
    Ok(())
}
