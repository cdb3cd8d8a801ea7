// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Launch directives in a kernel's header: `.reqntid`, `.maxntid`, and the directives of clusters (PTX 7.8, sm_90).

use super::launch_bounds::Bounds;
use super::lex::Kind;
use super::parser::Parser;
use super::target::refusal;
use crate::MAX_CLUSTER;
use bcu_isa::diag::Diagnostic;

impl Parser<'_> {
    /// Reads the directives between the parameters and the body, up to a word of `next`. A directive that does not concern the launch is
    /// ignored, with its numbers.
    pub(super) fn bounds(&mut self, next: &[&str]) -> Result<Bounds, Diagnostic> {
        let mut bounds = Bounds::default();
        while !next.contains(&self.cursor.text()) {
            let start = self.cursor.span();
            let Some(directive) = self.cursor.take(Kind::Dotted) else { break };
            let mut numbers = Vec::new();
            while self.cursor.at_constant() {
                numbers.push(u32::try_from(self.cursor.constant()?).unwrap_or(u32::MAX));
                self.cursor.eat(b',');
            }
            if directive == ".pragma" {
                self.cursor.take(Kind::Str);
                self.cursor.eat(b';');
            }
            let span = start.start..self.cursor.last_end();
            let wrong = |message: String, label: &str| Err(Diagnostic::new(span.clone(), message, label));
            let extent = |i: usize| numbers.get(i).copied().unwrap_or(1);
            let shape = [extent(0), extent(1), extent(2)];
            let name = match directive {
                ".reqntid" => {
                    bounds.reqntid = Some(shape);
                    continue;
                }
                ".maxntid" => {
                    bounds.maxntid = Some(shape);
                    continue;
                }
                ".maxnreg" => {
                    bounds.maxnreg = numbers.first().copied();
                    continue;
                }
                ".blocksareclusters" => {
                    return wrong("`.blocksareclusters` is not supported yet".into(), "expected a supported directive");
                }
                ".reqnctapercluster" => "`.reqnctapercluster`",
                ".maxclusterrank" => "`.maxclusterrank`",
                ".explicitcluster" => "`.explicitcluster`",
                _ => continue,
            };
            // From here on the directive is about clusters. It needs a PTX version and a target, and a kernel has `.reqnctapercluster` or
            // `.maxclusterrank`, not both.
            if let Some((message, help)) = refusal((name, (7, 8), 90), self.module.version, self.module.target) {
                return Err(Diagnostic::new(span, message, "not available in this PTX version or for this target").help(help));
            }
            let ctas = shape.iter().fold(1u64, |total, size| total.saturating_mul((*size).into()));
            let fits = |ctas: u64| (1..=u64::from(MAX_CLUSTER)).contains(&ctas);
            match directive {
                ".explicitcluster" => bounds.explicitcluster = Some(span.clone()),
                _ if numbers.is_empty() => return wrong(format!("{name} without a number"), "expected a number of CTAs"),
                ".reqnctapercluster" if fits(ctas) && numbers.len() <= 3 => {
                    bounds.reqnctapercluster = Some((shape, span.clone()))
                }
                ".maxclusterrank" if fits(shape[0].into()) && numbers.len() == 1 => {
                    bounds.maxclusterrank = Some((shape[0], span.clone()));
                }
                _ => {
                    let message = format!("{name} with {}", numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", "));
                    return wrong(message, "expected 1 to 16 CTAs of a cluster");
                }
            }
            if bounds.reqnctapercluster.is_some() && bounds.maxclusterrank.is_some() {
                return wrong("`.reqnctapercluster` and `.maxclusterrank` of one kernel".into(), "expected one of them");
            }
        }
        Ok(bounds)
    }
}
