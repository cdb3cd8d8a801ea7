// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What stopped the run: a program that does what no hardware can carry out, or a decision that hangs on what is not known.

use super::codes::CODES;
use super::finding::{At, Case, Finding};

pub fn find(case: &Case) -> Vec<Finding> {
    case.subject
        .stop
        .iter()
        .filter_map(|(cta, warp, stopped)| {
            let code = CODES.iter().find(|known| known.name == stopped.code)?;
            let span = &stopped.diagnostic.span;
            let at = At { file: case.file(*cta, *warp), start: span.start, end: span.end };
            let mut finding = Finding::new(code, Some(at), stopped.diagnostic.message.clone());
            (finding.cta, finding.warp, finding.cycle) = (Some(*cta), Some(*warp), Some(case.report.cycles));
            if let Some(help) = &stopped.diagnostic.help {
                finding.help = help.clone();
            }
            Some(finding)
        })
        .collect()
}
