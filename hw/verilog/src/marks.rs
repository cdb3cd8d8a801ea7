// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Names by which a block passes the printer what rust-hdl cannot express: each is the prefix of the name of an empty namespace.

/// Prefix of the name of an empty namespace by which a block reports its type. The block then connects clock and reset of its parts itself.
/// Without this mark, the printer expects statements that connect them.
pub const BLOCK: &str = "#[block] ";

/// Prefix of the name of an empty namespace by which a block reports that a register is 0 after reset, for which `update` has no statement.
pub const RESETS: &str = "#[reset] ";

/// Prefix of the name of an empty namespace by which a block passes the doc comment of a field or, with an empty field name, of its file.
/// The field name, a line end and the text follow.
pub const DOC: &str = "#[doc] ";

/// Prefix of the name of an empty namespace by which a block reports a field that is not built; the node of the namespace is that field.
pub const ABSENT: &str = "#[built] ";
