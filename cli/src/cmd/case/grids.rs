// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Launches with buffers, from a launch file or from options, and the files that the buffers are written to after the launches.

use super::language::Lang;
use super::launch::LaunchArgs;
use super::nvcc::flags::Compiled;
use super::programs::Program;
use super::read;
use crate::diag::Source;
use crate::failure::{complain, Failure, Result};
use crate::files::Batch;
use crate::outputs::{are_distinct, needs_folder, NamedFile};
use bcu_program::launch::{
    buffer_named, from_options, npy, variable_settings, Buffer, Expectation, KernelLaunch, LaunchFile, Launches, Missing,
    Ready, Unprepared, MOST_BYTES,
};
use bcu_program::Launch;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Bytes that a file may have besides those of a buffer, such as the header of NumPy.
const HEADER: u64 = 1 << 16;

/// The index of a buffer in `Ready::buffers`, and the file that the buffer is written to.
pub type Output = (usize, String);

/// Launches that can run, and the buffers that are written to files after the last launch.
pub type Launched = (Ready, Vec<Output>);

/// Whether a file is a launch file, by its extension.
pub fn is_launch_file(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "toml")
}

/// Reads a launch file and the program that it launches; `program` replaces the program that the file names.
pub fn from_file(
    path: &Path,
    program: Option<&Path>,
    options: &LaunchArgs,
    (base, seed, lang): (&Launch, u64, Option<Lang>),
) -> Result<(Program, Option<Compiled>, Launched)> {
    let text = Source::read(path)?;
    let file = LaunchFile::parse(&text.text).map_err(|errors| text.errors(&errors))?;
    let shapes = [options.grid, options.cluster, options.block];
    let has_shape = shapes.iter().any(Option::is_some) || options.ctas.is_some() || options.cooperative;
    if !options.params.is_empty() || has_shape || options.kernel.is_some() {
        let help = "remove these options, and write their values into the launch file";
        return Err(Failure::plain(
            "--kernel, --grid, --ctas, --cluster, --block, --cooperative and --arg cannot be used with a launch file",
            Some(help),
        ));
    }
    let folder = path.parent().map_or_else(Default::default, Path::to_path_buf);
    let named = file.program.as_ref().map(|program| folder.join(program.get_ref()));
    let Some(program) = program.map(Path::to_path_buf).or(named) else {
        let help = "write `program = \"kernel.ptx\"` at the beginning, or give `--program FILE`";
        return Err(Failure::plain(format!("{}: the launch file names no program", text.name), Some(help)));
    };
    let (mut programs, compiled) = read::read(&[program], lang, options)?;
    let program = programs.remove(0);
    let mut launches = Launches::from(&file);
    let base = Launch { cuda: program.cuda_kernels(), ..base.clone() };
    let text_of = program.text().text;
    let renamed = |name: &str| {
        let named = buffer_named(name, text_of, &base, (&launches.allocations, &launches.settings), &[]);
        named.unwrap_or_else(|| name.to_string())
    };
    let expects: Vec<Expectation> =
        options.expect.iter().map(|one| Expectation { buffer: renamed(&one.buffer), ..one.clone() }).collect();
    let out: Vec<(String, String)> = options.out.iter().map(|(name, file)| (renamed(name), file.clone())).collect();
    let known = |name: &str| launches.settings.iter().any(|setting| setting.name == name);
    let unset: Vec<&str> = read_names(&expects, &out).filter(|name| !known(name)).collect();
    let declared = variable_settings(text_of, &base, (&mut launches.allocations.clone(), &mut vec![]), &unset);
    launches.settings.extend(declared);
    launches.expects.extend(expects);
    let grids = grids(&program, (&launches, &text, &folder), (&out, &base, seed))?;
    Ok((program, compiled, grids))
}

/// Prepares the launch of a PTX program from the options of the command line.
pub fn from_args(program: &Program, options: &LaunchArgs, (base, seed): (&Launch, u64)) -> Result<Launched> {
    let plain =
        |error: bcu_isa::diag::Diagnostic| Failure::plain(format!("{}, {}", error.message, error.label), error.help.as_deref());
    let (mut allocations, mut args) = from_options(&options.params).map_err(plain)?;
    let (grid, cluster, block) = (base.grid, base.cluster, options.block.or(base.threads));
    let shared = options.shared.unwrap_or(0);
    let base = Launch { cuda: program.cuda_kernels(), ..base.clone() };
    let text_of = program.text().text;
    let read: Vec<&str> = read_names(&options.expect, &options.out).collect();
    let settings = variable_settings(text_of, &base, (&mut allocations, &mut args), &read);
    let renamed = |name: &str| {
        let named = buffer_named(name, text_of, &base, (&allocations, &settings), &args);
        named.unwrap_or_else(|| name.to_string())
    };
    let expected = |one: &Expectation| Expectation { buffer: renamed(&one.buffer), ..one.clone() };
    let expects = options.expect.iter().map(expected).collect();
    let out: Vec<(String, String)> = options.out.iter().map(|(name, file)| (renamed(name), file.clone())).collect();
    let launch = KernelLaunch {
        kernel: None,
        grid,
        ctas: options.ctas.clone(),
        cluster,
        programmatic: false,
        cooperative: options.cooperative,
        block,
        shared,
        args,
        span: 0..0,
    };
    let launches = Launches { allocations, settings, launches: vec![launch], expects, missing: Missing::Unknown };
    let text = Source { name: "command line".to_string(), text: String::new() };
    grids(program, (&launches, &text, Path::new("")), (&out, &base, seed))
}

/// The names of buffers and variables that are compared or written.
fn read_names<'a>(expects: &'a [Expectation], out: &'a [(String, String)]) -> impl Iterator<Item = &'a str> {
    expects.iter().map(|expect| expect.buffer.as_str()).chain(out.iter().map(|(name, _)| name.as_str()))
}

/// The failure for an output of a buffer that no launch has.
fn no_buffer<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Failure {
    let known: Vec<String> = known.map(|known| format!("`{known}`")).collect();
    let buffers =
        if known.is_empty() { "there are no buffers".to_string() } else { format!("the buffers are {}", known.join(", ")) };
    Failure::plain(format!("`--out`: no buffer is named `{name}`; {buffers}"), None)
}

/// Prepares the launches of `program`, and checks the files that are to be written. `text` is the text of the launches, for messages with a
/// location; paths of input files are relative to `folder`.
fn grids(
    program: &Program,
    (launches, text, folder): (&Launches, &Source, &Path),
    (out, base, seed): (&[(String, String)], &Launch, u64),
) -> Result<Launched> {
    let mut inputs = vec![];
    let mut read = |name: &str| {
        let path = folder.join(name);
        let read = at_most(&path, MOST_BYTES + HEADER);
        inputs.push(path);
        read
    };
    let ready = launches.ready(program.text().text, base, seed, &mut read).map_err(|why| match why {
        Unprepared::Program(errors) => program.source.errors(&errors),
        Unprepared::Launch(errors) => match (text.text.is_empty(), errors.first()) {
            (true, Some(error)) => Failure::plain(format!("{}, {}", error.message, error.label), error.help.as_deref()),
            _ => text.errors(&errors),
        },
    })?;
    let output = |(name, file): &(String, String)| match ready.buffers.iter().position(|buffer| buffer.name == *name) {
        Some(at) => is_output(Path::new(file)).map(|()| (at, file.clone())),
        None => Err(no_buffer(name, ready.buffers.iter().map(|buffer| buffer.name.as_str()))),
    };
    let outputs = out.iter().map(output).collect::<Result<Vec<_>>>()?;
    let masks: Vec<PathBuf> = outputs.iter().map(|(_, file)| mask_of(file)).collect();
    let mut files: Vec<NamedFile> = outputs.iter().map(|(_, file)| ("`--out`", Path::new(file))).collect();
    files.extend(masks.iter().map(|mask| ("the mask of an `--out`", mask.as_path())));
    let mut inputs: Vec<NamedFile> = inputs.iter().map(|input| ("an input of the run", input.as_path())).collect();
    inputs.push(("the program", Path::new(&program.source.name)));
    inputs.extend(program.cuda_file.iter().map(|file| ("the program", file.as_path())));
    are_distinct(&files, &inputs)?;
    Ok((ready, outputs))
}

/// The bytes of a file. Not more than `most` are read, so that a device without an end is an error; an error is a sentence with the path.
fn at_most(path: &Path, most: u64) -> std::result::Result<Vec<u8>, String> {
    let cannot = |error: std::io::Error| format!("cannot read {}: {error}", path.display());
    let mut bytes = vec![];
    let read = std::fs::File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes)).map_err(cannot)?;
    match read as u64 > most {
        true => Err(format!("cannot read {}: it has more than {} MiB", path.display(), most >> 20)),
        false => Ok(bytes),
    }
}

/// Fails for an output file that cannot be written.
fn is_output(file: &Path) -> Result<()> {
    let name = file.display();
    if file.extension().is_none_or(|ending| ending != "npy") {
        let message = format!("cannot write the buffer {name}: the file name must end in `.npy`");
        return Err(Failure::plain(message, Some("name it like `out.npy`")));
    }
    needs_folder(file)
}

/// The file that has which elements of the buffer in `file` are known.
fn mask_of(file: &str) -> PathBuf {
    Path::new(file).with_extension("known.npy")
}

/// Writes buffers after the last launch, and for a buffer with unknown elements also a mask file.
pub fn write(outputs: &[Output], buffers: &[Buffer]) -> Result<()> {
    let (mut batch, mut said) = (Batch::default(), vec![]);
    for (at, file) in outputs {
        // `buffers` is empty if a launch has not completed; then no file is written.
        let Some(buffer) = buffers.get(*at) else { continue };
        batch.stream(Path::new(file), |to| npy::write(buffer, to))?;
        let mask = mask_of(file);
        let unknown = buffer.unknown_elements();
        // The mask file of an earlier run is outdated, so it is overwritten even if all elements are known.
        if unknown > 0 || mask.exists() {
            batch.stream(&mask, |to| npy::write_mask(buffer, to))?;
        }
        if unknown > 0 {
            let elements: usize = buffer.shape.iter().product();
            let (name, mask) = (&buffer.name, mask.display());
            said.push(format!(
                "warning: {unknown} of {elements} elements of `{name}` are unknown: {file} has 0 for them, and {mask} has false"
            ));
        }
    }
    batch.commit()?;
    said.iter().for_each(|line| complain(line));
    Ok(())
}
