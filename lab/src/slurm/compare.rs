// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares the results of two runs of the same regression.

/// A JUnit file without its times, which differ between two runs.
pub fn without_times(junit: &str) -> String {
    const TIME: &str = " time=\"";
    let mut parts = junit.split(TIME);
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |text, part| text + part.split_once('"').map_or(part, |(_, rest)| rest))
}

/// The first line in which two texts differ, with its number; `None`: the texts are equal byte for byte.
pub fn difference(expected: &str, found: &str) -> Option<String> {
    if expected == found {
        return None;
    }
    let (mut expected, mut found) = (expected.split('\n'), found.split('\n'));
    let mut line = 1;
    loop {
        match (expected.next(), found.next()) {
            (Some(before), Some(after)) if before == after => line += 1,
            (before, after) => {
                let shown = |text: Option<&str>| text.map_or("no line".to_string(), |text| format!("`{text}`"));
                return Some(format!("line {line}: {} in the unsharded run, {} in the merge", shown(before), shown(after)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_times_are_left_out() {
        let junit = "<suite name=\"a\" time=\"1.5\">\n<case name=\"time=\" time=\"0\"/>\n";
        assert_eq!(without_times(junit), "<suite name=\"a\">\n<case name=\"time=\"/>\n");
    }

    #[test]
    fn the_first_difference_is_shown() {
        assert_eq!(difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(difference("a\nb\n", "a\nc\n").unwrap(), "line 2: `b` in the unsharded run, `c` in the merge");
        assert_eq!(difference("a", "a\n").unwrap(), "line 2: no line in the unsharded run, `` in the merge");
    }
}
