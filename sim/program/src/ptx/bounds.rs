// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a kernel's header says of its launch: `.reqntid`, `.maxntid`, and the directives of clusters (PTX 7.8, sm_90).

use super::lex::Kind;
use super::parse::Parser;
use super::target::refusal;
use crate::{Clusters, MAX_CLUSTER};
use bcu_isa::diag::Diagnostic;
use std::ops::Range;

/// Bounds of a kernel's launch, each with its place where a complaint needs one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    pub reqntid: Option<[u32; 3]>,
    pub maxntid: Option<[u32; 3]>,
    /// CTAs of a cluster along x, y and z: `.reqnctapercluster`.
    pub reqnctapercluster: Option<([u32; 3], Range<usize>)>,
    /// The most CTAs of a cluster.
    pub maxclusterrank: Option<(u32, Range<usize>)>,
    /// The launch must say how large a cluster is, if the kernel does not.
    pub explicitcluster: Option<Range<usize>>,
}

impl Parser<'_> {
    /// The directives between the parameters and the body.
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
            let of = |i: usize| numbers.get(i).copied().unwrap_or(1);
            let shape = [of(0), of(1), of(2)];
            let name = match directive {
                ".reqntid" => {
                    bounds.reqntid = Some(shape);
                    continue;
                }
                ".maxntid" => {
                    bounds.maxntid = Some(shape);
                    continue;
                }
                ".blocksareclusters" => {
                    return wrong("`.blocksareclusters` is not built yet".into(), "known, but nothing launches it yet");
                }
                ".reqnctapercluster" => "`.reqnctapercluster`",
                ".maxclusterrank" => "`.maxclusterrank`",
                ".explicitcluster" => "`.explicitcluster`",
                _ => continue,
            };
            if let Some((message, help)) = refusal((name, (7, 8), 90), self.module.version, self.module.target) {
                return Err(Diagnostic::new(span, message, "not in this version or target").help(help));
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

impl Bounds {
    /// The clusters of a grid that is launched with this size of a cluster, or without one.
    ///
    /// # Errors
    /// A cluster that the kernel does not take, or that does not divide the grid. `name` is the kernel's, `span` its place.
    pub(super) fn clusters(
        &self,
        (name, span): (&str, &Range<usize>),
        grid: [u32; 3],
        launched: Option<[u32; 3]>,
    ) -> Result<Clusters, Diagnostic> {
        let shown = |[x, y, z]: [u32; 3]| format!("{x},{y},{z}");
        let wrong = |at: &Range<usize>, message: String, label: &str| Err(Diagnostic::new(at.clone(), message, label));
        let required = self.reqnctapercluster.as_ref();
        if let (Some((required, at)), Some(launched)) = (required, launched) {
            if *required != launched {
                let message = format!(
                    "`{name}` has .reqnctapercluster {}, and is launched in clusters of {}",
                    shown(*required),
                    shown(launched)
                );
                return wrong(at, message, "launched with another cluster");
            }
        }
        let Some(size) = launched.or(required.map(|(size, _)| *size)) else {
            return match &self.explicitcluster {
                Some(at) => {
                    let message = format!("`{name}` has .explicitcluster, and nothing says how large a cluster is");
                    let error = Diagnostic::new(at.clone(), message, "launched without a cluster");
                    Err(error.help("say it with `--cluster 2`, or `cluster = [2]` in a launch file"))
                }
                None => Ok(Clusters::none(grid)),
            };
        };
        let at = required.map_or(span, |(_, at)| at).clone();
        let clusters = Clusters::new(grid, size).map_err(|error| Diagnostic { span: at, ..error })?;
        match &self.maxclusterrank {
            Some((most, at)) if clusters.size() > *most as usize => {
                let message =
                    format!("`{name}` has .maxclusterrank {most}, and is launched in clusters of {} CTAs", clusters.size());
                wrong(at, message, "launched with a larger cluster")
            }
            _ => Ok(clusters),
        }
    }
}
