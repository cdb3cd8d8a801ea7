// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sizes as plain names: `Rows<W, LC>` instead of `Rows<const W: usize, const LC: usize>`.

use proc_macro2::Ident;
use syn::{parse_quote, GenericArgument, GenericParam, Generics, PathArguments, Type};

/// Turns the parameters of a struct that have no bound into const parameters.
pub fn of_struct(generics: &mut Generics) {
    for param in &mut generics.params {
        if let GenericParam::Type(t) = param {
            if t.bounds.is_empty() {
                *param = constant(&t.ident);
            }
        }
    }
}

/// Declares the sizes that the type of an `impl` uses and that the `impl` does not declare.
pub fn of_impl(generics: &mut Generics, of: &Type) {
    let Type::Path(path) = of else { return };
    let Some(PathArguments::AngleBracketed(given)) = path.path.segments.last().map(|s| &s.arguments) else { return };
    for argument in &given.args {
        let GenericArgument::Type(Type::Path(name)) = argument else { continue };
        let Some(name) = name.path.get_ident() else { continue };
        let declared = generics.params.iter().any(|p| match p {
            GenericParam::Type(t) => t.ident == *name,
            GenericParam::Const(c) => c.ident == *name,
            GenericParam::Lifetime(_) => false,
        });
        if !declared {
            generics.params.push(constant(name));
        }
    }
}

fn constant(name: &Ident) -> GenericParam {
    parse_quote!(const #name: usize)
}
