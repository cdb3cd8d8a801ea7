// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Legal programs for Intel's gateway, as vISA text: bursts of accesses before signals and waits of all threads of a group, with the
//! final words in global memory.

use bcu_isa::config::Config;
use fastrand::Rng;

/// A program with its threads, and the final words of each thread: address and value.
pub struct Program {
    pub text: String,
    pub warps: usize,
    pub ctas: u32,
    pub words: Vec<(u32, u32)>,
}

/// The bytes of a lane in global memory.
const BYTES: usize = 64;

impl Program {
    pub fn draw(random: &mut Rng, config: &Config) -> Program {
        let most = [1, 2, 4, 8][random.usize(..4)].min(config.warps);
        let warps = random.usize(1..=most);
        let (ids, ctas) = (config.gateway_ids as u32, random.u32(1..=3));
        // All groups store to the same words of global memory. Groups in different rounds would store different values, so several groups
        // have only one round.
        let (lanes, rounds) = (config.lanes, if ctas == 1 { random.u32(1..=4) } else { 1 });
        // R0: the lane in its group; R1: its words in global memory; R2: its word in shared memory; R4: the sum of its loads.
        let mut text = format!(
            ".group_threads {warps}\n.threads all\nMOV R3, 0\nMOV R4, 0\nMOV R0, 0\nLOOP {lanes}\nADD R0, R0, WARPID\nEND\nADD R0, R0, LANEID\n\
             SHL R1, R0, 6\nSHL R2, R0, 2\nLOOP {rounds}\nADD R3, R3, 1\n"
        );
        // The stored and loaded words of a lane, in order; a burst stores the number of the round.
        let (mut cells, mut sum) = ([0u32; BYTES / 4], 0u32);
        let mut steps: Vec<(bool, usize)> = vec![];
        for _ in 0..random.usize(1..=4) {
            for _ in 0..random.u32(1..=40) {
                let cell = random.usize(1..BYTES / 4);
                match random.u32(..4) {
                    0 => text += "ST.SHARED [R2], R3\n",
                    1 => text += "LD.SHARED R5, [R2]\n",
                    2 => {
                        text += &format!("ST.GLOBAL [R1+{}], R3\n", 4 * cell);
                        steps.push((true, cell));
                    }
                    // A load would race with the stores of another group.
                    _ if ctas == 1 => text += &format!("LD.GLOBAL R5, [R1+{}]\n", 4 * cell),
                    _ => text += "LD.SHARED R5, [R2]\n",
                }
            }
            let id = random.u32(..ids);
            let fence = ["", "lsc_fence.slm.none.group\n", "FENCE.MEM\n"][random.usize(..3)];
            let cell = random.usize(1..BYTES / 4);
            let between = if random.bool() { format!("ST.GLOBAL [R1+{}], R3\n", 4 * cell) } else { String::new() };
            if !between.is_empty() {
                steps.push((true, cell));
            }
            text += &format!("{fence}nbarrier.signal {id:#x}:ub {warps:#x}:ub\n{between}nbarrier.wait {id:#x}:ub\n");
        }
        text += "ADD R4, R4, R3\nEND\nST.GLOBAL [R1], R4\n";
        for round in 1..=rounds {
            steps.iter().filter(|(stores, _)| *stores).for_each(|(_, cell)| cells[*cell] = round);
            sum += round;
        }
        cells[0] = sum;
        let of_lane = |lane: usize| {
            let word = move |(cell, value): (usize, &u32)| ((lane * BYTES + 4 * cell) as u32, *value);
            cells.iter().enumerate().filter(|(_, value)| **value != 0).map(word).collect::<Vec<_>>()
        };
        let words = (0..warps * lanes).flat_map(of_lane).collect();
        Program { text, warps, ctas, words }
    }
}
