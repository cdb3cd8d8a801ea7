// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The choices that the contract leaves to a core, drawn once for each seed: the structure of the core, its memory latencies, and the mix
//! of its programs.

use crate::stimulus::swarm::Duty;
use crate::stimulus::Rng;

/// The free parameters of a core.
#[derive(Clone, Debug)]
pub struct Style {
    /// Cycles from sampling `blocked` to the first cycle of the offer; 0: the core has no register in between.
    pub lookahead: u64,
    /// Whether a warp may offer an instruction in the cycle in which it issues its last access before that instruction.
    pub same_cycle: bool,
    /// Whether lanes of a warp may exit while other lanes of the warp offer an instruction. No lane of the warp exits between the sampling
    /// of `blocked` and the offer.
    pub overlap: bool,
    /// The cycles in which the issue stage has an instruction.
    pub issue: Duty,
    /// The cycles in which the memory stage has accesses.
    pub access: Duty,
    /// In thousandths: the probability of accesses between two rounds.
    pub accesses: u64,
    /// The maximum number of accesses between two rounds.
    pub burst: u64,
    /// In thousandths: the probability of a pause between two rounds.
    pub rests: u64,
    /// The maximum number of cycles of a pause.
    pub pause_limit: u64,
    /// In thousandths: the probability that a warp arrives lane by lane.
    pub pieces: u64,
    /// In thousandths: the probability that lanes exit where they could have arrived.
    pub leaving: u64,
    /// In thousandths: the probability that a generation has no count.
    pub uncounted: u64,
    /// In thousandths: the probability that a generation is a reduction.
    pub reduces: u64,
    /// In thousandths: the probability that a participant does not wait.
    pub producers: u64,
    /// The maximum number of rounds of a program.
    pub rounds: u64,
    /// The weight of each kind of round.
    pub kinds: [u64; Round::ALL.len()],
    /// Maximum latency of an access, in cycles.
    pub latency: u64,
    /// Maximum latency of a copy, in cycles.
    pub copy_latency: u64,
    /// Maximum latency of shared memory, in cycles.
    pub shared_latency: u64,
    /// Maximum latency of a link, in cycles.
    pub link_latency: u64,
    /// Maximum latency of the host, in cycles.
    pub host_latency: u64,
    /// In thousandths: the probability that memory performs nothing in a cycle.
    pub stall: u64,
    pub fault_ready: Duty,
    pub mem_ready: Duty,
    pub cluster_ready: Duty,
    pub grid_ready: Duty,
    pub fault_policy: u64,
    pub leader_policy: u64,
    pub wait_limit: u64,
    /// In thousandths: the probability that warps of a CTA exit in a round.
    pub exits: u64,
    /// In thousandths: the probability that a program ends with a phase for which no warp waits.
    pub unwaited: u64,
}

/// A joint action of the warps of a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    Named,
    Meet,
    Alone,
    Object,
    Cluster,
    Exit,
}

impl Round {
    pub const ALL: [Round; 6] = [Round::Named, Round::Meet, Round::Alone, Round::Object, Round::Cluster, Round::Exit];
}

impl Style {
    pub fn draw(rng: &mut Rng, limit_bits: u64) -> Style {
        let mut draw = |choices: &[(u64, u64)]| rng.weighted(choices).unwrap_or(0);
        let lookahead = draw(&[(0, 4), (1, 4), (2, 1), (3, 1)]);
        let same_cycle = draw(&[(0, 1), (1, 2)]) == 1;
        let overlap = lookahead == 0 && draw(&[(0, 3), (1, 1)]) == 1;
        let accesses = draw(&[(0, 1), (200, 2), (600, 3), (950, 2)]);
        let burst = draw(&[(1, 1), (4, 2), (16, 3), (40, 2)]);
        let rests = draw(&[(0, 2), (100, 2), (500, 1)]);
        let pause_limit = draw(&[(3, 1), (20, 2), (150, 1)]);
        let pieces = draw(&[(0, 1), (200, 2), (700, 1)]);
        let leaving = draw(&[(0, 2), (50, 2), (250, 1)]);
        let uncounted = draw(&[(0, 1), (300, 2), (900, 1)]);
        let reduces = draw(&[(0, 1), (300, 2), (900, 1)]);
        let producers = draw(&[(0, 1), (300, 2), (700, 1)]);
        let rounds = draw(&[(1, 3), (8, 3), (25, 2)]);
        let kinds = Round::ALL.map(|round| match round {
            Round::Named => draw(&[(1, 1), (10, 2), (30, 1)]),
            Round::Meet | Round::Alone => draw(&[(0, 1), (3, 2), (10, 1)]),
            Round::Object => draw(&[(0, 1), (10, 3), (60, 3)]),
            Round::Cluster => draw(&[(0, 1), (3, 2), (20, 1)]),
            Round::Exit => draw(&[(0, 2), (1, 2), (6, 1)]),
        });
        let latency = draw(&[(1, 1), (8, 2), (60, 2), (250, 1)]);
        let copy_latency = draw(&[(1, 1), (20, 2), (300, 2)]);
        let shared_latency = draw(&[(1, 1), (10, 2), (60, 3), (400, 1)]);
        let link_latency = draw(&[(1, 2), (10, 2), (100, 1)]);
        let host_latency = draw(&[(0, 2), (10, 2), (100, 1)]);
        let stall = draw(&[(0, 3), (300, 2), (900, 1)]);
        let fault_policy = draw(&[(0, 1), (1, 1), (2, 1)]);
        let leader_policy = draw(&[(0, 1), (1, 1)]);
        let wait_limit = draw(&[(1, 2), (3, 1), ((1 << limit_bits) - 1, 1)]);
        let exits = draw(&[(0, 1), (100, 2), (400, 1)]);
        let unwaited = draw(&[(100, 1), (600, 1), (950, 2)]);
        let [issue, access] = [Duty::source(rng), Duty::source(rng)];
        let [fault_ready, mem_ready, cluster_ready, grid_ready] = [(); 4].map(|()| Duty::sink(rng));
        Style {
            lookahead,
            same_cycle,
            overlap,
            issue,
            access,
            accesses,
            burst,
            rests,
            pause_limit,
            pieces,
            leaving,
            uncounted,
            reduces,
            producers,
            rounds,
            kinds,
            latency,
            copy_latency,
            shared_latency,
            link_latency,
            host_latency,
            stall,
            fault_ready,
            mem_ready,
            cluster_ready,
            grid_ready,
            fault_policy,
            leader_policy,
            wait_limit,
            exits,
            unwaited,
        }
    }
}
