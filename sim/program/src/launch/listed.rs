// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The variables of a program that a launch can give or read, as `bcu kernels` lists them.

use super::names::written;
use crate::ptx::Module;
use serde::Serialize;

/// A variable in constant or global memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedVariable {
    /// The name in CUDA.
    pub name: String,
    /// The type of an element in PTX.
    #[serde(rename = "type")]
    pub ty: String,
    /// The declared numbers of elements, outermost dimension first.
    pub shape: Vec<u64>,
    pub bytes: usize,
}

/// The variables of a module in text order, without those that the compiler generated, such as texts of `printf`.
pub fn listed_variables(module: &Module) -> Vec<ListedVariable> {
    let pairs = module.variables.iter().zip(&module.variable_types);
    let of_user = pairs.filter(|(variable, _)| !variable.name.starts_with('$'));
    of_user
        .map(|(variable, declared)| ListedVariable {
            name: written(&variable.name),
            ty: declared.ty.clone(),
            shape: declared.dimensions.clone(),
            bytes: variable.bytes.len(),
        })
        .collect()
}
