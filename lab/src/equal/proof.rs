// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decides whether one unit behaves the same on both sides. The first attempt is an induction over
//! one cycle. If that fails, a simulation searches for early differences, and ABC examines all
//! cycles.

use super::colours::{divide, Colours};
use super::question::{self, Compared, Owner, Question};
use super::side::Side;
use super::simulate::{self, simulate};
use crate::circuit::abc::{abc, verdict, Verdict, MERGE};
use crate::circuit::aig::Start;
use anyhow::{bail, ensure, Context, Result};
use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// ABC commands that merge equivalent nodes of a question without registers.
const SAME_CYCLE: &str = "&get; &fraig -x -C 100000; &put";

/// Up to this number of memory bits, the search over all cycles is also run with the memories in
/// the circuit.
const MEMORY_BITS: usize = 20_000;

/// The maximum number of names in a message.
const MOST: usize = 12;

/// The result of a comparison.
#[derive(Debug)]
pub enum Answer {
    Equal,
    Differs(String),
    Open(String),
}

/// Compares the module `top` of two files, without the modules `parts`. Intermediate files are written into `folder`.
pub fn prove(folder: &Path, top: &str, parts: &[String], files: &[PathBuf; 2], seconds: u64) -> Result<Answer> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let [old, new] = [Side::read(&files[0], top, parts, folder, "old")?, Side::read(&files[1], top, parts, folder, "new")?];
    if let Some(list) = different_ports(&old, &new) {
        return Ok(Answer::Differs(format!("the ports: {list}")));
    }
    let sides = [&old, &new];
    let desk = Desk { folder, seconds };
    let mut colours = Colours::new(sides);
    if desk.matched(sides, &mut colours, false)?.is_some_and(|(_, open_outputs)| open_outputs.is_empty()) {
        return Ok(Answer::Equal);
    }
    let (mark, how): (fn(String) -> Answer, String) = match shown(sides) {
        Some(how) => (Answer::Differs, how),
        None => match desk.always(sides, &colours)? {
            Answer::Equal => return Ok(Answer::Equal),
            Answer::Differs(how) => (Answer::Differs, how),
            Answer::Open(why) => (Answer::Open, why),
        },
    };
    Ok(mark(format!("{how}{}", desk.first_differences(sides)?)))
}

/// A sentence with the first cycle in which ports differ in simulation, and their names; `None`: no
/// port differs.
fn shown(sides: [&Side; 2]) -> Option<String> {
    let [old, new] = sides.map(simulate);
    for cycle in 0..simulate::CYCLES {
        let ports = old.iter().zip(&new).filter(|((_, one), (_, other))| one[cycle] != other[cycle]);
        let names: BTreeSet<&str> = ports.map(|(((name, _), _), _)| name.as_str()).collect();
        if !names.is_empty() {
            let names = names.into_iter().collect::<Vec<_>>().join(", ");
            return Some(format!("in simulation, cycle {cycle} after power-up: {names}"));
        }
    }
    None
}

/// The folder in which ABC runs, and the time limit of each step in seconds.
struct Desk<'a> {
    folder: &'a Path,
    seconds: u64,
}

impl Desk<'_> {
    /// Splits the colours until ABC proves that registers and memory columns of equal colour remain
    /// equal for a cycle. Returns the last question and the numbers of its outputs that may still
    /// differ; `None`: the time limit has passed. `keep` is the argument of [`Colours::refine`].
    fn matched(&self, sides: [&Side; 2], colours: &mut Colours, keep: bool) -> Result<Option<(Question, Vec<usize>)>> {
        let begin = Instant::now();
        loop {
            colours.refine(sides, keep);
            let question = question::cycle(sides, colours)?;
            let Some(open_outputs) = self.merge_question("cycle", &question, SAME_CYCLE)? else { return Ok(None) };
            let owners: HashSet<Owner> = open_outputs.iter().map(|at| question.compared[*at].owner).collect();
            let is_open_owner = |of: Owner| u64::from(owners.contains(&of));
            let registers = [0, 1]
                .map(|s| (0..colours.registers[s].len()).map(|at| is_open_owner(Owner::Register(s, at))).collect::<Vec<_>>());
            let columns =
                [0, 1].map(|s| (0..colours.columns[s].len()).map(|at| is_open_owner(Owner::Column(s, at))).collect::<Vec<_>>());
            for side in [0, 1] {
                let next = |(seen, (_, next, _)): (&u64, &(usize, u32, Start))| (*seen == 1).then_some(*next);
                colours.hard[side] = registers[side].iter().zip(&sides[side].gates.latches).filter_map(next).collect();
            }
            let changed = divide(&mut colours.registers, registers.each_ref().map(Vec::as_slice), keep);
            if !(divide(&mut colours.columns, columns.each_ref().map(Vec::as_slice), keep) || changed) {
                return Ok(Some((question, open_outputs)));
            }
            if begin.elapsed().as_secs() > self.seconds {
                return Ok(None);
            }
        }
    }

    /// Has ABC merge equivalent nodes of the question's graph. Returns the numbers of the outputs
    /// that may still be 1; `None`: the time limit has passed.
    fn merge_question(&self, name: &str, question: &Question, merge: &str) -> Result<Option<Vec<usize>>> {
        let literals: Vec<u32> = question.compared.iter().map(|c| c.literal).collect();
        let file = format!("{name}.aig");
        fs::write(self.folder.join(&file), question.graph.write(&literals)).with_context(|| format!("cannot write {file}"))?;
        let script = format!("read_aiger {file}; {merge}; write_aiger {name}-merged.aig");
        if abc(self.folder, &script, Some(self.seconds))?.is_none() {
            return Ok(None);
        }
        let merged = fs::read(self.folder.join(format!("{name}-merged.aig"))).context("ABC wrote no file")?;
        let open_outputs = open(&merged)?;
        ensure!(open_outputs.iter().all(|at| *at < literals.len()), "ABC wrote more than {} outputs", literals.len());
        Ok(Some(open_outputs))
    }

    /// Decides whether ports or memory inputs can differ in any cycle after power-up.
    fn always(&self, sides: [&Side; 2], colours: &Colours) -> Result<Answer> {
        let question = question::always(sides, colours)?;
        let open_outputs = self.merge_question("always", &question, MERGE)?;
        if open_outputs.as_ref().is_some_and(Vec::is_empty) {
            return Ok(Answer::Equal);
        }
        let file = if open_outputs.is_some() { "always-merged.aig" } else { "always.aig" };
        let memories = sides.iter().map(|s| s.memory_bits()).max().unwrap_or(0);
        if memories > 0 && memories <= MEMORY_BITS {
            let whole = [sides[0].whole(self.folder, "old")?, sides[1].whole(self.folder, "new")?];
            let question = question::always([&whole[0], &whole[1]], &Colours::new([&whole[0], &whole[1]]))?;
            let merged = self.merge_question("whole", &question, MERGE)?;
            if merged.as_ref().is_some_and(Vec::is_empty) {
                let only = "proved only for memories that are all 0 at power-up, not for arbitrary read data";
                return Ok(Answer::Open(only.to_string()));
            }
            let file = if merged.is_some() { "whole-merged.aig" } else { "whole.aig" };
            if let Verdict::Found { output, cycle } = self.search(file, &format!("bmc3 -F 60 -T {}", self.seconds))? {
                return Ok(Answer::Differs(format!(
                    "cycle {cycle} after power-up with empty memories: {}",
                    name_bits(&question, &[output])
                )));
            }
        }
        // First a bounded search for early differences, then a proof.
        for commands in [format!("bmc3 -F 40 -T {}", self.seconds.div_ceil(4)), format!("orpos; pdr -T {}", self.seconds)] {
            match self.search(file, &commands)? {
                Verdict::Proved => return Ok(Answer::Equal),
                Verdict::Found { output, cycle } => {
                    let how = format!("cycle {cycle} after power-up: {}", name_bits(&question, &[output]));
                    let differs_in_memory = "different for some contents of the memories, which may be unreachable";
                    return Ok(if memories == 0 {
                        Answer::Differs(how)
                    } else {
                        Answer::Open(format!("{differs_in_memory}: {how}"))
                    });
                }
                Verdict::Open => (),
            }
        }
        let open_outputs = open_outputs.unwrap_or_else(|| (0..question.compared.len()).collect());
        let bit_count = question.compared.len();
        let bits = name_bits(&question, &open_outputs);
        Ok(Answer::Open(format!("not decided in {} s: {} of {bit_count} bits: {bits}", self.seconds, open_outputs.len())))
    }

    /// The verdict of the ABC commands `commands` on a file.
    fn search(&self, file: &str, commands: &str) -> Result<Verdict> {
        // The commands have a time limit of their own. If ABC exceeds it, it is killed after twice
        // that time.
        let said = abc(self.folder, &format!("read_aiger {file}; {commands}"), Some(2 * self.seconds))?;
        said.map_or(Ok(Verdict::Open), |said| verdict(&said))
    }

    /// A text that helps to find the cause of a difference: the bits that may differ within one
    /// cycle if all matched registers are equal at its start.
    fn first_differences(&self, sides: [&Side; 2]) -> Result<String> {
        let found = self.matched(sides, &mut Colours::new(sides), true)?;
        let say = |(question, open_outputs): (Question, Vec<usize>)| {
            format!(
                "\n        with all registers matched, these may differ within a cycle: {}",
                name_bits(&question, &open_outputs)
            )
        };
        Ok(found.map_or(String::new(), say))
    }
}

/// The names of the bits whose comparisons `open_outputs` are undecided, as text for a message.
fn name_bits(question: &Question, open_outputs: &[usize]) -> String {
    let mut names: Vec<(&str, Vec<usize>)> = vec![];
    for Compared { what, bit, .. } in open_outputs.iter().filter_map(|at| question.compared.get(*at)) {
        match names.iter_mut().find(|(name, _)| name == what) {
            Some((_, bits)) => bits.push(*bit),
            None => names.push((what, vec![*bit])),
        }
    }
    let more = if names.len() > MOST { format!(" and {} more", names.len() - MOST) } else { String::new() };
    let say = |(name, bits): &(&str, Vec<usize>)| match bits[..] {
        [0] => name.to_string(),
        [one] => format!("bit {one} of {name}"),
        _ => format!("{} bits of {name}", bits.len()),
    };
    format!("{}{more}", names.iter().take(MOST).map(say).collect::<Vec<_>>().join(", "))
}

/// The outputs of a binary AIGER file that are not constantly 0.
fn open(file: &[u8]) -> Result<Vec<usize>> {
    let mut lines = file.split(|b| *b == b'\n').map(String::from_utf8_lossy);
    let header = lines.next().unwrap_or_default().into_owned();
    let numbers: Vec<usize> = header.split(' ').filter_map(|w| w.parse().ok()).collect();
    let [_, _, latches, outputs, ..] = numbers[..] else { bail!("ABC wrote no AIGER file") };
    Ok(lines.skip(latches).take(outputs).enumerate().filter(|(_, line)| line != "0").map(|(at, _)| at).collect())
}

/// The ports that differ between the sides, as text; `None` if all are equal.
fn different_ports(old: &Side, new: &Side) -> Option<String> {
    let say = |port: Option<&(&str, usize)>| {
        port.map_or("none".to_string(), |(direction, width)| format!("{direction} of {width} bits"))
    };
    let names: BTreeSet<&String> = old.ports.keys().chain(new.ports.keys()).collect();
    let different_ports = names.into_iter().filter(|n| old.ports.get(*n) != new.ports.get(*n));
    let list: Vec<String> =
        different_ports.map(|n| format!("{n} (old: {}, new: {})", say(old.ports.get(n)), say(new.ports.get(n)))).collect();
    let more = if list.len() > MOST { format!("; and {} more", list.len() - MOST) } else { String::new() };
    (!list.is_empty()).then(|| format!("{}{more}", list[..list.len().min(MOST)].join("; ")))
}
