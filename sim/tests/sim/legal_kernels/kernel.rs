// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A legal kernel, drawn from a seed: bursts of accesses before barriers of every kind, free of races and deadlocks by construction.
//!
//! Every thread has private words in global and shared memory, and an accumulator that adds up its loads. Threads exchange
//! data through shared memory, in words that one thread writes and another thread reads after a barrier of the whole CTA.

use bcu_isa::config::Config;
use fastrand::Rng;

/// The number of words in global memory that a thread loads and stores.
pub const CELLS: u32 = 12;
/// The number of words after these that the thread only loads.
pub const CONSTANTS: u32 = 4;
/// The number of words of a thread in global memory.
pub const WORDS: u32 = CELLS + CONSTANTS;
/// The number of words in shared memory that a thread loads and stores; the words after these are the targets of copies.
pub const SHARED: u32 = 4;
/// mbarriers of a CTA.
pub const OBJECTS: u32 = 2;

/// The value that is stored or added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Accumulator,
    Thread,
    Round,
}

/// The threads that execute an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    All,
    OddLanes,
    LaterWarps,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    StoreGlobal,
    LoadGlobal,
    StoreShared,
    LoadShared,
    AddGlobal,
    ExchangeShared,
    CountGlobal,
    CountShared,
    Copy,
}

const KINDS: [Kind; 9] = [
    Kind::StoreGlobal,
    Kind::LoadGlobal,
    Kind::StoreShared,
    Kind::LoadShared,
    Kind::AddGlobal,
    Kind::ExchangeShared,
    Kind::CountGlobal,
    Kind::CountShared,
    Kind::Copy,
];

/// An access of `width` words from word `cell` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub kind: Kind,
    pub cell: u32,
    pub width: u32,
    pub value: Value,
    pub guard: Guard,
}

impl Access {
    /// The number of registers that the access loads.
    pub fn loads(&self) -> u32 {
        match self.kind {
            Kind::LoadGlobal | Kind::LoadShared => self.width,
            Kind::AddGlobal | Kind::ExchangeShared => 1,
            _ => 0,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    And,
    Or,
    Popc,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Barrier {
    /// `bar.sync` or `barrier.sync`.
    Sync { id: u32, counted: bool, aligned: bool },
    /// The predicate is true if thread + round + `salt` is a multiple of `modulus`.
    Reduce { reduction: Reduction, id: u32, counted: bool, aligned: bool, salt: u32, modulus: u32 },
    /// The first `producers` warps arrive at the first barrier, make the accesses `between` and wait at the second barrier. The other warps
    /// wait at the first barrier and arrive at the second. All warps then meet at barrier `closing`.
    Handshake { ids: [u32; 2], producers: u32, between: Vec<Access>, closing: u32 },
    /// `bar.warp.sync`.
    Warp,
    /// All threads arrive at an mbarrier and wait there in a loop.
    Object { object: u32, parity: bool, suspends: bool },
    /// A fence or `membar`.
    Fence(&'static str),
    /// All warps arrive at the barrier of the cluster, make the accesses `between`, and wait at that barrier.
    Cluster { aligned: bool, relaxed: bool, between: Vec<Access> },
}

impl Barrier {
    /// Whether all threads of the CTA wait for each other, and their stores are visible after the barrier.
    pub fn is_of_cta(&self) -> bool {
        matches!(self, Barrier::Sync { .. } | Barrier::Reduce { .. } | Barrier::Object { .. } | Barrier::Handshake { .. })
    }
}

#[derive(Clone, Debug)]
pub struct Segment {
    /// A delay loop before the burst, of `warp % 8` iterations, at least one.
    pub delays: bool,
    pub burst: Vec<Access>,
    /// Each thread stores a word before the barrier, which another thread loads after the barrier.
    pub exchanges: bool,
    pub barrier: Barrier,
}

#[derive(Clone, Debug)]
pub struct Kernel {
    pub lanes: u32,
    pub warps: u32,
    /// Threads of a CTA.
    pub threads: u32,
    pub ctas: u32,
    pub cluster: u32,
    /// The first warp that executes accesses with [`Guard::LaterWarps`].
    pub split: u32,
    /// Threads exchange words with the thread at this distance.
    pub distance: u32,
    pub rounds: u32,
    pub body: Vec<Segment>,
    /// The number of warps that meet again after the last round, at barrier `last_id` without a count; the other warps exit before.
    pub staying: u32,
    pub last_id: u32,
    pub last: [Vec<Access>; 2],
}

fn access(random: &mut Rng, kind: Kind, loads: bool) -> Access {
    let kind = match kind {
        Kind::LoadGlobal | Kind::AddGlobal if !loads => Kind::StoreGlobal,
        Kind::LoadShared | Kind::ExchangeShared | Kind::Copy if !loads => Kind::StoreShared,
        kind => kind,
    };
    let width = [1, 1, 1, 2, 4][random.usize(..5)];
    let (width, words) = match kind {
        Kind::StoreGlobal => (width, CELLS),
        Kind::LoadGlobal => (width, WORDS),
        Kind::StoreShared | Kind::LoadShared => (width, SHARED),
        Kind::ExchangeShared => (1, SHARED),
        Kind::AddGlobal => (1, CELLS),
        Kind::Copy => (1, CONSTANTS),
        Kind::CountGlobal | Kind::CountShared => (1, 1),
    };
    let cell = random.u32(..words / width) * width;
    let value = [Value::Accumulator, Value::Thread, Value::Round][random.usize(..3)];
    let guard = [Guard::All, Guard::All, Guard::All, Guard::OddLanes, Guard::LaterWarps][random.usize(..5)];
    Access { kind, cell, width, value, guard: if kind == Kind::Copy { Guard::All } else { guard } }
}

/// 1 to 40 accesses, of one kind or of several.
fn burst(random: &mut Rng, loads: bool) -> Vec<Access> {
    let only = random.bool().then(|| KINDS[random.usize(..KINDS.len())]);
    let mut copied = 0u32;
    let mut one = |random: &mut Rng| {
        let any = KINDS[random.usize(..KINDS.len())];
        let access = access(random, only.unwrap_or(any), loads);
        // A burst copies to a word at most once.
        let again = access.kind == Kind::Copy && copied >> access.cell & 1 == 1;
        copied |= if access.kind == Kind::Copy { 1 << access.cell } else { 0 };
        if again {
            Access { kind: Kind::LoadGlobal, cell: CELLS + access.cell, ..access }
        } else {
            access
        }
    };
    let count = random.u32(1..=40);
    (0..count).map(|_| one(random)).collect()
}

/// Replaces an addition to the counter in shared memory by an addition to the counter in global memory. The last bursts read the counter in
/// shared memory, so it must not change any more.
fn late(access: Access) -> Access {
    match access.kind {
        Kind::CountShared => Access { kind: Kind::CountGlobal, ..access },
        _ => access,
    }
}

const FENCES: [&str; 7] =
    ["membar.cta", "membar.gl", "membar.sys", "fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.sc.cta", "fence.sc.sys"];

fn barrier(random: &mut Rng, config: &Config, warps: u32, cluster: u32) -> Barrier {
    let ids = (config.barriers as u32).min(16);
    let (id, counted, aligned) = (random.u32(..ids), random.bool(), random.bool());
    match random.u32(..9) {
        0 | 1 if config.reductions && config.state_words => {
            let reduction = [Reduction::And, Reduction::Or, Reduction::Popc][random.usize(..3)];
            Barrier::Reduce { reduction, id, counted, aligned, salt: random.u32(..8), modulus: random.u32(1..6) }
        }
        2 if warps > 1 && ids > 2 => {
            let ids = [id, (id + 1) % ids, (id + 2) % ids];
            let producers = random.u32(1..warps);
            Barrier::Handshake { ids: [ids[0], ids[1]], producers, between: burst(random, false), closing: ids[2] }
        }
        3 => Barrier::Warp,
        4 | 5 if config.has_mbarrier() => {
            Barrier::Object { object: random.u32(..OBJECTS), parity: random.bool(), suspends: random.bool() }
        }
        6 => Barrier::Fence(FENCES[random.usize(..FENCES.len())]),
        7 if cluster > 1 || random.u32(..4) == 0 => {
            Barrier::Cluster { aligned, relaxed: random.bool(), between: burst(random, false) }
        }
        _ => Barrier::Sync { id, counted, aligned },
    }
}

impl Kernel {
    /// A random kernel for a configuration with named barriers. The kernel may have clusters only if `clusters` is true.
    pub fn draw(random: &mut Rng, config: &Config, clusters: bool) -> Kernel {
        let most = [1, 2, 3, 4, 8, 8, 16, 32][random.usize(..8)].min(config.warps as u32);
        let (lanes, warps) = (config.lanes as u32, random.u32(1..=most));
        let threads = (warps - 1) * lanes + random.u32(1..=lanes);
        let cluster = if clusters && random.bool() { 2 } else { 1 };
        let ctas = cluster * random.u32(1..=if warps > 8 { 1 } else { 3 });
        // Large CTAs run long, so they have fewer rounds.
        let rounds = random.u32(1..=if warps > 8 { 2 } else { 4 });
        let count = random.usize(1..=if warps > 8 { 2 } else { 4 });
        let segment = |random: &mut Rng| {
            let barrier = barrier(random, config, warps, cluster);
            let exchanges = barrier.is_of_cta() && random.bool();
            Segment { delays: random.u32(..3) == 0, burst: burst(random, true), exchanges, barrier }
        };
        let mut body: Vec<Segment> = (0..count).map(|_| segment(random)).collect();
        // An exchanged word is read after one barrier of the CTA and is written again only after the next barrier of the CTA. So the body
        // needs two such barriers.
        if body.iter().filter(|segment| segment.barrier.is_of_cta()).count() < 2 {
            let barrier = Barrier::Sync { id: 0, counted: false, aligned: true };
            body.push(Segment { delays: false, burst: burst(random, true), exchanges: false, barrier });
        }
        Kernel {
            lanes,
            warps,
            threads,
            ctas,
            cluster,
            split: random.u32(..=warps),
            distance: random.u32(..threads),
            rounds,
            body,
            staying: random.u32(1..=warps),
            last_id: random.u32(..config.barriers as u32),
            last: [0, 1].map(|_| burst(random, true).into_iter().map(late).collect()),
        }
    }
}
