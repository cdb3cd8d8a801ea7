// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Coverage data as a report: one HTML file, which needs no other file and no network. `report.html` is its template.

use super::data::Data;
use super::runs::Run;
use super::{percent, Point, State, Table};
use crate::plain::plain;
use bcu_isa::config::NAMED;
use std::collections::BTreeSet;

/// The page, with a comment at each place that [`html`] fills.
const TEMPLATE: &str = include_str!("report.html");

/// The maximum number of runs that are listed for a table.
const LISTED_RUNS: usize = 4;

/// The width of the first column of the overview, in rem.
const UNIT_WIDTH: usize = 10;

/// The minimum and maximum width of the other columns of the overview, in rem.
const CONFIG_WIDTHS: [usize; 2] = [5, 20];

/// The report of coverage data, which `command` writes. The same data and command give the same text.
pub fn html(data: &Data, command: &str) -> String {
    let tables = ordered(data);
    let parts = [
        ("<!-- verdict -->", verdict(data)),
        ("<!-- figures -->", figures(data)),
        ("<!-- overview -->", overview(&tables)),
        ("<!-- tables -->", tables.iter().enumerate().map(|(at, table)| section(at, table)).collect()),
        ("<!-- version -->", env!("CARGO_PKG_VERSION").to_string()),
        ("<!-- command -->", escaped(command)),
        ("<!-- builds -->", builds(data)),
    ];
    // Escaped text contains no HTML comment, so an inserted part is never mistaken for a place to fill.
    parts.iter().fold(TEMPLATE.to_string(), |page, (place, part)| page.replace(place, part))
}

/// The programs whose runs were counted.
fn builds(data: &Data) -> String {
    let builds: Vec<String> = data.builds().map(escaped).collect();
    if builds.is_empty() {
        "builds that the data does not name".to_string()
    } else {
        builds.join("; ")
    }
}

/// The sentence below the title.
fn verdict(data: &Data) -> String {
    let [missing, contradicted] = [State::Missing, State::Contradicted].map(|state| count(data, state));
    let missing = (missing > 0).then(|| format!("<b>{} missing</b>", noun(missing, "point is", "points are")));
    let contradicted = (contradicted > 0)
        .then(|| format!("<b>{} reached although unreachable</b>", noun(contradicted, "point was", "points were")));
    let gaps: Vec<String> = missing.into_iter().chain(contradicted).collect();
    match gaps.is_empty() {
        true => r#"<p class="verdict good"><b>Complete</b>: every reachable point was reached.</p>"#.to_string(),
        false => format!(r#"<p class="verdict bad">{}.</p>"#, gaps.join(", ")),
    }
}

/// The sums of all tables.
fn figures(data: &Data) -> String {
    let (reached, reachable) = data.total();
    let all_cycles = data.tables().iter().fold(0u64, |sum, table| sum.saturating_add(table.cycles()));
    let counts = [State::Missing, State::Contradicted, State::Unreachable].map(|state| count(data, state));
    let bad = |number: usize| if number == 0 { "" } else { "bad" };
    let number = |number: usize| grouped(number as u64);
    let figures = [
        ("", format!("{} %", percent((reached, reachable))), format!("{} of {} points", number(reached), number(reachable))),
        (bad(counts[0]), number(counts[0]), "missing".to_string()),
        (bad(counts[1]), number(counts[1]), "reached although unreachable".to_string()),
        ("", number(counts[2]), "unreachable, with reasons".to_string()),
        ("", number(data.tables().len()), "pairs of unit and configuration".to_string()),
        ("", short(all_cycles), "cycles of all units".to_string()),
    ];
    let figure = |(class, number, text)| format!("<li class=\"{class}\"><b>{number}</b><span>{text}</span></li>\n");
    figures.into_iter().map(figure).collect()
}

/// All tables by unit, with the project's configurations first, by size.
fn ordered(data: &Data) -> Vec<&Table> {
    let mut tables: Vec<&Table> = data.tables().iter().collect();
    tables.sort_by_key(|table| (&table.unit, column(&table.config)));
    tables
}

/// The sort key of a configuration: its position among the project's configurations, which precede all others, then
/// its name.
fn column(config: &str) -> (usize, &str) {
    (NAMED.iter().position(|(name, _)| *name == config).unwrap_or(NAMED.len()), config)
}

/// The table of units and configurations.
fn overview(tables: &[&Table]) -> String {
    let configs: BTreeSet<(usize, &str)> = tables.iter().map(|table| column(&table.config)).collect();
    // Names of configurations are wrapped at their underscores, so that all columns fit on a page.
    let title = |(_, config): &(usize, &str)| format!("<th>{}</th>", escaped(config).replace('_', "_<wbr>"));
    let titles: String = configs.iter().map(title).collect();
    let mut rows = String::new();
    let mut at = 0;
    for of_unit in tables.chunk_by(|a, b| a.unit == b.unit) {
        rows += &format!("<tr><th>{}</th>", escaped(&of_unit[0].unit));
        for (_, config) in &configs {
            match tables.get(at).filter(|table| table.unit == of_unit[0].unit && table.config == *config) {
                Some(table) => {
                    rows += &cell(at, table);
                    at += 1;
                }
                None => rows += "<td></td>",
            }
        }
        rows += "</tr>\n";
    }
    let [min, max] = CONFIG_WIDTHS.map(|width| UNIT_WIDTH + width * configs.len());
    format!(
        r#"<div class="scroll" style="max-width:{max}rem"><table class="overview" style="min-width:{min}rem">
<thead><tr><th>unit</th>{titles}</tr></thead>
<tbody>
{rows}</tbody>
</table></div>"#
    )
}

/// The cell of a table in the overview, a link to its section.
fn cell(at: usize, table: &Table) -> String {
    let (class, bar, cycles) = (class(table), bar(table), short(table.cycles()));
    let (reached, reachable) = table.covered();
    let percent = percent((reached, reachable));
    let contradicted = match table.contradicted().len() {
        0 => String::new(),
        number => format!(" <em>+{number}</em>"),
    };
    format!(
        r##"<td class="{class}"><a href="#t{at}"><b>{reached}/{reachable}</b>{bar}<small><span>{percent} %{contradicted}</span><span>{cycles}</span></small></a></td>"##
    )
}

/// The section of a table, with all of its points.
fn section(at: usize, table: &Table) -> String {
    let (class, bar, unit, config) = (class(table), bar(table), escaped(&table.unit), escaped(&table.config));
    let (reached, reachable) = table.covered();
    let percent = percent((reached, reachable));
    let states = [State::Missing, State::Contradicted, State::Unreachable];
    let of_state = |state| table.points.iter().filter(|point| point.state() == state).count();
    let notes = states.into_iter().zip(states.map(of_state)).filter(|(_, number)| *number > 0);
    let mut notes: Vec<String> = notes.map(|(state, number)| format!("{number} {}", name(state))).collect();
    notes.push(runs(table));
    let notes = notes.join("; ");
    let rows: String = table.points.iter().map(row).collect();
    format!(
        r#"<section id="t{at}" class="{class}" data-name="{unit}/{config}">
<header><h3>{unit}<span>/{config}</span></h3><div class="share">{reached} of {reachable}, {percent} %</div><p>{notes}</p>{bar}</header>
<table class="points"><colgroup><col class="state"><col class="count"><col class="name"><col></colgroup>
<thead><tr><th>state</th><th class="hits">count</th><th>point</th><th>meaning</th></tr></thead>
<tbody>
{rows}</tbody></table>
</section>
"#
    )
}

fn row(point: &Point) -> String {
    let state = point.state();
    let (class, mark) = match state {
        State::Reached => ("reached", "reached"),
        State::Missing => ("missing", "MISSING"),
        State::Unreachable => ("unreachable", "unreachable"),
        State::Contradicted => ("contradicted", "REACHED although unreachable"),
    };
    let (hits, name, meaning) = (grouped(point.hits), escaped(&point.name), escaped(&point.meaning));
    let reason = point.unreachable.as_ref();
    let reason = reason.map_or(String::new(), |why| format!(r#"<span class="reason">Unreachable: {}</span>"#, escaped(why)));
    format!(
        r#"<tr class="{class}"><td><span class="mark">{mark}</span></td><td class="hits">{hits}</td><td class="name">{name}</td><td class="meaning">{meaning}{reason}</td></tr>
"#
    )
}

/// The CSS class of the cell and of the section of a table.
fn class(table: &Table) -> &'static str {
    match table.points.iter().any(|point| point.state().is_gap()) {
        true => "bad",
        false => "good",
    }
}

fn bar(table: &Table) -> String {
    format!(r#"<span class="bar"><i style="width:{}%"></i></span>"#, percent(table.covered()))
}

fn name(state: State) -> &'static str {
    match state {
        State::Reached => "reached",
        State::Missing => "missing",
        State::Unreachable => "unreachable",
        State::Contradicted => "reached although unreachable",
    }
}

/// The cycles of a table, and the seeds of its runs.
fn runs(table: &Table) -> String {
    let seeds = |run: &Run| match (run.seed, run.last_seed()) {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first} to {last}"),
    };
    let listed: Vec<String> = table.runs.iter().take(LISTED_RUNS).map(seeds).collect();
    let more = table.runs.len() - listed.len();
    let more = if more == 0 { String::new() } else { format!(" and of {}", noun(more, "more run", "more runs")) };
    match table.runs.is_empty() {
        true => "no cycles".to_string(),
        false => format!("{} cycles, seeds {}{more}", grouped(table.cycles()), listed.join(", ")),
    }
}

fn count(data: &Data, state: State) -> usize {
    data.tables().iter().flat_map(|table| &table.points).filter(|point| point.state() == state).count()
}

/// A number with its noun.
fn noun(number: usize, singular: &str, plural: &str) -> String {
    format!("{} {}", grouped(number as u64), if number == 1 { singular } else { plural })
}

/// A number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number of cycles, rounded down: from ten thousand on to thousands, from a million on to tenths of a million.
fn short(cycles: u64) -> String {
    match cycles {
        0..10_000 => grouped(cycles),
        10_000..1_000_000 => format!("{} k", cycles / 1_000),
        _ => format!("{}.{} M", grouped(cycles / 1_000_000), cycles / 100_000 % 10),
    }
}

/// Text without control characters, and without characters that HTML reads as markup, for elements and quoted attributes.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in plain(text).chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            c => escaped.push(c),
        }
    }
    escaped
}
