// SPDX-License-Identifier: Apache-2.0 OR MIT

use super::super::element::Number;
use super::super::fill::Fill;
use super::super::load::Contents;
use super::*;

/// The example of `docs/guide/launch.md`.
const WHOLE: &str = r#"
program = "reduce.ptx"

[buffers.x]
type = "f32"
shape = [4, 256]
fill = "random"
seed = 7
range = [-1.0, 1]

[buffers.out]
npy = "out.npy"

[buffers.bytes]
raw = "bytes.bin"
type = "u8"

[[launch]]
kernel = "reduce<float>"
grid = [4]
block = [16, 16]
shared = 1024
args = ["x", "out+16", 1024, { f32 = 1.5 }, { bytes = "00ff10" }, { fields = [{ i32 = 1 }, "x", { f64 = 2 }] }, { unknown = true }]

[[launch]]
args = { n = 0xff, out = "out", 2 = -1 }

[[expect]]
buffer = "out"
npy = "want.npy"
rtol = 1e-6

[[expect]]
buffer = "bytes"
value = 3
atol = 1
"#;

fn parsed(text: &str) -> LaunchFile {
    LaunchFile::parse(text).unwrap()
}

/// All diagnostics: the marked text, the message, the help.
fn refused(text: &str) -> String {
    let line = |e: &Diagnostic| {
        format!("[{}] {}: {}: {}\n", &text[e.span.clone()], e.message, e.label, e.help.clone().unwrap_or_default())
    };
    LaunchFile::parse(text).unwrap_err().iter().map(line).collect()
}

#[test]
fn every_key_is_read() {
    let file = parsed(WHOLE);
    assert_eq!(file.program.as_ref().map(|program| program.get_ref().as_str()), Some("reduce.ptx"));
    let names: Vec<&str> = file.buffers.iter().map(|buffer| buffer.name.as_str()).collect();
    assert_eq!(names, ["x", "out", "bytes"], "in the order of the text");
    let random = Fill::Random { seed: Some(7), range: Some((Number::Float(-1.0), Number::Integer(1))) };
    assert_eq!(file.buffers[0].contents, Contents::Filled { element: Element::F32, shape: vec![4, 256], fill: random });
    assert_eq!(file.buffers[1].contents, Contents::Npy { file: "out.npy".to_string(), element: None });
    assert_eq!(file.buffers[2].contents, Contents::Raw { file: "bytes.bin".to_string(), element: Element::U8, shape: None });
    assert_eq!(&WHOLE[file.buffers[1].span.clone()], "out");
    let [first, second] = &file.launches[..] else { panic!("two launches") };
    assert_eq!((first.grid, first.block, first.shared), ([4, 1, 1], Some([16, 16, 1]), 1024));
    assert_eq!(first.kernel.as_ref().unwrap().get_ref(), "reduce<float>");
    let values: Vec<&Argument> = first.args.iter().map(|arg| &arg.value).collect();
    let typed = |element: Element, text: &str| Argument::Typed(element, element.parse(text).unwrap());
    let x = || Argument::Address { buffer: "x".to_string(), offset: 0 };
    let out = Argument::Address { buffer: "out".to_string(), offset: 16 };
    let fields = Argument::Fields(vec![typed(Element::I32, "1"), x(), typed(Element::F64, "2")]);
    let expected = [
        x(),
        out,
        Argument::Integer(1024),
        typed(Element::F32, "1.5"),
        Argument::Bytes(vec![0, 255, 16]),
        fields,
        Argument::Unknown,
    ];
    assert_eq!(values, expected.iter().collect::<Vec<_>>());
    assert_eq!((&first.args[3].target, &WHOLE[first.args[3].span.clone()]), (&Target::Position(3), "{ f32 = 1.5 }"));
    assert_eq!((second.kernel.clone(), second.grid, second.block, second.shared), (None, [1; 3], None, 0));
    let targets: Vec<&Target> = second.args.iter().map(|arg| &arg.target).collect();
    let name = |name: &str| Target::Name(name.to_string());
    assert_eq!(targets, [&name("n"), &name("out"), &Target::Position(2)]);
    assert_eq!(file.expects[0].tolerance, Tolerance { relative: 1e-6, absolute: 0.0 });
    assert_eq!(file.expects[1].wanted, Wanted::Value(Number::Integer(3)));
}

#[test]
fn values_of_64_bits_are_read() {
    let file =
        parsed("[[launch]]\nargs = [0xffffffffffffffff, { u64 = 18446744073709551615 }, { f32 = -inf }, { f64 = nan }]\n");
    assert_eq!(file.launches[0].args[0].value, Argument::Integer(u64::MAX.into()));
    assert_eq!(file.launches[0].args[1].value, Argument::Typed(Element::U64, vec![255; 8]));
}

#[test]
fn wrong_keys_are_shown_where_they_stand() {
    for (text, at, part) in [
        ("progam = 'x'\n", "progam", "unknown field `progam`"),
        ("[buffers.x]\ntyp = 'f32'\n", "typ", "unknown field `typ`"),
        ("[[launch]]\ngird = [1]\n", "gird", "unknown field `gird`"),
        ("[[launch]]\n[[expect]]\nbuffer = 'x'\nrto = 1\n", "rto", "unknown field `rto`"),
        ("[buffers.x]\ntype = 'f8'\n", "'f8'", "unknown variant `f8`"),
        (
            "[buffers.x]\ntype = 'f32'\nfill = 'zeros'\n",
            "'zeros'",
            "unknown variant `zeros`, expected one of `iota`, `random`, `unknown`",
        ),
        ("[buffers.x]\ntype = 'f32'\nfill = true\n", "true", "a number, `iota`, `random` or `unknown`"),
        ("[[launch]]\nargs = [1, 1.5]\n", "1.5", "`{ f32 = 1.5 }`"),
        ("[[launch]]\nargs = 7\n", "7", "a list of arguments"),
        ("[[launch]]\nargs = [{}]\n", "{}", "`bytes`, `fields`, `tensor`, `texture`, `unknown`"),
        ("[[launch]]\nargs = [{ float = 1 }]\n", "{ float = 1 }", "`float` is not a type"),
        ("[[launch]]\nargs = [{ f32 = 1, f64 = 2 }]\n", "{ f32 = 1, f64 = 2 }", "one key"),
        ("[[launch]]\nargs = [{ unknown = false }]\n", "{ unknown = false }", "unknown = true"),
        ("[[launch]]\nargs = [{ f32 = 'x' }]\n", "'x'", "a number"),
        ("[[launch]]\nshared = -1\n", "-1", "expected a whole number from 0 to 4294967295"),
    ] {
        let errors = refused(text);
        assert!(errors.starts_with(&format!("[{at}] ")) && errors.contains(part), "{text}\n{errors}");
    }
    assert!(LaunchFile::parse("[[launch").is_err() && LaunchFile::parse("\u{0}").is_err());
}

#[test]
fn wrong_values_are_shown_where_they_stand() {
    const HEAD: &str = "[buffers.x]\ntype = 'u8'\nshape = [4]\n";
    for (lines, at, part) in [
        ("fill = 256\n[[launch]]\n", "256", "256 is not of type u8: expected 0 to 255"),
        ("fill = 1.5\n[[launch]]\n", "1.5", "1.5 is not of type u8"),
        ("seed = 3\n[[launch]]\n", "3", "`seed` without `fill = \"random\"`"),
        ("fill = 'iota'\nrange = [1, 2]\n[[launch]]\n", "[1, 2]", "`range` without"),
        ("fill = 'random'\nrange = [9, 2]\n[[launch]]\n", "[9, 2]", "the range from 9 to below 2 has no u8"),
        ("npy = 'x'\n[[launch]]\n", "[4]", "`shape` has no effect: the contents are read from a file"),
        ("raw = 'x'\nfill = 3\n[[launch]]\n", "3", "`fill` has no effect: the contents are read from a file"),
        ("raw = 'y'\nnpy = 'x'\n[[launch]]\n", "'y'", "has both `npy` and `raw`"),
        ("[buffers.y]\ntype = 'u8'\n[[launch]]\n", "y", "`y` has no shape"),
        ("[buffers.y]\nshape = [1]\n[[launch]]\n", "y", "`y` has no type"),
        ("[buffers.y]\nraw = 'r'\n[[launch]]\n", "y", "`y` has no type"),
        ("[buffers.y]\ntype = 'u8'\nshape = []\n[[launch]]\n", "[]", "expected 1 to 32 dimensions"),
        ("[buffers.y]\ntype = 'u8'\nshape = [0]\n[[launch]]\n", "[0]", "without elements"),
        ("[buffers.y]\ntype = 'u8'\nshape = [1000000, 1000000]\n[[launch]]\n", "[1000000, 1000000]", "more than 1024 MiB"),
        ("[buffers.\"a b\"]\n[[launch]]\n", "\"a b\"", "not a valid name of a buffer"),
        ("[[launch]]\ngrid = [1, 2, 3, 4]\n", "[1, 2, 3, 4]", "one to three sizes"),
        ("[[launch]]\nblock = [0]\n", "[0]", "sizes above 0"),
        ("[[launch]]\ngrid = [5000]\n", "[5000]", "a grid of 5000 CTAs: expected 1 to 4096: run a part of the grid"),
        ("[[launch]]\ngrid = [8]\nctas = '6-8'\n", "'6-8'", "CTA 8 of a grid of 8 CTAs"),
        ("[[launch]]\ngrid = [8]\nctas = '3,2'\n", "'3,2'", "CTA 2 comes after CTA 3"),
        ("[[launch]]\nargs = ['xx']\n", "'xx'", "did you mean `x`?"),
        ("[[launch]]\nargs = ['x+']\n", "'x+'", "not the address"),
        ("[[launch]]\nargs = [{ i8 = 128 }]\n", "128", "128 is not of type i8"),
        ("[[launch]]\nargs = [{ bytes = '0' }]\n", "'0'", "hexadecimal"),
        ("[[launch]]\nargs = { n = { fields = [{ u8 = 1 }, 'zzzz'] } }\n", "'zzzz'", "the buffers are `x`"),
        ("[[launch]]\n[[expect]]\nbuffer = 'y'\nvalue = 1\n", "'y'", "buffer `y` does not exist"),
        ("[[launch]]\n[[expect]]\nbuffer = 'x'\nvalue = 1\nrtol = -1.0\n", "-1.0", "expected 0 or more"),
        ("[[launch]]\n[[expect]]\nbuffer = 'x'\nvalue = 1\nnpy = 'n'\n", "1", "either `npy` or `value`"),
    ] {
        let text = format!("{HEAD}{lines}");
        let errors = refused(&text);
        assert!(errors.contains(&format!("[{at}] ")) && errors.contains(part), "{text}\n{errors}");
    }
    assert!(refused(HEAD).contains("no kernel is launched"));
    assert!(refused(&format!("{HEAD}[[launch]]\n[[expect]]\nbuffer = 'x'\n")).contains("the expectation for `x` is empty"));
}

#[test]
fn all_complaints_come_together_in_the_order_of_the_text() {
    let errors = refused("[buffers.x]\n[[launch]]\ngrid = [0]\nargs = ['y', 'z']\n[[expect]]\nbuffer = 'w'\nvalue = 1\n");
    let places: Vec<&str> = errors.lines().map(|line| line.split_once(']').unwrap().0).collect();
    assert_eq!(places, ["[x", "[x", "[[0", "['y'", "['z'", "['w'"]);
}

#[test]
fn deep_structures_are_refused() {
    for depth in [20, 100_000] {
        let text = format!("[[launch]]\nargs = [{}1{}]\n", "{ fields = [".repeat(depth), "] }".repeat(depth));
        let file = LaunchFile::parse(&text);
        assert!(depth == 20 || file.is_err());
        if let Ok(file) = file {
            assert!(file.launches[0].args[0].value.encode(".b8", 4, &[]).is_err());
        }
    }
}

#[test]
fn any_changed_text_is_read_or_refused_with_places() {
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..3000 {
        let mut bytes = WHOLE.as_bytes().to_vec();
        for _ in 0..random.usize(1..4) {
            let (at, from) = (random.usize(..bytes.len()), random.usize(..WHOLE.len()));
            match random.u8(..3) {
                0 => bytes[at] = random.u8(b' '..127),
                1 => drop(bytes.drain(at..(at + random.usize(1..20)).min(bytes.len()))),
                _ => bytes.splice(at..at, WHOLE.bytes().skip(from).take(10)).for_each(drop),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        for error in LaunchFile::parse(&text).err().unwrap_or_default() {
            assert!(text.get(error.span.clone()).is_some(), "{error:?} in {text}");
        }
    }
}

#[test]
fn the_example_of_the_documentation_is_this_one() {
    let page = include_str!("../../../../../docs/guide/launch.md");
    assert!(page.contains(WHOLE.trim()), "docs/guide/launch.md lacks the example of this test");
}
