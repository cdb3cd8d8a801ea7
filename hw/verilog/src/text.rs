// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values as Verilog text: every operand parenthesised, every literal sized, and a named wire where one is needed.
//!
//! A wire is needed for a value used twice, for a choice inside a larger expression, and for a computed value of which
//! some bits are taken: Verilog-2005 can select bits only of a name.

use super::interim_names::{BitName, Interims};
use super::ir::{self, LabelId, NetId, Node, Op, Reduce, Value};
use super::literal::{literal, range};
use super::names::Names;
use super::operators::{bare, comparator, joined};
use super::package::Language;
use super::scope::Label;
use super::structure_vectors::Vectors;
use super::value::{id, Id};
use num_bigint::BigUint;
use std::collections::{BTreeMap, HashMap};

/// Maximum length in characters of an expression that is printed inside another expression; a
/// longer one gets a wire.
const LONG: usize = 100;

/// The text of one module's values while it is being written.
pub struct Text<'a> {
    pub labels: &'a [Label],
    /// The name of every net in the text, by index.
    pub net_names: Vec<String>,
    pub names: Names,
    /// Named constants that the text uses, with their names.
    pub label_names: BTreeMap<LabelId, String>,
    /// Declarations and assignments, each after the lines of the nets that it reads.
    pub lines: Vec<String>,
    /// For each node that is the settled value of a net: that net.
    pub(super) owners: HashMap<Id, NetId>,
    /// How often a node occurs in the text.
    pub(super) uses: HashMap<Id, usize>,
    /// Bits of a node that something reads.
    pub(super) used_bits: HashMap<Id, BigUint>,
    /// For a value that is some bits of a net, its name.
    pub(super) bit_names: HashMap<Id, BitName>,
    pub(super) wires: HashMap<Id, String>,
    /// Values created here, kept so that their addresses are not reused.
    created: Vec<Value>,
    pub(super) interims: Interims,
    language: &'a Language,
    pub(super) vectors: Vectors,
}

/// The name of a constant in the text: `KindSync` for the variant `Kind$Sync` of an enum, `NoLane` for the field `no_lane`.
fn constant_name(name: &str) -> String {
    let capital =
        |word: &str| word.chars().take(1).flat_map(char::to_uppercase).chain(word.chars().skip(1)).collect::<String>();
    name.split(['$', '_']).map(capital).collect()
}

/// `left = right;`; a choice over several lines starts on the next line.
pub fn assignment(left: &str, right: &str) -> String {
    let blank = if right.starts_with('\n') { "" } else { " " };
    format!("{left} ={blank}{right};")
}

impl<'a> Text<'a> {
    pub fn new(labels: &'a [Label], net_names: Vec<String>, names: Names, language: &'a Language) -> Self {
        Text {
            labels,
            net_names,
            names,
            label_names: BTreeMap::new(),
            lines: vec![],
            owners: HashMap::new(),
            uses: HashMap::new(),
            used_bits: HashMap::new(),
            bit_names: HashMap::new(),
            wires: HashMap::new(),
            created: vec![],
            interims: Interims::default(),
            language,
            vectors: Vectors::default(),
        }
    }

    /// The declaration of a net with its value.
    pub(super) fn wire_line(&self, width: usize, name: &str, value: &str) -> String {
        match self.language {
            Language::Verilog2005 => assignment(&format!("wire {}{name}", range(width)), value),
            Language::SystemVerilog(_) => {
                format!("logic {}{name};\n{}", range(width), assignment(&format!("assign {name}"), value))
            }
        }
    }

    /// The right side of an assignment of `root`, even if `root` itself is a net or wire.
    pub fn right_side(&mut self, root: &Value) -> String {
        match &root.node {
            Node::Assigned(_, inner) => match self.known(inner) {
                Some(name) => name,
                None if self.shared(inner) => self.operand(inner),
                None => self.right_side(inner),
            },
            Node::Mux(..) => self.choice(root),
            _ => self.expression(root),
        }
    }

    /// Whether the text of `value` is a name, a literal or a part of a name: repeating it is cheaper than a wire.
    pub fn is_simple(&self, value: &Value) -> bool {
        self.owners.contains_key(&id(value)) || self.is_simple_root(value)
    }

    /// As [`Text::is_simple`], for the value that is assigned to a net.
    pub fn is_simple_root(&self, value: &Value) -> bool {
        match &value.node {
            Node::Const(..) | Node::Net(_) => true,
            Node::Assigned(_, inner) | Node::Slice(inner, _) => self.is_simple(inner),
            Node::Not(inner) => value.width == 1 && self.is_simple(inner),
            _ => false,
        }
    }

    /// The text of an operand next to the operator `sign`. An operand with the same operator needs no parentheses on the left, as in
    /// `a & b & c`; for `&&` and `||` it needs none on the right either.
    fn beside(&mut self, sign: &str, operand: &Value, is_right: bool) -> String {
        let mut inner = operand;
        while self.known(inner).is_none() && !self.shared(inner) {
            match &inner.node {
                Node::Assigned(_, value) => inner = value,
                _ => {
                    if let (Node::Binary(Op::Xor, a, b), 1, "&&" | "||") = (&inner.node, inner.width, sign) {
                        let (a, b) = (self.operand(a), self.operand(b));
                        return format!("({a} != {b})");
                    }
                    let free = if is_right { matches!(sign, "&&" | "||") } else { sign != "-" };
                    return match joined(inner).is_some_and(|(other, ..)| other == sign && free) {
                        true => self.expression(inner),
                        false => self.operand(inner),
                    };
                }
            }
        }
        self.operand(inner)
    }

    /// Whether a branch of a choice is short enough for the choice to be part of another expression.
    fn is_short(&self, branch: &Value) -> bool {
        self.is_simple(branch) || matches!(branch.node, Node::Const(..))
    }

    /// The name of the net or wire that holds `value`, if there is one.
    pub(super) fn known(&self, value: &Value) -> Option<String> {
        if let Some(&net) = self.owners.get(&id(value)) {
            return self.net_names.get(net).cloned();
        }
        self.wires.get(&id(value)).cloned()
    }

    /// Whether `value` needs a wire because it occurs more than once and its text is not simple.
    pub(super) fn shared(&self, value: &Value) -> bool {
        !self.is_simple(value) && self.uses.get(&id(value)).copied().unwrap_or(0) > 1
    }

    /// Whether a value without a name occurs at most `places` times.
    pub(super) fn is_read_only_by(&self, value: &Value, places: usize) -> bool {
        self.known(value).is_none() && self.uses.get(&id(value)).copied().unwrap_or(0) <= places
    }

    /// The text of `value` in a form that is valid next to any operator.
    pub fn operand(&mut self, value: &Value) -> String {
        if let Some(name) = self.known(value) {
            return name;
        }
        if self.shared(value) {
            return self.wire(value);
        }
        match &value.node {
            Node::Assigned(_, inner) => self.operand(inner),
            Node::Mux(_, yes, no) if self.is_short(yes) && self.is_short(no) => format!("({})", self.choice(value)),
            Node::Mux(..) => self.wire(value),
            Node::Const(..) | Node::Net(_) | Node::Slice(..) | Node::Select(..) | Node::Concat(_) | Node::Repeat(..) => {
                self.expression(value)
            }
            Node::Not(_) if value.width == 1 => self.expression(value),
            _ => {
                let text = self.expression(value);
                if text.len() > LONG {
                    self.wire_with(value, text)
                } else {
                    format!("({text})")
                }
            }
        }
    }

    /// The text of the operation of `value`, without parentheses around it.
    pub(super) fn expression(&mut self, value: &Value) -> String {
        match &value.node {
            Node::Const(v, None) => literal(value.width, v),
            Node::Const(_, Some(label)) => self.label(*label),
            Node::Net(net) => self.net_names.get(*net).cloned().unwrap_or_default(),
            Node::Assigned(..) | Node::Mux(..) => self.operand(value),
            Node::Not(a) => format!("{}{}", if value.width == 1 { "!" } else { "~" }, self.operand(a)),
            Node::Neg(a) => format!("-{}", self.operand(a)),
            Node::Reduce(kind, a) => {
                let sign = match kind {
                    Reduce::All => "&",
                    Reduce::Any => "|",
                    Reduce::Xor => "^",
                };
                format!("{sign}{}", self.operand(a))
            }
            Node::Binary(..) | Node::Logic(..) => match joined(value) {
                Some((sign, a, b)) => {
                    let (a, b) = (self.beside(sign, a, false), self.beside(sign, b, true));
                    format!("{a} {sign} {b}")
                }
                None => String::new(),
            },
            Node::Compare(cmp, signed, a, b) => {
                let (mut a, mut b) = (self.operand(a), self.operand(b));
                if *signed {
                    (a, b) = (format!("$signed({a})"), format!("$signed({b})"));
                }
                format!("{a} {} {b}", comparator(*cmp))
            }
            Node::Shift(left, a, amount) => {
                let a = self.operand(a);
                let amount = match ir::as_constant(amount) {
                    Some(n) => n.to_string(),
                    None => self.operand(amount),
                };
                format!("{a} {} {amount}", if *left { "<<" } else { ">>" })
            }
            Node::Concat(parts) => {
                let parts: Vec<String> = parts.iter().map(|p| self.operand(p)).collect();
                match &self.vectors.joined(parts)[..] {
                    [one] => one.clone(),
                    parts => format!("{{{}}}", parts.iter().map(|part| bare(part)).collect::<Vec<_>>().join(", ")),
                }
            }
            Node::Repeat(count, bit) => format!("{{{count}{{{}}}}}", self.operand(bit)),
            Node::Slice(base, low) => self.part(base, *low, value.width),
            Node::Write(..) | Node::Marked(..) => {
                let gates = ir::by_gates(value).unwrap_or_else(|| value.clone());
                self.keep(&gates);
                self.right_side(&gates)
            }
            Node::Select(base, at) => {
                let (name, at) = (self.name(base), self.operand(at));
                if value.width == 1 {
                    format!("{name}[{at}]")
                } else {
                    format!("{name}[{at} +: {}]", value.width)
                }
            }
        }
    }

    /// Keeps a value that was made here, so that its address is not reused.
    pub(super) fn keep(&mut self, value: &Value) {
        self.created.push(value.clone());
    }

    pub(super) fn label(&mut self, label: LabelId) -> String {
        if let Some(name) = self.label_names.get(&label) {
            return name.clone();
        }
        let labels = self.labels;
        let Label { name, width, value, .. } = &labels[label];
        if let Some(name) = self.language.value_name(name, *width, value) {
            return name;
        }
        let name = self.names.fresh(&constant_name(name));
        self.label_names.insert(label, name.clone());
        name
    }
}

/// The name of a net, or of a field of a structure, as part of another name.
pub(super) fn plain(name: &str) -> String {
    name.replace("_q.", "_").replace('.', "_")
}
