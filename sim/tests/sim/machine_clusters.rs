// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Several multiprocessors and clusters of several CTAs on the machine: BCU assembly on the unit `gpu` and on its model.

use bcu_hw::catalog;
use bcu_hw::config::{named, Config};
use bcu_sim::compiled::Compiled;
use bcu_sim::dut::Dut;
use bcu_sim::engine::Engine;
use bcu_sim::machine::{load, run, unit, Kind, Machine, Report, RunError, Verdict};
use bcu_sim::model::{by_name, Sizes};
use bcu_sim::program::WarpProgram;

/// A text with its machine, for a configuration.
struct Case {
    config: Config,
    machine: Machine,
    programs: Vec<WarpProgram>,
}

fn case(config: &str, machine: &str, text: &str) -> Case {
    let config = named(config).unwrap();
    let machine = Machine::parse(machine).unwrap_or_else(|e| panic!("{e:?}"));
    let loaded = load(Kind::Bcu, text, &machine.launch(config.lanes)).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
    Case { config, machine, programs: loaded.programs }
}

impl Case {
    fn on(&self, dut: &mut dyn Dut) -> Result<Report, RunError> {
        run(dut, &self.config, &self.machine, &self.programs, &mut |_| ())
    }

    fn unit(&self) -> &'static str {
        unit(&self.machine, &self.config, &self.programs).unwrap_or_else(|e| panic!("{e:?}"))
    }

    fn on_model(&self) -> Result<Report, RunError> {
        self.on(&mut *by_name(self.unit(), Sizes::try_from(&self.config).unwrap()).unwrap())
    }
}

fn report(config: &str, machine: &str, text: &str) -> Report {
    case(config, machine, text).on_model().unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

/// Address and value of the words of global memory, or of the shared memory of a CTA.
fn words(report: &Report, cta: Option<usize>) -> Vec<(u32, u32)> {
    report.memory.iter().filter(|word| word.cta == cta).map(|word| (word.address, word.value)).collect()
}

/// Eight phases; in each every warp adds to a word of CTA 0 and behind the barrier sees what all have added.
const PHASES: &str = "\
SETP P0, 1
MOV R1, 0x40
SETP.EQ P1, CTARANK, 0
@P1 ST.SHARED [R1], 0
CLUSTER.ARRIVE
CLUSTER.WAIT
LOOP 8
  NOP 3
  CLUSTER.ARRIVE
  CLUSTER.WAIT
END
SHL R2, CTARANK, 2
@P0 ST.GLOBAL [R2], CTARANK
";

#[test]
fn clusters_pass_their_barrier_phase_by_phase() {
    for (size, warps) in [(2, 1), (2, 4), (4, 2), (4, 4)] {
        let machine = format!("[[cta]]\ncount = {size}\nwarps = {warps}\ncluster = {size}");
        let report = report("small", &machine, PHASES);
        assert_eq!(report.verdict, Verdict::Completed, "{report}");
        assert_eq!(words(&report, None), (0..size).map(|rank| (4 * rank, rank)).collect::<Vec<_>>(), "{report}");
        assert_eq!(report.warps.len(), (size * warps) as usize);
    }
}
