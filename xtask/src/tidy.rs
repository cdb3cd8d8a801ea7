// SPDX-License-Identifier: Apache-2.0 OR MIT
//! House rules that no compiler checks, for Rust files and for pages. Each rule states what to do instead.

mod circles;

use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Maximum number of lines of a source file; a longer file should be two files.
const TOO_LONG: usize = 450;

/// Maximum number of characters of a line of a page; a longer line is unreadable in a diff.
const TOO_WIDE: usize = 200;

/// The locations of pages: a folder, and the ending of the names of pages in it and in its subfolders.
const PAGES: [(&str, &str); 2] = [("docs", ".md"), ("examples", "README.md")];

/// Pages at the root.
const ROOT_PAGES: [&str; 3] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];

/// The files at the root; a name that ends in `*` is a prefix.
const ROOT_FILES: [&str; 9] = [
    ".gitignore",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.*",
    "LICENSE-*",
    "README.md",
    "rustfmt.toml",
    "test.sh",
];

/// Pages that `cargo xtask regen` writes as a whole. In other pages it writes only the tables between markers.
const WRITTEN: [&str; 2] = ["docs/contract/isa.md", "docs/guide/opcodes.md"];

struct Rule {
    /// The rule applies to paths that start with one of these prefixes.
    under: &'static [&'static str],
    /// Paths that start with one of these prefixes are exempt from the rule.
    except: &'static [&'static str],
    words: &'static [&'static str],
    say: &'static str,
}

const RULES: [Rule; 6] = [
    Rule {
        under: &[
            "hw/isa/src",
            "hw/src",
            "hw/verilog/src",
            "sim/arith/src",
            "sim/engine/src",
            "sim/jit/src",
            "sim/machine/src",
            "sim/model/src",
            "sim/program/src",
        ],
        // The two exempt files are compiled only for tests.
        except: &["sim/machine/src/schema.rs", "sim/program/src/launch/schema.rs"],
        words: &["std::fs", "std::process", "File::open", "println!"],
        say: "text in, text out: files, processes and the terminal belong to cli, xtask and tb/src/cosim",
    },
    Rule {
        under: &["tb/src"],
        except: &["tb/src/cosim"],
        words: &["std::process", "println!"],
        say: "only tb/src/cosim starts processes",
    },
    Rule {
        under: &["hw/src/unit", "hw/src/prim"],
        except: &[],
        words: &["..=", "fn bits", "fn bit_cast", "Simulation"],
        say:
            "rust-hdl drops or misreads this silently: write `a..b + 1`, name the function otherwise, drive the block directly",
    },
    Rule {
        under: &["hw/src/unit", "hw/src/prim"],
        // The exempt files are memories, which have a word for every address, so no index is out of range.
        except: &["hw/src/prim/place.rs", "hw/src/prim/ram.rs", "hw/src/prim/store.rs"],
        words: &[".index()"],
        say: "a computed index beyond the end panics here and is x or lost in Verilog: write `x.at(i)` or `x.with(i, bit)`",
    },
    Rule {
        under: &["hw/", "sim/", "tb/", "cli/", "xtask/"],
        except: &["xtask/src/tidy.rs"],
        words: &["todo!", "unimplemented!", "FIXME", "#[ignore", "allow(dead_code)", "allow(unused"],
        say: "finish the code or remove it",
    },
    Rule {
        under: &[
            "cli/src",
            "hw/isa/src",
            "hw/src",
            "hw/verilog/src",
            "sim/arith/src",
            "sim/engine/src",
            "sim/jit/src",
            "sim/machine/src",
            "sim/model/src",
            "sim/program/src",
            "tb/src",
        ],
        except: &[],
        words: &["dbg!", "println!(\"DEBUG"],
        say: "remove the print",
    },
];

/// Checks every Rust file and every page of the tree; prints each violation with its place.
pub fn run(root: &Path) -> Result<bool> {
    let mut files = vec![];
    for folder in ["hw", "sim", "tb", "cli", "xtask", "fuzz", "lab"] {
        walk(&root.join(folder), ".rs", &mut files)?;
    }
    for (folder, end) in PAGES {
        walk(&root.join(folder), end, &mut files)?;
    }
    files.extend(ROOT_PAGES.map(|page| root.join(page)));
    let mut wrong = 0;
    let mut sources = vec![];
    for path in &files {
        let name = path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/");
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
        let leads = |link: &str| path.with_file_name(link).exists();
        let complaints = if name.ends_with(".md") { page_complaints(&name, &text, leads) } else { complaints(&name, &text) };
        for complaint in complaints {
            println!("{complaint}");
            wrong += 1;
        }
        sources.push((name, text));
    }
    for complaint in root_complaints(&committed_at_root(root)?) {
        println!("{complaint}");
        wrong += 1;
    }
    for complaint in circles::complaints(&sources) {
        println!("{complaint}");
        wrong += 1;
    }
    println!("tidy: {} files, {wrong} violations", files.len());
    Ok(wrong == 0)
}

/// The names of the committed files at the root.
fn committed_at_root(root: &Path) -> Result<Vec<String>> {
    let listed =
        Command::new("git").current_dir(root).args(["ls-files", "--", ":(glob)*"]).output().context("cannot start git")?;
    anyhow::ensure!(listed.status.success(), "git ls-files: {}", String::from_utf8_lossy(&listed.stderr));
    Ok(String::from_utf8_lossy(&listed.stdout).lines().map(str::to_string).collect())
}

/// Complaints about files that do not belong at the root.
fn root_complaints(names: &[String]) -> Vec<String> {
    let fits = |name: &str, known: &str| known.strip_suffix('*').map_or(name == known, |start| name.starts_with(start));
    let belongs = |name: &&String| ROOT_FILES.iter().any(|known| fits(name, known));
    let complain = |name: &String| {
        format!("{name}:1: does not belong at the root: remove it, or add it to ROOT_FILES in xtask/src/tidy.rs")
    };
    names.iter().filter(|name| !belongs(name)).map(complain).collect()
}

/// Collects all files below a folder whose names end in `end`.
fn walk(folder: &Path, end: &str, files: &mut Vec<PathBuf>) -> Result<()> {
    let mut entries: Vec<_> = match fs::read_dir(folder) {
        Ok(entries) => entries.filter_map(|e| e.ok().map(|e| e.path())).collect(),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", folder.display())),
    };
    entries.sort();
    for path in entries {
        if path.is_dir() && !path.ends_with("target") {
            walk(&path, end, files)?;
        } else if path.to_string_lossy().ends_with(end) {
            files.push(path);
        }
    }
    Ok(())
}

/// All violations of one page; `leads` returns whether a link of the page leads to a file.
fn page_complaints(name: &str, text: &str, leads: impl Fn(&str) -> bool) -> Vec<String> {
    let mut list = vec![];
    let mut written = WRITTEN.contains(&name);
    let lines: Vec<&str> = text.lines().collect();
    for (at, window) in lines.windows(3).enumerate() {
        if window[0].is_empty() && window[1].starts_with('|') && !window[2].starts_with("|-") {
            list.push(format!(
                "{name}:{}: a row without a table: remove the empty line before it, or add the head of a table",
                at + 2
            ));
        }
    }
    for (at, line) in text.lines().enumerate().map(|(at, line)| (at + 1, line)) {
        if line.starts_with("<!-- ") {
            written |= line.contains(" begin: ");
            written &= !line.ends_with(" end -->");
        }
        let characters = line.chars().count();
        if characters > TOO_WIDE && !written {
            list.push(format!(
                "{name}:{at}: {characters} characters; expected at most {TOO_WIDE}: wrap prose at 160, put long text of a table cell below the table"
            ));
        }
        for link in line.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            if !link.is_empty() && !link.contains(':') && !leads(link) {
                list.push(format!("{name}:{at}: link `{link}`: no such file; write the path from the page's folder"));
            }
        }
    }
    list
}

/// All violations of one Rust file.
fn complaints(name: &str, text: &str) -> Vec<String> {
    let mut list = vec![];
    if !text.starts_with("// SPDX-License-Identifier: Apache-2.0 OR MIT") {
        list.push(format!("{name}:1: no licence line; begin with `// SPDX-License-Identifier: Apache-2.0 OR MIT`"));
    }
    let lines = text.lines().count();
    if lines > TOO_LONG && !name.contains("/tests/") {
        list.push(format!("{name}:{lines}: {lines} lines; expected at most {TOO_LONG}: split the file"));
    }
    let starts = |list: &[&str]| list.iter().any(|p| name.starts_with(p));
    // The rules apply only to the code before the first test module.
    let product = text.find("#[cfg(test)]").map_or(text, |end| &text[..end]);
    for rule in RULES.iter().filter(|r| starts(r.under) && !starts(r.except) && !name.contains("/tests/")) {
        for (at, line) in product.lines().enumerate() {
            for word in rule.words.iter().filter(|w| line.contains(**w) && !line.trim_start().starts_with("//")) {
                list.push(format!("{name}:{}: `{word}`: {}", at + 1, rule.say));
            }
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_page_is_short_but_in_what_a_command_writes() {
        let (fits, wide) = ("×".repeat(TOO_WIDE), "×".repeat(TOO_WIDE + 1));
        let wrong = |name: &str, text: &str| page_complaints(name, text, |_| true).len();
        assert_eq!(wrong("docs/x.md", &format!("{fits}\n{wide}\n| {fits} |\n```\n{wide}\n```\n")), 3);
        let table = format!("<!-- ports begin: written by a command -->\n| {wide} |\n<!-- ports end -->\n");
        assert_eq!(wrong("docs/x.md", &table), 0);
        assert_eq!(wrong("docs/x.md", &format!("<!-- a remark -->\n{wide}\n{table}{wide}\n")), 2);
        assert!(WRITTEN.iter().all(|page| wrong(page, &wide) == 0));
    }

    #[test]
    fn an_empty_line_does_not_split_a_table() {
        let wrong = |text: &str| page_complaints("docs/x.md", text, |_| true);
        assert!(wrong("A table:\n\n| a |\n|---|\n| b |\n\nText.\n").is_empty());
        let list = wrong("\n| a |\n|---|\n| b |\n\n| c |\n| d |\n");
        assert!(list.len() == 1 && list[0].starts_with("docs/x.md:6: a row without a table"), "{list:?}");
    }

    #[test]
    fn a_file_at_the_root_is_a_known_one() {
        let names =
            ["README.md", "Cargo.lock", "LICENSE-MIT", "jsonschema-4.26.0-py3-none-any.whl", "notes.md"].map(str::to_string);
        let list = root_complaints(&names);
        assert_eq!(list.len(), 2, "{list:?}");
        assert!(list[0].starts_with("jsonschema") && list[1].starts_with("notes.md"), "{list:?}");
    }

    #[test]
    fn a_link_leads_to_a_file() {
        let text = "[a](there.md), ![b](gone.png) and [c](https://x.org/gone), [d](#here)\n| [e](gone.md#part), [f](there.md#part) |\n";
        let list = page_complaints("docs/x.md", text, |link| link == "there.md");
        assert_eq!(list.len(), 2, "{list:?}");
        assert!(list[0].starts_with("docs/x.md:1: link `gone.png`") && list[1].starts_with("docs/x.md:2: link `gone.md`"));
    }

    #[test]
    fn every_rule_bites_where_it_holds_and_nowhere_else() {
        const HEAD: &str = "// SPDX-License-Identifier: Apache-2.0 OR MIT\n";
        for rule in &RULES {
            for word in rule.words {
                let text = format!("{HEAD}let x = {word};\n");
                for under in rule.under {
                    assert!(!complaints(&format!("{}/x.rs", under.trim_end_matches('/')), &text).is_empty(), "{word} {under}");
                }
            }
        }
        assert!(complaints("cli/src/x.rs", &format!("{HEAD}use std::fs;\n")).is_empty());
        assert!(
            complaints("hw/src/x.rs", &format!("{HEAD}fn f() {{}}\n#[cfg(test)]\nmod tests {{ use std::fs; }}\n")).is_empty()
        );
        assert_eq!(complaints("hw/src/x.rs", "fn f() {}\n").len(), 1);
        assert_eq!(complaints("hw/src/x.rs", &(HEAD.to_string() + &"\n".repeat(TOO_LONG))).len(), 1);
    }
}
