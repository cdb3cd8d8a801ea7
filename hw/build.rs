// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Writes the sizes that are compiled in, those of the project's configurations and of the files that `BCU_CONFIGS` names, and the list of these files.

use bcu_isa::config::{self, Config, Size, NAMED};
use bcu_isa::diag::Diagnostic;
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Files beside those of the project, with the separator of `PATH` between them.
const OWN: &str = "BCU_CONFIGS";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={OWN}");
    let mut configs: Vec<Config> = NAMED.iter().filter_map(|(name, _)| config::named(name)).collect();
    let mut added = vec![];
    for path in env::split_paths(&env::var_os(OWN).unwrap_or_default()).filter(|path| !path.as_os_str().is_empty()) {
        println!("cargo::rerun-if-changed={}", path.display());
        let (config, path) = read(path)?;
        if let Some(other) = configs.iter().find(|other| other.name == config.name) {
            return Err(format!("{}: there is another configuration with the name `{}`", path.display(), other.name).into());
        }
        added.push((config.name.clone(), path));
        configs.push(config);
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("added.rs"), list(&added)?)?;
    fs::write(out.join("sizes.rs"), sizes(&Size::that_serve(&configs))?)?;
    Ok(())
}

/// A configuration, and where it stands.
fn read(path: PathBuf) -> Result<(Config, PathBuf), Box<dyn Error>> {
    let path = fs::canonicalize(&path).map_err(|why| format!("{}: {why}; {OWN} has whole paths", path.display()))?;
    let text = fs::read_to_string(&path).map_err(|why: io::Error| format!("{}: {why}", path.display()))?;
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let complain = |wrong: &Diagnostic| complaint(&path, &text, wrong);
    match config::read(&name, &text) {
        Ok(config) => Ok((config, path)),
        Err(wrong) => Err(wrong.iter().map(complain).collect::<Vec<_>>().join("; ").into()),
    }
}

fn complaint(path: &Path, text: &str, wrong: &Diagnostic) -> String {
    let ((line, column), help) = (wrong.position(text), wrong.help.as_deref().unwrap_or_default());
    format!("{}:{line}:{column}: {}: {help}", path.display(), wrong.message)
}

fn list(added: &[(String, PathBuf)]) -> Result<String, std::fmt::Error> {
    let mut out = format!(
        "/// The configurations of {OWN}, as (name, TOML text).\npub const ADDED: [(&str, &str); {}] = [\n",
        added.len()
    );
    for (name, path) in added {
        writeln!(out, "    ({name:?}, include_str!({path:?})),")?;
    }
    out.push_str("];\n");
    Ok(out)
}

fn sizes(sizes: &[Size]) -> Result<String, std::fmt::Error> {
    let mut out = "/// The sizes that are compiled in, each with what makes a unit of it.\nconst SIZES: &[(Size, Make)] = &[\n"
        .to_string();
    for size in sizes {
        let generics: Vec<String> = size.generics().iter().map(usize::to_string).collect();
        writeln!(out, "    ({size:?}, in_size::<{}>),", generics.join(", "))?;
    }
    out.push_str("];\n");
    Ok(out)
}
