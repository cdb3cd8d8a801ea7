// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Long runs that are split over processes and machines.
//!
//! A run consists of parts in a fixed order. A [`Shard`] selects some of them by their position; each process runs one shard and appends
//! every finished part to its [`Record`], a file that survives an interruption. [`join`] combines the records of all shards.

mod content;
mod error;
#[cfg(test)]
mod fixture;
mod join;
mod named;
mod options;
mod origin;
mod record;
mod seconds;
mod shard;

pub use content::{read, reason, Head, Recorded};
pub use error::RecordError;
pub use join::{join, JoinError, Joined, Source};
pub use named::{Named, Names};
pub use options::{flag, setting, Options};
pub use origin::Origin;
pub use record::Record;
pub use seconds::seconds;
pub use shard::{Shard, ShardError};
