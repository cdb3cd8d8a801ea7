// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sizes as plain names, and only once: `Rows<W, LC>` instead of `Rows<const W: usize, const LC: usize>` in a struct, and `Rows` in the
//! `impl`s after it in the same file.
//!
//! An attribute reads nothing but its own item, so the sizes reach an `impl` by a macro. `#[block]` on the struct `Rows` also declares
//! the macro `__sizes_of_Rows`, and `#[block]` on an `impl` for `Rows` without arguments becomes a call of that macro with the `impl`. The
//! macro passes the parameters of the struct and the `impl` to [`Sized`].

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::{
    parse_quote, GenericArgument, GenericParam, Generics, ItemImpl, ItemStruct, PathArguments, PathSegment, Result, Token, Type,
};

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

/// Generates the macro that passes the parameters of the struct `item` to the `impl`s that omit them. Rust reports no unused macro whose
/// name begins with `_`.
pub fn declaration(item: &ItemStruct) -> TokenStream {
    let name = macro_name(&item.ident);
    let (parameters, _, bounds) = item.generics.split_for_impl();
    quote! {
        macro_rules! #name {
            ($($item:tt)*) => { ::bcu_hw::prim::component::sized! { #parameters #bounds; $($item)* } };
        }
    }
}

/// The call of the struct's macro with the `impl` `item`, if the type of `item` has no arguments.
pub fn call(item: &mut ItemImpl) -> Option<TokenStream> {
    let of = last_segment(&mut item.self_ty).filter(|of| of.arguments.is_none())?;
    let name = macro_name(&of.ident);
    Some(quote!(#name! { #item }))
}

/// Declares the sizes that the type of an `impl` uses and that the `impl` does not declare.
pub fn of_impl(item: &mut ItemImpl) {
    let Some(PathArguments::AngleBracketed(given)) = last_segment(&mut item.self_ty).map(|of| of.arguments.clone()) else {
        return;
    };
    let generics = &mut item.generics;
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

/// An `impl` with the parameters of the struct, read from `<const W: usize, …> where …; impl …`.
pub struct Sized(pub ItemImpl);

impl Parse for Sized {
    fn parse(input: ParseStream) -> Result<Self> {
        let mut parameters: Generics = input.parse()?;
        parameters.where_clause = input.parse()?;
        input.parse::<Token![;]>()?;
        let mut item: ItemImpl = input.parse()?;
        if let (Some(of), false) = (last_segment(&mut item.self_ty), parameters.params.is_empty()) {
            let (_, arguments, _) = parameters.split_for_impl();
            of.arguments = PathArguments::AngleBracketed(parse_quote!(#arguments));
        }
        item.generics.params.extend(parameters.params);
        if let Some(bounds) = parameters.where_clause {
            item.generics.make_where_clause().predicates.extend(bounds.predicates);
        }
        Ok(Sized(item))
    }
}

/// The name of the macro that is declared for the struct with the name `of`.
fn macro_name(of: &Ident) -> Ident {
    format_ident!("__sizes_of_{of}", span = of.span())
}

fn last_segment(of: &mut Type) -> Option<&mut PathSegment> {
    match of {
        Type::Path(path) => path.path.segments.last_mut(),
        _ => None,
    }
}

fn constant(name: &Ident) -> GenericParam {
    parse_quote!(const #name: usize)
}
