// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bounds of complaints about a text.

/// After so many complaints the rest of a text is not looked at.
pub(super) const MAX_ERRORS: usize = 20;

/// Messages and steps quote the text, and a name or an instruction there may be as long as the text.
pub(super) fn shorten(message: &mut String) {
    const LONGEST: usize = 200;
    if let Some((end, _)) = message.char_indices().nth(LONGEST) {
        message.truncate(end);
        message.push('\u{2026}');
    }
}
