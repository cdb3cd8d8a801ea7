// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The expansion of `#[block]` on an `impl`.

use crate::{alias, place, sizes};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{parse_quote_spanned, ImplItem, ItemImpl, Result};

/// Expands an `impl`. If the `impl` omits the sizes, the result is a call of the macro of its struct.
pub fn expand(mut item: ItemImpl) -> Result<TokenStream> {
    if let Some(call) = sizes::call(&mut item) {
        return Ok(call);
    }
    sizes::of_impl(&mut item);
    of_impl(item)
}

/// Expands an `impl` to which the macro of its struct, see [`sizes::declaration`], has added the
/// sizes.
pub fn expand_sized(input: TokenStream) -> Result<TokenStream> {
    let sizes::Sized(item) = syn::parse2(input)?;
    of_impl(item)
}

/// Expands `#[block]` on an `impl` whose sizes are declared.
fn of_impl(mut item: ItemImpl) -> Result<TokenStream> {
    let is_logic = item.trait_.as_ref().is_some_and(|(_, of, _)| of.is_ident("Logic"));
    let uses_places = is_logic && synthesised(&mut item.items)?;
    let guard = uses_places.then(|| {
        quote!(
            use ::bcu_hw::prim::place::Place as _;
        )
    });
    Ok(quote!(#guard #item))
}

/// Puts rust-hdl's `#[hdl_gen]` on `update`, which translates it to hardware. If the `impl` has a function `hdl`, the Verilog is
/// hand-written, and `update` is left unchanged. Returns whether `update` calls `.at(…)` or `.with(…)`.
fn synthesised(items: &mut [ImplItem]) -> Result<bool> {
    let mut guarded = false;
    let given = items.iter().any(|item| matches!(item, ImplItem::Fn(function) if function.sig.ident == "hdl"));
    for item in items {
        match item {
            ImplItem::Fn(function) if function.sig.ident == "update" && !given => {
                alias::inline(&mut function.block)?;
                guarded |= place::spell_out(&mut function.block);
                // `hdl_gen` generates `self` with the span of its own attribute. By macro hygiene this is the `self` of
                // the body only if the attribute has the span of the function.
                let here = function.sig.ident.span();
                function.attrs.push(parse_quote_spanned!(here=> #[rust_hdl::prelude::hdl_gen]));
            }
            _ => {}
        }
    }
    Ok(guarded)
}
