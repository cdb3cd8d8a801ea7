// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The arguments of `#[block(…)]` on a struct: `unit = "name"`, and `primitive(kind, PARAMETER = port, …)`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::{parse::Parser, Expr, LitStr, Result, Token};

/// The arguments of the attribute.
#[derive(Default)]
pub struct Arguments {
    /// The name of the unit that the block is.
    pub unit: Option<LitStr>,
    /// The module that the block is in the Verilog, as the printer reads it: `queue WIDTH=data DEPTH=used_next`.
    pub primitive: Option<String>,
}

/// Parses the arguments.
pub fn arguments(args: TokenStream) -> Result<Arguments> {
    let mut found = Arguments::default();
    syn::meta::parser(|meta| {
        if meta.path.is_ident("unit") {
            found.unit = Some(meta.value()?.parse()?);
        } else if meta.path.is_ident("primitive") {
            found.primitive = Some(primitive(&meta)?);
        } else {
            return Err(meta.error("expected `unit = \"name\"` or `primitive(kind, PARAMETER = port)`"));
        }
        Ok(())
    })
    .parse2(args)?;
    Ok(found)
}

/// The kind of a primitive, and the port whose width is the value of each parameter.
fn primitive(meta: &ParseNestedMeta) -> Result<String> {
    let mut words: Vec<String> = vec![];
    meta.parse_nested_meta(|inner| {
        let name = inner.path.require_ident()?.to_string();
        let is_parameter = inner.input.peek(Token![=]);
        if is_parameter == words.is_empty() {
            return Err(inner.error("expected the kind of the primitive, then `PARAMETER = port`"));
        }
        words.push(match is_parameter {
            true => {
                let port: Expr = inner.value()?.parse()?;
                format!("{name}={}", quote!(#port).to_string().replace(' ', "").replace('.', "$"))
            }
            false => name,
        });
        Ok(())
    })?;
    Ok(words.join(" "))
}
