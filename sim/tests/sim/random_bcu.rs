// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random programs of BCU assembly: barrier instructions of every kind, legal or not, in blocks, loops and parts of the lanes.

use bcu_isa::asm::assemble;
use bcu_isa::config::Config;
use bcu_isa::disasm;
use bcu_isa::instr::{decode, encode, BarMode, Instr, Op, RedOp, RedSource, Source, StateMode};
use bcu_isa::register::{Pred, Reg};
use fastrand::Rng;

/// The common parameters of a case's programs.
struct Case<'a> {
    config: &'a Config,
    warps: usize,
    ids: u32,
    /// Whether the program contains no intentional misuse.
    clean: bool,
    /// Selects the reductions of the barriers in a clean case.
    offset: usize,
    /// Whether the lanes of a warp diverge.
    lanes: bool,
    /// Whether warps access memory.
    memory: bool,
}

impl Case<'_> {
    /// A random mask with at least one lane, and more often with many lanes than with few.
    fn mask(&self, random: &mut Rng) -> u64 {
        let all = u64::MAX >> (64 - self.config.lanes);
        Some((random.u64(..) | random.u64(..)) & all).filter(|mask| *mask != 0).unwrap_or(all)
    }

    /// A barrier instruction of any kind, with lines that prepare its registers; few ids and counts, so that warps meet.
    fn barrier(&self, random: &mut Rng) -> String {
        let Case { config, clean, .. } = *self;
        let id = random.u32(..self.ids) & 15;
        let count = match random.u8(..8) {
            0 if !clean => random.u32(..4096),
            1..=5 => 0,
            _ => random.u32(1..=self.warps as u32) * config.lanes as u32,
        };
        let op = self.operation(random, (id, count));
        let guard = if random.u8(..6) == 0 { pred(random) } else { Pred::PT };
        let mut word = encode(&Instr { guard, op });
        if !clean && random.u8(..16) == 0 {
            word[random.usize(..4)] ^= 1 << random.u32(..32);
        }
        let (ra, rb) = decode(word).map_or((None, None), |instr| instr.reads());
        let mut text = String::new();
        for register in [ra, rb].into_iter().flatten() {
            let value = match register.0 {
                4 if !clean && random.u8(..30) == 0 => "LANEID".to_string(),
                4 => id.to_string(),
                5 => count.to_string(),
                6 => (id | count << config.pack_lsb).to_string(),
                // R9 is a state word; R7 and R8 hold results of B2R.
                9 => match random.u8(..4) {
                    0 => random.u32(..),
                    1 => random.u32(..4) | random.u32(..4) << 7 | random.u32(..3) << 14 | random.u32(..3) << 16,
                    _ => 1 | random.u32(1..=self.warps as u32) << 7 | 1 << 14,
                }
                .to_string(),
                7 | 8 => continue,
                // Any other register is read only because a bit of the word was inverted.
                _ => "0".to_string(),
            };
            text += &format!("MOV {register}, {value}\n");
        }
        text + &self.written(word, random) + "\n"
    }

    fn operation(&self, random: &mut Rng, (id, count): (u32, u32)) -> Op {
        let clean = self.clean;
        // A clean case keeps reductions and other arrivals apart.
        let kind = match random.u8(..10) {
            0..8 if clean => [0, 5][id as usize % 2],
            kind => kind,
        };
        match kind {
            0..=4 => {
                let mode = if random.u8(..3) == 0 && (count != 0 || !clean) { BarMode::Arv } else { BarMode::Sync };
                let source = match random.u8(..4) {
                    0 => Source::Rr { id: Reg(4), count: Reg(5) },
                    1 => Source::Rri { id: Reg(4), count: count as u16 },
                    2 => Source::Rir { id: id as u8, count: Reg(5) },
                    _ => Source::I { id: id as u8, count: count as u16 },
                };
                Op::Bar { mode, source }
            }
            5..=7 => {
                let source = match random.u8(..4) {
                    0 => RedSource::Packed(Reg(6)),
                    1 => RedSource::Rri { id: Reg(4), count: count as u16 },
                    2 => RedSource::Rir { id: id as u8, count: Reg(5) },
                    _ => RedSource::I { id: id as u8, count: count as u16 },
                };
                // In a clean case all reductions at a barrier have one operator, so that some of them complete.
                let kind = if clean { (id as usize / 2 + self.offset) % 3 } else { random.usize(..3) };
                Op::Red { op: [RedOp::And, RedOp::Or, RedOp::Popc][kind], source, pp: pred(random) }
            }
            8 => match random.u8(..4) {
                3 => Op::Fence,
                0 => Op::Result { rd: Reg(random.u8(7..9)), pu: random.u8(..3) },
                1 => Op::B2r { mode: StateMode::Warp, rd: Reg(random.u8(7..9)), id: 0 },
                _ => Op::B2r { mode: StateMode::Bar, rd: Reg(random.u8(7..9)), id: id as u8 },
            },
            _ if clean => Op::B2r { mode: StateMode::Bar, rd: Reg(7), id: id as u8 },
            _ => {
                let mode = if random.bool() { StateMode::Bar } else { StateMode::Warp };
                Op::R2b { mode, id: id as u8, ra: Reg(random.u8(7..10)) }
            }
        }
    }

    /// The word as assembly where possible, else as a `WORD` line.
    fn written(&self, word: [u32; 4], random: &mut Rng) -> String {
        let text = disasm::text(word);
        let same = assemble(&text, self.config.lanes as u32).is_ok_and(|read| encode(&read.instr) == word);
        if !same {
            return format!("WORD {:#x}, {:#x}, {:#x}, {:#x}", word[0], word[1], word[2], word[3]);
        }
        let ending = if self.lanes { ["", ".ALIGNED", ".GATHER"][random.usize(..3)] } else { "" };
        match text.find("BAR.").and_then(|at| Some(at + text[at..].find(' ')?)) {
            Some(end) if decode(word).is_ok_and(|i| matches!(i.op, Op::Bar { .. } | Op::Red { .. })) => {
                format!("{}{ending}{}", &text[..end], &text[end..])
            }
            _ => text,
        }
    }

    /// A line without a barrier instruction, or a barrier instruction with its preparation.
    fn line(&self, random: &mut Rng) -> String {
        let guard =
            if random.u8(..5) == 0 { format!("@{}P{} ", ["", "!"][random.usize(..2)], random.u8(..2)) } else { String::new() };
        let space = ["SHARED", "GLOBAL"][random.usize(..2)];
        let line = match random.u8(..10) {
            0 => format!("NOP {}", random.u32(1..30)),
            1 if self.memory => {
                let address = ["LANEID", "WARPID", "8", "R7"][random.usize(..4)];
                let at = format!("[{address}+{}]", random.u32(..8) * 4);
                match random.u8(..4) {
                    0 => format!("ST.{space}"),
                    1 => format!("LD.{space}"),
                    2 => format!("ST.{space} {at}, {}", ["LANEID", "R5", "R6", "R7", "R8"][random.usize(..5)]),
                    _ => format!("LD.{space} R{}, {at}", random.u8(7..9)),
                }
            }
            2 if random.u8(..6) == 0 => "EXIT".to_string(),
            3 => format!("SETP P{}, {:#x}", random.u8(..2), self.mask(random)),
            4 => match random.u8(..3) {
                0 => format!("MOV R{}, R{}", random.u8(4..9), random.u8(4..9)),
                1 => format!("ADD R{}, R{}, LANEID", random.u8(7..9), random.u8(4..9)),
                _ => format!("SETP.LT P{}, R{}, {}", random.u8(..2), random.u8(4..9), random.u8(..9)),
            },
            5 if self.lanes && random.u8(..3) == 0 => match random.bool() {
                true => format!("WARPSYNC {:#x}", self.mask(random)),
                false => format!("ELECT P{}, {:#x}", random.u8(..2), self.mask(random)),
            },
            _ => return self.barrier(random),
        };
        format!("{guard}{line}\n")
    }

    /// Lines and blocks.
    fn lines(&self, random: &mut Rng, most: usize, depth: usize) -> String {
        let mut text = String::new();
        for _ in 0..random.usize(1..=most.max(1)) {
            let block = match random.u8(..12) {
                0 if depth < 2 => format!("LOOP {}\n", random.u32(1..4)),
                1 if depth < 2 => format!("ACTIVE {:#x}\n", self.mask(random)),
                2 if depth < 2 && self.lanes => format!("ACTIVE {:#x}\n", self.mask(random) & self.mask(random) | 1),
                _ => {
                    text += &self.line(random);
                    continue;
                }
            };
            text += &format!("{block}{}END\n", self.lines(random, 3, depth + 1));
        }
        text
    }
}

fn pred(random: &mut Rng) -> Pred {
    Pred { index: if random.u8(..3) == 0 { 7 } else { random.u8(..2) }, not: random.u8(..4) == 0 }
}

/// A program of this number of warps.
pub fn program(random: &mut Rng, config: &Config, warps: usize) -> String {
    let beyond = u32::from(random.u8(..4) == 0);
    let ids = 1 + random.u32(..config.barriers as u32 + beyond);
    let (clean, offset, lanes) = (random.bool(), random.usize(..3), random.bool());
    let memory = !lanes || random.u8(..4) > 0;
    let case = Case { config, warps, ids, clean, offset, lanes, memory };
    let most = random.usize(1..10);
    let mut text = format!(".cta_warps {warps}\n");
    // Every register that a word with an inverted bit may read has a value.
    text += &(2..7).map(|predicate| format!("SETP P{predicate}, 0x1\n")).collect::<String>();
    text += &(4..10).map(|register| format!("MOV R{register}, 0\n")).collect::<String>();
    for warp in 0..warps {
        text += &format!(".warps {warp} p{warp}\nSETP P0, {:#x}\nSETP P1, {:#x}\n", case.mask(random), case.mask(random));
        text += &case.lines(random, most, 0);
    }
    text
}
