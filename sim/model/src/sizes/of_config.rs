// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The sizes of a configuration, for the model.

use super::{Clusters, Objects, Parts, SizeError, Sizes};
use bcu_isa::config::Config;

impl TryFrom<&Config> for Sizes {
    type Error = SizeError;

    fn try_from(config: &Config) -> Result<Sizes, SizeError> {
        let Config { warps, lanes, cta_slots, barriers, pack_lsb, max_outstanding, accesses_per_cycle, .. } = config;
        let numbers = [warps, lanes, cta_slots, barriers, pack_lsb, max_outstanding].map(|number| *number as u32);
        let [warps, lanes, slots, barriers, pack_lsb, outstanding] = numbers;
        let &Config { reductions, faults, state_words, lose_faults, .. } = config;
        let sizes = Sizes::new(warps, lanes, slots, barriers, pack_lsb, outstanding)?
            .with_accesses_per_cycle(*accesses_per_cycle as u32)?;
        let [smem_bytes, cached, limit_bits] =
            [config.smem_bytes, config.mbarrier_objects, config.limit_bits].map(|number| number as u32);
        let [size, slots, max_remote] =
            [config.cluster_size, config.cluster_slots, config.max_remote].map(|number| number as u32);
        let [grid_slots, sms] = [config.grid_slots, config.sms].map(|number| number as u32);
        let sizes = sizes.with_objects(Objects { smem_bytes, cached, limit_bits })?;
        let sizes = sizes.with_copies(config.max_copies as u32).with_clusters(Clusters { size, slots, max_remote })?;
        let sizes = sizes.with_grids(grid_slots, config.grids)?.with_sms(sms)?.with_links(config.link_stages as u32);
        let sizes = match config.gateway_ids {
            0 => sizes,
            ids => sizes.with_gateway(ids as u32)?,
        };
        Ok(sizes.with(Parts { reductions, faults, state_words, lose_faults }))
    }
}
