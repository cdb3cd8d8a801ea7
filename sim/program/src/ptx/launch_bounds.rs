// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bounds on the launch of a kernel, and the clusters that they allow.

use crate::Clusters;
use bcu_isa::diag::Diagnostic;
use std::ops::Range;

/// Bounds on a kernel's launch, with spans where a diagnostic needs them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    pub reqntid: Option<[u32; 3]>,
    pub maxntid: Option<[u32; 3]>,
    /// Registers of a thread: `.maxnreg`.
    pub maxnreg: Option<u32>,
    /// CTAs of a cluster along x, y and z: `.reqnctapercluster`.
    pub reqnctapercluster: Option<([u32; 3], Range<usize>)>,
    /// Maximum number of CTAs of a cluster.
    pub maxclusterrank: Option<(u32, Range<usize>)>,
    /// The directive that requires the launch to state the cluster size, if the kernel does not.
    pub explicitcluster: Option<Range<usize>>,
}

impl Bounds {
    /// The clusters of `grid` in a launch with the cluster size `launched`; `None`: the launch has no cluster size.
    ///
    /// # Errors
    /// A cluster size that the kernel does not accept, or that does not divide the grid. The error names the kernel by `name` and `span`.
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
                return wrong(at, message, "launched with another cluster size");
            }
        }
        let Some(size) = launched.or(required.map(|(size, _)| *size)) else {
            return match &self.explicitcluster {
                Some(at) => {
                    let message = format!("`{name}` has .explicitcluster, but the launch gives no cluster size");
                    let error = Diagnostic::new(at.clone(), message, "launched without a cluster");
                    Err(error.help("give `--cluster 2`, or `cluster = [2]` in a launch file"))
                }
                None => Ok(Clusters::implicit(grid)),
            };
        };
        let at = required.map_or(span, |(_, at)| at).clone();
        let clusters = Clusters::new(grid, size).map_err(|error| Diagnostic { span: at, ..error })?;
        match &self.maxclusterrank {
            Some((most, at)) if clusters.size() > *most as usize => {
                let message =
                    format!("`{name}` has .maxclusterrank {most}, and is launched in clusters of {} CTAs", clusters.size());
                wrong(at, message, &format!("expected at most {most} CTAs in a cluster"))
            }
            _ => Ok(clusters),
        }
    }
}
