// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Mutants of a PTX kernel: each has one barrier, fence, scope, memory order or atomic operation that is dropped or weakened.

/// What a mutation changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mutation {
    /// A barrier, a wait for copies or products, or the commit of a group of products is dropped.
    Barrier,
    /// A fence is dropped.
    Fence,
    /// The scope of a fence or of an access becomes `.cta`.
    Scope,
    /// An acquire or a release becomes relaxed.
    Order,
    /// An atomic or strong operation becomes weak.
    Atomic,
}

impl Mutation {
    pub fn name(self) -> &'static str {
        match self {
            Mutation::Barrier => "barrier dropped",
            Mutation::Fence => "fence dropped",
            Mutation::Scope => "scope `.cta`",
            Mutation::Order => "order `.relaxed`",
            Mutation::Atomic => "weak instead of atomic",
        }
    }
}

/// A mutant: the changed line, from 1, what was there, and what is there instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    pub mutation: Mutation,
    pub line: usize,
    pub was: String,
    pub is: String,
    /// The text of the whole kernel.
    pub text: String,
}

/// The starts of the opcodes of barriers, and of waits for copies and products, that are dropped.
const BARRIERS: [&str; 8] = [
    "bar.sync",
    "bar.arrive",
    "barrier.sync",
    "bar.warp.sync",
    "cp.async.wait_",
    "cp.async.bulk.wait_group",
    "wgmma.commit_group",
    "wgmma.wait_group",
];

/// Registers that the mutants load into; no kernel of the tree declares them.
const SCRATCH: &str = "    .reg .b32 %mutant32;\n    .reg .b64 %mutant64;\n";

/// All mutants of a kernel, in the order of its lines.
pub fn mutants(text: &str) -> Vec<Mutant> {
    let lines: Vec<&str> = text.lines().collect();
    let body = lines.iter().position(|line| line.trim_start().starts_with('{')).unwrap_or(0);
    let mut mutants = vec![];
    for (at, line) in lines.iter().enumerate().skip(body) {
        for (mutation, is) in mutations(line) {
            let mut changed = lines.clone();
            changed[at] = &is;
            let text = changed.join("\n") + "\n";
            let text = if mutation == Mutation::Atomic { declare(&text) } else { text };
            mutants.push(Mutant { mutation, line: at + 1, was: line.trim().to_string(), is: is.clone(), text });
        }
    }
    mutants
}

/// Adds the scratch registers at the start of the kernel's body.
fn declare(text: &str) -> String {
    text.replacen("\n{\n", &format!("\n{{\n{SCRATCH}"), 1)
}

/// The parts of an instruction.
struct Instruction<'t> {
    /// The guard with the space after it, or empty.
    guard: &'t str,
    opcode: &'t str,
    operands: &'t str,
}

impl Instruction<'_> {
    fn parse(line: &str) -> Option<Instruction<'_>> {
        let line = line.trim().strip_suffix(';')?;
        let end = if line.starts_with('@') { line.find(' ')? + 1 } else { 0 };
        let (guard, rest) = line.split_at(end);
        let (opcode, operands) = rest.split_once(' ').unwrap_or((rest, ""));
        Some(Instruction { guard, opcode, operands })
    }

    /// The same instruction with another opcode.
    fn with(&self, opcode: &str) -> String {
        let Instruction { guard, operands, .. } = self;
        let space = if operands.is_empty() { "" } else { " " };
        format!("{guard}{opcode}{space}{operands};")
    }

    /// The opcode with some of its parts replaced.
    fn replace(&self, part: impl Fn(&str) -> &str) -> String {
        self.opcode.split('.').map(part).collect::<Vec<_>>().join(".")
    }
}

/// The mutations of one line, with the changed line.
fn mutations(line: &str) -> Vec<(Mutation, String)> {
    let Some(instruction) = Instruction::parse(line) else { return vec![] };
    let Instruction { guard, opcode, operands } = instruction;
    let is_fence = ["fence.", "membar.", "wgmma.fence."].iter().any(|start| opcode.starts_with(start));
    let is_access = ["ld.", "st.", "atom.", "red."].iter().any(|start| opcode.starts_with(start));
    let mut found = vec![];
    let dropped = format!("// dropped: {}", line.trim().trim_end_matches(';'));
    if BARRIERS.iter().any(|barrier| opcode.starts_with(barrier)) {
        found.push((Mutation::Barrier, dropped.clone()));
    }
    if is_fence {
        found.push((Mutation::Fence, dropped));
    }
    // `membar.gl` has the scope of the GPU.
    let narrow = instruction.replace(|part| if matches!(part, "cluster" | "gpu" | "sys" | "gl") { "cta" } else { part });
    if narrow != opcode && (is_fence || is_access) {
        found.push((Mutation::Scope, instruction.with(&narrow)));
    }
    let relaxed = match opcode {
        // The default is a release.
        "barrier.cluster.arrive" | "barrier.cluster.arrive.aligned" => opcode.replace("arrive", "arrive.relaxed"),
        _ => instruction.replace(|part| if matches!(part, "acquire" | "release" | "acq_rel") { "relaxed" } else { part }),
    };
    // Only arrivals at the barrier of a cluster can be relaxed, not waits.
    if relaxed != opcode && !is_fence && !opcode.starts_with("barrier.cluster.wait") {
        found.push((Mutation::Order, instruction.with(&relaxed)));
    }
    if let Some(weak) = weak(opcode, operands) {
        let weak = weak.iter().map(|instruction| format!("{guard}{instruction};")).collect::<Vec<_>>().join(" ");
        found.push((Mutation::Atomic, weak));
    }
    found
}

/// The weak instructions that do in one thread what a strong one does: a load or store without an order, or a load, an operation and a
/// store instead of an atomic operation. `None`: the opcode is not strong, or these instructions need more than one scratch register.
fn weak(opcode: &str, operands: &str) -> Option<Vec<String>> {
    let is_order = |part: &str| matches!(part, "acquire" | "release" | "acq_rel" | "relaxed");
    let is_scope = |part: &str| matches!(part, "cta" | "cluster" | "gpu" | "sys");
    let parts: Vec<&str> = opcode.split('.').filter(|part| !is_order(part) && !is_scope(part)).collect();
    match parts[..] {
        ["ld" | "st", ..] if opcode.split('.').any(is_order) => Some(vec![format!("{} {operands}", parts.join("."))]),
        [kind @ ("atom" | "red"), ref space @ .., operation, ty] => {
            let scratch = match &ty[1..] {
                "32" => "%mutant32",
                "64" => "%mutant64",
                _ => return None,
            };
            let space: String = space.iter().map(|part| format!(".{part}")).collect();
            let mut operands = operands.split(", ");
            let result = if kind == "atom" { operands.next() } else { None };
            let (address, value) = (operands.next()?, operands.next()?);
            let load = |to: &str| format!("ld{space}.{ty} {to}, {address}");
            let store = |from: &str| format!("st{space}.{ty} {address}, {from}");
            let update = format!("{operation}.{ty} {scratch}, {scratch}, {value}");
            match (operation, result) {
                ("exch", Some(result)) => Some(vec![load(result), store(value)]),
                ("add", Some(result)) => {
                    // The register of the result can be that of the address, so it is written last.
                    Some(vec![load(scratch), update, store(scratch), format!("sub.{ty} {result}, {scratch}, {value}")])
                }
                ("add" | "min" | "max" | "and" | "or" | "xor", None) => Some(vec![load(scratch), update, store(scratch)]),
                _ => None,
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{mutants, Mutation};

    fn changes(instruction: &str) -> Vec<(Mutation, String)> {
        let text = format!(".visible .entry k()\n{{\n    {instruction}\n    ret;\n}}\n");
        mutants(&text).into_iter().map(|mutant| (mutant.mutation, mutant.is)).collect()
    }

    #[test]
    fn barriers_and_fences_are_dropped() {
        assert_eq!(changes("bar.sync 0;"), [(Mutation::Barrier, "// dropped: bar.sync 0".to_string())]);
        assert_eq!(
            changes("membar.gl;"),
            [(Mutation::Fence, "// dropped: membar.gl".to_string()), (Mutation::Scope, "membar.cta;".to_string())]
        );
        assert_eq!(changes("add.u32 %r1, %r1, 1;"), []);
    }

    #[test]
    fn strong_accesses_lose_scope_order_and_strength() {
        assert_eq!(
            changes("@%p1 st.release.gpu.global.u32 [%rd1], 1;"),
            [
                (Mutation::Scope, "@%p1 st.release.cta.global.u32 [%rd1], 1;".to_string()),
                (Mutation::Order, "@%p1 st.relaxed.gpu.global.u32 [%rd1], 1;".to_string()),
                (Mutation::Atomic, "@%p1 st.global.u32 [%rd1], 1;".to_string()),
            ]
        );
    }

    #[test]
    fn atomic_operations_become_a_load_and_a_store() {
        let weak = |instruction: &str| changes(instruction).into_iter().find(|(mutation, _)| *mutation == Mutation::Atomic);
        let expected = "ld.global.u32 %mutant32, [%rd1]; max.u32 %mutant32, %mutant32, %r1; st.global.u32 [%rd1], %mutant32;";
        assert_eq!(weak("red.global.max.u32 [%rd1], %r1;").unwrap().1, expected);
        let expected = "ld.shared.u32 %mutant32, [%r2]; add.u32 %mutant32, %mutant32, 1; st.shared.u32 [%r2], %mutant32; \
                        sub.u32 %r3, %mutant32, 1;";
        assert_eq!(weak("atom.shared.add.u32 %r3, [%r2], 1;").unwrap().1, expected);
        let expected = "ld.global.b32 %r5, [%rd1]; st.global.b32 [%rd1], 0;";
        assert_eq!(weak("atom.release.gpu.global.exch.b32 %r5, [%rd1], 0;").unwrap().1, expected);
        assert_eq!(weak("atom.global.cas.b32 %r5, [%rd1], 0, 1;"), None);
    }

    #[test]
    fn the_space_shared_cluster_is_no_scope() {
        let scope = |instruction: &str| changes(instruction).into_iter().find(|(mutation, _)| *mutation == Mutation::Scope);
        let expected = "st.release.cta.shared::cluster.u32 [%r1], 1;";
        assert_eq!(scope("st.release.cluster.shared::cluster.u32 [%r1], 1;").unwrap().1, expected);
    }
}
