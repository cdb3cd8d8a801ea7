// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Writes the sizes that are compiled in, and the list of the files that `BCU_CONFIGS` names.
//!
//! The compiled sizes are those of the [`DEFAULT_CONFIGS`], or of all named configurations with the feature `all-sizes`; those of the files
//! in `BCU_CONFIGS`; and those of the files in the folder `bcu-sizes` of cargo's target folder, where `bcu-rtl` and `bcu-tb` write the
//! configurations that they need and that are not compiled in.

use bcu_isa::config::{self, Config, Size, NAMED};
use bcu_isa::diag::Diagnostic;
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{env, fs, io};

/// Compiled in every build. Each configuration takes half a minute to compile, so the others are compiled on their
/// first use.
const DEFAULT_CONFIGS: [&str; 1] = ["default"];

/// The environment variable with the paths of further configuration files, separated as in `PATH`.
const CONFIGS_VARIABLE: &str = "BCU_CONFIGS";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={CONFIGS_VARIABLE}");
    let all = env::var_os("CARGO_FEATURE_ALL_SIZES").is_some();
    let names = NAMED.iter().map(|(name, _)| *name).filter(|name| all || DEFAULT_CONFIGS.contains(name));
    let mut configs: Vec<Config> = names.filter_map(config::named).collect();
    let mut added = vec![];
    for path in env::split_paths(&env::var_os(CONFIGS_VARIABLE).unwrap_or_default()).filter(|path| !path.as_os_str().is_empty())
    {
        println!("cargo::rerun-if-changed={}", path.display());
        let (config, path) = read(path)?;
        if let Some(other) = configs.iter().find(|other| other.name == config.name) {
            return Err(format!("{}: there is another configuration with the name `{}`", path.display(), other.name).into());
        }
        added.push((config.name.clone(), path));
        configs.push(config);
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);
    configs.extend(on_demand(&out));
    fs::write(out.join("added.rs"), list(&added)?)?;
    let source = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("src/unit");
    println!("cargo::rerun-if-changed={}", source.display());
    let mut found = vec![];
    units(&source, "crate::unit", &mut found)?;
    found.sort_by(|a, b| a.name.cmp(&b.name));
    fs::write(out.join("sizes.rs"), sizes(&Size::that_serve(&configs), &found)?)?;
    Ok(())
}

/// The configurations in `bcu-sizes`. Files that are not configurations are ignored.
fn on_demand(out: &Path) -> Vec<Config> {
    let Some(folder) = target(out).map(|target| target.join("bcu-sizes")) else { return vec![] };
    // If the folder cannot be created, it holds no configuration either.
    let _ = create(&folder);
    println!("cargo::rerun-if-changed={}", folder.display());
    let texts = fs::read_dir(folder).into_iter().flatten().filter_map(|entry| fs::read_to_string(entry.ok()?.path()).ok());
    texts.filter_map(|text| config::read("size", &text).ok()).collect()
}

/// Cargo's target folder, in which `out` is `[TRIPLE/]PROFILE/build/PACKAGE/out`. The folder is found by this path and not by its
/// `CACHEDIR.TAG`, because that file is missing if the folder was created before cargo ran.
fn target(out: &Path) -> Option<&Path> {
    let folder = out.ancestors().nth(4)?;
    let is_triple = env::var_os("TARGET").is_some_and(|triple| folder.file_name() == Some(&triple));
    if is_triple {
        folder.parent()
    } else {
        Some(folder)
    }
}

/// Creates the folder with an old time of modification: cargo runs the build script in every build if the folder does not exist, and once
/// more if the folder is newer than the script's last run.
fn create(folder: &Path) -> io::Result<()> {
    if !folder.is_dir() {
        fs::create_dir_all(folder)?;
        fs::File::open(folder)?.set_modified(SystemTime::UNIX_EPOCH)?;
    }
    Ok(())
}

/// Reads a configuration; returns it with the absolute path of its file.
fn read(path: PathBuf) -> Result<(Config, PathBuf), Box<dyn Error>> {
    let path = fs::canonicalize(&path)
        .map_err(|why| format!("{}: {why}; {CONFIGS_VARIABLE} expects absolute paths", path.display()))?;
    let text = fs::read_to_string(&path).map_err(|why: io::Error| format!("{}: {why}", path.display()))?;
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let complain = |wrong: &Diagnostic| complaint(&path, &text, wrong);
    match config::read(&name, &text) {
        Ok(config) => Ok((config, path)),
        Err(wrong) => Err(wrong.iter().map(complain).collect::<Vec<_>>().join("; ").into()),
    }
}

/// The message of a diagnostic, with file, line and column.
fn complaint(path: &Path, text: &str, wrong: &Diagnostic) -> String {
    let ((line, column), help) = (wrong.position(text), wrong.help.as_deref().unwrap_or_default());
    format!("{}:{line}:{column}: {}: {help}", path.display(), wrong.message)
}

/// The text of `added.rs`, the configurations of `BCU_CONFIGS`.
fn list(added: &[(String, PathBuf)]) -> Result<String, std::fmt::Error> {
    let mut out = format!(
        "/// The configurations of {CONFIGS_VARIABLE}, as (name, TOML text).\npub const ADDED: [(&str, &str); {}] = [\n",
        added.len()
    );
    for (name, path) in added {
        writeln!(out, "    ({name:?}, include_str!({path:?})),")?;
    }
    out.push_str("];\n");
    Ok(out)
}

/// A unit in the source text: `#[block(unit = "named")]` above `pub struct Named<W, LW, ...>`.
struct Unit {
    name: String,
    /// Path of its type.
    path: String,
    parameters: Vec<String>,
}

/// Collects the units in a folder of source files; `module` is the path of the module that the folder holds.
fn units(folder: &Path, module: &str, found: &mut Vec<Unit>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            units(&path, &format!("{module}::{stem}"), found)?;
            continue;
        }
        let module = if stem == "mod" { module.to_string() } else { format!("{module}::{stem}") };
        let text = fs::read_to_string(&path)?;
        for after in text.split("#[block(unit = \"").skip(1) {
            let unreadable =
                || format!("{}: expected `#[block(unit = \"...\")]` above `pub struct Name<W, LW> {{`", path.display());
            let (name, rest) = after.split_once('"').ok_or_else(unreadable)?;
            let head = rest.split_once("pub struct ").and_then(|(_, rest)| rest.split_once('{')).ok_or_else(unreadable)?.0;
            let (of, parameters) = head.split_once('<').unwrap_or((head, ""));
            let parameters = parameters.split([',', '>']).map(str::trim).filter(|p| !p.is_empty()).map(str::to_string);
            let path = format!("{module}::{}", of.trim());
            found.push(Unit { name: name.to_string(), path, parameters: parameters.collect() });
        }
    }
    Ok(())
}

/// The text of `sizes.rs`, a table with the function that creates the units of each size.
///
/// # Errors
/// If a unit has a parameter that [`Size`] does not have.
fn sizes(sizes: &[Size], units: &[Unit]) -> Result<String, Box<dyn Error>> {
    let mut out = "/// The compiled sizes, each with the function that creates its units.\nconst SIZES: &[(Size, Make)] = &[\n"
        .to_string();
    for size in sizes {
        let values = size.parameters();
        writeln!(out, "    ({size:?}, |config, unit| match unit {{")?;
        for Unit { name, path, parameters } in units {
            let value = |wanted: &String| match values.iter().find(|(name, _)| name == wanted) {
                Some((_, value)) => Ok(value.to_string()),
                None => Err(format!(
                    "unit {name}: a size has no parameter `{wanted}`: see `parameters` in hw/isa/src/config/size.rs"
                )),
            };
            let values = parameters.iter().map(value).collect::<Result<Vec<_>, _>>()?;
            writeln!(out, "        {name:?} => Some(connected::<{path}<{}>>(config)),", values.join(", "))?;
        }
        out.push_str("        _ => None,\n    }),\n");
    }
    out.push_str("];\n");
    Ok(out)
}
