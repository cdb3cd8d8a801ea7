// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The arguments of `cargo lab slurm`.

#[derive(clap::Args)]
pub struct Args {
    /// Only tests whose name contains this text.
    #[arg(long, default_value = "/tiny")]
    pub filter: String,
    /// Cycles of each lockstep test.
    #[arg(long, default_value_t = 1_500_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub cycles: u32,
    /// Shards of the run, which are the tasks of the array.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub shards: u32,
}

impl Args {
    /// The arguments of `bcu` for the regression, without those of shards and outputs.
    pub fn regression(&self) -> Vec<String> {
        let cycles = self.cycles.to_string();
        ["regress", &self.filter, "--engine", "compiled", "--coverage", "--cycles", &cycles].map(str::to_string).to_vec()
    }

    /// The shard whose task is killed.
    pub fn victim(&self) -> u32 {
        self.shards.div_ceil(2)
    }
}
