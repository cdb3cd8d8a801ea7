// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The kernels: each waits for a different part of the unit.

use super::{load, runs, Case, Config, Kind, Launch, Machine};

/// A machine description with the lowest `hang_after`, and with slow memory.
const MACHINE: &str = "hang_after = 1\n[latency]\nshared = 90\nglobal = 700\nspread = 50\n";

/// All kernels that a unit can execute.
pub fn kernels(config: &Config) -> Vec<Case> {
    let mut kernels = vec![];
    if config.has_named() {
        kernels.push(named(config));
    }
    if config.has_gateway() {
        kernels.push(gateway(config));
    }
    if config.has_mbarrier() {
        kernels.push(objects(config));
    }
    if config.has_unit("gpu") {
        kernels.extend([clusters(config), remote(config), grids(config)]);
    }
    kernels
}

/// The CTAs of a kernel: their total number, their number in a cluster, and the number of warps of each CTA.
#[derive(Clone, Copy)]
struct Ctas {
    count: usize,
    cluster: usize,
    warps: usize,
}

fn bcu(name: &'static str, config: &Config, Ctas { count, cluster, warps }: Ctas, text: &str) -> Case {
    let machine = format!("{MACHINE}[[cta]]\ncount = {count}\ncluster = {cluster}\nwarps = {warps}\n");
    let machine = Machine::parse(&machine).unwrap();
    let programs = load(Kind::Bcu, text, &machine.launch(config.lanes)).unwrap_or_else(|e| panic!("{e:#?}")).programs;
    Case { name, config: config.clone(), machine, programs }
}

/// CTAs without a cluster: two for each CTA slot, but at most 16.
fn alone(config: &Config) -> Ctas {
    Ctas { count: 2 * config.cta_slots.min(8), cluster: 1, warps: config.warps.min(4) }
}

/// Three clusters, whose size is the largest power of two that fits.
fn joined(config: &Config) -> Ctas {
    let warps = config.warps.min(2);
    let most = config.cta_slots.min(config.warps / warps) * config.sms;
    let cluster = 1 << most.min(16).ilog2();
    Ctas { count: 3 * cluster, cluster, warps }
}

/// A kernel with named barriers after accesses, and with fences.
fn named(config: &Config) -> Case {
    let text = "LOOP 2\nST.GLOBAL\nST.SHARED\nBAR.SYNC 0\nST.GLOBAL\nFENCE.MEM\nBAR.SYNC 1\nNOP 40\nEND\nST.GLOBAL\n";
    bcu("named", config, alone(config), text)
}

/// A kernel with barriers of the gateway after accesses, and with fences.
fn gateway(config: &Config) -> Case {
    let ctas = alone(config);
    let text = format!("LOOP 2\nST.GLOBAL\nNBAR.SIGNAL 1, {}\nFENCE.MEM\nNBAR.WAIT 1\nNOP 40\nEND\nST.GLOBAL\n", ctas.warps);
    bcu("gateway", config, ctas, &text)
}

/// Code that initialises `objects` mbarriers, each for `count` arrivals.
fn make(objects: usize, count: usize) -> String {
    format!("SETP P0, 1\nSETP.EQ P2, WARPID, 0\nSHL R4, CTARANK, 24\nACTIVE 1\nLOOP {objects}\n@P2 MBAR.INIT [R4], {count}\nADD R4, R4, 8\nEND\nEND\n")
}

/// A kernel whose CTAs leave while all cache entries are in use.
fn objects(config: &Config) -> Case {
    bcu("objects", config, Ctas { count: 2, cluster: 1, warps: 1 }, &make(config.mbarrier_objects, 1))
}

/// A kernel with barriers of the cluster between accesses to the memory of the next CTA.
fn clusters(config: &Config) -> Case {
    let ctas = joined(config);
    let text = format!(
        "SETP P0, 1\nMOV R5, 0\nSHL R1, CTARANK, 24\nADD R3, CTARANK, 1\nAND R3, R3, {}\nSHL R3, R3, 24\nCLUSTER.ARRIVE\nCLUSTER.WAIT\n\
         LOOP 2\n@P0 ST.SHARED [R3+0x40], R5\nCLUSTER.ARRIVE\nCLUSTER.WAIT\n@P0 LD.SHARED R6, [R1+0x40]\nCLUSTER.ARRIVE\nCLUSTER.WAIT\nEND\n",
        ctas.cluster - 1
    );
    bcu("clusters", config, ctas, &text)
}

/// A kernel with arrivals at an mbarrier of the CTA of rank 0. Only that CTA waits for the arrivals; the other CTAs leave with all their
/// state.
fn remote(config: &Config) -> Case {
    let ctas = joined(config);
    let text = format!(
        "{}MOV R4, 8\nMOV R8, 0\nSETP.EQ P1, CTARANK, 0\nCLUSTER.ARRIVE\nCLUSTER.WAIT\nACTIVE 1\nMBAR.ARRIVE.CLUSTER RZ, [R4], 1\nEND\n\
         @!P1 EXIT\nLOOP 20\nMBAR.TRY.PARITY P5, [R4], R8\n@P5 EXIT\nEND\n",
        make(config.mbarrier_objects.min(32), ctas.cluster * ctas.warps)
    );
    bcu("remote", config, ctas, &text)
}

/// Grids that start early, each of which waits for the grids before it.
fn grids(config: &Config) -> Case {
    let text = ".version 8.0\n.target sm_90\n.global .align 4 .u32 x[4];\n.entry k() {\n.reg .u64 a;\nmov.u64 a, x;\n\
                griddepcontrol.launch_dependents;\ngriddepcontrol.wait;\nst.global.u32 [a], 1;\nret;\n}\n";
    let grid = |number: usize| {
        let threads = [(config.warps.min(2) * config.lanes) as u32, 1, 1];
        let (grid, programmatic) = ([2 * config.cta_slots as u32, 1, 1], number > 0);
        let launch = Launch { threads: Some(threads), grid, programmatic, ..Launch::new(config.lanes as u32) };
        load(Kind::Ptx, text, &launch).unwrap_or_else(|e| panic!("{e:#?}"))
    };
    let run = runs(&(0..4).map(grid).collect::<Vec<_>>()).remove(0);
    let machine = Machine::parse(MACHINE).unwrap().of_run(&run);
    Case { name: "grids", config: config.clone(), machine, programs: run.programs }
}

/// A kernel whose CTA ends with an incomplete barrier.
pub fn left_open(config: &Config) -> Case {
    let text = format!("BAR.ARV {}, {}\n", config.barriers - 1, 2 * config.lanes);
    bcu("left open", config, Ctas { count: 1, cluster: 1, warps: 2 }, &format!(".warps 0\n{text}.warps 1\nNOP 5\n"))
}

/// A kernel with as many CTAs as fit; in each CTA, two warps wait for each other.
pub fn deadlock(config: &Config) -> Case {
    let ctas = Ctas { count: config.cta_slots.min(config.warps / 2), cluster: 1, warps: 2 };
    let text = match config.has_gateway() {
        true => ".warps 0\nNBAR.SIGNAL 1, 2\nNBAR.WAIT 1\n.warps 1\nNBAR.SIGNAL 2, 2\nNBAR.WAIT 2\n",
        false => ".warps 0\nBAR.SYNC 1\n.warps 1\nBAR.SYNC 2\n",
    };
    bcu("deadlock", config, ctas, text)
}
