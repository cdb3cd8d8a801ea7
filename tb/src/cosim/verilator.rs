// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compiles Verilog with Verilator into a shared library and loads it into this process.
//!
//! Verilator has no `x`. Registers start from random values instead, so that a register without a reset causes a difference.

use super::{create, cycles_of, key, publish, run, scratch, write, CosimError, Design, Simulator};
use bcu_isa::ports::{Dir, Port};
use bcu_model::dut::Dut;
use libloading::Library;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

const CXX: [&str; 5] = ["-std=c++17", "-fPIC", "-fvisibility=hidden", "-fno-gnu-unique", "-DVM_TRACE=0"];

type New = unsafe extern "C" fn(u64) -> *mut c_void;
type Delete = unsafe extern "C" fn(*mut c_void);
type Run = unsafe extern "C" fn(*mut c_void, u64, *const u64, *mut u64);

/// Optimisation level of g++ for the C++ that Verilator writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optimisation {
    /// Fast to compile: 4 s instead of 40 s for `gpu` at `tiny`.
    None,
    /// Fast to run.
    Full,
}

impl Optimisation {
    /// The level with the shorter total time of compilation and run.
    pub fn for_cycles(cycles: usize) -> Self {
        if cycles <= 200_000 {
            Self::None
        } else {
            Self::Full
        }
    }

    fn option(self) -> &'static str {
        match self {
            Self::None => "-O0",
            Self::Full => "-O2",
        }
    }
}

/// A design that was verilated, compiled and loaded; [`Verilated::instance`] creates instances of it.
#[derive(Clone)]
pub struct Verilated {
    ports: Vec<Port>,
    new: New,
    delete: Delete,
    run: Run,
    /// Keeps the library loaded while its functions are in use.
    _library: Arc<Library>,
}

impl Verilated {
    /// Builds the design in a separate folder below `cache`, or reuses an earlier build of the same text by the same version of Verilator.
    pub fn build(design: &Design, cache: &Path, optimisation: Optimisation) -> Result<Self, CosimError> {
        Self::build_with(design, cache, optimisation, &[])
    }

    /// [`Verilated::build`] with additional options for Verilator.
    pub fn build_with(design: &Design, cache: &Path, optimisation: Optimisation, options: &[&str]) -> Result<Self, CosimError> {
        design.check()?;
        create(cache)?;
        let version = run(Command::new("verilator").arg("--version"), Simulator::Verilator.packages(), cache)?;
        let shim = shim(design);
        let cxx_key = CXX.join(" ");
        let mut parts = vec![design.text.as_str(), &design.top, &version, &shim, &cxx_key, optimisation.option()];
        parts.extend(options);
        let done = cache.join(format!("{}-{}", design.top, key(&parts)));
        let library = done.join("design.so");
        // Another thread that needs the same design waits for this build instead of compiling the design again.
        let turn = turn(&done);
        let turn_guard = turn.lock().unwrap_or_else(PoisonError::into_inner);
        if !library.is_file() {
            let runtime = runtime(cache, &version)?;
            let work = scratch(&done);
            create(&work)?;
            compile(design, optimisation, options, &shim, &runtime, &work)?;
            publish(&work, &done)?;
        }
        drop(turn_guard);
        Self::load(&library, design.ports.clone())
    }

    fn load(path: &Path, ports: Vec<Port>) -> Result<Self, CosimError> {
        let failed = |source| CosimError::Load { path: path.to_path_buf(), source };
        // SAFETY: the library is built from the shim below; its initialisers are those of the Verilator runtime.
        let library = unsafe { Library::new(path) }.map_err(failed)?;
        // SAFETY: the three symbols are defined by the shim with exactly these signatures.
        let (new, delete, run) = unsafe {
            (
                *library.get::<New>(b"bcu_new\0").map_err(failed)?,
                *library.get::<Delete>(b"bcu_delete\0").map_err(failed)?,
                *library.get::<Run>(b"bcu_run\0").map_err(failed)?,
            )
        };
        Ok(Verilated { ports, new, delete, run, _library: Arc::new(library) })
    }

    /// Creates an instance at time 0; its registers start from random values drawn from `seed`.
    pub fn instance(&self, seed: u64) -> Instance {
        // SAFETY: `bcu_new` accepts any number and returns an instance that only `bcu_run` and `bcu_delete` access.
        let handle = unsafe { (self.new)(seed) };
        let count = |dir| self.ports.iter().filter(|p| p.dir == dir).count();
        Instance { inputs: count(Dir::In), outputs: count(Dir::Out), design: self.clone(), handle }
    }
}

/// The lock that a thread holds while it builds in `folder`.
fn turn(folder: &Path) -> Arc<Mutex<()>> {
    static TURNS: Mutex<BTreeMap<PathBuf, Arc<Mutex<()>>>> = Mutex::new(BTreeMap::new());
    TURNS.lock().unwrap_or_else(PoisonError::into_inner).entry(folder.to_path_buf()).or_default().clone()
}

/// One running copy of a verilated design.
pub struct Instance {
    design: Verilated,
    handle: *mut c_void,
    inputs: usize,
    outputs: usize,
}

impl Instance {
    /// Runs many cycles in one call: `inputs` and `outputs` hold one value per port and cycle, in port order.
    pub fn run(&mut self, inputs: &[u64], outputs: &mut [u64]) -> Result<(), CosimError> {
        let cycles = cycles_of(inputs.len(), self.inputs)?;
        if outputs.len() != cycles * self.outputs {
            return Err(CosimError::Shape { given: outputs.len(), inputs: self.outputs, cycles });
        }
        // SAFETY: both slices were just checked to hold `cycles` rows of the design's ports.
        unsafe { (self.design.run)(self.handle, cycles as u64, inputs.as_ptr(), outputs.as_mut_ptr()) };
        Ok(())
    }
}

impl Dut for Instance {
    fn ports(&self) -> &[Port] {
        &self.design.ports
    }

    fn cycle(&mut self, inputs: &[u64], outputs: &mut [u64]) {
        assert_eq!((inputs.len(), outputs.len()), (self.inputs, self.outputs), "one value per port");
        // SAFETY: both slices hold one row of the design's ports.
        unsafe { (self.design.run)(self.handle, 1, inputs.as_ptr(), outputs.as_mut_ptr()) };
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: the handle came from `bcu_new` of this library and is not used again.
        unsafe { (self.design.delete)(self.handle) };
    }
}

/// The text of the C++ functions that [`Verilated`] loads. The functions create, run and delete an instance. Each instance has its own
/// Verilator context.
fn shim(design: &Design) -> String {
    let set: String = design.ports(Dir::In).enumerate().map(|(i, p)| format!("    t.{} = in[{i}];\n", p.name)).collect();
    let get: String = design.ports(Dir::Out).enumerate().map(|(i, p)| format!("    out[{i}] = t.{};\n", p.name)).collect();
    let (inputs, outputs) = (design.ports(Dir::In).count(), design.ports(Dir::Out).count());
    format!(
        r#"#include "Vdesign.h"
#include "verilated.h"
#include <cstdint>
struct Shim {{
  VerilatedContext context;
  Vdesign* top;
}};
#define API extern "C" __attribute__((visibility("default")))
API void* bcu_new(uint64_t seed) {{
  Shim* s = new Shim;
  s->context.randReset(2);
  s->context.randSeed(static_cast<int>(seed % 0x7ffffffe) + 1);
  s->top = new Vdesign(&s->context);
  return s;
}}
API void bcu_delete(void* h) {{
  Shim* s = static_cast<Shim*>(h);
  s->top->final();
  delete s->top;
  delete s;
}}
API void bcu_run(void* h, uint64_t cycles, const uint64_t* in, uint64_t* out) {{
  Vdesign& t = *static_cast<Shim*>(h)->top;
  for (; cycles; --cycles, in += {inputs}, out += {outputs}) {{
    t.clock = 0;
{set}    t.eval();
{get}    t.clock = 1;
    t.eval();
  }}
}}
"#
    )
}

/// Compiles the design in the folder `work` into `design.so`: Verilator writes C++, and g++ compiles it together with `shim`.
fn compile(
    design: &Design,
    optimisation: Optimisation,
    options: &[&str],
    shim: &str,
    runtime: &Runtime,
    work: &Path,
) -> Result<(), CosimError> {
    let source = format!("{}.v", design.top);
    write(&work.join(&source), &design.text)?;
    write(&work.join("shim.cpp"), shim)?;
    let mut verilate = Command::new("verilator");
    verilate.args(["--cc", "-O3", "--x-assign", "unique", "--x-initial", "unique", "--prefix", "Vdesign", "--Mdir", "."]);
    verilate.args(options);
    verilate.args(["-Wno-fatal", "--top-module", &design.top, &source]);
    run(&mut verilate, Simulator::Verilator.packages(), work)?;
    let mut files: Vec<String> = vec![];
    let listing =
        std::fs::read_dir(work).map_err(|source| CosimError::File { what: "list", path: work.to_path_buf(), source })?;
    for entry in listing {
        let entry = entry.map_err(|source| CosimError::File { what: "list", path: work.to_path_buf(), source })?;
        files.extend(entry.file_name().into_string().ok().filter(|name| name.ends_with(".cpp")));
    }
    files.sort();
    // All files are one translation unit, because most of the compile time is spent in the runtime's headers, which every file includes.
    let includes: String = files.iter().map(|file| format!("#include \"{file}\"\n")).collect();
    write(&work.join("all.cpp"), &includes)?;
    let include = include(work)?;
    let mut cxx = Command::new("g++");
    cxx.args(CXX)
        .args([optimisation.option(), "-shared", "-I.", "-o", "design.so"])
        .arg(format!("-I{include}"))
        .arg(format!("-I{include}/vltstd"));
    if optimisation == HEADERS {
        cxx.arg("-include").arg(&runtime.headers);
    }
    run(cxx.arg("all.cpp").args(&runtime.objects).arg("-lpthread"), Simulator::Verilator.packages(), work)?;
    Ok(())
}

/// The Verilator runtime. It takes longer to compile than most designs, so it is compiled once per cache and tool version.
struct Runtime {
    objects: Vec<PathBuf>,
    /// A header file that includes those of the runtime. Its precompiled form, for the level [`HEADERS`], is in the same folder. Without
    /// the precompiled form the headers take two thirds of a design's compile time.
    headers: PathBuf,
}

/// The optimisation level of the precompiled headers: g++ accepts them only at the level at which they were compiled.
const HEADERS: Optimisation = Optimisation::None;

fn runtime(cache: &Path, version: &str) -> Result<Runtime, CosimError> {
    let done = cache.join(format!("runtime-{}", key(&[version, &CXX.join(" "), HEADERS.option()])));
    let names = ["verilated", "verilated_threads"];
    if !done.is_dir() {
        let work = scratch(&done);
        create(&work)?;
        let include = include(&work)?;
        for name in names {
            let mut cxx = Command::new("g++");
            cxx.args(CXX)
                .args([Optimisation::Full.option(), "-c"])
                .arg(format!("{include}/{name}.cpp"))
                .arg(format!("-I{include}"));
            run(
                cxx.arg(format!("-I{include}/vltstd")).args(["-o", &format!("{name}.o")]),
                Simulator::Verilator.packages(),
                &work,
            )?;
        }
        write(&work.join("headers.h"), "#include \"verilated.h\"\n")?;
        let mut cxx = Command::new("g++");
        cxx.args(CXX).args([HEADERS.option(), "-x", "c++-header", "headers.h", "-o", "headers.h.gch"]);
        run(cxx.arg(format!("-I{include}")).arg(format!("-I{include}/vltstd")), Simulator::Verilator.packages(), &work)?;
        publish(&work, &done)?;
    }
    let done = done.canonicalize().map_err(|source| CosimError::File { what: "find", path: done.clone(), source })?;
    Ok(Runtime { objects: names.iter().map(|n| done.join(format!("{n}.o"))).collect(), headers: done.join("headers.h") })
}

/// Folder of the runtime's headers and sources.
fn include(directory: &Path) -> Result<String, CosimError> {
    let root = run(Command::new("verilator").args(["--getenv", "VERILATOR_ROOT"]), Simulator::Verilator.packages(), directory)?;
    Ok(format!("{}/include", root.trim()))
}
