// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sizes that are not compiled in.

use bcu_cli::failure::{Failure, Result};
use bcu_hw::{catalog, config};
use bcu_isa::config::Config;

/// Refuses a configuration whose size is not compiled in.
pub fn needs(config: &Config) -> Result<()> {
    if catalog::is_compiled(config) {
        return Ok(());
    }
    Err(Failure::plain(format!("{}: {}", config.name, config::not_compiled(config)), None))
}
