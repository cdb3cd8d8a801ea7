// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the attributes read from the fields of a struct.

use syn::{Attribute, Expr, Field, Fields, ItemStruct, Lit, LitStr, Meta, Result, Type};

/// The named fields of a struct, or why there are none.
pub fn named(item: &mut ItemStruct) -> Result<Vec<&mut Field>> {
    match &mut item.fields {
        Fields::Named(fields) => Ok(fields.named.iter_mut().collect()),
        other => Err(syn::Error::new_spanned(other, "a block or payload is a struct with named fields")),
    }
}

/// The text of a doc comment as one line.
pub fn doc(attrs: &[Attribute]) -> String {
    let line = |attr: &Attribute| match &attr.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(lit) => match &lit.lit {
                Lit::Str(text) => Some(text.value().trim().to_string()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    };
    attrs.iter().filter_map(line).collect::<Vec<_>>().join(" ")
}

/// Takes the attribute of this name off a field, and returns it.
pub fn take(field: &mut Field, name: &str) -> Option<Attribute> {
    let at = field.attrs.iter().position(|attr| attr.path().is_ident(name))?;
    Some(field.attrs.remove(at))
}

/// The text of `#[group("…")]`, taken off the field.
pub fn group(field: &mut Field) -> Result<Option<String>> {
    take(field, "group").map(|attr| attr.parse_args::<LitStr>().map(|text| text.value())).transpose()
}

/// The name of a channel or strobe, which is its heading in port tables if nothing else is said.
pub fn bundle_name(field: &Field) -> Option<String> {
    let Type::Path(path) = &field.ty else { return None };
    let bundle = &path.path.segments.last()?.ident;
    let is_one = ["Source", "Sink", "StrobeOut", "StrobeIn"].iter().any(|name| bundle == name);
    is_one.then(|| field.ident.as_ref().map(|name| name.to_string())).flatten()
}

/// What a doc comment says before its first colon or full stop.
pub fn phrase(attrs: &[Attribute]) -> String {
    let text = doc(attrs);
    text.split([':', '.']).next().unwrap_or_default().to_string()
}
