// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A unit that sleeps in idle cycles against the unit that is clocked in every cycle, on the inputs of whole runs: equal outputs in every
//! cycle, and the same state whenever an input that has no effect wakes the unit.

use bcu_isa::config::{named, Config};
use bcu_isa::ports::Dir;
use bcu_machine::{run_with, Machine, Observer};
use bcu_model::dut::{ByName, Dut};
use bcu_model::{Bcu, Model, Sizes, Sleeper};
use bcu_program::{load, Kind, Launch, Run};

const SEED: u64 = 1;

const HEAD: &str = ".version 8.6\n.target sm_90\n.address_size 64\n.global .align 8 .b64 g[256];\n.visible .entry k()\n{\n
.shared .align 8 .b64 bar;\n.reg .b32 %t, %r<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<4>;\nmov.u32 %t, %tid.x;\nmov.u64 %rd1, g;\n";

/// The inputs of the unit in each cycle of a run of a kernel with this body, of 64 threads in each of two CTAs.
fn inputs(config: &Config, machine: &str, body: &str) -> Vec<Vec<u64>> {
    let text = format!("{HEAD}{body}\nret;\n}}\n");
    let launch = Launch { threads: Some([64, 1, 1]), grid: [2, 1, 1], ..Launch::new(32) };
    let loaded = Run::of_one(load(Kind::Ptx, &text, &launch).unwrap_or_else(|e| panic!("{e:?}\n{text}")));
    let machine = Machine::parse(machine).unwrap().of_run(&loaded);
    let mut cycles = vec![];
    let mut observe = |cycle: &bcu_machine::Cycle| cycles.push(cycle.inputs.to_vec());
    run_with(None, config, &machine, &loaded.programs, &mut vec![], Observer::of_all(&mut observe)).unwrap();
    cycles
}

/// Plays the inputs to both units. In some cycles the policy of elections is the other one, which changes nothing in these kernels but
/// wakes the unit. Returns the number of cycles in which the unit was asleep.
fn compare(config: &Config, cycles: &[Vec<u64>]) -> usize {
    let sizes = Sizes::try_from(config).unwrap();
    let (mut asleep, mut clocked) = (Model::<Sleeper>::new(sizes), Model::<Bcu>::new(sizes));
    let policy = clocked.ports().input("leader_policy").unwrap().index();
    let outputs = clocked.ports().count(Dir::Out);
    let [mut found, mut expected] = [vec![0; outputs], vec![0; outputs]];
    let mut random = fastrand::Rng::with_seed(SEED);
    let mut slept = 0;
    for (number, inputs) in cycles.iter().enumerate() {
        let mut inputs = inputs.clone();
        let wakes = random.u32(..150) == 0;
        inputs[policy] ^= u64::from(wakes);
        asleep.cycle(&inputs, &mut found);
        clocked.cycle(&inputs, &mut expected);
        assert_eq!(found, expected, "cycle {number}, seed {SEED}");
        slept += usize::from(asleep.unit().idle_cycles() > 0);
        if wakes {
            assert!(asleep.unit().bcu() == clocked.unit(), "cycle {number}, seed {SEED}: the states differ");
        }
    }
    slept
}

#[test]
fn a_sleeping_unit_equals_one_that_is_clocked_in_every_cycle() {
    let loads = "mov.u32 %r1, 0;\nL: ld.global.u64 %rd2, [%rd1];\nst.global.u32 [%rd1+16], %t;\nbar.sync 0;
add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 6;\n@%p1 bra L;";
    // Thread 0 arrives late, so the others are suspended several times up to the limit.
    let suspended = "setp.ne.u32 %p1, %t, 0;\n@%p1 bra M;\nmbarrier.init.shared.b64 [bar], 64;\nM: bar.sync 0;\n@%p1 bra A;
nanosleep.u32 3000;\nA: mbarrier.arrive.shared.b64 _, [bar];\nW: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0, 500;
@!%p2 bra W;";
    let deadlock = "setp.lt.u32 %p1, %t, 32;\n@%p1 bar.sync 1;\n@!%p1 bar.sync 2;";
    for config in ["default", "large", "warp32"].map(|name| named(name).unwrap()) {
        let kernels = [("", loads), ("wait_limit = 9\n", suspended), ("hang_after = 3000\n", deadlock)];
        let slept: usize = kernels.iter().map(|(machine, body)| compare(&config, &inputs(&config, machine, body))).sum();
        assert!(slept > 3_000, "{}: the unit slept in {slept} cycles only", config.name);
    }
}
