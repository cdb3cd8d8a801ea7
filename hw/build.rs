// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Writes the list of configurations, `hw/configs/*.toml` and the files that `BCU_CONFIGS` names, and of the sizes that they take.

use bcu_config::{diag::Diagnostic, Config, Size};
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Files beside those of the project, with the separator of `PATH` between them.
const OWN: &str = "BCU_CONFIGS";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("configs");
    println!("cargo::rerun-if-changed={}", folder.display());
    println!("cargo::rerun-if-env-changed={OWN}");
    let (mut configs, mut added) = (vec![], vec![]);
    for entry in fs::read_dir(&folder)? {
        configs.push(read(entry?.path())?);
    }
    for path in env::split_paths(&env::var_os(OWN).unwrap_or_default()).filter(|path| !path.as_os_str().is_empty()) {
        println!("cargo::rerun-if-changed={}", path.display());
        added.push(read(path)?);
    }
    configs.sort_by_key(|(config, _)| (config.warps, config.lanes, config.cta_slots * config.ids(), config.name.clone()));
    let names = configs.iter().chain(&added).map(|(config, path)| (&config.name, path));
    let mut known = BTreeMap::new();
    for (name, path) in names {
        if let Some(other) = known.insert(name, path) {
            return Err(format!("{} and {} have the same name", other.display(), path.display()).into());
        }
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let lists = [("NAMED", "that come with the project, smallest first", &configs), ("ADDED", "of BCU_CONFIGS", &added)];
    fs::write(
        out.join("named.rs"),
        lists.iter().map(|(list, what, configs)| named(list, what, configs)).collect::<Result<String, _>>()?,
    )?;
    let configs: Vec<Config> = configs.into_iter().chain(added).map(|(config, _)| config).collect();
    fs::write(out.join("sizes.rs"), sizes(&Size::that_serve(&configs))?)?;
    Ok(())
}

/// A configuration, and where it stands.
fn read(path: PathBuf) -> Result<(Config, PathBuf), Box<dyn Error>> {
    let path = fs::canonicalize(&path).map_err(|why| format!("{}: {why}; {OWN} has whole paths", path.display()))?;
    let text = fs::read_to_string(&path).map_err(|why: io::Error| format!("{}: {why}", path.display()))?;
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let complain = |wrong: &Diagnostic| {
        let ((line, column), help) = (wrong.position(&text), wrong.help.as_deref().unwrap_or_default());
        format!("{}:{line}:{column}: {}: {help}", path.display(), wrong.message)
    };
    match bcu_config::read(&name, &text) {
        Ok(config) => Ok((config, path)),
        Err(wrong) => Err(wrong.iter().map(complain).collect::<Vec<_>>().join("; ").into()),
    }
}

fn named(list: &str, what: &str, configs: &[(Config, PathBuf)]) -> Result<String, std::fmt::Error> {
    let mut out = format!(
        "/// The configurations {what}, as (name, TOML text).\npub const {list}: [(&str, &str); {}] = [\n",
        configs.len()
    );
    for (config, path) in configs {
        writeln!(out, "    ({:?}, include_str!({:?})),", config.name, path)?;
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
