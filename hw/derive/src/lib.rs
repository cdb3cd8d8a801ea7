// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Attributes for the hardware description. They generate declarations that rust-hdl would otherwise require in several places.
//!
//! `#[block]` is for the struct of a block and for the block's `impl`s. `#[payload]` is for a struct that travels between blocks. Both
//! accept sizes as plain names: `struct Rows<W, LC>` is short for `struct Rows<const W: usize, const LC: usize>`. An `impl` omits them.

mod alias;
mod block;
mod built;
mod doc;
mod fields;
mod logic;
mod payload;
mod place;
mod primitive;
mod sizes;

use proc_macro::TokenStream;

/// Makes a struct a block, or turns the `update` of a block into hardware.
///
/// On a struct, the attribute generates from the fields: rust-hdl's `Block`; a `Default` or `new(config)`; with `unit = "name"` also the
/// port table.
///
/// - *Register.* A register holds its value in a cycle in which `update` does not assign it. A register with `#[reset]` is 0 after reset,
///   whatever `update` assigns.
/// - *Clock and reset.* `clock` and `reset` are connected to every part that has an input of that name, without a statement in `update`.
/// - *Part.* A field that is a block and has the name of a unit is an instance of that unit. The Verilog of the unit is in a separate file.
/// - *Primitive.* `primitive(queue, WIDTH = data, DEPTH = used_next)` makes an exported instance an instance of the parameterised module
///   `bcu_prim_queue` of `hw/src/export/prim.v`: each parameter is the width of a port, and a payload is one vector. `update` remains the
///   description that is simulated; `hw/tests/hw/prim.rs` proves that the module equals it.
/// - *Doc comment.* The doc comment of a port is its description in every table. A channel or strobe without a doc comment takes the doc
///   comment of its payload.
/// - *Heading.* `#[group("…")]` on a port is the table heading of this port and the ports after it. The default heading of a channel or
///   strobe is its name.
/// - *Initial value.* A field starts at its default, or at the value in `#[init(…)]`. If such a value of any field uses `config`, the block
///   is created by `new(config)` and has no `Default`.
/// - *Not built.* A port, register or part with `#[built(…)]` exists only if the condition in the attribute, on `config`, holds. If the
///   condition does not hold, the field is hidden from rust-hdl, from the port table and from the Verilog; it reads as 0, and assignments
///   to it have no effect.
/// - *Not hardware.* A field whose name begins with `_` is not hardware.
///
/// On an `impl`, the attribute adds the sizes and type parameters of the struct: `impl Logic for Rows` is short for `impl<const W: usize,
/// const LC: usize> Logic for Rows<W, LC>`. The struct must be above the `impl` in the same file; otherwise the compiler reports that it
/// cannot find the macro `__sizes_of_Rows`. An `impl` elsewhere names the sizes itself: `impl Logic for Rows<W, LC>`, or `Rows<>` for a
/// struct without sizes. On the `impl` of `Logic`, the attribute also turns `update` into hardware, as rust-hdl's `#[hdl_gen]` does. In
/// `update`, `x.at(i)` and `x.with(i, bit)` read and write the bit at a computed index, see `bcu_hw::prim::place`.
#[proc_macro_attribute]
pub fn block(args: TokenStream, item: TokenStream) -> TokenStream {
    block::expand(args.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// An `impl` with the parameters of its struct. It is called by the macro that `#[block]` on the struct declares, and nowhere else.
#[doc(hidden)]
#[proc_macro]
pub fn sized(input: TokenStream) -> TokenStream {
    logic::expand_sized(input.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes a struct a payload: a value that travels between blocks, in a channel, a strobe or a single signal.
///
/// The fields are bits, enums and other payloads. The attribute generates rust-hdl's `Synth` and the list of fields for port tables.
///
/// The doc comment of the struct, up to the first colon or full stop, is the default description of a channel or strobe with this payload.
/// The doc comment of a field is the description of its port in every table. The name of a field that is itself a payload appears in no
/// port name.
///
/// By default a field is meaningful in the cycles in which the payload is valid. Attributes of a field change that:
///
/// - `#[when(kind = [A, B])]`: only if, in addition, the field `kind` of this payload has the value `A` or `B`.
/// - `#[when(kind: OpKind = [A, B])]`: the same, but `kind`, of type `OpKind`, is a field of another payload of the same channel.
/// - `#[always]`: in every cycle.
#[proc_macro_attribute]
pub fn payload(_args: TokenStream, item: TokenStream) -> TokenStream {
    payload::expand(item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}
