// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `fence` and `membar`: every form of their PTX pages, and the versions and targets that they need.

use super::barrier::Modifier;
use super::operand::Arg;
use super::parser::Parser;
use super::scope::similar;
use super::target::{refusal, Need};
use crate::{tensor, AsyncProxy, Fence, MapFence, Op, Operand, Scope};
use bcu_isa::diag::Diagnostic;
use std::ops::Range;

const SCOPES: [&str; 4] = [".cta", ".cluster", ".gpu", ".sys"];

/// The forms that end with one of `SCOPES`, here without the scope, each with its requirements.
const WITH_SCOPE: [(&str, Need); 10] = [
    ("fence", ("`fence`", (6, 0), 70)),
    ("fence.sc", ("`fence`", (6, 0), 70)),
    ("fence.acq_rel", ("`fence`", (6, 0), 70)),
    ("fence.acquire", ("a fence that only acquires or releases", (8, 6), 90)),
    ("fence.release", ("a fence that only acquires or releases", (8, 6), 90)),
    ("fence.acquire.sync_restrict::shared::cluster", ("`.sync_restrict`", (8, 6), 90)),
    ("fence.release.sync_restrict::shared::cta", ("`.sync_restrict`", (8, 6), 90)),
    ("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster", ("`.sync_restrict`", (8, 6), 90)),
    ("fence.proxy.async::generic.release.sync_restrict::shared::cta", ("`.sync_restrict`", (8, 6), 90)),
    ("fence.mbarrier_init.release", ("`fence.mbarrier_init`", (8, 0), 90)),
];

const WHOLE: [(&str, Need); 9] = [
    ("membar.cta", ("`membar`", (1, 4), 0)),
    ("membar.gl", ("`membar`", (1, 4), 0)),
    ("membar.sys", ("`membar.sys`", (2, 0), 20)),
    ("membar.proxy.alias", ("`membar.proxy`", (7, 5), 70)),
    ("fence.proxy.alias", ("`fence.proxy`", (7, 5), 70)),
    ("fence.proxy.async", ("`fence.proxy.async`", (8, 0), 90)),
    ("fence.proxy.async.global", ("`fence.proxy.async`", (8, 0), 90)),
    ("fence.proxy.async.shared::cta", ("`fence.proxy.async`", (8, 0), 90)),
    ("fence.proxy.async.shared::cluster", ("`fence.proxy.async`", (8, 0), 90)),
];

const TENSOR_MAPS: Need = ("a fence of tensor maps", (8, 3), 90);
const CLUSTER: Need = ("the scope `.cluster`", (7, 8), 90);

impl Parser<'_> {
    /// Reads the operands of a fence, and returns its operation. Only `fence.proxy.tensormap::generic.acquire.gpu [map], 128` has operands.
    pub(super) fn fence(&mut self, opcode: (&str, Range<usize>), modifiers: &[Modifier]) -> Result<Op, Diagnostic> {
        let args = self.args()?;
        let names: Vec<&str> = modifiers.iter().map(|m| m.0).collect();
        let head = opcode.1.start..modifiers.last().map_or(opcode.1.end, |m| m.1.end);
        let maps = names.iter().any(|m| m.starts_with(".tensormap"));
        let mut needs = vec![];
        if names.last() == Some(&".cluster") {
            needs.extend(modifiers.last().map(|m| (CLUSTER, m.1.clone())));
        }
        match maps {
            true => {
                of_tensor_maps(&names, &args, self.cursor.span())?;
                needs.push((TENSOR_MAPS, head));
            }
            false => {
                needs.push((known(opcode.0, &names, &head)?, head));
                if let Some(extra) = args.first() {
                    return Err(Diagnostic::new(extra.span.clone(), "an operand of a fence", "expected `;` before this"));
                }
            }
        }
        for (need, span) in needs {
            if let Some((message, help)) = refusal(need, self.module.version, self.module.target) {
                return Err(Diagnostic::new(span, message, "not available in this PTX version or for this target").help(help));
            }
        }
        Ok(Op::Fence(meaning(opcode.0, &names)))
    }
}

/// The accesses that the fence `opcode` with these modifiers orders. `fence.mbarrier_init` orders only inits of mbarriers. A two-way proxy
/// fence orders only accesses by its proxy; a one-way proxy fence (`.acquire`, `.release`) also orders other accesses.
fn meaning(opcode: &str, modifiers: &[&str]) -> Fence {
    let has = |modifier: &str| modifiers.contains(&modifier);
    let scope = modifiers.iter().find_map(|modifier| scope(modifier)).unwrap_or(Scope::Cta);
    let inits = has(".mbarrier_init");
    let is_async = modifiers.iter().any(|modifier| modifier.starts_with(".async"));
    let one_way = has(".acquire") || has(".release");
    let orders_accesses = !inits && (!has(".proxy") || one_way);
    let restricted = modifiers.iter().any(|modifier| modifier.starts_with(".shared") || modifier.starts_with(".sync_restrict"));
    Fence {
        releases: (orders_accesses && !has(".acquire")).then_some(scope),
        acquires: (orders_accesses && !has(".release")).then_some(scope),
        // `membar` is another name of `fence.sc`.
        is_sc: orders_accesses && (opcode == "membar" || has(".sc")),
        releases_inits: inits,
        shows_inits: inits || is_async,
        async_proxy: AsyncProxy { shared: is_async && !has(".global"), global: is_async && !restricted },
        tensor_maps: match has(".tensormap::generic") {
            true if has(".release") => MapFence::Release,
            true => MapFence::Acquire,
            false => MapFence::None,
        },
    }
}

/// The scope that a modifier names; `None`: the modifier is not a scope.
pub(super) fn scope(modifier: &str) -> Option<Scope> {
    Some(match modifier {
        ".cta" => Scope::Cta,
        ".cluster" => Scope::Cluster,
        ".gpu" | ".gl" => Scope::Gpu,
        ".sys" => Scope::System,
        _ => return None,
    })
}

/// The PTX version and target that this form requires; an error if the form does not exist.
fn known(opcode: &str, modifiers: &[&str], head: &Range<usize>) -> Result<Need, Diagnostic> {
    let text = |modifiers: &[&str]| std::iter::once(opcode).chain(modifiers.iter().copied()).collect::<String>();
    let written = text(modifiers);
    let whole = WHOLE.iter().find(|(form, _)| *form == written);
    let scoped = modifiers.split_last().filter(|(scope, _)| SCOPES.contains(scope));
    let scoped = scoped.and_then(|(_, rest)| WITH_SCOPE.iter().find(|(form, _)| *form == text(rest)));
    if let Some((_, need)) = whole.or(scoped) {
        return Ok(*need);
    }
    if WITH_SCOPE.iter().any(|(form, _)| *form == written) && written != "fence" {
        let error = Diagnostic::new(
            head.clone(),
            format!("`{written}` without a scope"),
            "expected .cta, .cluster, .gpu or .sys after it",
        );
        return Err(error);
    }
    let known_fences: Vec<String> = WHOLE
        .iter()
        .map(|(form, _)| form.to_string())
        .chain(WITH_SCOPE.iter().flat_map(|(form, _)| SCOPES.iter().map(move |scope| format!("{form}{scope}"))))
        .collect();
    let error = Diagnostic::new(
        head.clone(),
        format!("`{written}` is not a fence"),
        "expected one like fence.acq_rel.gpu, fence.proxy.async or membar.gl",
    );
    Err(match similar(&written, known_fences.iter().map(String::as_str)) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error,
    })
}

/// Checks the operands of a fence on tensor maps: `.acquire` has a map operand, `.release` has none.
fn of_tensor_maps(modifiers: &[&str], args: &[Arg], end: Range<usize>) -> Result<(), Diagnostic> {
    let good = match args {
        [] => !modifiers.contains(&".acquire"),
        [map, size] => {
            let whole = size.operand == Operand::Immediate(tensor::BYTES as i64);
            modifiers.contains(&".acquire") && map.address.is_some() && whole
        }
        _ => false,
    };
    if good {
        return Ok(());
    }
    let span =
        args.first().map_or(end.start, |first| first.span.start)..end.start.max(args.last().map_or(0, |last| last.span.end));
    let label = format!("expected `[map], {}` after .acquire, and no operand after .release", tensor::BYTES);
    Err(Diagnostic::new(span, "wrong operands of a fence of tensor maps", label))
}
