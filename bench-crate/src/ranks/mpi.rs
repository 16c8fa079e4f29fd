//! The few functions of MPI that are called, of the library that is there when the program runs: Open
//! MPI's, or one with the binary interface that MPICH, Intel MPI, MVAPICH and Cray MPICH share.
//!
//! The names are those of the MPI standard (version 3.1, chapters 3 and 8). What differs between the two
//! interfaces are the handles: Open MPI's are addresses of its own variables, MPICH's are numbers
//! (`mpi.h` of each).

use std::env;
use std::error::Error;
use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::ptr;

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};

use super::MPI;

/// All threads may call MPI, one at a time; the number is the same in both interfaces.
const SERIALIZED: c_int = 2;

/// What all messages are marked with.
const TAG: c_int = 0;

/// Bytes of a message at most: a count is an `int`.
const MOST: usize = 1 << 30;

/// Room for what MPI says of a message, which is nowhere read; 20 bytes in one interface, 24 in the
/// other.
type Status = [u64; 8];

/// Names of the library of Open MPI,
const OPEN_MPI: [&str; 2] = ["libmpi.so.40", "libmpi.so"];

/// and of those with MPICH's interface.
const MPICH: [&str; 3] = ["libmpi.so.12", "libmpich.so.12", "libmpi.so"];

/// Handles of MPICH's interface: all processes,
const MPICH_WORLD: c_int = 0x4400_0000;

/// and bytes.
const MPICH_BYTE: c_int = 0x4c00_010d;

/// Messages between processes. MPI ends all of them where a call fails.
pub(super) trait Calls: Send + Sync {
    fn rank(&self) -> usize;
    fn size(&self) -> usize;
    fn send(&self, to: usize, bytes: &[u8]);
    /// Fills the bytes from a message of this process, of any where none is named.
    fn receive(&self, from: Option<usize>, bytes: &mut [u8]);
    /// Whether there is a message.
    fn is_there(&self) -> bool;
    /// Waits until all processes have called it.
    fn finalize(&self);
    /// Ends all processes.
    fn abort(&self, code: u8);
}

/// A library with handles of type `H`.
struct Functions<H> {
    world: H,
    byte: H,
    any: c_int,
    rank: unsafe extern "C" fn(H, *mut c_int) -> c_int,
    size: unsafe extern "C" fn(H, *mut c_int) -> c_int,
    send: unsafe extern "C" fn(*const c_void, c_int, H, c_int, c_int, H) -> c_int,
    receive: unsafe extern "C" fn(*mut c_void, c_int, H, c_int, c_int, H, *mut Status) -> c_int,
    probe: unsafe extern "C" fn(c_int, c_int, H, *mut c_int, *mut Status) -> c_int,
    finalize: unsafe extern "C" fn() -> c_int,
    abort: unsafe extern "C" fn(H, c_int) -> c_int,
    /// Where they are. It stays loaded: threads of its own may outlive MPI.
    _library: ManuallyDrop<Library>,
}

/// Initialises MPI; or why that is not possible. `is_mpich` is whether MPICH's library is looked for
/// first.
pub(super) fn start(is_mpich: bool) -> Result<Box<dyn Calls>, String> {
    let library = open(is_mpich)?;
    // SAFETY: the name is one of Open MPI's variables alone, whose address is its handle.
    let variable = |name: &str| unsafe { library.get::<*mut c_void>(name.as_bytes()) };
    let address = |name: &str| variable(name).map(|symbol| symbol.as_raw_ptr() as usize);
    match (address("ompi_mpi_comm_world"), address("ompi_mpi_byte")) {
        (Ok(world), Ok(byte)) => functions(library, world, byte, -1),
        _ => functions(library, MPICH_WORLD, MPICH_BYTE, -2),
    }
}

/// The library that the environment names, or else the first that the loader finds.
fn open(is_mpich: bool) -> Result<Library, String> {
    let mut names: Vec<PathBuf> = match is_mpich {
        true => MPICH.iter().chain(&OPEN_MPI).map(PathBuf::from).collect(),
        false => OPEN_MPI.iter().chain(&MPICH).map(PathBuf::from).collect(),
    };
    if let Some(named) = env::var_os(MPI).filter(|named| !named.is_empty()) {
        names = vec![named.into()];
    }
    let mut why = String::new();
    for name in &names {
        // SAFETY: an MPI library does nothing when it is loaded but to load what it needs. Its plug-ins
        // look for its functions in the whole program.
        match unsafe { Library::open(Some(name), RTLD_NOW | RTLD_GLOBAL) } {
            Ok(library) => return Ok(library),
            Err(error) if why.is_empty() => {
                why = error
                    .source()
                    .map_or(error.to_string(), ToString::to_string);
            }
            Err(_) => {}
        }
    }
    Err(format!("its library could not be loaded ({why})"))
}

fn functions<H: Copy + Send + Sync + 'static>(
    library: Library,
    world: H,
    byte: H,
    any: c_int,
) -> Result<Box<dyn Calls>, String> {
    /// A function of this name, whose type the field has.
    macro_rules! function {
        ($name:literal) => {{
            // SAFETY: the MPI standard has its parameters, and `H` is the type of its handles.
            let found = unsafe { library.get(concat!($name, "\0").as_bytes()) };
            *found.map_err(|error| format!("its library has no {}: {error}", $name))?
        }};
    }
    type Initialize =
        unsafe extern "C" fn(*mut c_int, *mut *mut *mut i8, c_int, *mut c_int) -> c_int;
    let initialize: Initialize = function!("MPI_Init_thread");
    let all = Functions {
        world,
        byte,
        any,
        rank: function!("MPI_Comm_rank"),
        size: function!("MPI_Comm_size"),
        send: function!("MPI_Send"),
        receive: function!("MPI_Recv"),
        probe: function!("MPI_Iprobe"),
        finalize: function!("MPI_Finalize"),
        abort: function!("MPI_Abort"),
        _library: ManuallyDrop::new(library),
    };
    let mut provided = 0;
    // SAFETY: called once, before all others; the command line may be left out.
    let code = unsafe { initialize(ptr::null_mut(), ptr::null_mut(), SERIALIZED, &mut provided) };
    if code != 0 {
        return Err(format!("MPI_Init_thread ended with {code}"));
    }
    if provided < SERIALIZED {
        // SAFETY: initialised above.
        unsafe { (all.finalize)() };
        return Err("it allows calls of one thread alone (MPI_THREAD_SERIALIZED)".to_owned());
    }
    Ok(Box::new(all))
}

impl<H: Copy + Send + Sync> Functions<H> {
    /// What a function says of all processes.
    fn number(&self, of: unsafe extern "C" fn(H, *mut c_int) -> c_int) -> usize {
        let mut number = 0;
        // SAFETY: `start` has initialised MPI, and there is room for the number.
        unsafe { of(self.world, &mut number) };
        usize::try_from(number).unwrap_or_default()
    }
}

impl<H: Copy + Send + Sync> Calls for Functions<H> {
    fn rank(&self) -> usize {
        self.number(self.rank)
    }

    fn size(&self) -> usize {
        self.number(self.size)
    }

    fn send(&self, to: usize, bytes: &[u8]) {
        for piece in bytes.chunks(MOST) {
            let (at, count) = (piece.as_ptr().cast(), piece.len() as c_int);
            // SAFETY: the bytes are there until it returns.
            unsafe { (self.send)(at, count, self.byte, to as c_int, TAG, self.world) };
        }
    }

    fn receive(&self, from: Option<usize>, bytes: &mut [u8]) {
        let from = from.map_or(self.any, |from| from as c_int);
        for piece in bytes.chunks_mut(MOST) {
            let (at, count) = (piece.as_mut_ptr().cast(), piece.len() as c_int);
            let mut status = Status::default();
            // SAFETY: there is room for the bytes and for what is said of them.
            unsafe { (self.receive)(at, count, self.byte, from, TAG, self.world, &mut status) };
        }
    }

    fn is_there(&self) -> bool {
        let (mut is_there, mut status) = (0, Status::default());
        // SAFETY: there is room for both answers.
        unsafe { (self.probe)(self.any, TAG, self.world, &mut is_there, &mut status) };
        is_there != 0
    }

    fn finalize(&self) {
        // SAFETY: it is the last call.
        unsafe { (self.finalize)() };
    }

    fn abort(&self, code: u8) {
        // SAFETY: it ends the program.
        unsafe { (self.abort)(self.world, code.into()) };
    }
}
