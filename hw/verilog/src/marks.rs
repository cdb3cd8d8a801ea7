// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Marks: each reports a fact about a block to the printer, because rust-hdl has no other means for the fact. A mark is an empty
//! namespace whose name begins with one of these prefixes.

/// Prefix of the mark by which a block reports its type. With this mark, the printer connects clock and reset of the block's parts. Without
/// it, the printer expects statements that connect them.
pub const BLOCK: &str = "#[block] ";

/// Prefix of the mark by which a block reports that a register is 0 after reset, without a statement in `update`.
pub const RESETS: &str = "#[reset] ";

/// Prefix of the mark by which a block passes a doc comment: the prefix is followed by the name of the field, a line end and the text. An
/// empty field name denotes the module comment of the block's file.
pub const DOC: &str = "#[doc] ";

/// Prefix of the mark by which a block reports a field that is not built; the node of the namespace is that field.
pub const ABSENT: &str = "#[built] ";

/// Prefix of the mark by which a block reports that it is a parameterised module: the prefix is followed by the kind of the module and, for
/// each parameter, its name and the port whose width is its value: `queue WIDTH=data DEPTH=used_next`.
pub const PRIMITIVE: &str = "#[primitive] ";
