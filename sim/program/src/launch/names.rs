// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Kernel names as in the source, and suggestions for a wrong name.

use cpp_demangle::{DemangleOptions, Symbol};
use std::fmt;

/// Longest name that is demangled, and longest result: a short symbol can expand to a text of any length.
const LONGEST_NAME: usize = 4096;

/// Maximum length of the names that are compared in the search for a name similar to a misspelt one.
const LONGEST_GUESS: usize = 64;
/// Maximum number of names that are compared in this search.
const MOST_GUESSES: usize = 1000;

/// How much of a kernel's name the wanted text matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// The wanted text is a part of the name.
    Part,
    /// The wanted text is the whole name, mangled or not, with or without parameters and return type.
    Whole,
}

/// A writer that fails for a text longer than `LONGEST_NAME`.
struct Short(String);

impl fmt::Write for Short {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > LONGEST_NAME {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

fn demangled_with(name: &str, options: &DemangleOptions) -> Option<String> {
    if !name.starts_with("_Z") || name.len() > LONGEST_NAME {
        return None;
    }
    let mut text = Short(String::new());
    Symbol::new(name.as_bytes()).ok()?.structured_demangle(&mut text, options).ok()?;
    // The brackets of nested templates, as they are written since C++11.
    Some(text.0.replace("> >", ">>").replace("> >", ">>"))
}

/// The demangled C++ name with types: `reduce(float const*, int)` for `_Z6reducePKfi`; `None` if the name is not mangled.
pub fn demangled(name: &str) -> Option<String> {
    demangled_with(name, &DemangleOptions::new())
}

/// A kernel's name for messages and tables: demangled, without the return type; a name that is not mangled is returned unchanged.
pub fn kernel_title(name: &str) -> String {
    demangled_with(name, &DemangleOptions::new().no_return_type()).unwrap_or_else(|| name.to_string())
}

/// The text with its middle replaced by `…` if it has more than `columns` characters.
pub fn shortened(text: &str, columns: usize) -> String {
    let length = text.chars().count();
    if length <= columns {
        return text.to_string();
    }
    let kept = columns.saturating_sub(1);
    let tail = kept / 3;
    let head: String = text.chars().take(kept - tail).collect();
    let tail: String = text.chars().skip(length - tail).collect();
    format!("{head}…{tail}")
}

/// The text outside of brackets, which the characters of `open` open and those of `close` close.
fn outside(text: &str, open: &str, close: &str) -> String {
    let mut depth = 0u32;
    let is_outside = |c: &char| {
        depth += u32::from(open.contains(*c));
        let is_outside = depth == 0;
        depth -= u32::from(close.contains(*c) && depth > 0);
        is_outside
    };
    text.chars().filter(is_outside).collect()
}

/// The source name of a variable: `full` for `_ZZ9bulk_ringE4full`, a variable of a function, and `ns::table` for `_ZN2ns5tableE`; a name
/// that is not mangled is returned unchanged.
pub fn written(name: &str) -> String {
    let Some(whole) = demangled(name) else { return name.to_string() };
    let path = outside(&whole, "(", ")");
    // The namespace of a file has a name of the compiler, and an anonymous one has none.
    let parts: Vec<&str> = path.split("::").filter(|part| !part.is_empty() && !part.starts_with("_INTERNAL")).collect();
    match (name.starts_with("_ZZ"), parts.last()) {
        (_, None) => whole,
        (true, Some(last)) => last.to_string(),
        (false, Some(_)) => parts.join("::"),
    }
}

/// The short name of a function: its class and its name, without parameters and template arguments: `barrier::wait` for the function
/// `cuda::barrier<(cuda::thread_scope)2>::wait(unsigned long) const`; a name that is not mangled is returned unchanged.
pub fn function(name: &str) -> String {
    let bare = DemangleOptions::new().no_params().no_return_type();
    let Some(whole) = demangled_with(name, &bare) else { return name.to_string() };
    let path = outside(&whole, "<(", ">)");
    let path = path.trim_end_matches(" const");
    // The brackets of the operator `()` were taken for those of parameters.
    let path = if path.ends_with("::operator") { format!("{path}()") } else { path.to_string() };
    // Inline namespaces are versions of a library; the namespace of a file has a name of the compiler.
    let parts: Vec<&str> =
        path.split("::").filter(|part| !part.is_empty() && !part.starts_with("__") && !part.starts_with("_INTERNAL")).collect();
    match parts.len() {
        0 => whole,
        parts_len => parts[parts_len.saturating_sub(2)..].join("::"),
    }
}

/// How the text `wanted` matches a kernel's name; `None`: not at all. A mangled name is also compared in its demangled form, with and
/// without parameters and return type. Spaces are ignored.
pub fn matches(name: &str, wanted: &str) -> Option<Match> {
    let dense = |text: &str| text.split_whitespace().collect::<String>();
    let wanted = dense(wanted);
    if wanted.is_empty() {
        return None;
    }
    let bare = DemangleOptions::new().no_params().no_return_type();
    let mut best = None;
    let forms = [Some(name.to_string()), demangled(name), Some(kernel_title(name)), demangled_with(name, &bare)];
    for known in forms.into_iter().flatten() {
        let known = dense(&known);
        let found = known.contains(&wanted).then_some(if known == wanted { Match::Whole } else { Match::Part });
        best = best.max(found);
    }
    best
}

/// The name in `known` that is closest to `name`: one that differs only in upper and lower case, else the one with the fewest changes; of
/// equally close names the alphabetically first.
pub(super) fn near<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let short = |name: &str| name.len() <= LONGEST_GUESS;
    let known = known.filter(|known| short(known) && short(name)).take(MOST_GUESSES);
    let measured = known.map(|known| (!known.eq_ignore_ascii_case(name), strsim::osa_distance(name, known), known));
    let (is_other, distance, near) = measured.min()?;
    (!is_other || distance <= name.chars().count().div_ceil(3)).then_some(near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_have_the_names_of_their_authors() {
        assert_eq!(written("_ZZ9bulk_ringE4full"), "full");
        assert_eq!(written("_ZZ6reducePKfiE4tile"), "tile");
        assert_eq!(written("_ZN2ns5tableE"), "ns::table");
        assert_eq!(written("_ZN2ns6countsILi4EEE"), "ns::counts<4>");
        assert_eq!(written("_ZN29_INTERNAL_351a2e7d_4_v_cu_dst31_GLOBAL__N__351a2e7d_4_v_cu_dst6hiddenE"), "hidden");
        assert_eq!((written("full"), written("_Zx")), ("full".to_string(), "_Zx".to_string()));
    }

    #[test]
    fn a_short_name_of_a_function_has_its_class() {
        let wait = "_ZN4cuda3__47barrierILi2EE4waitEOm";
        assert_eq!(function("_Z9neighbourPKfi"), "neighbour");
        assert_eq!((function("_ZN2ns5inner4stepIiEEvT_"), function("plain")), ("inner::step".to_string(), "plain".to_string()));
        assert_eq!(function("_ZZN1k1fEvENKUlvE_clEv"), "{lambda#1}::operator()");
        assert_eq!((function(wait), function("_ZN2nsplEii")), ("barrier::wait".to_string(), "ns::operator+".to_string()));
    }

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(demangled("_Z6reducePKfi").as_deref(), Some("reduce(float const*, int)"));
        assert_eq!(demangled("_ZN2ns4scanIfLi4EEEvPT_").as_deref(), Some("void ns::scan<float, 4>(float*)"));
        assert!(["reduce", "", "_Z", "_Zxyz", "_Z6reducePKfi_more garbage"].iter().all(|name| demangled(name).is_none()));
    }

    #[test]
    fn kernels_have_titles_and_long_ones_lose_their_middle() {
        assert_eq!(kernel_title("_ZN2ns4scanIfLi4EEEvPT_"), "ns::scan<float, 4>(float*)");
        assert_eq!(kernel_title("plain"), "plain");
        assert_eq!(shortened("ns::scan<float, 4>(float*)", 26), "ns::scan<float, 4>(float*)");
        let short = shortened("ns::scan<float, 4>(float*)", 16);
        assert_eq!((short.as_str(), short.chars().count()), ("ns::scan<f…oat*)", 16));
        assert_eq!((shortened("ééé", 2), shortened("abc", 0)), ("é…".to_string(), "…".to_string()));
    }

    #[test]
    fn a_kernel_is_found_by_either_name() {
        let mangled = "_ZN2ns4scanIfLi4EEEvPT_";
        for whole in [
            mangled,
            "ns::scan<float, 4>",
            "ns::scan<float,4>",
            "ns::scan<float, 4>(float*)",
            "void ns::scan<float, 4>(float*)",
        ] {
            assert_eq!(matches(mangled, whole), Some(Match::Whole), "{whole}");
        }
        for part in ["scan", "ns::scan", "scan<float", "float*", "_ZN2ns"] {
            assert_eq!(matches(mangled, part), Some(Match::Part), "{part}");
        }
        assert_eq!((matches(mangled, "sort"), matches(mangled, ""), matches(mangled, " ")), (None, None, None));
        assert_eq!(matches("_Z6reducePKfi", "reduce"), Some(Match::Whole));
        assert_eq!((matches("plain", "plain"), matches("plain", "lai")), (Some(Match::Whole), Some(Match::Part)));
        assert!(Match::Whole > Match::Part);
    }

    #[test]
    fn a_name_that_grows_without_end_is_left_as_it_is() {
        // Each argument is a pair of the previous argument, so its text is twice as long.
        let mut name = "_Z1fSt4pairIiiE".to_string();
        for at in 0..40 {
            let before = if at == 0 { "S0_".to_string() } else { format!("S{}_", b36(at)) };
            name += &format!("St4pairI{before}{before}E");
        }
        assert!(demangled(&name).is_none_or(|text| text.len() <= LONGEST_NAME));
        assert_eq!(demangled(&format!("_Z5000{}", "a".repeat(5000))), None);
        assert_eq!(demangled(&format!("_Z1f{}i", "P".repeat(4000))), None);
    }

    fn b36(value: usize) -> char {
        char::from_digit(value as u32 % 36, 36).unwrap_or('0').to_ascii_uppercase()
    }

    #[test]
    fn near_names_are_proposed() {
        assert_eq!(near("buffr", ["buffer", "other"].into_iter()), Some("buffer"));
        assert_eq!(near("x", ["yyy"].into_iter()), None);
        assert_eq!(near("mB", ["ma", "mb"].into_iter()), Some("mb"));
        assert_eq!(near("TILE", ["tile", "TILT"].into_iter()), Some("tile"));
        assert_eq!(near(&"x".repeat(65), ["x"].into_iter()), None);
    }
}
