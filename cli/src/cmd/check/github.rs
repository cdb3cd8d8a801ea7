// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Findings as workflow commands of GitHub Actions, which GitHub shows as annotations at their lines.

use super::location::{location, Location};
use crate::cmd::case::Program;
use bcu_machine::check::finding::Finding;
use bcu_machine::check::Severity;

/// A line for each finding.
pub fn render(sources: &[Program], found: &[Finding]) -> String {
    found.iter().map(|finding| command(sources, finding)).collect()
}

fn command(sources: &[Program], finding: &Finding) -> String {
    let name = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let mut properties = vec![];
    if let Some(Location { file, region, .. }) = finding.at.as_ref().and_then(|at| location(sources, at)) {
        properties.push(("file", file));
        if let Some([(line, column), (end_line, end_column)]) = region {
            let has_text = (end_line, end_column) > (line, column);
            properties.push(("line", line.to_string()));
            properties.extend(has_text.then(|| ("endLine", end_line.to_string())));
            properties.push(("col", column.to_string()));
            // GitHub's last column is part of the span.
            properties.extend(has_text.then(|| ("endColumn", end_column.saturating_sub(1).max(1).to_string())));
        }
    }
    properties.push(("title", format!("bcu: {}", finding.code.name)));
    let properties: Vec<String> = properties.iter().map(|(key, value)| format!("{key}={}", property(value))).collect();
    let mut message = finding.message.clone();
    let circumstances = finding.circumstances();
    if !circumstances.is_empty() {
        message += &format!("\n{circumstances}");
    }
    for related in &finding.related {
        let place = related.at.as_ref().and_then(|at| location(sources, at));
        let place = place.and_then(|place| Some(format!(" ({}:{})", place.file, place.region?[0].0)));
        message += &format!("\nnote: {}{}", related.note, place.unwrap_or_default());
    }
    message += &format!("\nhelp: {}", finding.help);
    format!("::{name} {}::{}\n", properties.join(","), data(&message))
}

/// Escapes the text of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_commands_are_escaped() {
        assert_eq!(data("50%: a, b\r\nc"), "50%25: a, b%0D%0Ac");
        assert_eq!(property("a:b,c%\n"), "a%3Ab%2Cc%25%0A");
    }
}
