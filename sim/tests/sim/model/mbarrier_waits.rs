// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Waits with a limit at one object: warps are suspended at random, phases flip, warps are suspended again, and bytes of copy engines
//! fill the queue. No wait is answered false before the least time of `docs/contract/mbarrier.md` (*Time*), independent of earlier
//! suspensions of the warp, and every wait is answered within its limit.

use bcu_model::bench::Bench;
use bcu_model::mbarrier_object::MbarrierKind;

/// The number of each kind of event in a run.
#[derive(Debug, Default)]
pub struct Outcome {
    pub suspended: u64,
    /// Suspensions that began within 40 cycles after the previous wake.
    pub soon: u64,
    pub gave_up: u64,
    pub woken: u64,
}

/// Splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }
}

/// The state of a warp: idle; or it has sent a wait with this limit; or it is suspended, by a decision in cycle `decided`.
#[derive(Clone, Copy, Debug)]
enum Waiter {
    Free,
    Sent { limit: u64 },
    Suspended { decided: u64, limit: u64 },
}

/// The value at the port for this kind of operation.
fn number(kind: MbarrierKind) -> u64 {
    MbarrierKind::ALL.iter().position(|of| *of == kind).unwrap_or(0) as u64
}

/// Warp 0 arrives at random, which flips the phase; the other warps wait for it.
pub fn play(mut bench: Bench, warps: usize, seed: u64, cycles: u64) -> Outcome {
    let mut random = Random(seed);
    let most = 1 + random.below(3);
    let (arrives, sends) = (20 + random.below(200), 1 + random.below(4));
    bench.set_all(&[("mem_request_ready", 1), ("fault_ready", 1), ("wait_limit", most)]);
    bench.set_all(&[("op_uniform", 1), ("op_all_live_lanes", 1), ("launch_valid", 1)]);
    bench.cycle();
    bench.set("launch_valid", 0);
    bench.send("op", &[("kind", number(MbarrierKind::Init)), ("count", 1)]);
    bench.set("op_count", 0);
    bench.cycles(8);
    let mut waiters = vec![Waiter::Free; warps];
    let (mut phase, mut arriving, mut offered, mut copies) = (0, false, None, false);
    let mut outcome = Outcome::default();
    let mut last_wake = vec![0; warps];
    for now in 1..=cycles {
        // An offer holds until its transfer.
        if offered.is_none() {
            let waiter = 1 + random.below(warps as u64 - 1);
            let hint = random.below(4);
            if !arriving && random.below(arrives) == 0 {
                arriving = true;
                offered = Some(0);
                bench.set_all(&[("op_kind", number(MbarrierKind::Arrive)), ("op_warp", 0), ("op_count", 1)]);
            } else if matches!(waiters[waiter as usize], Waiter::Free) && random.below(sends) == 0 {
                let limit = if hint == 0 { most } else { hint.min(most) };
                waiters[waiter as usize] = Waiter::Sent { limit };
                offered = Some(waiter);
                bench.set_all(&[("op_kind", number(MbarrierKind::TryWait)), ("op_warp", waiter), ("op_count", 0)]);
                bench.set_all(&[("op_phase", phase), ("op_hint", hint)]);
            }
        }
        let sends = copies || random.below(3) != 0;
        bench.set_all(&[("op_valid", u64::from(offered.is_some())), ("tx_valid", u64::from(sends))]);
        bench.cycle();
        copies = sends && bench.get("tx_ready") == 0;
        if bench.get("op_ready") == 1 && offered.take() == Some(0) {
            phase ^= 1;
        }
        if bench.get("commit_valid") == 1 {
            let warp = bench.get("commit_warps").trailing_zeros() as usize;
            let suspended = bench.get("suspended") >> warp & 1 == 1;
            match waiters[warp] {
                Waiter::Sent { limit } if suspended => {
                    outcome.suspended += 1;
                    outcome.soon += u64::from(last_wake[warp] > 0 && now - last_wake[warp] <= 40);
                    waiters[warp] = Waiter::Suspended { decided: now - 1, limit };
                }
                _ if warp == 0 => arriving = false,
                _ => waiters[warp] = Waiter::Free,
            }
        }
        if bench.get("wake_valid") == 1 {
            let value = bench.get("wake_value");
            let woken = bench.get("wake_warps");
            for warp in (0..warps).filter(|warp| woken >> warp & 1 == 1) {
                let Waiter::Suspended { decided, limit } = waiters[warp] else {
                    panic!("cycle {now}: warp {warp} did not wait")
                };
                let duration = now - decided;
                let least = 64 * (limit - 1) + warp as u64 + 8;
                assert!(
                    value == 1 || duration >= least,
                    "cycle {now}: warp {warp}, limit {limit}: false after {duration} cycles"
                );
                // Other warps' time-outs pause the counter for a few cycles each.
                let latest = 64 * limit + warp as u64 + 7 + 40 * warps as u64;
                assert!(duration <= latest, "cycle {now}: warp {warp}, limit {limit}: waits for {duration} cycles");
                outcome.gave_up += 1 - value;
                outcome.woken += value;
                last_wake[warp] = now;
                waiters[warp] = Waiter::Free;
            }
        }
    }
    outcome
}
