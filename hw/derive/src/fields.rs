// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reads and removes the attributes of the fields of a struct.

use syn::{Attribute, Field, Fields, ItemStruct, LitStr, Result, Type};

/// The named fields of a struct; an error if the struct has no named fields.
pub fn named(item: &mut ItemStruct) -> Result<Vec<&mut Field>> {
    match &mut item.fields {
        Fields::Named(fields) => Ok(fields.named.iter_mut().collect()),
        other => Err(syn::Error::new_spanned(other, "a block or payload is a struct with named fields")),
    }
}

/// Removes the attribute of this name from a field, and returns it.
pub fn take(field: &mut Field, name: &str) -> Option<Attribute> {
    let at = field.attrs.iter().position(|attr| attr.path().is_ident(name))?;
    Some(field.attrs.remove(at))
}

/// The text of `#[group("…")]`, which is removed from the field.
pub fn group(field: &mut Field) -> Result<Option<String>> {
    take(field, "group").map(|attr| attr.parse_args::<LitStr>().map(|text| text.value())).transpose()
}

/// The name of a channel or strobe, which is its default heading in port tables.
pub fn bundle_name(field: &Field) -> Option<String> {
    let Type::Path(path) = &field.ty else { return None };
    let bundle = &path.path.segments.last()?.ident;
    let is_one = ["Source", "Sink", "StrobeOut", "StrobeIn"].iter().any(|name| bundle == name);
    is_one.then(|| field.ident.as_ref().map(|name| name.to_string())).flatten()
}
