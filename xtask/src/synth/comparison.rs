// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The tables that compare configurations of one unit.

use super::device::Device;
use super::measured::Figures;
use super::needed::{KEYS, PARTIAL};
use super::table::Table;
use bcu_hw::config;
use bcu_isa::units;

/// A table of configurations of one unit on one device, each compared with the first configuration.
/// It omits figures of an older revision of the unit, because a difference between two revisions
/// would not measure the omitted parts. A sentence names the configurations without current
/// figures. There is no table if the first configuration lacks them, or all others do.
fn comparison(
    table: &Table,
    (unit, device): (&'static str, Device),
    rows: &[(&str, &str)],
    head: &str,
    line: impl Fn(&Figures, &Figures, &str, &str) -> String,
) -> String {
    let current = |name: &str| table.get(unit, name, device).current();
    let found: Vec<(&Figures, &str, &str)> =
        rows.iter().filter_map(|&(name, what)| Some((current(name)?, name, what))).collect();
    let first = rows.first().and_then(|&(name, _)| current(name)).filter(|_| found.len() > 1);
    let mut text = String::new();
    if let Some(first) = first {
        text += head;
        for &(figures, name, what) in &found {
            text += &line(first, figures, name, what);
        }
    }
    let is_absent = |name: &str| first.is_none() || current(name).is_none();
    let absent: Vec<String> = rows.iter().filter(|(name, _)| is_absent(name)).map(|(name, _)| format!("`{name}`")).collect();
    if !absent.is_empty() {
        let gap = if text.is_empty() { "" } else { "\n" };
        let device = format!("{device:?}").to_lowercase();
        text += &format!(
            "{gap}Not shown, because their figures are not all of the present revision: {}.\n\
             `cargo xtask synth {unit} --device {device} --write` measures them.\n",
            absent.join(", ")
        );
    }
    text
}

/// The table of the whole unit at `default`, with the area that omitting parts saves.
pub fn parts(table: &Table) -> String {
    let head = "| `bcu` on ECP5 | LUT4 / FF / BRAM | MHz | less than `default` by |\n|---|---|---|---|\n";
    comparison(table, (units::WHOLE, Device::Ecp5), &PARTIAL, head, |whole, variant, name, without| {
        let less = |figure: fn(&Figures) -> usize| figure(whole) as i64 - figure(variant) as i64;
        let saved = format!("{} / {} / {}", less(|f| f.logic), less(|f| f.flops), less(|f| f.rams));
        let (what, saved) = match (without, config::by_name(name)) {
            ("", _) => (format!("`{name}`"), String::new()),
            (_, Some(_)) => (format!("without {without} (`{name}`)"), saved),
            (_, None) => (format!("without {without}"), saved),
        };
        format!("| {what} | {} | {} | {saved} |\n", variant.area(), variant.clock())
    })
}

/// The table of `named` with 8 warps, with the cost of its parts.
pub fn keys(table: &Table) -> String {
    let head = "| `named` with | configuration | LUT4 / FF / BRAM | MHz |\n|---|---|---|---|\n";
    comparison(table, ("named", Device::Hx8k), &KEYS, head, |_, one, name, has| {
        format!("| {has} | `{name}` | {} | {} |\n", one.area(), one.clock())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_different_revisions_are_not_compared() {
        let figures = |logic| Figures { logic, flops: 20, rams: 3, clocks: vec![50.0] };
        let page = |current: [bool; 5]| {
            let mut table = Table::default();
            for (at, (name, _)) in PARTIAL.iter().enumerate() {
                table.put((units::WHOLE, name.to_string()), Device::Ecp5, figures(1000 - 100 * at), current[at]);
            }
            parts(&table)
        };
        let full_page = page([true; 5]);
        assert!(
            full_page.contains("| `default` | 1000 / 20 / 3 | 50 |  |\n") && !full_page.contains("Not shown"),
            "{full_page}"
        );
        assert!(full_page.contains("| without grids | 900 / 20 / 3 | 50 | 100 / 0 / 0 |\n"), "{full_page}");
        assert!(full_page.contains("| without all three (`named_only`) | 600 / 20 / 3 | 50 | 400 / 0 / 0 |\n"), "{full_page}");
        let partial_page = page([true, false, true, true, true]);
        assert!(partial_page.contains("| without clusters | 800 / 20 / 3 | 50 | 200 / 0 / 0 |\n"), "{partial_page}");
        assert!(
            !partial_page.contains("without grids") && partial_page.contains("revision: `default_without_grids`.\n"),
            "{partial_page}"
        );
        for old in [[false, true, true, true, true], [true, false, false, false, false], [false; 5]] {
            let old_page = page(old);
            assert!(!old_page.contains('|') && old_page.contains("`default`, `default_without_grids`"), "{old_page}");
            assert!(old_page.contains("`cargo xtask synth bcu --device ecp5 --write`"), "{old_page}");
        }
    }
}
