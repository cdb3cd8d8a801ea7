// SPDX-License-Identifier: Apache-2.0 OR MIT
//! By which names a block tells the printer what rust-hdl has no word for: each begins the name of an empty namespace.

/// Begins the name of an empty namespace by which a block tells the printer its type, and that it connects clock and reset of
/// its parts: without it the printer expects statements that connect them.
pub const BLOCK: &str = "#[block] ";

/// Begins the name of an empty namespace by which a block tells the printer that a register is 0 after reset, for which `update`
/// has no statement.
pub const RESETS: &str = "#[reset] ";

/// Begins the name of an empty namespace by which a block tells the printer the doc comment of a field or, with an empty field
/// name, of its file. It is followed by the field name, a line end and the text.
pub const DOC: &str = "#[doc] ";

/// Begins the name of an empty namespace by which a block tells the printer of a field that is not built; the node of the namespace
/// is that field.
pub const ABSENT: &str = "#[built] ";
