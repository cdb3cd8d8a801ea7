// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Attributes for the hardware description. They generate declarations that rust-hdl would otherwise require several times.
//!
//! `#[block]` is for a block's struct and for its `impl`s; `#[payload]` is for a struct that travels between blocks. Both accept sizes as
//! plain names: `Rows<W, LC>` is short for `Rows<const W: usize, const LC: usize>`, in a struct and in an `impl`.

mod alias;
mod block;
mod built;
mod doc;
mod fields;
mod payload;
mod place;
mod sizes;

use proc_macro::TokenStream;

/// On the struct of a block, it generates rust-hdl's `Block`, a `Default` or `new(config)`, and with `unit = "name"` the port table, from
/// the fields.
/// A field that is a block and has the name of a unit is that unit, whose Verilog is in a separate file.
///
/// A register holds its value unless `update` assigns it. `clock` and `reset` reach every part that has an input of that name. `update`
/// needs no statement for either. A register with `#[reset]` is 0 after reset, whatever `update` assigns.
/// A port's doc comment is its description in every table. A channel or strobe needs a doc comment only if the comment of its payload does
/// not fit.
/// `#[group("…")]` on a port is the heading for this port and those that follow; the default heading of a channel or strobe is its name.
/// A field starts at its default, or at the value in `#[init(…)]`. If one such value uses `config`, the block is created by `new(config)`
/// and has no `Default`. Fields whose names begin with `_` are not hardware.
///
/// A port, register or part with `#[built(…)]`, a condition on `config`, exists only if the condition holds. Otherwise rust-hdl does not
/// see it, and it is in no port table and no Verilog; it reads as 0, and assignments to it have no effect.
///
/// On an `impl` it declares the sizes. On the `impl` of `Logic` it also turns `update` into hardware, as rust-hdl's `#[hdl_gen]` does.
/// There, `x.at(i)` and `x.with(i, bit)` read and write the bit at a computed index, as described in `bcu_hw::prim::place`.
#[proc_macro_attribute]
pub fn block(args: TokenStream, item: TokenStream) -> TokenStream {
    block::expand(args.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// On a struct of bits, enums and other payloads, it generates rust-hdl's `Synth` and the list of fields for port tables.
///
/// The struct's doc comment, up to the first colon or full stop, is the description of a channel or strobe that carries the payload.
///
/// A field's doc comment is its description in every table. `#[when(kind = [A, B])]` states that the field is meaningful only if the field
/// `kind` of the same payload (`kind: OpKind`: of another payload of the channel) has one of these values. `#[always]` states that the
/// field is meaningful also while the payload is not valid. The name of a field that is itself a payload appears in no port name.
#[proc_macro_attribute]
pub fn payload(_args: TokenStream, item: TokenStream) -> TokenStream {
    payload::expand(item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}
