// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How fine a picture is: a long run has fewer and wider bars, so that the file stays small and a browser shows it quickly.

/// The size in bytes of a picture that need not be coarser, for each row, with a lower and an upper limit.
const ROW_BYTES: usize = 20_000;
const MIN_BYTES: usize = 170_000;
const MAX_BYTES: usize = 500_000;

/// The smallest widths in a picture, in pixels.
#[derive(Clone, Copy, Debug)]
pub struct Detail {
    /// A bar that is narrower is merged with its neighbours.
    pub least: f64,
    /// The width of merged bars.
    pub merged: f64,
    /// A completion closer to the previous one is not drawn.
    pub near: f64,
}

const LEVELS: [Detail; 7] = [
    Detail::new(1.5, 4.0, 1.5),
    Detail::new(2.5, 5.0, 3.0),
    Detail::new(4.0, 8.0, 6.0),
    Detail::new(6.0, 11.0, 10.0),
    Detail::new(8.0, 15.0, 16.0),
    Detail::new(12.0, 22.0, 24.0),
    Detail::new(20.0, 32.0, 40.0),
];

impl Detail {
    const fn new(least: f64, merged: f64, near: f64) -> Detail {
        Detail { least, merged, near }
    }
}

/// The finest picture of a limited size, or the coarsest one. `rows` is the number of its rows.
pub fn drawn(rows: usize, draw: impl Fn(Detail) -> String) -> String {
    let most = (rows * ROW_BYTES).clamp(MIN_BYTES, MAX_BYTES);
    let [levels @ .., coarsest] = LEVELS;
    levels.into_iter().map(&draw).find(|text| text.len() <= most).unwrap_or_else(|| draw(coarsest))
}
