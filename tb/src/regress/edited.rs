// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An export with edited Verilog files, for example with a RAM macro or a retimed stage. It replaces the project's export in lockstep.

use bcu_hw::export::set;
use bcu_hw::verilog::{module_name, PREFIX};
use bcu_isa::config::{read, Config};
use bcu_isa::units::UNITS;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// A folder with an export.
#[derive(Clone, Debug)]
pub struct Edited {
    pub folder: PathBuf,
    /// The configuration in the manifest of the export.
    pub config: Config,
    /// The reset of the export is asynchronous and active low.
    pub has_async_reset: bool,
    /// All Verilog of the folder except benches, examples and checkers.
    pub text: String,
}

/// Why a folder is rejected.
#[derive(Debug, thiserror::Error)]
pub enum EditedError {
    #[error("cannot read {}: {source}", .path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{}: not the manifest of an export: {why}", .path.display())]
    Manifest { path: PathBuf, why: String },
}

/// The part of a manifest that is used.
#[derive(Deserialize)]
struct Manifest {
    configuration: Map<String, Value>,
    /// Exports of earlier versions have no such key.
    #[serde(default)]
    reset: String,
}

impl Edited {
    /// Reads a folder with `manifest.json` and Verilog.
    ///
    /// # Errors
    /// If a file cannot be read, or the manifest has no configuration.
    pub fn read(folder: &Path) -> Result<Edited, EditedError> {
        let file =
            |path: &Path| fs::read_to_string(path).map_err(|source| EditedError::File { path: path.to_path_buf(), source });
        let path = folder.join("manifest.json");
        let wrong = |why: String| EditedError::Manifest { path: path.clone(), why };
        let manifest: Manifest = serde_json::from_str(&file(&path)?).map_err(|error| wrong(error.to_string()))?;
        let has_async_reset = match manifest.reset.as_str() {
            "" | "sync" => false,
            "async-low" => true,
            other => return Err(wrong(format!("`reset` is `{other}`; expected `sync` or `async-low`"))),
        };
        let mut keys = manifest.configuration;
        let name = keys
            .remove("name")
            .and_then(|name| Some(name.as_str()?.to_string()))
            .ok_or(wrong("`configuration` has no key `name`".into()))?;
        // Numbers and booleans have the same syntax in TOML.
        let text: String = keys.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
        let config =
            read(&name, &text).map_err(|errors| wrong(errors.first().map_or(String::new(), |error| error.message.clone())))?;
        let entries = fs::read_dir(folder).map_err(|source| EditedError::File { path: folder.to_path_buf(), source })?;
        let mut files: Vec<PathBuf> =
            entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| is_design(path)).collect();
        // A package comes before the modules that use it.
        files.sort_by_key(|path| (!is_package(path), path.clone()));
        let texts = files.iter().map(|path| file(path)).collect::<Result<Vec<_>, _>>()?;
        Ok(Edited { folder: folder.to_path_buf(), config, has_async_reset, text: texts.join("\n") })
    }

    /// The units whose modules are defined in the text.
    pub fn units(&self) -> impl Iterator<Item = &'static str> + use<'_> {
        let has = |unit: &&str| {
            let module = module_name(PREFIX, unit);
            self.text.lines().filter_map(|line| line.trim_start().strip_prefix("module ")).any(|rest| {
                rest.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).find(|word| !word.is_empty()) == Some(&module)
            })
        };
        UNITS.into_iter().filter(|unit| self.config.has_unit(unit)).filter(has)
    }
}

fn is_package(path: &Path) -> bool {
    path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("_pkg"))
}

fn is_design(path: &Path) -> bool {
    let is_verilog = path.extension().is_some_and(|ending| ending == "v" || ending == "sv");
    is_verilog && path.file_stem().is_some_and(|stem| set::is_design(&stem.to_string_lossy()))
}
