// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parts that know nothing of barriers.

pub mod least;
pub mod pick;
pub mod queue;
pub mod ram;
pub mod ring;
pub mod spread;
pub mod store;

/// A block whose fields all start at their default, but for those given after the semicolon.
///
/// A derived `Default` cannot do this: `Constant` has none, and arrays have none for a generic length.
#[macro_export]
macro_rules! fresh {
    ($type:ident { $($field:ident),* $(,)? $(; $($given:ident: $value:expr),* $(,)?)? }) => {
        $type { $($field: Default::default(),)* $($($given: $value,)*)? }
    };
}
