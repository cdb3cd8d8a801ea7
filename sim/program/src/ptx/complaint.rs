// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Limits of diagnostics about a text.

/// After this number of errors, the rest of a text is not checked.
pub(super) const MAX_ERRORS: usize = 20;

/// Shortens a message that quotes the text, in which a name or an instruction may have any length.
pub(super) fn shorten(message: &mut String) {
    const LONGEST: usize = 200;
    if let Some((end, _)) = message.char_indices().nth(LONGEST) {
        message.truncate(end);
        message.push('\u{2026}');
    }
}
