// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whether one unit behaves the same on both sides: simulation for what shows soon, then ABC.

use super::colours::{divide, Colours};
use super::question::{self, pairs, Compared, Pairs};
use super::side::Side;
use super::simulate::{self, simulate};
use crate::circuit::abc::{abc, verdict, Verdict, MERGE};
use crate::circuit::builder::Builder;
use anyhow::{bail, Context, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Merges what is the same in a question without registers.
const SAME_CYCLE: &str = "&fraig -x -C 100000";

/// Names in a message.
const MOST: usize = 12;

/// What was found.
#[derive(Debug)]
pub enum Answer {
    Equal,
    Differs(String),
    Open(String),
}

/// Compares the module `top` of two files; what is made on the way lies in `folder`.
pub fn prove(folder: &Path, top: &str, files: &[PathBuf; 2], seconds: u64) -> Result<Answer> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let [old, new] = [Side::read(&files[0], top, folder, "old")?, Side::read(&files[1], top, folder, "new")?];
    if let Some(list) = different_ports(&old, &new) {
        return Ok(Answer::Differs(format!("the ports: {list}")));
    }
    let sides = [&old, &new];
    let mut colours = Colours::new(sides);
    let pairs = match paired(folder, sides, &mut colours, seconds)? {
        Paired::Equal => return Ok(Answer::Equal),
        Paired::Unlike(why) => return Ok(Answer::Open(why)),
        Paired::Open(pairs) => pairs,
    };
    let answer = match shown(sides) {
        Some(how) => Answer::Differs(how),
        None => {
            let (graph, compared) = question::always(&old, &new, &pairs)?;
            Asked { folder, seconds, graph: &graph, compared: &compared }.answer(!pairs.is_empty())?
        }
    };
    if let Answer::Equal = answer {
        return Ok(answer);
    }
    let begin = first_differences(folder, sides, seconds)?;
    Ok(match answer {
        Answer::Equal => answer,
        Answer::Differs(how) => Answer::Differs(format!("{how}\n{begin}")),
        Answer::Open(why) => Answer::Open(format!("{why}\n{begin}")),
    })
}

/// What the comparison of registers of the same colour gives.
enum Paired {
    Equal,
    /// Memories that do not fit.
    Unlike(String),
    Open(Pairs),
}

/// Whether it is enough to know that registers of a colour are the same; those that are not get other colours.
fn paired(folder: &Path, sides: [&Side; 2], colours: &mut Colours, seconds: u64) -> Result<Paired> {
    let begin = Instant::now();
    loop {
        colours.refine(sides, false);
        let pairs = match pairs(sides[0], sides[1], colours.memories.each_ref().map(Vec::as_slice)) {
            Ok(pairs) => pairs,
            Err(why) => return Ok(Paired::Unlike(why)),
        };
        let cycle = question::cycle(sides, &pairs, colours)?;
        let left = Asked { folder, seconds, graph: &cycle.graph, compared: &cycle.compared }.left("cycle", SAME_CYCLE)?;
        let mut seen = colours.registers.each_ref().map(|r| vec![0; r.len()]);
        colours.hard = [vec![], vec![]];
        for (side, at) in left.iter().filter_map(|at| cycle.members.get(*at)) {
            seen[*side][*at] = 1;
            colours.hard[*side].push(sides[*side].gates.latches[*at].1);
        }
        if !divide(&mut colours.registers, [&seen[0], &seen[1]], false) {
            return Ok(if left.is_empty() { Paired::Equal } else { Paired::Open(pairs) });
        }
        if begin.elapsed().as_secs() > seconds {
            return Ok(Paired::Open(pairs));
        }
    }
}

/// Where the sides part, for somebody who looks for the reason.
fn first_differences(folder: &Path, sides: [&Side; 2], seconds: u64) -> Result<String> {
    let mut colours = Colours::new(sides);
    colours.refine(sides, true);
    let Ok(pairs) = pairs(sides[0], sides[1], colours.memories.each_ref().map(Vec::as_slice)) else { return Ok(String::new()) };
    let cycle = question::cycle(sides, &pairs, &colours)?;
    let asked = Asked { folder, seconds, graph: &cycle.graph, compared: &cycle.compared };
    let left = asked.left("first", SAME_CYCLE)?;
    Ok(format!("        if all registers are matched, what differs within a cycle is: {}", asked.some(&left)))
}

/// The cycle in which ports differ in simulation, and which.
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

/// A question to ABC.
struct Asked<'a> {
    folder: &'a Path,
    seconds: u64,
    graph: &'a Builder,
    compared: &'a [Compared],
}

impl Asked<'_> {
    /// What of the question is left when ABC has merged what is the same: the numbers of the outputs that may be 1.
    fn left(&self, name: &str, merge: &str) -> Result<Vec<usize>> {
        let literals: Vec<u32> = self.compared.iter().map(|c| c.literal).collect();
        let write =
            |to: &str, bytes: &[u8]| fs::write(self.folder.join(to), bytes).with_context(|| format!("cannot write {to}"));
        write(&format!("{name}.aig"), &self.graph.write(&literals))?;
        if literals.iter().all(|l| *l == 0) {
            return Ok(vec![]);
        }
        let script = format!("&r {name}.aig; {merge}; &w {name}-merged.aig");
        if abc(self.folder, &script, Some(self.seconds))?.is_none() {
            return Ok((0..literals.len()).collect());
        }
        open(&fs::read(self.folder.join(format!("{name}-merged.aig"))).context("ABC wrote no file")?)
    }

    /// Names for a message.
    fn some(&self, left: &[usize]) -> String {
        let names: Vec<&str> = left.iter().filter_map(|at| self.compared.get(*at)).map(|c| c.what.as_str()).collect();
        let more = if names.len() > MOST { format!(" and {} more", names.len() - MOST) } else { String::new() };
        format!("{}{more}", names.iter().take(MOST).copied().collect::<Vec<_>>().join(", "))
    }

    /// Proves it for all cycles. `memories`: whether there are some, whose words are free.
    fn answer(&self, memories: bool) -> Result<Answer> {
        let left = self.left("question", "&scorr -C 10000")?;
        if left.is_empty() {
            return Ok(Answer::Equal);
        }
        let seconds = self.seconds;
        // What shows soon is looked for first, then a proof.
        for step in [format!("bmc3 -F 40 -T {}", seconds.div_ceil(4)), format!("orpos; pdr -T {seconds}")] {
            let Some(said) = abc(self.folder, &format!("read_aiger question.aig; {MERGE}; {step}"), Some(2 * seconds))? else {
                continue;
            };
            match verdict(&said)? {
                Verdict::Proved => return Ok(Answer::Equal),
                Verdict::Found { output, cycle } => {
                    let what = self.compared.get(output).map_or("an output", |c| c.what.as_str());
                    let how = format!("cycle {cycle} after power-up: {what}");
                    let free = "different if the memories may hold anything, which they perhaps never do";
                    return Ok(if memories { Answer::Open(format!("{free}: {how}")) } else { Answer::Differs(how) });
                }
                Verdict::Open => (),
            }
        }
        Ok(Answer::Open(format!(
            "not decided in {seconds} s: {} of {} bits: {}",
            left.len(),
            self.compared.len(),
            self.some(&left)
        )))
    }
}

/// Outputs of a binary AIGER file that are not constantly 0.
fn open(file: &[u8]) -> Result<Vec<usize>> {
    let mut lines = file.split(|b| *b == b'\n').map(String::from_utf8_lossy);
    let header = lines.next().unwrap_or_default().into_owned();
    let numbers: Vec<usize> = header.split(' ').filter_map(|w| w.parse().ok()).collect();
    let [_, _, latches, outputs, ..] = numbers[..] else { bail!("ABC wrote no AIGER file") };
    Ok(lines.skip(latches).take(outputs).enumerate().filter(|(_, line)| line != "0").map(|(at, _)| at).collect())
}

/// Ports that are not the same, if there are any.
fn different_ports(old: &Side, new: &Side) -> Option<String> {
    let say = |port: Option<&(&str, usize)>| {
        port.map_or("none".to_string(), |(direction, width)| format!("{direction} of {width} bits"))
    };
    let names: BTreeSet<&String> = old.ports.keys().chain(new.ports.keys()).collect();
    let other = names.into_iter().filter(|n| old.ports.get(*n) != new.ports.get(*n));
    let list: Vec<String> =
        other.map(|n| format!("{n} (old: {}, new: {})", say(old.ports.get(n)), say(new.ports.get(n)))).collect();
    (!list.is_empty()).then(|| list.join("; "))
}
