// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The location of a finding in a file, for JSON, SARIF and annotations.

use crate::cmd::case::Program;
use crate::diag::line_and_column;
use crate::origins::OriginPlace;
use bcu_machine::check::finding::At;

/// A span in a file. Lines and columns count from 1, columns in characters.
pub struct Location {
    pub file: String,
    /// First line and column, and the line and column after the last character; `None` if only the file is known.
    pub region: Option<[(usize, usize); 2]>,
    /// The text of the region, or of the instruction if only the file is known.
    pub text: String,
}

/// The location that editors and CI show: in the source from which the program was compiled, else in the text that was given, or for a CUDA
/// program its file.
pub fn location(sources: &[Program], at: &At) -> Option<Location> {
    let program = sources.get(at.file)?;
    let source = &program.source;
    let text = source.text.get(at.span())?.to_string();
    if let Some(origin) = &at.origin {
        return Some(of_origin(program.origins.locate(origin), text));
    }
    let place = |offset: usize| line_and_column(&source.text, &(offset..offset));
    Some(match &program.cuda_file {
        // The PTX that nvcc has written does not exist after the run.
        Some(path) => Location { file: path.display().to_string(), region: None, text },
        None => Location { file: source.name.clone(), region: Some([place(at.start), place(at.end)]), text },
    })
}

fn of_origin(OriginPlace { path, line, column, text: statement, .. }: OriginPlace, text: String) -> Location {
    let (region, text) = match &statement {
        Some((source, span)) => {
            let region = [span.start, span.end].map(|offset| line_and_column(&source.text, &(offset..offset)));
            (region, source.text.get(span.clone()).unwrap_or_default().to_string())
        }
        // The text of the source is not known, so the region is empty.
        None => ([(line, column.max(1)); 2], text),
    };
    Location { file: path, region: Some(region), text }
}
