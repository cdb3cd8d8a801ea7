// SPDX-License-Identifier: Apache-2.0 OR MIT

use super::super::{
    buffer_named, from_options, parse_arg, variable_settings, LaunchFile, Launches, Missing, Ready, Unprepared,
};
use super::*;
use crate::ptx::Launch;
use crate::Unset;

const PTX: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.const .align 4 .b8 _ZN2ns4coefE[20];\n.const .align 4 .u32 scale;\n\
    .global .align 4 .b8 table[16] = {1, 0, 0, 0, 2};\n.global .align 8 .u64 head;\n.global .f32 grid[2][3];\n.global .v4 .f32 quad;\n\
    .global .align 4 .b8 _ZN1a1xE[4];\n.global .align 4 .b8 _ZN1b1xE[4];\n.extern .global .align 4 .b8 other[];\n\
    .visible .entry k(.param .u64 out) { ret; }\n";

fn base() -> Launch {
    Launch { threads: Some([32, 1, 1]), ..Launch::new(32) }
}

fn reported(why: Unprepared) -> String {
    let (Unprepared::Program(errors) | Unprepared::Launch(errors)) = why;
    errors.iter().map(|e| format!("{}: {}: {}\n", e.message, e.label, e.help.clone().unwrap_or_default())).collect()
}

/// The launch of the options `args`, where the buffers and variables `read` are read at the end.
fn launched(args: &[&str], read: &[&str]) -> Result<Ready, String> {
    let options: Vec<_> = args.iter().map(|arg| parse_arg(arg).unwrap()).collect();
    let (mut allocations, mut given) = from_options(&options).unwrap();
    let settings = variable_settings(PTX, &base(), (&mut allocations, &mut given), read);
    let mut launch = LaunchFile::parse("[[launch]]").unwrap().launches.remove(0);
    launch.args = given;
    let launches = Launches { allocations, settings, launches: vec![launch], expects: vec![], missing: Missing::Unknown };
    launches.ready(PTX, &base(), 1, &mut |name| Err(format!("no file {name}"))).map_err(reported)
}

fn from_file(text: &str, files: &[(&str, Vec<u8>)]) -> Result<Ready, String> {
    let file = LaunchFile::parse(text).map_err(|errors| reported(Unprepared::Launch(errors)))?;
    let mut read = |name: &str| files.iter().find(|(own, _)| *own == name).map(|(_, b)| b.clone()).ok_or(name.to_string());
    Launches::from(&file).ready(PTX, &base(), 1, &mut read).map_err(reported)
}

fn view(ready: &Ready, name: &str) -> (String, Vec<u8>) {
    let buffer = ready.buffers.iter().find(|buffer| buffer.name == name).unwrap();
    (buffer.kind(), buffer.bytes.to_vec())
}

fn kind(text: &str, bytes: &[u8]) -> (String, Vec<u8>) {
    (text.to_string(), bytes.to_vec())
}

/// The memory of the variable that PTX calls `name`.
fn memory(ready: &Ready, name: &str) -> Option<Vec<Option<u8>>> {
    Some(ready.memory.iter().find(|variable| variable.name == name)?.bytes.values())
}

#[test]
fn an_option_gives_a_variable_its_contents() {
    let ready = launched(&["ns::coef=u8:[20]:iota", "scale=7", "out=u32:[4]"], &[]).unwrap();
    let iota: Vec<Option<u8>> = (0..20).map(Some).collect();
    assert_eq!(memory(&ready, "_ZN2ns4coefE"), Some(iota));
    assert_eq!(memory(&ready, "scale"), Some([7, 0, 0, 0].map(Some).to_vec()));
    assert_eq!((view(&ready, "scale"), ready.buffers.len()), (kind("u32 [1]", &[7, 0, 0, 0]), 3));
    // The namespace may be left out, and a part of the variable may be given.
    let ready = launched(&["coef=u8:[2]:9"], &[]).unwrap();
    let values = memory(&ready, "_ZN2ns4coefE").unwrap();
    assert_eq!((&values[..3], values.len()), (&[Some(9), Some(9), Some(0)][..], 20));
}

#[test]
fn a_type_without_a_fill_keeps_the_declared_contents() {
    let ready = launched(&["table=i32:[4]"], &["quad", "grid", "other_name", "scale"]).unwrap();
    let bytes = [1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!((view(&ready, "table"), memory(&ready, "table")), (kind("i32 [4]", &bytes), None));
    assert_eq!(view(&ready, "quad").0, "f32 [4]");
    assert_eq!((view(&ready, "grid").0, view(&ready, "scale").0), ("f32 [2, 3]".to_string(), "u32 [1]".to_string()));
    assert_eq!(ready.buffers.len(), 4);
}

#[test]
fn a_variable_may_hold_addresses() {
    let ready = launched(&["out=f32:[4]", "head=@out+8"], &[]).unwrap();
    let address = ready.memory.iter().find(|variable| variable.name == "out").unwrap().address;
    let known = |value: u64| Some(value.to_le_bytes().map(Some).to_vec());
    assert_eq!((address % 256, memory(&ready, "head")), (0, known(address + 8)));
    let ready = launched(&["head=new:[i32:5,@head]"], &[]).unwrap();
    let node = ready.memory.iter().find(|variable| variable.name == "head.new").unwrap().clone();
    let values = node.bytes.values();
    assert_eq!((memory(&ready, "head"), node.bytes.len()), (known(node.address), 16));
    // The padding before the address is unknown; the address is that of the variable, below all buffers.
    assert_eq!((&values[..5], values[12]), (&[Some(5), Some(0), Some(0), Some(0), None][..], Some(1)));
}

#[test]
fn wrong_settings_are_refused() {
    for (args, part) in [
        (&["coef=f32:[6]"][..], "f32 [6] has 24 bytes, but the variable `coef` has 20: expected at most 20 bytes"),
        (&["scale=f64:1"], "`scale`: a variable of 4 bytes is given a value of the type f64 with 8 bytes"),
        (&["coef=3"], "`coef`: 3 is an integer, but the variable is a structure of 20 bytes"),
        (&["scale=1", "scale=2"], "the variable `scale` is given twice"),
        (&["coef=u8:[4]:1", "_ZN2ns4coefE=u8:[4]:1"], "is given twice"),
        (&["x=1"], "`k` has no parameter `x`"),
        (&["other=u8:[4]"], "the variable `other` has no size in this program"),
        (&["head=@nowhere"], "buffer `nowhere` does not exist"),
    ] {
        let error = launched(args, &[]).unwrap_err();
        assert!(error.contains(part), "{args:?}: {error}");
    }
    let find_error = |name: &str| {
        let error = find(&crate::ptx::parse(PTX).unwrap(), name).unwrap_err();
        format!("{}: {}", error.message, error.help.unwrap_or_default())
    };
    assert!(find_error("x").contains("2 variables are called `x`: write its name in PTX: `_ZN1a1xE`, `_ZN1b1xE`"));
    assert!(find_error("a::y").contains("the program has no variable `a::y`: did you mean `a::x`?"), "{}", find_error("a::y"));
    assert!(find_error("nothing_like_it").contains("its variables are `ns::coef`, `scale`, `table`"));
}

#[test]
fn a_launch_file_gives_and_reads_variables() {
    let text = "[buffers.x]\ntype = \"f32\"\nshape = [4]\n[variables.\"ns::coef\"]\ntype = \"i32\"\nfill = \"iota\"\n[variables.head]\nfields = [\"x+4\"]\n\
                [variables.table]\n[variables.scale]\nraw = \"s\"\ntype = \"u32\"\n[[launch]]\nargs = [\"x\"]\n[[expect]]\nbuffer = \"table\"\nnpy = \"t\"\n";
    let table = Buffer::filled("t", Element::I16, &[2, 4], &Fill::Default, 1).unwrap();
    let files = [("s", vec![1, 2, 3, 4]), ("t", npy::file(&table))];
    let ready = from_file(text, &files).unwrap();
    assert_eq!(view(&ready, "ns::coef"), kind("i32 [5]", &[0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0]));
    // The expected array has as many bytes, so it determines type and shape.
    assert_eq!(view(&ready, "table").0, "i16 [2, 4]");
    assert_eq!(view(&ready, "scale"), kind("u32 [1]", &[1, 2, 3, 4]));
    // The result has the contents at the end of the run.
    let mut memory = ready.memory.clone();
    let module = crate::ptx::parse(PTX).unwrap();
    memory.extend(module.variables.iter().filter(|variable| variable.name == "table").cloned());
    let result = ready.result(&memory);
    assert_eq!((result.compared, result.mismatches.len()), (1, 1));
    let refused = |inside: &str| from_file(&format!("[variables.scale]\n{inside}\n[[launch]]\nargs = [0]\n"), &[]).unwrap_err();
    assert!(refused("type = \"f64\"").contains("the variable `scale` of 4 bytes is not an array of f64"));
    assert!(refused("fill = 1\nnpy = \"x\"").contains("`fill` has no effect"));
    assert!(refused("fields = [{ i32 = 1 }]\nraw = \"x\"").contains("has both `raw` and `fields`"));
    assert!(refused("shape = [2]\nfill = 1").contains("u32 [2] has 8 bytes"));
    let both = "[buffers.scale]\ntype = \"u8\"\nshape = [4]\n[variables.scale]\n[[launch]]\nargs = [0]\n";
    assert!(from_file(both, &[]).unwrap_err().contains("a buffer and a variable are called `scale`"));
    assert!(from_file("[variables.scal]\n[[launch]]\nargs = [0]\n", &[]).unwrap_err().contains("did you mean `scale`?"));
}

#[test]
fn a_variable_is_known_by_both_names() {
    let settings = [Setting::declared("_ZN2ns4coefE")];
    let named = |name: &str| buffer_named(name, PTX, &base(), (&[], &settings), &[]);
    assert_eq!((named("ns::coef"), named("coef")), (Some("_ZN2ns4coefE".to_string()), Some("_ZN2ns4coefE".to_string())));
    assert_eq!((named("scale"), named("out")), (None, None));
}

#[test]
fn a_variable_without_contents_is_marked() {
    let module = crate::ptx::parse(PTX).unwrap();
    let unset = |name: &str| module.variables.iter().find(|variable| variable.name == name).unwrap().unset;
    assert_eq!((unset("scale"), unset("head")), (Some(Unset::Constant), Some(Unset::Global)));
    assert_eq!((unset("table"), unset("other")), (None, None));
}
