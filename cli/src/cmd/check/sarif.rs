// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Findings as SARIF 2.1.0, the format of code scanning services and editors.

use super::location::{location, Location};
use super::seeds::Seeds;
use crate::cmd::case::{Program, Setup};
use crate::failure::{Failure, Result};
use bcu_machine::check::finding::{At, Finding};
use bcu_machine::check::{any_language, Code, Severity};
use serde_json::{json, Map, Value};
use std::path::Path;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// The page of the codes, relative to the repository.
const PAGE: &str = "docs/guide/check.md";
/// The name of the fingerprint; its number increases when fingerprints are computed in another way.
const FINGERPRINT: &str = "bcuFinding/v1";

/// The log of one run. `exit_code` is that of the command.
pub fn render(sources: &[Program], found: &[Finding], setup: &Setup, exit_code: u8, seeds: Option<&Seeds>) -> Result<String> {
    let mut rules: Vec<&Code> = vec![];
    let mut fingerprints: Vec<u64> = vec![];
    let mut results = vec![];
    for (number, finding) in found.iter().enumerate() {
        let rule = rules.iter().position(|rule| rule.name == finding.code.name).unwrap_or_else(|| {
            rules.push(finding.code);
            rules.len() - 1
        });
        let print = fingerprint(sources, finding, &mut fingerprints);
        let mut result = result(sources, finding, rule, print);
        if let Some(seeds) = seeds {
            result["properties"]["seeds"] = serde_json::to_value(seeds.of(number)).map_err(|e| Failure::plain(e, None))?;
        }
        results.push(result);
    }
    let words: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let mut run = json!({
        "tool": { "driver": {
            "name": "bcu",
            "version": env!("CARGO_PKG_VERSION"),
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "rules": rules.into_iter().map(rule).collect::<Vec<_>>(),
        } },
        "invocations": [{ "executionSuccessful": exit_code != 2, "exitCode": exit_code, "arguments": words }],
        "columnKind": "unicodeCodePoints",
        "results": results,
    });
    let properties = serde_json::to_value(setup).map_err(|e| Failure::plain(e, None))?;
    if properties.as_object().is_some_and(|properties| !properties.is_empty()) {
        run["properties"] = properties;
    }
    let log = json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] });
    let text = serde_json::to_string_pretty(&log).map_err(|e| Failure::plain(e, None))?;
    Ok(text + "\n")
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn rule(code: &Code) -> Value {
    let help = any_language(code.help);
    json!({
        "id": code.name,
        "shortDescription": { "text": code.summary },
        "fullDescription": { "text": format!("{} To correct it: {help}.", code.summary) },
        "help": { "text": help, "markdown": format!("{help}\n\n`{}` in {PAGE}", code.name) },
        "defaultConfiguration": { "level": level(code.severity) },
    })
}

fn result(sources: &[Program], finding: &Finding, rule: usize, print: u64) -> Value {
    let circumstances = finding.circumstances();
    let at = if circumstances.is_empty() { String::new() } else { format!(" ({circumstances})") };
    // A note without a location cannot be a related location.
    let (located, others): (Vec<_>, Vec<_>) = finding.related.iter().partition(|related| related.at.is_some());
    let others: String = others.iter().map(|related| format!("\nnote: {}", related.note)).collect();
    let related = located.iter().enumerate().filter_map(|(number, related)| {
        let mut place = json!({ "id": number, "message": { "text": related.note } });
        place["physicalLocation"] = physical(sources, related.at.as_ref()?)?;
        Some(place)
    });
    let places = finding.at.iter().filter_map(|at| Some(json!({ "physicalLocation": physical(sources, at)? })));
    let numbers = [
        ("cta", finding.cta.map(|n| n as u64)),
        ("warp", finding.warp.map(|n| n as u64)),
        ("cycle", finding.cycle),
        ("barrier", finding.barrier.map(u64::from)),
        ("generation", finding.generation.map(|n| n as u64)),
    ];
    let properties: Map<String, Value> =
        numbers.into_iter().filter_map(|(key, number)| Some((key.to_string(), json!(number?)))).collect();
    let mut result = json!({
        "ruleId": finding.code.name,
        "ruleIndex": rule,
        "level": level(finding.severity),
        "message": { "text": format!("{}{at}{others}\nhelp: {}", finding.message, finding.help) },
        "locations": places.collect::<Vec<_>>(),
        "relatedLocations": related.collect::<Vec<_>>(),
        "partialFingerprints": { FINGERPRINT: format!("{print:016x}") },
        "properties": properties,
    });
    // Code that the run has not reached has no occurrence.
    if finding.times > 0 {
        result["occurrenceCount"] = json!(finding.times);
    }
    result
}

fn physical(sources: &[Program], at: &At) -> Option<Value> {
    let Location { file, region, text } = location(sources, at)?;
    let mut physical = json!({ "artifactLocation": { "uri": uri(&file) } });
    if let Some([(line, column), (end_line, end_column)]) = region {
        physical["region"] = match (end_line, end_column) > (line, column) {
            true => json!({
                "startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column, "snippet": { "text": text },
            }),
            // The text of the source is not known.
            false => json!({ "startLine": line, "startColumn": column }),
        };
    }
    Some(physical)
}

/// The path as a reference of a URI: relative, or with the scheme `file`.
fn uri(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let path: String = path.replace('\\', "/");
    let escaped: String =
        path.bytes().map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect();
    match Path::new(&path).is_absolute() {
        true => format!("file://{escaped}"),
        false => escaped.trim_start_matches("./").to_string(),
    }
}

/// A number that stays the same when lines move: of the code, the file, the instruction and its related instructions. The second finding
/// with the same number gets another one.
fn fingerprint(sources: &[Program], finding: &Finding, earlier: &mut Vec<u64>) -> u64 {
    let places = finding.at.iter().chain(finding.related.iter().filter_map(|related| related.at.as_ref()));
    let mut parts = vec![finding.code.name.to_string()];
    for place in places.filter_map(|at| location(sources, at)) {
        parts.extend([place.file, place.text]);
    }
    let mut print = fnv(&parts.join("\0"));
    while earlier.contains(&print) {
        print = print.wrapping_add(1);
    }
    earlier.push(print);
    print
}

/// The FNV-1a hash, which is the same in every version.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_references_of_uris() {
        assert_eq!(uri("./a b/k#1.ptx"), "a%20b/k%231.ptx");
        assert_eq!(uri("/tmp/é.ptx"), "file:///tmp/%C3%A9.ptx");
    }

    #[test]
    fn hashes_are_those_of_fnv() {
        assert_eq!((fnv(""), fnv("a")), (0xcbf2_9ce4_8422_2325, 0xaf63_dc4c_8601_ec8c));
    }
}
