// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One finding per misuse and location, ordered by severity and time.

use super::codes::{COUNT_ALIAS, COUNT_EXCEEDS_CTA, EQUAL_REGISTERS, GRID_BARRIER_WAIT, ID_ALIAS, RACE, TEXT, WRONG_RESULT};
use super::finding::{At, Finding};
use super::{Severity, CODES};

/// Merges the findings that have one code and one location, or that are copies of one line of the source, and sorts the result.
pub fn gather(found: Vec<Finding>) -> Vec<Finding> {
    let mut list: Vec<Finding> = vec![];
    for finding in found {
        let same = |known_finding: &&mut Finding| {
            let place = match &finding.at {
                Some(at) => known_finding.at.as_ref() == Some(at) || is_copy(known_finding, &finding),
                None => {
                    known_finding.at.is_none() && (known_finding.cta, known_finding.barrier) == (finding.cta, finding.barrier)
                }
            };
            // Findings with the codes `TEXT` and `WRONG_RESULT` may be different findings at one
            // location, so they are merged only if their messages are equal.
            let one_each = [&TEXT, &WRONG_RESULT].contains(&finding.code);
            place && known_finding.code == finding.code && (!one_each || known_finding.message == finding.message)
        };
        match list.iter_mut().find(same) {
            None => list.push(finding),
            Some(known_finding) => {
                let times = known_finding.times + finding.times;
                let severity = known_finding.severity.min(finding.severity);
                // What orders two CTAs also orders the threads of one.
                let is_farther = is_between_ctas(&finding) && !is_between_ctas(known_finding);
                let is_nearer = is_between_ctas(known_finding) && !is_between_ctas(&finding);
                let earlier = finding.cycle.is_some() && known_finding.cycle.is_none_or(|cycle| finding.cycle < Some(cycle));
                if is_farther || earlier && !is_nearer {
                    *known_finding = finding;
                }
                (known_finding.times, known_finding.severity) = (times, severity);
            }
        }
    }
    // The run confirms what the parser only suspects, so the finding of the run replaces the parser's warning.
    const KNOWN: [&super::Code; 4] = [&ID_ALIAS, &COUNT_ALIAS, &EQUAL_REGISTERS, &COUNT_EXCEEDS_CTA];
    let known: Vec<At> = list.iter().filter(|f| KNOWN.contains(&f.code)).filter_map(|f| f.at.clone()).collect();
    let overlaps = |a: &At, b: &At| a.file == b.file && a.start < b.end && b.start < a.end;
    list.retain(|f| {
        f.code != &TEXT || !f.at.as_ref().is_some_and(|at| known.iter().any(|known_finding| overlaps(at, known_finding)))
    });
    let rank = |f: &Finding| CODES.iter().position(|c| c == f.code);
    // Errors come first, then findings are in order of cycle. A finding without a cycle is from the
    // text of the program or from the end of the run, and comes last.
    let late = |f: &Finding| f.cycle.unwrap_or(u64::MAX);
    // If a CTA never arrives at the barrier of its grid, races are what follows.
    let has_other =
        list.iter().any(|f| f.severity == Severity::Error && ![&RACE, &GRID_BARRIER_WAIT, &WRONG_RESULT].contains(&f.code));
    let is_first = |f: &Finding| f.code == &GRID_BARRIER_WAIT && !has_other;
    let late = |f: &Finding| if is_first(f) { 0 } else { late(f) };
    list.sort_by_key(|f| (f.severity, f.times == 0, late(f), f.at.is_none(), f.at.clone(), rank(f), f.cta, f.barrier));
    list
}

/// Whether two findings are of one misuse in two runs of one program, in which numbers and order may differ.
pub fn is_same_misuse(a: &Finding, b: &Finding) -> bool {
    let is_same_place = match (&a.at, &b.at) {
        (Some(of_a), Some(of_b)) => of_a == of_b || is_copy(a, b),
        (None, None) => (a.cta, a.barrier) == (b.cta, b.barrier) && wording(&a.message) == wording(&b.message),
        _ => false,
    };
    let has_message_of_its_own = a.code == &TEXT || a.code == &WRONG_RESULT;
    a.code == b.code && is_same_place && (!has_message_of_its_own || wording(&a.message) == wording(&b.message))
}

/// Whether two findings are in one location of the source, with one barrier and one other location, and their messages differ only in
/// numbers and operands: the compiler has copied the instruction, as it does in an unrolled loop.
fn is_copy(a: &Finding, b: &Finding) -> bool {
    let line = |at: &At| {
        let author = at.origin.as_ref()?.of_author();
        Some((author.file.clone(), author.line, author.column))
    };
    let lines = |finding: &Finding| {
        let other = finding.related.first().and_then(|related| line(related.at.as_ref()?));
        Some((line(finding.at.as_ref()?)?, other, finding.barrier))
    };
    let is_same_subject = match (&a.race, &b.race) {
        // The lanes may be in one CTA or in two.
        (Some(of_a), Some(of_b)) => of_a.memory == of_b.memory,
        _ => wording(&a.message) == wording(&b.message),
    };
    lines(a).is_some_and(|of_a| Some(of_a) == lines(b)) && is_same_subject
}

/// Whether a finding is a race between two CTAs.
fn is_between_ctas(finding: &Finding) -> bool {
    finding.race.as_ref().is_some_and(|race| race.is_between_ctas)
}

/// A message without numbers, and without operands, which are in brackets. The names in backticks stay, without offsets.
fn wording(message: &str) -> String {
    let (mut depth, mut is_name, mut is_offset, mut is_number) = (0u32, false, false, false);
    let mut wording = String::new();
    for c in message.chars() {
        match c {
            '`' => (is_name, is_offset) = (!is_name, false),
            '+' if is_name => is_offset = true,
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        // A number ends with its last digit; those of an address are hexadecimal.
        is_number = !is_name && (c.is_ascii_digit() || is_number && (c.is_ascii_hexdigit() || c == 'x'));
        if depth == 0 && !is_offset && !is_number && c != ']' {
            wording.push(c);
        }
    }
    wording
}

#[cfg(test)]
mod tests {
    use super::super::finding::{locate, RaceSubject};
    use super::*;
    use bcu_program::{Origin, Place};

    #[test]
    fn instructions_are_found_on_their_lines() {
        let of = |line: usize, text: &str| {
            let all = "EXIT\n  BAR.SYNC 0x1 ; // c\n\tbar.sync\n\t\t0;";
            locate(0, all, &Place { line, text: text.into(), origin: None }).map(|at| &all[at.span()])
        };
        assert_eq!(of(2, "BAR.SYNC 0x1"), Some("BAR.SYNC 0x1"));
        assert_eq!(of(3, "bar.sync\n\t\t0"), Some("bar.sync"));
        assert_eq!(of(3, "bar.sync 0"), Some("bar.sync"));
        assert_eq!(of(4, "end of program"), Some("0;"));
        assert_eq!(of(9, "x"), None);
    }

    #[test]
    fn one_misuse_is_one_finding_with_its_first_cycle() {
        let one = |start: usize, cycle: Option<u64>, times: usize| {
            let at = At { file: 0, start, end: start + 1, origin: None };
            Finding { cycle, times, ..Finding::new(&ID_ALIAS, Some(at), format!("{cycle:?}")) }
        };
        let list = gather(vec![one(9, Some(7), 1), one(3, None, 0), one(9, Some(5), 1), one(3, Some(8), 1), one(9, None, 0)]);
        let seen: Vec<_> = list.iter().map(|f| (f.at.as_ref().unwrap().start, f.cycle, f.times)).collect();
        assert_eq!(seen, [(9, Some(5), 2), (3, Some(8), 1)]);
    }

    #[test]
    fn copies_of_a_line_of_the_source_are_one_finding() {
        let origin =
            |line| Origin { file: "k.cu".into(), line, column: 5, function: None, caller: None, other_callers: vec![] };
        let finding = |start: usize, line: u32, message: &str| {
            let at = At { file: 0, start, end: start + 1, origin: Some(origin(line).into()) };
            Finding { cycle: Some(start as u64), ..Finding::new(&RACE, Some(at), message) }
        };
        let (tile, copy) =
            ("lane 1 loads byte 16 of `tile`, line 52: ld [%r8+4]", "lane 3 loads byte 28 of `tile`, line 60: ld [%r9]");
        let list = gather(vec![
            finding(9, 12, tile),
            finding(30, 12, copy),
            finding(40, 12, "lane 1 loads byte 16 of `tile2`, line 52: ld [%r8+4]"),
            finding(50, 13, copy),
        ]);
        let seen: Vec<_> = list.iter().map(|f| (f.at.as_ref().unwrap().start, f.times)).collect();
        assert_eq!(seen, [(9, 2), (40, 1), (50, 1)]);
    }

    #[test]
    fn races_of_one_line_are_one_finding_of_two_ctas() {
        let origin = Origin { file: "k.cu".into(), line: 23, column: 5, function: None, caller: None, other_callers: vec![] };
        let finding = |start: usize, memory: &str, is_between_ctas: bool| {
            let at = At { file: 0, start, end: start + 1, origin: Some(origin.clone().into()) };
            let race = Some(RaceSubject { memory: memory.to_string(), is_between_ctas });
            let message = format!("{memory}, {is_between_ctas}");
            Finding { cycle: Some(start as u64), race, ..Finding::new(&RACE, Some(at), message) }
        };
        for order in [[false, true], [true, false]] {
            let list = gather(order.iter().enumerate().map(|(at, is_far)| finding(at, "partial", *is_far)).collect());
            assert_eq!(list.iter().map(|f| (f.message.as_str(), f.times)).collect::<Vec<_>>(), [("partial, true", 2)]);
        }
        assert_eq!(gather(vec![finding(1, "partial", false), finding(2, "total", false)]).len(), 2);
    }

    #[test]
    fn a_grid_that_waits_for_ever_comes_before_its_races_but_not_before_other_errors() {
        let at = |start: usize| Some(At { file: 0, start, end: start + 1, origin: None });
        let race = Finding { cycle: Some(5), ..Finding::new(&RACE, at(1), "race") };
        let other = Finding { cycle: Some(9), ..Finding::new(&ID_ALIAS, at(2), "id") };
        let wait = Finding::new(&GRID_BARRIER_WAIT, at(3), "grid");
        let codes = |list: Vec<Finding>| gather(list).iter().map(|f| f.code.name).collect::<Vec<_>>();
        assert_eq!(codes(vec![race.clone(), wait.clone()]), ["grid_barrier_wait", "race"]);
        assert_eq!(codes(vec![race, wait, other]), ["race", "id_alias", "grid_barrier_wait"]);
    }

    #[test]
    fn buffers_and_barriers_distinguish_misuses() {
        let finding = |message: &str, barrier: Option<u8>| Finding { barrier, ..Finding::new(&WRONG_RESULT, None, message) };
        let wrong = |name: &str, number: u32| finding(&format!("`{name}`: {number} of 32 elements differ"), None);
        assert!(is_same_misuse(&wrong("y1", 3), &wrong("y1", 30)));
        assert!(!is_same_misuse(&wrong("y1", 3), &wrong("y2", 3)));
        assert!(!is_same_misuse(&finding("a barrier", Some(7)), &finding("a barrier", Some(8))));
        assert_eq!(wording("lane 3 loads `full+8`, l. 12: ld [%r8+4]"), wording("lane 31 loads `full`, l. 1: ld [%r9]"));
        assert_ne!(wording("`tile1`"), wording("`tile2`"));
        assert_eq!(wording("byte 0x40a of memory, lane 3"), wording("byte 0x400 of memory, lane 12"));
    }
}
