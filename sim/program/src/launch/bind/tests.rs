// SPDX-License-Identifier: Apache-2.0 OR MIT

use super::*;

fn params() -> Vec<Param> {
    let one =
        |name: &str, ty: &str, bytes| Param { name: name.to_string(), source_name: None, ty: ty.to_string(), bytes, offset: 0 };
    vec![one("_Z1kPfi_param_0", ".u64", 8), one("_Z1kPfi_param_1", ".u32", 4), one("scale", ".f32", 4)]
}

fn given(list: &[(&str, i128)]) -> Vec<Given> {
    let one = |(at, (name, value)): (usize, &(&str, i128))| Given {
        target: Target::parse(name),
        value: Argument::Integer(*value),
        span: at..at + 1,
        key: at..at + 1,
    };
    list.iter().enumerate().map(one).collect()
}

fn bound(list: &[(&str, i128)], missing: Missing) -> Result<Vec<ArgumentBytes>, Vec<Diagnostic>> {
    bind("_Z1kPfi", &params(), &given(list), (&[], &[]), missing, 90..99)
}

fn refused(list: &[(&str, i128)], missing: Missing) -> String {
    let errors = bound(list, missing).unwrap_err();
    errors.iter().map(|e| format!("{:?} {}: {}: {:?}\n", e.span, e.message, e.label, e.help)).collect()
}

#[test]
fn arguments_are_found_by_position_and_by_either_name() {
    for names in [["0", "1"], ["_Z1kPfi_param_0", "_Z1kPfi_param_1"], ["param_0", "param_1"], ["param_0", "1"]] {
        let bytes = bound(&[(names[1], 5), (names[0], 4)], Missing::Unknown).unwrap();
        assert_eq!((bytes[0][0], bytes[1][0], bytes[1].len()), (Some(4), Some(5), 4));
        assert_eq!(bytes[2], [None; 4]);
    }
    let unknown = Given { target: Target::Position(2), value: Argument::Unknown, span: 0..0, key: 0..0 };
    let all = [given(&[("0", 1), ("1", 2)]), vec![unknown]].concat();
    assert!(bind("_Z1kPfi", &params(), &all, (&[], &[]), Missing::Refused, 0..0).is_ok());
}

#[test]
fn missing_and_superfluous_arguments_are_refused() {
    let text = refused(&[("0", 1), ("1", 2)], Missing::Refused);
    assert!(text.contains("90..99 2 arguments, but `k(float*, int)` has 3 parameters: `scale` is missing"), "{text}");
    let text = refused(&[("0", 1), ("1", 2), ("2", 3), ("3", 4), ("4", 5)], Missing::Refused);
    assert!(text.contains("3..4 5 arguments, but `k(float*, int)` has 3 parameters"), "{text}");
    assert!(refused(&[("7", 1)], Missing::Unknown).contains("has 3 parameters, counted from 0"));
    let none = bind("k", &[], &given(&[("n", 1)]), (&[], &[]), Missing::Unknown, 0..0).unwrap_err();
    assert_eq!(none[0].help.as_deref(), Some("it has no parameters"));
}

#[test]
fn an_unknown_name_has_the_variables_in_its_message() {
    let variables = ["coef".to_string(), "table".to_string()];
    let refused = |missing| {
        let errors = bind("k", &[], &given(&[("coeff", 1)]), (&[], &variables), missing, 0..0).unwrap_err();
        format!("{}: {:?}", errors[0].message, errors[0].help)
    };
    let text = refused(Missing::Unknown);
    assert!(text.contains("no parameter `coeff`, and the program no such variable"), "{text}");
    assert!(text.contains("did you mean `--arg coef=…`?"), "{text}");
    assert!(text.contains("the variables of the program are:\\n  `--arg coef=…`\\n  `--arg table=…`"), "{text}");
    assert!(!refused(Missing::Refused).contains("coef="));
}

#[test]
fn wrong_names_and_values_have_their_places() {
    let text = refused(&[("param_O", 1), ("scal", 2), ("1", 1 << 40), ("param_1", 2)], Missing::Unknown);
    for part in [
        "0..1 `k(float*, int)` has no parameter `param_O`",
        "did you mean `--arg param_0=…`?",
        "did you mean `--arg scale=…`? its parameters are:\\n  `--arg param_0=…` or `--arg 0=…`, .u64\\n",
        "2..3 `param_1`: 1099511627776 does not fit a parameter of 4 bytes",
        "3..4 `param_1` is given twice",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}
