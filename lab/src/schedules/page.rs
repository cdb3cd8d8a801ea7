// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parts of the tables: figures, and lists of names.

/// The text of a cell without a figure.
pub const NONE: &str = "–";

pub fn count<T>(of: &[T], is: impl Fn(&T) -> bool) -> usize {
    of.iter().filter(|item| is(item)).count()
}

/// Names with commas between them, or `none`.
pub fn names<'a>(names: impl Iterator<Item = &'a String>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    if names.is_empty() {
        "none".to_string()
    } else {
        names.join(", ")
    }
}

/// Seconds as text; `None` are more than the limit.
pub fn seconds(seconds: Option<f64>, limit: u64) -> String {
    match seconds {
        Some(seconds) if seconds < 9.95 => format!("{seconds:.2}"),
        Some(seconds) => format!("{seconds:.0}"),
        None => format!("over {limit}"),
    }
}
