// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `#[built(…)]`: fields of a block that exist only if a condition on the configuration holds.

use crate::fields;
use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::{parse_quote, Error, Expr, Field, Fields, Ident, ItemStruct, Result, Type};

/// The fields with the attribute, each with its condition.
#[derive(Default)]
pub struct Built(Vec<(Ident, Expr)>);

impl Built {
    /// Removes the attribute `#[built]` from a field; returns whether the field had it.
    pub fn take(&mut self, field: &mut Field) -> Result<bool> {
        let Some(attr) = fields::take(field, "built") else { return Ok(false) };
        if is_known_in_update(&field.ty) {
            let why =
                "`#[built]` is for ports, registers and blocks: a local signal or constant that is not read is not printed";
            return Err(Error::new_spanned(&field.ty, why));
        }
        let condition = attr.parse_args()?;
        self.0.extend(field.ident.clone().map(|name| (name, condition)));
        Ok(true)
    }

    /// Adds the field `_built` to a struct with `#[built]` fields, and returns its initial value. `_built` records for each of these fields
    /// whether the field is built. `None`: the struct has no such field.
    pub fn add_to(&self, item: &mut ItemStruct) -> Option<TokenStream> {
        let (count, conditions) = (self.0.len(), self.0.iter().map(|(_, condition)| condition));
        match &mut item.fields {
            Fields::Named(fields) if count > 0 => fields.named.push(parse_quote!(_built: [bool; #count])),
            _ => return None,
        }
        Some(quote!(_built: [#(#conditions),*]))
    }

    /// Generates the statement for the field `field`: `built` if the field is built, else `absent`.
    pub fn either(&self, field: &Ident, built: TokenStream, absent: TokenStream) -> TokenStream {
        match self.0.iter().position(|(name, _)| name == field) {
            Some(at) => quote!(if self._built[#at] { #built } else { #absent }),
            None => built,
        }
    }

    /// Generates a statement for each field in `fields`. A statement is executed only if its field is built.
    pub fn each<'a>(
        &self,
        fields: impl IntoIterator<Item = &'a Ident>,
        statement: impl Fn(&Ident) -> TokenStream,
    ) -> TokenStream {
        fields.into_iter().map(|field| self.either(field, statement(field), quote!())).collect()
    }
}

/// Whether the type of a field, `of`, is a local signal or a constant. Such a field cannot read as 0 when it is not built: a read of a
/// local signal in `update` returns the value that was just assigned, and a constant has a fixed value.
fn is_known_in_update(of: &Type) -> bool {
    match of {
        Type::Array(array) => is_known_in_update(&array.elem),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| {
            let arguments = &last.arguments;
            last.ident == "Constant" || last.ident == "Signal" && mentions(quote!(#arguments), "Local")
        }),
        _ => false,
    }
}

/// Whether an expression uses a name.
pub fn mentions(expression: TokenStream, name: &str) -> bool {
    expression.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => mentions(group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
