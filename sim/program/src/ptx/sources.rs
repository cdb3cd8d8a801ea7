// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The sources of a text: `.file`, `.loc`, and the names of inlined functions in `.section .debug_str`.
//!
//! A compiler may write `.file` after the code, so the files are read before it.

use super::lex::{Kind, Token};
use crate::origin::{Origin, MOST_CALLERS};
use std::collections::HashMap;
use std::sync::Arc;

/// The maximum length of the name of an inlined function, in bytes.
const LONGEST_NAME: usize = 4096;

/// The sources of a text, and the present location.
pub(super) struct Sources<'a> {
    /// The paths, by the number of the file.
    files: HashMap<u32, Arc<str>>,
    /// The strings of `.debug_str`, by their labels.
    strings: HashMap<&'a str, Arc<str>>,
    /// The locations so far in the present code, by file, line and column. A line of an inlined function has one for each call.
    known: HashMap<[u32; 3], Vec<Arc<Origin>>>,
    /// The locations since the last instruction.
    fresh: Vec<([u32; 3], Arc<Origin>)>,
    /// The location of the next instruction.
    present: Option<Arc<Origin>>,
}

impl<'a> Sources<'a> {
    /// Reads the files and the names of a text.
    pub fn read(source: &'a str, tokens: &[Token]) -> Sources<'a> {
        let text = |token: &Token| &source[token.start as usize..token.end as usize];
        let (mut files, mut strings) = (HashMap::new(), HashMap::new());
        for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Dotted) {
            let after = &tokens[at + 1..];
            match (text(token), after) {
                (".file", [number, path, ..]) if number.kind == Kind::Int && path.kind == Kind::Str => {
                    if let Ok(number) = text(number).parse() {
                        let path = text(path).trim_matches('"');
                        _ = (!path.is_empty()).then(|| files.insert(number, path.into()));
                    }
                }
                (".section", [name, ..]) if text(name) == ".debug_str" => strings.extend(debug_strings(source, after)),
                _ => {}
            }
        }
        Sources { files, strings, known: HashMap::new(), fresh: vec![], present: None }
    }

    /// Begins a kernel or a function, whose first instructions have no location.
    pub fn begin(&mut self) {
        (self.known, self.fresh, self.present) = (HashMap::new(), vec![], None);
    }

    /// The location of an instruction.
    pub fn of_instruction(&mut self) -> Option<Arc<Origin>> {
        self.fresh.clear();
        self.present.clone()
    }

    /// Reads the words of a `.loc` directive without its commas: `FILE LINE COLUMN`, and for an inlined function
    /// `function_name LABEL [+ OFFSET] inlined_at FILE LINE COLUMN`. Line 0 is no location.
    pub fn loc(&mut self, words: &[&str]) {
        let numbers =
            |words: &[&str]| Some([words.first()?, words.get(1)?, words.get(2)?].map(|word| word.parse::<u32>().ok()));
        let [Some(file), Some(line), Some(column)] = numbers(words).unwrap_or_default() else { return };
        let Some(path) = self.files.get(&file).filter(|_| line > 0) else {
            self.present = None;
            return;
        };
        let after = |word: &str| words.iter().position(|known| *known == word).map(|at| &words[at + 1..]);
        let caller = after("inlined_at").and_then(numbers).and_then(|[file, line, column]| Some([file?, line?, column?]));
        let mut callers = caller.map_or(vec![], |at| self.callers(at));
        callers.retain(|caller| caller.frames().count() < MOST_CALLERS);
        let function = after("function_name").and_then(|words| self.strings.get(words.first()?).cloned());
        let caller = callers.pop();
        let (at, file) = ([file, line, column], path.clone());
        let origin = Arc::new(Origin { file, line, column, function, caller, other_callers: callers });
        let known = self.known.entry(at).or_default();
        for variant in variants(&origin) {
            if known.len() < MOST_CALLERS && !known.contains(&variant) {
                known.push(variant);
            }
        }
        self.fresh.push((at, origin.clone()));
        self.present = Some(origin);
    }

    /// The calls at a location. A compiler gives the location of a call with its own callers before the first instruction of the inlined
    /// function, and not again before later ones: if there are several such calls, these are not distinguished.
    fn callers(&self, at: [u32; 3]) -> Vec<Arc<Origin>> {
        let fresh = self.fresh.iter().rev().find(|(known, _)| *known == at).map(|(_, origin)| vec![origin.clone()]);
        let known = || self.known.get(&at).cloned();
        // A call that was not given as a location itself has no callers.
        let alone = || {
            let ([file, line, column], function, caller) = (at, None, None);
            let file = self.files.get(&file)?.clone();
            Some(vec![Arc::new(Origin { file, line, column, function, caller, other_callers: vec![] })])
        };
        let callers = fresh.or_else(known).or_else(alone).unwrap_or_default();
        callers.iter().flat_map(variants).take(MOST_CALLERS).collect()
    }
}

/// The location with each of its callers.
fn variants(origin: &Arc<Origin>) -> Vec<Arc<Origin>> {
    if origin.other_callers.is_empty() {
        return vec![origin.clone()];
    }
    let with = |caller: &Arc<Origin>| Origin { caller: Some(caller.clone()), other_callers: vec![], ..Origin::clone(origin) };
    origin.other_callers.iter().chain(&origin.caller).map(|caller| Arc::new(with(caller))).collect()
}

/// The strings of a section `{ LABEL: .b8 65,66,0 … }`, which begins at its name.
fn debug_strings<'a>(source: &'a str, section: &[Token]) -> HashMap<&'a str, Arc<str>> {
    let text = |token: &Token| &source[token.start as usize..token.end as usize];
    let (mut strings, mut label, mut bytes) = (HashMap::new(), None, vec![]);
    for (at, token) in section.iter().enumerate().take_while(|(_, token)| token.kind != Kind::Punct(b'}')) {
        match token.kind {
            Kind::Name if section.get(at + 1).is_some_and(|next| next.kind == Kind::Punct(b':')) => label = Some(text(token)),
            Kind::Int => match text(token).parse::<u8>() {
                Ok(0) | Err(_) => {
                    let name = String::from_utf8_lossy(&bytes).replace(char::is_control, "");
                    if let (Some(label), false) = (label.take(), name.is_empty()) {
                        strings.insert(label, name.into());
                    }
                    bytes.clear();
                }
                Ok(byte) if bytes.len() < LONGEST_NAME => bytes.push(byte),
                Ok(_) => {}
            },
            _ => {}
        }
    }
    strings
}

#[cfg(test)]
mod tests {
    use crate::ptx::parse;
    use crate::Origin;

    const TEXT: &str = "
.version 8.7
.target sm_90
.address_size 64
.visible .entry k()
{
    .reg .b32 %r<4>;
    mov.u32 %r0, 0;
    .loc 1 12 5
    mov.u32 %r1, 1;
    .loc 2 3 9, function_name $L_1, inlined_at 1 12 5
    mov.u32 %r2, 2;
    .loc 2 40 1, function_name $L_2+0, inlined_at 2 3 9
    mov.u32 %r3, 3;
    .loc 1 0 0
    ret;
}
.file 1 \"/home/me/k.cu\"
.file 2 \"/home/me/inner.cuh\", 1700000000, 12
.section .debug_str
{
$L_1:
.b8 105,110,0
$L_2:
.b8 120
.b8 121,0
}
";

    fn origins(text: &str) -> Vec<Option<String>> {
        let describe = |origin: &Origin| {
            let frame = |o: &Origin| format!("{o}:{} {}", o.column, o.function.as_deref().unwrap_or("-"));
            origin.frames().map(frame).collect::<Vec<_>>().join(" < ")
        };
        let module = parse(text).unwrap();
        module.codes[0].instrs().iter().map(|instr| instr.place.origin.as_deref().map(describe)).collect()
    }

    #[test]
    fn an_instruction_has_the_location_before_it_with_the_calls_of_inlined_functions() {
        let expected = [
            None,
            Some("k.cu:12:5 -"),
            Some("inner.cuh:3:9 in < k.cu:12:5 -"),
            Some("inner.cuh:40:1 xy < inner.cuh:3:9 in < k.cu:12:5 -"),
            None,
        ];
        assert_eq!(origins(TEXT), expected.map(|origin| origin.map(String::from)));
    }

    #[test]
    fn locations_that_are_incomplete_or_refer_to_each_other_are_accepted() {
        for loc in
            [".loc", ".loc 1", ".loc 9 1 1", ".loc 1 99999999999 1", ".loc 1 1 1, function_name", ".loc 1 1 1, inlined_at 7"]
        {
            origins(&TEXT.replace(".loc 1 12 5", loc));
        }
        let repeated = ".loc 1 12 5, inlined_at 1 12 5\n".repeat(100_000);
        let all = origins(&TEXT.replace(".loc 1 12 5\n", &repeated));
        assert!(all[1].as_ref().is_some_and(|origin| origin.matches('<').count() < 40), "{all:?}");
    }

    #[test]
    fn a_line_that_is_inlined_from_two_calls_has_the_more_likely_one_and_the_other() {
        // As nvcc writes it: the calls are given only before the first copy of each.
        let text = "
.version 8.7
.target sm_90
.address_size 64
.visible .entry k()
{
    .reg .b32 %r<9>;
    .reg .pred %p;
    .loc 1 5 1
    mov.u32 %r0, 0;
    .loc 2 3 9, function_name $L_1, inlined_at 1 7 5
    mov.u32 %r1, 1;
    .loc 2 3 9, function_name $L_1, inlined_at 1 9 5
    .loc 3 8 1, function_name $L_1, inlined_at 2 3 9
    mov.u32 %r3, 3;
    .loc 1 10 1
    bra A;
B:
    .loc 3 8 1, function_name $L_1, inlined_at 2 3 9
    mov.u32 %r4, 3;
    .loc 1 8 1
    mov.u32 %r5, 3;
    ret;
A:
    .loc 1 4 1
    mov.u32 %r6, 3;
    .loc 3 8 1, function_name $L_1, inlined_at 2 3 9
    mov.u32 %r7, 3;
    bra B;
}
.file 1 \"/home/me/k.cu\"
.file 2 \"/home/me/inner.cuh\"
.file 3 \"/usr/include/library.h\"
.section .debug_str
{
$L_1:
.b8 105,110,0
}
";
        let module = parse(text).unwrap();
        let described = module.codes[0].instrs().iter().filter_map(|instr| instr.place.origin.as_ref()).map(|origin| {
            let outermost = origin.frames().last().map_or(0, |last| last.line);
            (origin.line, outermost, origin.other_callers.iter().filter_map(|o| o.frames().last()).map(|o| o.line).collect())
        });
        let expected: [(u32, u32, Vec<u32>); 9] = [
            (5, 5, vec![]),
            (3, 7, vec![]),
            (8, 9, vec![]),
            (10, 10, vec![]),
            (8, 7, vec![9]),
            (8, 8, vec![]),
            (8, 8, vec![]),
            (4, 4, vec![]),
            (8, 7, vec![9]),
        ];
        assert_eq!(described.take(9).collect::<Vec<_>>(), expected);
    }
}
