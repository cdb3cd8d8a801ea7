// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `--check`: whether measured figures are worse than the committed ones.

use super::device::Device;
use super::measured::{name, Figures};
use super::point::Point;

/// A clock that falls by this much fails, in percent.
const CLOCK_LIMIT: f64 = 5.0;
/// A number of LUT4 or flip-flops that grows by this much fails, in percent. Any further memory fails.
const AREA_LIMIT: f64 = 3.0;

/// One message for each figure that is worse than the committed one by the limit or more.
pub fn worse((unit, config): &Point, device: Device, committed: &Figures, measured: &Figures) -> Vec<String> {
    let mut found = vec![];
    let command = format!("cargo xtask synth {unit} --config {config} --device {} --write", name(device));
    let mut report = |text: String| {
        found.push(format!("{unit} at {config} on {device:?}: {text}; `{command}` accepts the new figure"));
    };
    let (logic, rams) = match device {
        Device::Osu018 => ("gates", "bits of memory"),
        Device::Hx8k | Device::Ecp5 => ("LUT4", "block RAMs"),
    };
    for (what, old, new) in [(logic, committed.logic, measured.logic), ("flip-flops", committed.flops, measured.flops)] {
        let growth = 100.0 * (new as f64 - old as f64) / old as f64;
        if new > old && new as f64 * 100.0 >= old as f64 * (100.0 + AREA_LIMIT) {
            report(format!("{old} {what} committed, {new} measured: +{growth:.1} %, the limit is {AREA_LIMIT} %"));
        }
    }
    if measured.rams > committed.rams {
        report(format!("{} {rams} committed, {} measured: no increase is accepted", committed.rams, measured.rams));
    }
    let seeds = committed.clocks.len();
    match (committed.median(), measured.median()) {
        (Some(old), Some(new)) if new * 100.0 <= old * (100.0 - CLOCK_LIMIT) => {
            let fall = 100.0 * (old - new) / old;
            report(format!("{old:.1} MHz committed, {new:.1} MHz measured (median of seeds 1 to {seeds}): -{fall:.1} %, the limit is {CLOCK_LIMIT} %"));
        }
        (Some(old), None) => report(format!("{old:.1} MHz committed, does not fit now")),
        _ => {}
    }
    found
}

/// What `--check` measures: the committed points that the lists name; an empty list names all. Also the combinations of the lists for which
/// no figure is committed.
pub fn wanted(
    committed: &[(Point, Device)],
    (units, configs, devices): (&[String], &[String], &[Device]),
) -> (Vec<(Point, Device)>, Vec<String>) {
    let each = |list: &[String]| match list {
        [] => vec![None],
        _ => list.iter().cloned().map(Some).collect(),
    };
    let each_device: Vec<Option<Device>> = match devices {
        [] => vec![None],
        _ => devices.iter().copied().map(Some).collect(),
    };
    let (mut points, mut missing) = (vec![], vec![]);
    for unit in each(units) {
        for config in each(configs) {
            for device in &each_device {
                let is_named = |((one, at), on): &&(Point, Device)| {
                    unit.as_ref().is_none_or(|unit| unit == one)
                        && config.as_ref().is_none_or(|config| config == at)
                        && device.is_none_or(|device| device == *on)
                };
                let before = points.len();
                points.extend(committed.iter().filter(is_named).cloned());
                if points.len() == before {
                    let at = config.as_ref().map_or(String::new(), |config| format!(" at {config}"));
                    let on = device.map_or(String::new(), |device| format!(" on {device:?}"));
                    missing.push(format!("{}{at}{on}", unit.as_deref().unwrap_or("any unit")));
                }
            }
        }
    }
    let mut once: Vec<(Point, Device)> = vec![];
    points.into_iter().for_each(|point| once.extend(Some(point).filter(|point| !once.contains(point))));
    (once, missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(logic: usize, flops: usize, rams: usize, clocks: &[f64]) -> Figures {
        Figures { logic, flops, rams, clocks: clocks.to_vec() }
    }

    fn point(unit: &'static str, config: &str) -> Point {
        (unit, config.to_string())
    }

    fn of(device: Device, committed: &Figures, measured: &Figures) -> Vec<String> {
        worse(&point("gather", "small"), device, committed, measured)
    }

    #[test]
    fn figures_at_the_limit_fail_and_figures_just_inside_pass() {
        let committed = figures(1000, 2000, 3, &[90.0, 110.0, 100.0]);
        let count = |logic, flops, rams, clock: f64| {
            of(Device::Hx8k, &committed, &figures(logic, flops, rams, &[clock, 200.0, 1.0])).len()
        };
        assert_eq!(count(1000, 2000, 3, 100.0), 0);
        assert_eq!([count(1029, 2000, 3, 100.0), count(1030, 2000, 3, 100.0)], [0, 1]);
        assert_eq!([count(1000, 2059, 3, 100.0), count(1000, 2060, 3, 100.0)], [0, 1]);
        assert_eq!([count(1000, 2000, 2, 100.0), count(1000, 2000, 4, 100.0)], [0, 1]);
        assert_eq!([count(1000, 2000, 3, 95.01), count(1000, 2000, 3, 95.0)], [0, 1]);
        assert_eq!(count(500, 500, 0, 150.0), 0);
        assert_eq!(count(1100, 2200, 4, 50.0), 4);
    }

    #[test]
    fn the_median_over_the_seeds_counts() {
        let committed = figures(1, 1, 0, &[90.0, 100.0, 110.0]);
        assert!(of(Device::Ecp5, &committed, &figures(1, 1, 0, &[10.0, 99.0, 99.0])).is_empty());
        assert_eq!(of(Device::Ecp5, &committed, &figures(1, 1, 0, &[110.0, 94.0, 94.0])).len(), 1);
    }

    #[test]
    fn small_and_empty_figures_have_no_false_alarm() {
        let none = figures(0, 0, 0, &[]);
        assert!(of(Device::Osu018, &none, &none).is_empty());
        assert!(of(Device::Hx8k, &none, &figures(0, 0, 0, &[50.0])).is_empty());
        assert_eq!(of(Device::Hx8k, &none, &figures(1, 0, 0, &[])).len(), 1);
        let messages = of(Device::Hx8k, &figures(1, 1, 1, &[50.0]), &figures(1, 1, 1, &[]));
        assert_eq!(messages.len(), 1);
        assert!(messages[0].contains("50.0 MHz committed, does not fit now"), "{}", messages[0]);
    }

    #[test]
    fn a_message_has_the_point_both_figures_and_the_command() {
        let messages = of(Device::Hx8k, &figures(100, 9, 1, &[100.0]), &figures(110, 9, 1, &[80.0]));
        let end = "; `cargo xtask synth gather --config small --device hx8k --write` accepts the new figure";
        let lut = "gather at small on Hx8k: 100 LUT4 committed, 110 measured: +10.0 %, the limit is 3 %";
        let clock = "gather at small on Hx8k: 100.0 MHz committed, 80.0 MHz measured (median of seeds 1 to 1): -20.0 %, the limit is 5 %";
        assert_eq!(messages, [format!("{lut}{end}"), format!("{clock}{end}")]);
    }

    #[test]
    fn a_combination_without_a_committed_figure_is_named() {
        let committed = [
            (point("named", "tiny"), Device::Hx8k),
            (point("named", "tiny"), Device::Ecp5),
            (point("gather", "small"), Device::Hx8k),
        ];
        let text = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        let (all, none) = wanted(&committed, (&[], &[], &[]));
        assert_eq!((all.as_slice(), none.len()), (committed.as_slice(), 0));
        let (found, missing) = wanted(&committed, (&text(&["gather", "grid"]), &[], &[Device::Hx8k]));
        assert_eq!((found.as_slice(), missing), (&committed[2..], text(&["grid on Hx8k"])));
        let (found, missing) = wanted(&committed, (&text(&["named", "named"]), &text(&["small", "tiny"]), &[]));
        assert_eq!((found.as_slice(), missing), (&committed[..2], text(&["named at small"; 2])));
        assert_eq!(wanted(&committed, (&[], &[], &[Device::Osu018])).1, ["any unit on Osu018"]);
    }
}
