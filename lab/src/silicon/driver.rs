// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The CUDA driver, opened at run time, with only the functions that are needed. Every result code is checked.
//!
//! All unsafe code of this command is in this file. Only one thread uses a device, which holds raw handles and so is not `Send`.

use super::device::{system_version, About, Refusal, Shape};
use super::params::Params;
use anyhow::{bail, Context, Result};
use libloading::Library;
use std::cell::Cell;
use std::ffi::{c_char, c_int, c_uint, c_void, CStr, CString};
use std::mem::ManuallyDrop;
use std::ptr::null_mut;
use std::time::{Duration, Instant};

/// A handle of the driver: a context, module, function or stream.
type Handle = *mut c_void;

const NOT_READY: c_int = 600;
const MAJOR: c_int = 75;
const MINOR: c_int = 76;
const MULTIPROCESSORS: c_int = 16;
const MAX_DYNAMIC_SHARED: c_int = 8;
const STACK_SIZE: c_int = 0;
const ERROR_LOG: c_int = 5;
const ERROR_LOG_BYTES: c_int = 6;

/// Number of stack bytes of a thread. Recursive kernels need more than the driver's default of 1024.
const STACK: usize = 4096;
/// Maximum number of bytes of the log of the driver's compiler.
const LOG: usize = 8192;

macro_rules! calls {
    ($($name:ident = $symbol:literal ($($type:ty),*);)*) => {
        /// The functions of the driver.
        struct Calls { $($name: unsafe extern "C" fn($($type),*) -> c_int,)* }

        impl Calls {
            fn load(library: &Library, file: &str) -> Result<Calls> {
                $(
                    // SAFETY: `cuda.h` declares the function of this name with exactly these types.
                    let $name = *unsafe { library.get::<unsafe extern "C" fn($($type),*) -> c_int>(concat!($symbol, "\0").as_bytes()) }
                        .with_context(|| format!("{file} has no function `{}`; install a driver for CUDA 11 or later", $symbol))?;
                )*
                Ok(Calls { $($name),* })
            }
        }
    };
}

calls! {
    init = "cuInit" (c_uint);
    driver_version = "cuDriverGetVersion" (*mut c_int);
    device_count = "cuDeviceGetCount" (*mut c_int);
    device = "cuDeviceGet" (*mut c_int, c_int);
    device_name = "cuDeviceGetName" (*mut c_char, c_int, c_int);
    attribute = "cuDeviceGetAttribute" (*mut c_int, c_int, c_int);
    retain = "cuDevicePrimaryCtxRetain" (*mut Handle, c_int);
    release = "cuDevicePrimaryCtxRelease_v2" (c_int);
    set_current = "cuCtxSetCurrent" (Handle);
    set_limit = "cuCtxSetLimit" (c_int, usize);
    load = "cuModuleLoadDataEx" (*mut Handle, *const c_void, c_uint, *mut c_int, *mut *mut c_void);
    unload = "cuModuleUnload" (Handle);
    function = "cuModuleGetFunction" (*mut Handle, Handle, *const c_char);
    set_attribute = "cuFuncSetAttribute" (Handle, c_int, c_int);
    allocate = "cuMemAlloc_v2" (*mut u64, usize);
    free = "cuMemFree_v2" (u64);
    write = "cuMemcpyHtoD_v2" (u64, *const c_void, usize);
    read = "cuMemcpyDtoH_v2" (*mut c_void, u64, usize);
    launch = "cuLaunchKernel" (Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *mut *mut c_void, *mut *mut c_void);
    query = "cuStreamQuery" (Handle);
    synchronize = "cuCtxSynchronize" ();
    error_string = "cuGetErrorString" (c_int, *mut *const c_char);
    error_name = "cuGetErrorName" (c_int, *mut *const c_char);
}

/// A device and its properties.
pub struct Device {
    calls: Calls,
    ordinal: c_int,
    /// Whether the device cannot be used any more, after an error in a kernel or a kernel that does
    /// not end. Also true until the device is open.
    is_lost: Cell<bool>,
    pub about: About,
    /// The library is never unloaded: the functions in `calls` are valid only while it is loaded,
    /// and the driver may run threads in it.
    _library: ManuallyDrop<Library>,
}

/// A block of the device's memory.
pub struct Memory<'d> {
    device: &'d Device,
    pub address: u64,
    bytes: usize,
}

/// A program that the driver has compiled.
pub struct Module<'d> {
    device: &'d Device,
    handle: Handle,
}

impl Device {
    /// Opens the driver, and its device with number `ordinal`.
    pub fn open(file: &str, ordinal: u32) -> Result<Device> {
        // SAFETY: the driver's library has no initialisers with requirements on the program that loads it.
        let library = unsafe { Library::new(file) }.with_context(|| {
            format!("no CUDA driver: cannot open `{file}`; run this on a machine with an NVIDIA GPU and its driver")
        })?;
        let calls = Calls::load(&library, file)?;
        let about =
            About { name: String::new(), capability: (0, 0), multiprocessors: 0, cuda: (0, 0), driver: system_version() };
        let mut device = Device { calls, ordinal: 0, is_lost: Cell::new(true), about, _library: ManuallyDrop::new(library) };
        device
            .start(ordinal)
            .with_context(|| format!("no GPU can be used through `{file}`; `nvidia-smi` lists those that the driver sees"))?;
        device.is_lost.set(false);
        Ok(device)
    }

    fn start(&mut self, ordinal: u32) -> Result<()> {
        let (mut count, mut version, mut context) = (0, 0, null_mut());
        // SAFETY: the function takes only a number.
        self.check("cuInit", unsafe { (self.calls.init)(0) })?;
        // SAFETY: the pointer is valid for the one integer that the function writes.
        self.check("cuDriverGetVersion", unsafe { (self.calls.driver_version)(&mut version) })?;
        // SAFETY: the pointer is valid for the one integer that the function writes.
        self.check("cuDeviceGetCount", unsafe { (self.calls.device_count)(&mut count) })?;
        let wanted = c_int::try_from(ordinal).ok().filter(|wanted| *wanted < count);
        let Some(wanted) = wanted else {
            bail!("there is no device {ordinal}: the driver sees {count}; choose with `--device`")
        };
        // SAFETY: the pointer is valid for the one integer that the function writes.
        let code = unsafe { (self.calls.device)(&mut self.ordinal, wanted) };
        self.check("cuDeviceGet", code)?;
        let mut name = [0u8; 256];
        // SAFETY: the function writes at most the given number of bytes, the last of which is 0.
        self.check("cuDeviceGetName", unsafe { (self.calls.device_name)(name.as_mut_ptr().cast(), 256, self.ordinal) })?;
        self.about.name = text_of(&name);
        self.about.capability = (self.attribute(MAJOR)?, self.attribute(MINOR)?);
        self.about.multiprocessors = self.attribute(MULTIPROCESSORS)?;
        self.about.cuda = (version as u32 / 1000, version as u32 % 1000 / 10);
        // SAFETY: the pointer is valid for the one handle that the function writes. The context is released when the device is dropped.
        self.check("cuDevicePrimaryCtxRetain", unsafe { (self.calls.retain)(&mut context, self.ordinal) })?;
        // SAFETY: the context was just created.
        self.check("cuCtxSetCurrent", unsafe { (self.calls.set_current)(context) })?;
        // SAFETY: the function takes only numbers.
        Ok(self.check("cuCtxSetLimit", unsafe { (self.calls.set_limit)(STACK_SIZE, STACK) })?)
    }

    fn attribute(&self, which: c_int) -> Result<u32, Refusal> {
        let mut value = 0;
        // SAFETY: the pointer is valid for the one integer that the function writes.
        self.check("cuDeviceGetAttribute", unsafe { (self.calls.attribute)(&mut value, which, self.ordinal) })?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// Whether the device can no longer be used.
    pub fn is_lost(&self) -> bool {
        self.is_lost.get()
    }

    /// Allocates a block of memory that contains `bytes`, which has at least one byte.
    pub fn memory(&self, bytes: &[u8]) -> Result<Memory<'_>, Refusal> {
        let mut address = 0;
        // SAFETY: the pointer is valid for the one address that the function writes.
        self.check("cuMemAlloc", unsafe { (self.calls.allocate)(&mut address, bytes.len()) })?;
        let memory = Memory { device: self, address, bytes: bytes.len() };
        // SAFETY: the block that was just allocated has as many bytes as are copied.
        self.check("cuMemcpyHtoD", unsafe { (self.calls.write)(address, bytes.as_ptr().cast(), bytes.len()) })?;
        Ok(memory)
    }

    /// Compiles a PTX text in the driver. The log of the driver's compiler is part of an error.
    pub fn module(&self, ptx: &str) -> Result<Module<'_>, Refusal> {
        let text = CString::new(ptx).map_err(|_| Refusal::Unasked("the PTX text has a byte 0".to_string()))?;
        let (mut handle, mut log) = (null_mut(), vec![0u8; LOG]);
        let mut options = [ERROR_LOG, ERROR_LOG_BYTES];
        // The driver expects the size of the log in a pointer argument.
        let mut values = [log.as_mut_ptr().cast::<c_void>(), LOG as *mut c_void];
        // SAFETY: the text ends in a 0, there are two options with their values, and the log has as many bytes as the second value states.
        let code =
            unsafe { (self.calls.load)(&mut handle, text.as_ptr().cast(), 2, options.as_mut_ptr(), values.as_mut_ptr()) };
        self.check("cuModuleLoadDataEx", code).map_err(|mut refusal| {
            let log = text_of(&log);
            if let (Refusal::Call { text, .. }, false) = (&mut refusal, log.trim().is_empty()) {
                *text += &format!("\n{}", log.trim());
            }
            refusal
        })?;
        Ok(Module { device: self, handle })
    }

    fn check(&self, call: &'static str, code: c_int) -> Result<(), Refusal> {
        if code == 0 {
            return Ok(());
        }
        let said = |ask: unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int| {
            let mut text = std::ptr::null();
            // SAFETY: `&mut text` is valid for the one pointer that the function writes. The pointer is null, or points to a static
            // text that ends in a 0.
            let known = unsafe { ask(code, &mut text) } == 0 && !text.is_null();
            // SAFETY: the text is not null, is static and ends in a 0.
            known.then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
        };
        let name = said(self.calls.error_name).unwrap_or_else(|| "unknown error".to_string());
        let text = said(self.calls.error_string).map_or(String::new(), |text| format!(", {text}"));
        Err(Refusal::Call { call, name, code, text })
    }

    /// Waits up to `limit` until the launched kernel has ended. If it has not, or has ended with an
    /// error, the device is lost.
    fn wait(&self, limit: Duration) -> Result<(), Refusal> {
        let begun = Instant::now();
        let refuse_all = |why: Refusal| {
            self.is_lost.set(true);
            why
        };
        loop {
            // SAFETY: a null handle means the default stream.
            match unsafe { (self.calls.query)(null_mut()) } {
                NOT_READY if begun.elapsed() > limit => {
                    return Err(refuse_all(Refusal::Hangs { seconds: limit.as_secs() }));
                }
                NOT_READY => std::thread::sleep(Duration::from_micros(50)),
                // SAFETY: the function takes no arguments.
                0 => return self.check("cuCtxSynchronize", unsafe { (self.calls.synchronize)() }).map_err(refuse_all),
                code => return self.check("cuStreamQuery", code).map_err(refuse_all),
            }
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        if !self.is_lost.get() {
            // SAFETY: the context was retained once, by `start`, and none of its objects remains.
            unsafe { (self.calls.release)(self.ordinal) };
        }
    }
}

impl Memory<'_> {
    /// Reads the present contents of the block.
    pub fn read(&self) -> Result<Vec<u8>, Refusal> {
        let mut bytes = vec![0; self.bytes];
        // SAFETY: both blocks have as many bytes as are copied.
        let code = unsafe { (self.device.calls.read)(bytes.as_mut_ptr().cast(), self.address, self.bytes) };
        self.device.check("cuMemcpyDtoH", code)?;
        Ok(bytes)
    }
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        if !self.device.is_lost.get() {
            // SAFETY: the block was allocated once and is not used any more.
            unsafe { (self.device.calls.free)(self.address) };
        }
    }
}

impl Module<'_> {
    /// Launches the kernel named `kernel` and waits for its end. `params` must be packed for the parameters of that kernel.
    pub fn run(&self, kernel: &str, shape: Shape, params: &mut Params, limit: Duration) -> Result<(), Refusal> {
        let (device, mut function) = (self.device, null_mut());
        let name = CString::new(kernel).map_err(|_| Refusal::Unasked("the kernel's name has a byte 0".to_string()))?;
        // SAFETY: the pointer is valid for the one handle that the function writes; the module is loaded and the name ends in a 0.
        device.check("cuModuleGetFunction", unsafe { (device.calls.function)(&mut function, self.handle, name.as_ptr()) })?;
        let shared = c_int::try_from(shape.shared)
            .map_err(|_| Refusal::Unasked(format!("{} bytes of shared memory are too many", shape.shared)))?;
        if shared > 0 {
            // SAFETY: the function handle was just found; the other arguments are numbers.
            device
                .check("cuFuncSetAttribute", unsafe { (device.calls.set_attribute)(function, MAX_DYNAMIC_SHARED, shared) })?;
        }
        let ([gx, gy, gz], [bx, by, bz]) = (shape.grid, shape.block);
        let mut pointers = params.pointers();
        // SAFETY: each pointer has as many bytes as its parameter, because the arguments were bound to the parameters of the same text.
        let code = unsafe {
            (device.calls.launch)(function, gx, gy, gz, bx, by, bz, shape.shared, null_mut(), pointers.as_mut_ptr(), null_mut())
        };
        device.check("cuLaunchKernel", code)?;
        device.wait(limit)
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        if !self.device.is_lost.get() {
            // SAFETY: the module was loaded once, and none of its functions runs any more.
            unsafe { (self.device.calls.unload)(self.handle) };
        }
    }
}

/// Ends the process without a normal exit, in which the driver would wait for a hanging kernel.
pub fn leave(code: u8) -> ! {
    use std::io::Write;
    // An error of the flush is ignored: without a terminal there is no place to report it.
    let _ = std::io::stdout().flush();
    // SAFETY: the output is flushed, and no other resource needs to be released.
    unsafe { nix::libc::_exit(code.into()) }
}

/// The text before the first 0.
fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.split(|byte| *byte == 0).next().unwrap_or(&[])).into_owned()
}
