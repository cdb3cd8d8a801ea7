// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The project file `bcu.toml`: defaults of the options of `bcu run` and `bcu check`. Its keys become options of the command line, so
//! that both have the same values and errors.

mod value;

use super::Cli;
use crate::diag::Source;
use crate::failure::Result;
use bcu_isa::diag::Diagnostic;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory, FromArgMatches};
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::de::DeTable;

/// The name of the project file.
const NAME: &str = "bcu.toml";

/// Every key. A key is the name of its option, with `_` for `-`.
const KEYS: [&str; 24] = [
    "config",
    "machine",
    "kernel",
    "grid",
    "cluster",
    "block",
    "cooperative",
    "shared",
    "args",
    "arch",
    "nvcc_flags",
    "sms",
    "seed",
    "fill",
    "max_cycles",
    "fault_policy",
    "leader_policy",
    "strict",
    "seeds",
    "jobs",
    "fail_on",
    "format",
    "quiet",
    "engine",
];
/// Keys that are files, if they name one.
const FILES: [&str; 2] = ["config", "machine"];
/// Keys that describe the launch of a kernel, and have no meaning for other programs and for launch files.
const OF_KERNELS: [&str; 7] = ["kernel", "grid", "cluster", "block", "cooperative", "shared", "args"];

/// A key of the file with its values as the texts of an option; `None` for an option without a value.
struct Setting {
    key: String,
    texts: Vec<Option<String>>,
}

/// Parses the command line, with the options of the project file inserted after the command. Ends the process for `--help` and errors, as
/// clap does.
pub fn parse() -> Result<Cli> {
    let mut words: Vec<OsString> = env::args_os().collect();
    let command = Cli::command();
    let matches = Cli::command().get_matches_from(&words);
    let Some((name @ ("run" | "check"), given)) = matches.subcommand() else { return read(&matches) };
    let Some(path) = file(given) else { return read(&matches) };
    let source = Source::read(&path)?;
    let settings = settings(&source, path.parent().unwrap_or(Path::new("")))?;
    let Some(of_name) = command.find_subcommand(name) else { return read(&matches) };
    let mut options: Vec<OsString> = vec![];
    if !is_given(given, "project") {
        options.push(format!("--project={}", path.display()).into());
    }
    for setting in settings {
        options.extend(chosen(of_name, given, setting).into_iter().map(OsString::from));
    }
    // The command is the first word, because `bcu` itself has no options before it.
    words.splice(2..2, options);
    read(&Cli::command().get_matches_from(words))
}

fn read(matches: &ArgMatches) -> Result<Cli> {
    Cli::from_arg_matches(matches).map_err(|error| error.exit())
}

/// The file of `--project`, or the project file of the current folder or its nearest parent, up to the root of a git repository.
fn file(given: &ArgMatches) -> Option<PathBuf> {
    if is_given(given, "no_project") {
        return None;
    }
    if let Some(path) = given.get_one::<PathBuf>("project") {
        return Some(path.clone());
    }
    let current = env::current_dir().ok()?;
    let mut to_folder = PathBuf::new();
    for folder in current.ancestors() {
        if folder.join(NAME).is_file() {
            return Some(to_folder.join(NAME));
        }
        if folder.join(".git").exists() {
            return None;
        }
        to_folder.push("..");
    }
    None
}

fn is_given(matches: &ArgMatches, id: &str) -> bool {
    // An id that the command lacks is not given.
    matches.try_contains_id(id).is_ok() && matches.value_source(id) == Some(ValueSource::CommandLine)
}

/// The settings of a project file in `folder`. All errors are reported, each at its key or value.
fn settings(source: &Source, folder: &Path) -> Result<Vec<Setting>> {
    let table = DeTable::parse(&source.text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        source.errors(&[Diagnostic::new(span, error.message().to_string(), "expected TOML")])
    })?;
    let (mut settings, mut errors) = (vec![], vec![]);
    for (key, value) in table.into_inner() {
        let (span, name) = (key.span(), key.into_inner());
        if !KEYS.contains(&name.as_ref()) {
            errors.push(unknown(&name, span));
            continue;
        }
        let at = value.span();
        let texts = value::texts(&name, value.into_inner()).and_then(|texts| {
            let texts: Vec<Option<String>> = texts.into_iter().map(|text| Some(in_folder(&name, text?, folder))).collect();
            texts.iter().try_for_each(|text| check(&option(&name, text.as_deref())))?;
            Ok(texts)
        });
        match texts {
            Ok(texts) => settings.push(Setting { key: name.into_owned(), texts }),
            Err(message) => errors.push(Diagnostic::new(at, format!("`{name}`: {message}"), "this value")),
        }
    }
    match errors.is_empty() {
        true => Ok(settings),
        false => {
            errors.sort_by_key(|error| error.span.start);
            Err(source.errors(&errors))
        }
    }
}

fn unknown(name: &str, span: std::ops::Range<usize>) -> Diagnostic {
    let near =
        KEYS.iter().map(|key| (strsim::damerau_levenshtein(key, name), key)).min().filter(|(distance, _)| *distance <= 2);
    let meant = near.map_or(String::new(), |(_, key)| format!("did you mean `{key}`? "));
    let error = Diagnostic::new(span, format!("`{name}`: unknown key of a project file"), "expected a key of the list");
    error.help(format!("{meant}the keys are {}", KEYS.join(", ")))
}

/// The option of a key.
fn option(key: &str, text: Option<&str>) -> String {
    let long = long(key);
    text.map_or(format!("--{long}"), |text| format!("--{long}={text}"))
}

fn long(key: &str) -> String {
    if key == "args" {
        "arg".to_string()
    } else {
        key.replace('_', "-")
    }
}

/// Checks an option alone, with the rules of the command line.
fn check(option: &str) -> std::result::Result<(), String> {
    // `check` has every option that is a key.
    match Cli::command().try_get_matches_from(["bcu", "check", option, "program"]) {
        Ok(_) => Ok(()),
        Err(error) => {
            let reason = std::error::Error::source(&error).map(ToString::to_string);
            let text = error.to_string();
            let lines: Vec<&str> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
            Err(reason.unwrap_or_else(|| lines.join(", ").trim_start_matches("error: ").to_string()))
        }
    }
}

/// A value with the name of a file relative to the folder of the project file.
fn in_folder(key: &str, text: String, folder: &Path) -> String {
    let joined = |name: &str| folder.join(name).display().to_string();
    if FILES.contains(&key) {
        let is_file = Path::new(&text).extension().is_some() || key == "machine";
        return if is_file { joined(&text) } else { text };
    }
    if key == "args" {
        // `x=npy:FILE`, `x=bf16:npy:FILE`, `x=u8:raw:FILE`
        for mark in ["=npy:", ":npy:", ":raw:"] {
            if let Some((front, name)) = text.split_once(mark).filter(|(front, _)| !front.contains('[')) {
                return format!("{front}{mark}{}", joined(name));
            }
        }
    }
    text
}

/// The options of a setting that the command `name` gets beside the options `given` on the command line.
fn chosen(command: &Command, given: &ArgMatches, setting: Setting) -> Vec<String> {
    let Setting { key, texts } = setting;
    let Some(arg) = command.get_arguments().find(|arg| arg.get_long() == Some(&long(&key))) else { return vec![] };
    let is_list = matches!(arg.get_action(), ArgAction::Append);
    let is_of_kernels = OF_KERNELS.contains(&key.as_str());
    if is_given(given, arg.get_id().as_str()) && !is_list
        || conflicts(command, given, arg)
        || is_of_kernels && !runs_kernel(given)
    {
        return vec![];
    }
    if key == "nvcc_flags" && !programs(given).iter().any(|path| is_cuda(path)) {
        return vec![];
    }
    // `--seeds` needs files and the model.
    let reads_input = programs(given).iter().any(|path| path.as_os_str() == "-");
    if key == "seeds" && (is_given(given, "engine") || reads_input) {
        return vec![];
    }
    // `run` has fewer formats than `check`.
    let formats: Vec<String> = arg.get_possible_values().iter().map(|value| value.get_name().to_string()).collect();
    let names = names_of_args(given);
    let is_chosen = |text: &Option<String>| match text {
        Some(text) if key == "format" => formats.contains(text),
        Some(text) if key == "args" => text.split_once('=').is_none_or(|(name, _)| !names.contains(&name.to_string())),
        _ => true,
    };
    texts.iter().filter(|text| is_chosen(text)).map(|text| option(&key, text.as_deref())).collect()
}

/// Whether the option conflicts with an option on the command line.
fn conflicts(command: &Command, given: &ArgMatches, arg: &Arg) -> bool {
    let mut others = command.get_arguments().filter(|other| is_given(given, other.get_id().as_str()));
    others.any(|other| {
        let excludes = |one: &Arg, other: &Arg| {
            command.get_arg_conflicts_with(one).iter().any(|conflict| conflict.get_id() == other.get_id())
        };
        excludes(arg, other) || excludes(other, arg)
    })
}

fn programs(given: &ArgMatches) -> Vec<PathBuf> {
    given.get_many::<PathBuf>("programs").into_iter().flatten().cloned().collect()
}

/// Whether the programs are PTX or CUDA whose kernel the options select.
fn runs_kernel(given: &ArgMatches) -> bool {
    let is_ptx = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "ptx" || ending == "cu");
    let programs = programs(given);
    !programs.is_empty() && programs.iter().all(is_ptx) && !is_given(given, "roles")
}

/// Whether nvcc compiles a program: a `.cu` file, or a launch file that names one.
fn is_cuda(path: &Path) -> bool {
    let has = |path: &Path, wanted: &str| path.extension().is_some_and(|ending| ending == wanted);
    let names_cuda = || {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let table = text.parse::<toml::Table>().unwrap_or_default();
        table.get("program").and_then(toml::Value::as_str).is_some_and(|program| has(Path::new(program), "cu"))
    };
    has(path, "cu") || has(path, "toml") && names_cuda()
}

/// The names of `--arg` on the command line.
fn names_of_args(given: &ArgMatches) -> Vec<String> {
    let raw = given.get_raw("params").into_iter().flatten();
    raw.filter_map(|word| Some(word.to_str()?.split_once('=')?.0.to_string())).collect()
}
