// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The sources from which programs were compiled: CUDA C++, Python and others, as PTX refers to them.

use bcu_isa::diag::Diagnostic;
use bcu_program::launch::function;
use bcu_program::Origin;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::{env, fs};

/// The maximum size of a source that is read, in bytes.
const LARGEST: u64 = 8 << 20;

/// The text of a source, with its path in messages.
pub struct OriginText {
    pub name: String,
    pub text: String,
}

/// A location in a source from which a program was compiled.
pub struct OriginPlace {
    /// The path, relative to the current folder if the source is below it.
    pub path: String,
    pub line: usize,
    /// Column in characters, from 1; 0 if it is unknown.
    pub column: usize,
    /// The text with the span of the statement; `None` if there is no such file with such a line.
    pub text: Option<(Rc<OriginText>, Range<usize>)>,
    /// If the compiler inlined functions: all locations, the innermost first.
    pub frames: Vec<Frame>,
    /// The number of `frames` in functions that the line calls.
    called: usize,
    /// Other lines, as text, that the location may be: the compiler does not distinguish all copies of an inlined function.
    pub others: Vec<String>,
}

/// A location among those of inlined functions.
pub struct Frame {
    pub path: String,
    pub line: usize,
    /// The short name of the function that contains the line; `None` for the kernel.
    pub function: Option<String>,
}

impl OriginPlace {
    /// If the line is in an inlined function: the function and its calls.
    pub fn calls(&self) -> Option<String> {
        let mut callers = self.frames.iter().skip(self.called);
        let function = callers.next()?.function.as_ref()?;
        let calls: Vec<String> = callers.map(|caller| format!("called at {}:{}", caller.path, caller.line)).collect();
        Some(format!("the line is in `{function}`, {}", calls.join(", ")))
    }

    /// The calls of inlined functions, and the other lines, in a few words.
    pub fn remarks(&self) -> Option<String> {
        let name = |frame: &Frame| frame.function.as_ref().map(|name| format!("`{name}`"));
        let mut remarks: Vec<String> = self.calls().into_iter().collect();
        let called = self.called.checked_sub(1).and_then(|at| self.frames.get(at));
        if let Some((frame, function)) = called.and_then(|frame| Some((frame, name(frame)?))) {
            let file = Path::new(&frame.path).file_name().map_or(frame.path.as_str().into(), |name| name.to_string_lossy());
            remarks.push(format!("the line calls {function} ({file}:{})", frame.line));
        }
        if !self.others.is_empty() {
            remarks.push(format!("it may be {} instead: the PTX does not distinguish these calls", self.others.join(", ")));
        }
        (!remarks.is_empty()).then(|| remarks.join("; "))
    }
}

/// The sources of programs, each read once.
pub struct Origins {
    /// The folder of the program, in which sources with relative paths, or that were moved, are searched for.
    folder: PathBuf,
    known: RefCell<HashMap<String, Option<Rc<OriginText>>>>,
}

impl Origins {
    /// The sources of the program in the file `program`.
    pub fn of(program: &Path) -> Origins {
        Origins { folder: program.parent().map(Path::to_path_buf).unwrap_or_default(), known: RefCell::default() }
    }

    /// The location that the author of the program knows.
    pub fn locate(&self, origin: &Origin) -> OriginPlace {
        let author = origin.of_author();
        let (line, column) = (author.line as usize, author.column as usize);
        let source = self.source(&author.file);
        let text = source.as_ref().and_then(|source| Some((source.clone(), statement(&source.text, line, column)?)));
        let path = |file: &str| self.source(file).map_or(file.to_string(), |source| source.name.clone());
        let is_inlined = origin.caller.is_some();
        let frame = |origin: &Origin| Frame {
            path: path(&origin.file),
            line: origin.line as usize,
            function: origin.function.as_deref().map(function),
        };
        let frames = origin.frames().filter(|_| is_inlined).map(frame).collect();
        let called = origin.frames().take_while(|frame| !std::ptr::eq(*frame, author)).count();
        let others =
            origin.others_of_author().into_iter().map(|other| format!("{}:{}", path(&other.file), other.line)).collect();
        // A compiler counts bytes.
        let in_text =
            |(source, span): &(Rc<OriginText>, Range<usize>)| Diagnostic::new(span.clone(), "", "").position(&source.text).1;
        let column = text.as_ref().filter(|_| column > 0).map_or(column, in_text);
        OriginPlace { path: path(&author.file), line, column, text, frames, called, others }
    }

    fn source(&self, file: &str) -> Option<Rc<OriginText>> {
        self.known.borrow_mut().entry(file.to_string()).or_insert_with(|| self.read(file)).clone()
    }

    /// Reads a source: from its path, or from the folder of the program.
    fn read(&self, file: &str) -> Option<Rc<OriginText>> {
        let path = find_source(Path::new(file), &self.folder)?;
        let text = fs::read_to_string(&path).ok()?;
        let here = env::current_dir().ok();
        let name = here.and_then(|here| path.strip_prefix(here).ok()).unwrap_or(&path).display().to_string();
        Some(Rc::new(OriginText { name, text }))
    }
}

/// The file of a source that a program in `folder` names: at its path, or in the folder by its path or its name alone. An empty file is no
/// source; the files of /proc are of this kind, and reading one may block.
pub fn find_source(path: &Path, folder: &Path) -> Option<PathBuf> {
    let by_name = path.file_name().map(|name| folder.join(name));
    let is_source =
        |path: &PathBuf| fs::metadata(path).is_ok_and(|about| about.is_file() && (1..=LARGEST).contains(&about.len()));
    [Some(path.to_path_buf()), Some(folder.join(path)), by_name].into_iter().flatten().find(is_source)
}

/// The span of a line from a column to the end of its code; from the first character that is not a blank if the line has no such column.
fn statement(text: &str, line: usize, column: usize) -> Option<Range<usize>> {
    let start: usize = text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
    let whole = text.get(start..)?.lines().next()?;
    let code = whole.find("//").filter(|at| !whole[..*at].trim().is_empty()).map_or(whole, |at| &whole[..at]).trim_end();
    let first = code.len() - code.trim_start().len();
    let from = column.checked_sub(1).filter(|at| *at < code.len() && code.is_char_boundary(*at)).unwrap_or(first);
    Some(start + from..start + code.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_begins_at_its_column_and_ends_before_a_comment() {
        let text = "one\n  two(); // a\n\n\té";
        let of = |line, column| statement(text, line, column).map(|span| &text[span]);
        assert_eq!(of(2, 3), Some("two();"));
        assert_eq!(of(2, 0), Some("two();"));
        assert_eq!(of(2, 90), Some("two();"));
        assert_eq!((of(3, 1), of(4, 1), of(4, 3)), (Some(""), Some("\té"), Some("é")));
        assert_eq!((of(0, 1), of(9, 1)), (None, None));
    }

    #[test]
    fn a_source_is_found_beside_its_program_and_need_not_exist() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("k.cu"), "one\ntwo\n").unwrap();
        let origins = Origins::of(&folder.path().join("k.ptx"));
        let origin = |file: &str, line| Origin {
            file: file.into(),
            line,
            column: 1,
            function: None,
            caller: None,
            other_callers: vec![],
        };
        let place = origins.locate(&origin("/moved/from/here/k.cu", 2));
        assert!(place.text.is_some_and(|(source, span)| &source.text[span] == "two") && place.path.ends_with("k.cu"));
        assert!(origins.locate(&origin("/moved/from/here/k.cu", 7)).text.is_none());
        let absent = origins.locate(&origin("/moved/absent.cu", 2));
        assert!(absent.text.is_none() && absent.path == "/moved/absent.cu" && absent.remarks().is_none());
    }
}
