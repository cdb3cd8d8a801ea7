// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random structured programs with branches, loops, calls, early ends, shared memory, barriers and exchanges between lanes. The machine and
//! an interpreter of the syntax tree give the same final variables of every thread. The interpreter has no warps and no schedule.
//!
//! `BCU_SEED=N BCU_ROUNDS=M cargo test -p bcu-engine --test sim structured` runs M programs from seed N.

mod interpret;
mod print;
mod tree;

use super::runs::model;
use bcu_isa::config::{named, Config};
use bcu_machine::{run_with, Machine, Observer, Report, Verdict};
use bcu_program::{load, Kind, Launch};
use bcu_program::{Image, Variable};
use fastrand::Rng;
use tree::VARIABLES;

const OUT: u64 = 0x7000_0000_0000;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap_or_else(|_| panic!("{name} is no number: {value}")))
}

/// The known words of `out`, and the report.
fn executed(config: &Config, machine: &str, text: &str, threads: u32) -> Result<(Vec<Option<u32>>, Report), String> {
    let params = vec![("out".to_string(), OUT)];
    let launch = Launch { threads: Some([threads, 1, 1]), params, ..Launch::new(32) };
    let loaded = load(Kind::Ptx, text, &launch).map_err(|e| format!("{e:#?}"))?;
    let mut machine = Machine::parse(machine).map_err(|e| format!("{e:#?}"))?;
    machine.size(loaded.threads);
    let bytes = Image::unknown(4 * VARIABLES * threads as usize);
    let mut buffers = vec![Variable::new("out", OUT, bytes)];
    let mut again = buffers.clone();
    let report =
        run_with(Some(&mut *model(config)), config, &machine, &loaded.programs, &mut buffers, Observer::of_all(&mut |_| ()));
    let report = report.map_err(|e| format!("{e:#?}"))?;
    let skipping = run_with(None, config, &machine, &loaded.programs, &mut again, Observer::of_changes(&mut |_| ()));
    if (skipping.as_ref(), &again) != (Ok(&report), &buffers) {
        return Err(format!("without idle cycles the run differs: {skipping:#?}"));
    }
    let out = buffers.iter().find(|buffer| buffer.address == OUT).ok_or("the buffer is gone")?;
    let word = |bytes: &[Option<u8>]| bytes.iter().rev().try_fold(0, |word, byte| Some(word << 8 | u32::from((*byte)?)));
    Ok((out.bytes.values().chunks(4).map(word).collect(), report))
}

#[test]
fn structured_programs_give_what_their_tree_means() {
    let config = named("default").unwrap();
    let (seed, rounds) = (setting("BCU_SEED", 1), setting("BCU_ROUNDS", 200));
    let (mut barriers, mut waits) = (0, 0);
    for round in seed..seed + rounds {
        let program = tree::program(&mut Rng::with_seed(round));
        let (text, wanted) = (print::ptx(&program), interpret::results(&program));
        let schedules = [
            "policy = 'round_robin'\n[latency]\nglobal = 20\nshared = 4".to_string(),
            format!("policy = 'random'\nseed = {round}\n[latency]\nglobal = 20\nshared = 4\nspread = 40"),
        ];
        for schedule in schedules {
            let repeat = format!("BCU_SEED={round} BCU_ROUNDS=1 cargo test -p bcu-engine --test sim structured");
            let machine = format!("max_cycles = 2000000\n{schedule}");
            let fail = |what: &str| panic!("{what}\n{schedule}\n{text}\n{} threads; repeat with: {repeat}", program.threads);
            let (found, report) = executed(&config, &machine, &text, program.threads).unwrap_or_else(|e| fail(&e));
            if report.verdict != Verdict::Completed {
                fail(&report.to_string());
            }
            for (thread, variables) in wanted.iter().enumerate() {
                for (i, value) in variables.iter().enumerate() {
                    let found = found[thread * VARIABLES + i];
                    if found != Some(*value) {
                        fail(&format!("variable {i} of thread {thread} is {found:x?}, not {value:x}"));
                    }
                }
            }
            barriers += report.generations.len();
            waits += report.generations.iter().flat_map(|generation| &generation.waits).filter(|wait| wait.cycles > 20).count();
        }
    }
    // The programs use barriers, and their warps do not arrive there at the same time.
    assert!(rounds < 100 || (barriers as u64 > 4 * rounds && waits as u64 > rounds), "{barriers} barriers, {waits} long waits");
}
