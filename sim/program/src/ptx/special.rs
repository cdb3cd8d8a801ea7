// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Special registers: `%tid.x`, `%laneid`, `%clock64` and the like.

use super::lex::Kind;
use super::parser::Parser;
use super::target::refusal;
use crate::{Operand, Reserved, Special};
use bcu_isa::diag::Diagnostic;
use std::ops::Range;

/// Special registers with unknown values, without the number at the end of the name.
pub(super) const OPAQUE_SPECIALS: &[&str] = &["%envreg", "%pm", "%current_graph_exec"];

/// Special registers of clusters, which need a PTX version and a target.
const OF_CLUSTERS: [&str; 7] = [
    "%clusterid",
    "%nclusterid",
    "%cluster_ctaid",
    "%cluster_nctaid",
    "%cluster_ctarank",
    "%cluster_nctarank",
    "%is_explicit_cluster",
];

/// The beginning of the names of the special registers of reserved shared memory.
const RESERVED: &str = "%reserved_smem_offset";

/// Special registers without an axis; a run has one streaming multiprocessor and one grid.
const PLAIN: &[(&str, Special)] = &[
    ("%laneid", Special::Laneid),
    ("%warpid", Special::Warpid),
    ("%nwarpid", Special::Nwarpid),
    ("%lanemask_eq", Special::LanemaskEq),
    ("%lanemask_le", Special::LanemaskLe),
    ("%lanemask_lt", Special::LanemaskLt),
    ("%lanemask_ge", Special::LanemaskGe),
    ("%lanemask_gt", Special::LanemaskGt),
    ("%clock", Special::Clock),
    ("%clock_hi", Special::ClockHigh),
    ("%clock64", Special::Clock64),
    ("%globaltimer", Special::Clock64),
    ("%globaltimer_lo", Special::Clock),
    ("%globaltimer_hi", Special::ClockHigh),
    ("%smid", Special::Zero),
    ("%nsmid", Special::One),
    ("%gridid", Special::Zero),
    ("%dynamic_smem_size", Special::DynamicShared),
    ("%total_smem_size", Special::TotalShared),
    ("%aggr_smem_size", Special::TotalShared),
    ("%envreg1", Special::WorkspaceHigh),
    ("%envreg2", Special::WorkspaceLow),
    ("%reserved_smem_offset_begin", Special::Reserved(Reserved::Begin)),
    ("%reserved_smem_offset_end", Special::Reserved(Reserved::End)),
    ("%reserved_smem_offset_cap", Special::Reserved(Reserved::Size)),
    ("%reserved_smem_offset_0", Special::Reserved(Reserved::Begin)),
    ("%reserved_smem_offset_1", Special::Reserved(Reserved::Groups)),
    ("%is_explicit_cluster", Special::ExplicitCluster),
    ("%cluster_ctarank", Special::CtaRank),
    ("%cluster_nctarank", Special::ClusterSize),
];

pub(super) const SPECIALS: &[&str] = &["%tid", "%ntid", "%ctaid", "%nctaid", "%laneid", "%warpid", "%nwarpid", "%warp_size"];

/// The first special register in a text whose value is unknown.
pub(super) fn opaque_special(text: &str) -> Option<&str> {
    let is_end = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '%'));
    text.split(is_end).find(|word| is_opaque(word))
}

fn is_opaque(name: &str) -> bool {
    OPAQUE_SPECIALS.contains(&name) || OPAQUE_SPECIALS.contains(&name.trim_end_matches(|c: char| c.is_ascii_digit()))
}

impl Parser<'_> {
    /// The special register of this name, with its axis. `None`: no special register has this name, or the program declares the name.
    pub(super) fn special(&mut self, name: &str, span: Range<usize>) -> Result<Option<Operand>, Diagnostic> {
        let axis = |axes: [Special; 3], parser: &mut Self| {
            let at = parser.cursor.span();
            let index = match parser.cursor.take(Kind::Dotted) {
                Some(".x") => 0,
                Some(".y") => 1,
                Some(".z") => 2,
                Some(".w") => return Ok(Operand::Opaque),
                // Without an axis, the name is the whole vector, as in old texts.
                None => return Ok(Operand::Opaque),
                Some(other) => {
                    let message = format!("`{name}` has no `{other}`");
                    return Err(Diagnostic::new(at, message, "expected .x, .y or .z"));
                }
            };
            Ok(Operand::Special(axes[index]))
        };
        let of_cluster = OF_CLUSTERS.iter().find(|known| **known == name).map(|name| (*name, (7, 8), 90));
        let of_reserved = name.starts_with(RESERVED).then_some((RESERVED, (7, 6), 80));
        if let Some(need) = of_cluster.or(of_reserved) {
            if let Some((message, help)) = refusal(need, self.module.version, self.module.target) {
                return Err(Diagnostic::new(span, message, "not available in this PTX version or for this target").help(help));
            }
        }
        let each = |make: fn(usize) -> Special| [make(0), make(1), make(2)];
        Ok(Some(match name {
            "%tid" => axis(each(Special::Tid), self)?,
            "%ntid" => axis(each(Special::Ntid), self)?,
            "%ctaid" => axis(each(Special::Ctaid), self)?,
            "%nctaid" => axis(each(Special::Nctaid), self)?,
            "%clusterid" => axis(each(Special::Clusterid), self)?,
            "%nclusterid" => axis(each(Special::Nclusterid), self)?,
            "%cluster_ctaid" => axis(each(Special::ClusterCtaid), self)?,
            "%cluster_nctaid" => axis(each(Special::ClusterNctaid), self)?,
            _ if PLAIN.iter().any(|(known, _)| *known == name) => {
                let found = PLAIN.iter().find(|(known, _)| *known == name);
                found.map_or(Operand::Opaque, |(_, special)| Operand::Special(*special))
            }
            _ if is_opaque(name) => {
                self.cursor.take(Kind::Dotted);
                Operand::Opaque
            }
            _ if name.starts_with('%') && self.names().register(name).is_none() => return Err(self.undeclared(name, span)),
            _ => return Ok(None),
        }))
    }
}
