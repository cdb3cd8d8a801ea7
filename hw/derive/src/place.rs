// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `x.at(i)` and `x.with(i, bit)` in `update`: a bit at an index that may be out of range.

use syn::visit_mut::{self, VisitMut};
use syn::{parse_quote_spanned, spanned::Spanned, Block, Expr};

/// Replaces calls of the methods `.at(…)` and `.with(…)` by the methods of `bcu_hw::prim::place`; returns whether `body`
/// contains such a call.
pub fn spell_out(body: &mut Block) -> bool {
    let mut places = Places { found: false };
    places.visit_block_mut(body);
    places.found
}

struct Places {
    found: bool,
}

impl VisitMut for Places {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        let Expr::MethodCall(call) = &*expr else { return };
        let (of, name, args) = (&call.receiver, call.method.to_string(), call.args.iter().collect::<Vec<_>>());
        let plain = match (name.as_str(), args.as_slice()) {
            ("at", [place]) => parse_quote_spanned!(call.span() => #of.val().get_bit(#place.index())),
            ("with", [place, bit]) => parse_quote_spanned!(call.span() => #of.val().replace_bit(#place.index(), #bit)),
            _ => return,
        };
        *expr = plain;
        self.found = true;
    }
}
