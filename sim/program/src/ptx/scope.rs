// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Names in one piece of code: registers and labels in nested `{ }` scopes, which may declare the same names again.

use crate::arith::Type;
use crate::Slot;
use bcu_isa::diag::Diagnostic;
use std::collections::HashMap;
use std::ops::Range;

/// Deepest nesting of `{ }`: a name is looked up in every enclosing scope.
const MAX_DEPTH: usize = 32;

/// Maximum number of `{ }` in one piece of code.
const MAX_SCOPES: usize = 1 << 20;

/// A `{ }` scope. It is kept after its `}`, because its branches are resolved at the end, when all labels are known.
#[derive(Default)]
struct Scope {
    parent: Option<usize>,
    single: HashMap<String, Type>,
    /// Register families such as `%r<26>`: number of registers and their type, by prefix.
    families: HashMap<String, (u32, Type)>,
    labels: HashMap<String, usize>,
}

pub(super) struct Names {
    scopes: Vec<Scope>,
    current: usize,
    depth: usize,
    slots: HashMap<(usize, String), Slot>,
    registers: Vec<(String, Option<Type>)>,
    /// Whether registers need no declaration, as in a fragment.
    implied: bool,
}

impl Names {
    pub fn new(implied: bool) -> Self {
        Names { scopes: vec![Scope::default()], current: 0, depth: 0, slots: HashMap::new(), registers: Vec::new(), implied }
    }

    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The innermost open scope, for [`Names::resolve`].
    pub fn current(&self) -> usize {
        self.current
    }

    pub fn open(&mut self, span: Range<usize>) -> Result<(), Diagnostic> {
        if self.depth >= MAX_DEPTH {
            let message = format!("scopes nest deeper than {MAX_DEPTH} levels");
            return Err(Diagnostic::new(span, message, "expected fewer `{` around this"));
        }
        if self.scopes.len() > MAX_SCOPES {
            let message = format!("more than {MAX_SCOPES} scopes");
            return Err(Diagnostic::new(span, message, "expected fewer `{` before this"));
        }
        self.scopes.push(Scope { parent: Some(self.current), ..Scope::default() });
        self.current = self.scopes.len() - 1;
        self.depth += 1;
        Ok(())
    }

    /// Leaves the innermost scope; the outermost one stays open.
    pub fn close(&mut self) {
        if let Some(parent) = self.scopes[self.current].parent {
            self.current = parent;
            self.depth -= 1;
        }
    }

    pub fn declare(&mut self, name: &str, ty: Type) {
        self.scopes[self.current].single.insert(name.to_string(), ty);
    }

    pub fn declare_family(&mut self, prefix: &str, count: u32, ty: Type) {
        self.scopes[self.current].families.insert(prefix.to_string(), (count, ty));
    }

    /// Sets a label before the instruction with this index; false if the scope already has this label.
    pub fn label(&mut self, name: &str, index: usize) -> bool {
        self.scopes[self.current].labels.insert(name.to_string(), index).is_none()
    }

    /// Scopes from the innermost outwards.
    fn outwards(&self, from: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(from), |&scope| self.scopes[scope].parent)
    }

    /// The register of this name, if it is visible here.
    pub fn register(&mut self, name: &str) -> Option<Slot> {
        let declared = self.declared(name).map(|(scope, ty)| (scope, Some(ty)));
        let (scope, ty) = declared.or_else(|| self.implied.then_some((0, None)))?;
        let registers = &mut self.registers;
        Some(*self.slots.entry((scope, name.to_string())).or_insert_with(|| {
            registers.push((name.to_string(), ty));
            registers.len() - 1
        }))
    }

    /// The carry flag: a register that no text can name, because its name contains blanks.
    pub fn carry(&mut self) -> Slot {
        let registers = &mut self.registers;
        *self.slots.entry((0, CARRY.to_string())).or_insert_with(|| {
            registers.push((CARRY.to_string(), None));
            registers.len() - 1
        })
    }

    /// The carry flag, if it has been used.
    pub fn known_carry(&self) -> Option<Slot> {
        self.slots.get(&(0, CARRY.to_string())).copied()
    }

    /// Scope and type of a register, if it is declared.
    pub fn declared(&self, name: &str) -> Option<(usize, Type)> {
        self.outwards(self.current).find_map(|scope| self.declared_in(scope, name).map(|ty| (scope, ty)))
    }

    fn declared_in(&self, scope: usize, name: &str) -> Option<Type> {
        let scope = &self.scopes[scope];
        // A prefix may itself end in digits, so every split of the trailing digits is tried.
        let in_family = |split: usize| {
            let (prefix, digits) = name.split_at_checked(split)?;
            let canonical = digits == "0" || (!digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit()));
            let (count, ty) = scope.families.get(prefix)?;
            (canonical && digits.parse::<u32>().ok()? < *count).then_some(*ty)
        };
        let longest = u32::MAX.ilog10() as usize + 1;
        scope.single.get(name).copied().or_else(|| (name.len().saturating_sub(longest)..name.len()).rev().find_map(in_family))
    }

    /// Declared type; `None` for a register without a declaration.
    pub fn type_of(&self, slot: Slot) -> Option<Type> {
        self.registers.get(slot).and_then(|r| r.1)
    }

    /// The instruction index of a label, as visible from `scope`.
    pub fn resolve(&self, scope: usize, label: &str) -> Option<usize> {
        self.outwards(scope).find_map(|scope| self.scopes[scope].labels.get(label).copied())
    }

    /// The label visible from `scope` that is most similar to `label`.
    pub fn similar_label(&self, scope: usize, label: &str) -> Option<&str> {
        similar(label, self.outwards(scope).flat_map(|scope| self.scopes[scope].labels.keys()).map(String::as_str))
    }

    /// Names of all registers, by register slot.
    pub fn into_registers(self) -> Vec<String> {
        self.registers.into_iter().map(|r| r.0).collect()
    }
}

const CARRY: &str = "the carry flag";

/// Maximum length of a name for which a suggestion is sought: the cost of the distance is the product of the lengths.
const LONGEST_GUESS: usize = 64;

/// Maximum number of names that are compared for a suggestion.
const MOST_GUESSES: usize = 1000;

/// The name in `known` that is most similar to `name`; of equally similar names the alphabetically first.
pub(super) fn similar<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let short = |name: &str| name.len() <= LONGEST_GUESS;
    let known: Vec<&str> = known.filter(|k| short(k) && short(name)).take(MOST_GUESSES + 1).collect();
    if known.len() > MOST_GUESSES {
        return None;
    }
    let measured = known.into_iter().map(|k| (!k.eq_ignore_ascii_case(name), strsim::osa_distance(name, k), k));
    let (is_other, distance, near) = measured.min()?;
    (!is_other || distance <= name.chars().count().div_ceil(3)).then_some(near)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith::TypeKind;

    const U32: Type = Type { kind: TypeKind::Unsigned, bits: 32 };

    #[test]
    fn an_inner_scope_declares_again() {
        let mut names = Names::new(false);
        names.declare_family("%r", 3, U32);
        let outer = names.register("%r1");
        names.open(0..1).unwrap();
        names.declare("%r1", U32);
        assert_ne!(names.register("%r1"), outer);
        assert_ne!(names.register("%r2"), None);
        names.close();
        assert_eq!(names.register("%r1"), outer);
        assert_eq!(["%r3", "%r01", "%r", "%q"].map(|name| names.register(name)), [None; 4]);
    }

    #[test]
    fn labels_are_seen_from_inside_only() {
        let mut names = Names::new(false);
        assert!(names.label("LOOP", 0));
        names.open(0..1).unwrap();
        assert!(names.label("LOOP", 4) && !names.label("LOOP", 5));
        let inner = names.current();
        names.close();
        assert_eq!(
            (names.resolve(0, "LOOP"), names.resolve(inner, "LOOP"), names.resolve(inner, "NONE")),
            (Some(0), Some(5), None)
        );
        assert_eq!(names.similar_label(0, "LOPP"), Some("LOOP"));
    }

    #[test]
    fn scopes_do_not_nest_without_end() {
        let mut names = Names::new(true);
        assert!((0..MAX_DEPTH).all(|_| names.open(0..1).is_ok()));
        assert!(names.open(0..1).unwrap_err().message.contains("nest deeper"));
        assert!(names.register("anything").is_some());
    }
}
