// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reads programs, and compiles those that are CUDA.

use super::language::Lang;
use super::launch::LaunchArgs;
use super::nvcc::flags::Compiled;
use super::nvcc::{is_cuda, prepare};
use super::programs::{self, Program};
use crate::failure::{Failure, Result};
use crate::origins::Origins;
use std::path::PathBuf;

/// Compiles the CUDA programs and reads all. The text of a CUDA program is PTX.
///
/// # Errors
/// The errors of [`prepare`] and [`programs::read`].
pub fn read(programs: &[PathBuf], lang: Option<Lang>, launch: &LaunchArgs) -> Result<(Vec<Program>, Option<Compiled>)> {
    let flags = launch.nvcc_flags.clone().unwrap_or_default();
    let prepared = prepare(programs, launch.arch(), &flags)?;
    if prepared.compiled.is_none() && launch.nvcc_flags.is_some() {
        return Err(Failure::plain("--nvcc-flags needs a `.cu` program", Some("PTX is not compiled: leave the option out")));
    }
    let mut sources = programs::read(&prepared.paths, lang)?;
    for (source, path) in sources.iter_mut().zip(programs) {
        if is_cuda(path) {
            source.cuda_file = Some(path.clone());
            source.source.name = format!("{} (PTX)", path.display());
            source.origins = Origins::of(path);
            if !source.source.text.contains(".entry") {
                let help = "write a `__global__` function; a template needs an explicit instantiation";
                return Err(Failure::plain(format!("{}: nvcc has compiled no kernel", path.display()), Some(help)));
            }
        }
    }
    Ok((sources, prepared.compiled))
}
