// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Attributes for the hardware: what rust-hdl wants said several times is said once.
//!
//! `#[block]` is for a block's struct and for its `impl`s; `#[payload]` is for a struct that travels between blocks. Both take sizes
//! as plain names: `Rows<W, LC>` stands for `Rows<const W: usize, const LC: usize>`, in a struct and in an `impl`.

mod block;
mod built;
mod doc;
mod fields;
mod payload;
mod place;
mod sizes;

use proc_macro::TokenStream;

/// On the struct of a block: rust-hdl's `Block`, a `Default` or `new(config)`, and with `unit = "name"` the port table, made from the fields.
/// A field that is a block and has the name of a unit is that unit, which has a text of its own.
///
/// Registers hold their value unless `update` assigns them, and `clock` and `reset` reach every part that has an input of that name, so
/// neither is written; a register with `#[reset]` is 0 after reset, whatever `update` says. A port's doc comment is its text in every table, a channel's or strobe's only where its payload's does not fit;
/// `#[group("…")]` on a port is the heading for it and those that follow, for a channel or strobe else its name. A field starts at its default, or at the value in `#[init(…)]`; if one such
/// value uses `config`, the block is made by `new(config)` and has no `Default`. Fields whose names begin with `_` are no hardware.
///
/// A port, register or part with `#[built(…)]`, a condition on `config`, is there only where that holds. Elsewhere rust-hdl never sees it and it is
/// in no port table and no text; what is read of it is 0, and what is assigned to it is lost.
///
/// On an `impl` it reads the sizes; on that of `Logic` it makes `update` hardware, as rust-hdl's `#[hdl_gen]` does, and there
/// `x.at(i)` and `x.with(i, bit)` read and write the bit at a computed place, as `bcu_hw::prim::place` says.
#[proc_macro_attribute]
pub fn block(args: TokenStream, item: TokenStream) -> TokenStream {
    block::expand(args.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// On a struct of bits, enums and other payloads: rust-hdl's `Synth`, and the list of its fields for port tables.
///
/// Its own doc comment, up to the first colon or full stop, is the text of a channel or strobe that carries it.
///
/// A field's doc comment is its text in every table. `#[when(kind = [A, B])]` says that the field means something only if the field
/// `kind` of the same payload (`kind: OpKind`: of another payload of the channel) has one of these values, `#[always]` that it does also while the payload is not valid. The name of a field that is itself a payload appears in no port's name.
#[proc_macro_attribute]
pub fn payload(_args: TokenStream, item: TokenStream) -> TokenStream {
    payload::expand(item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}
