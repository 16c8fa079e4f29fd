//! The one error type of this crate.
//!
//! Every variant names the problem and, if there is one, the allowed range. Raw driver codes
//! are kept. A message is one sentence. Nothing is printed here: programs do that.

mod context;
mod formula;

use std::io;
use std::ops::RangeInclusive;
use std::path::PathBuf;

pub use formula::FormulaError;
#[cfg(feature = "emulator")]
use ptx_emulator::LaunchError;

/// The result of everything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no device of the kind that was asked for.
    #[error("no device: {reason}")]
    NoDevice {
        /// Why there is none.
        reason: String,
    },
    /// The program has no PTX of quadscan's own kernels.
    #[error(
        "this program was built without quadscan's own kernels: build it with quadscan's feature `kernels`, or give it an artifact"
    )]
    WithoutKernels,
    /// A device was named in a way that is not understood.
    #[error("unknown device `{text}`, allowed are auto, cuda, cuda:N and emulator")]
    UnknownDevice {
        /// What was given.
        text: String,
    },
    /// A driver function failed.
    #[error("{call} failed with {name} ({code}): {text}")]
    Driver {
        /// The driver's function.
        call: &'static str,
        /// The driver's raw code (`CUresult`).
        code: u32,
        /// The code's name, such as `CUDA_ERROR_ILLEGAL_ADDRESS`.
        name: String,
        /// The driver's description of it.
        text: String,
    },
    /// The device has not enough memory left.
    #[error("{wanted} bytes do not fit on {device}, {free} bytes are free")]
    OutOfMemory {
        /// Bytes asked for.
        wanted: u64,
        /// Bytes free at that moment.
        free: u64,
        /// The device's name.
        device: String,
    },
    /// The host has not enough memory left of which a device can copy at its full rate.
    #[error("the host cannot page-lock {wanted} bytes")]
    OutOfHostMemory {
        /// Bytes asked for.
        wanted: usize,
    },
    /// A number of elements whose bytes cannot be counted.
    #[error("{elements} elements of {size} bytes each are more than a buffer can hold")]
    TooManyElements {
        /// Elements asked for.
        elements: usize,
        /// Bytes of one element.
        size: usize,
    },
    /// A slice and elements of a device of different lengths.
    #[error("{what} has {actual} elements, allowed are {expected}")]
    LengthMismatch {
        /// The slice: `source` or `target`.
        what: &'static str,
        /// Elements of the buffer or the view.
        expected: usize,
        /// Elements of the slice.
        actual: usize,
    },
    /// A launch size or a range outside of what is allowed.
    #[error("{what} is {value}, allowed are {lowest} to {highest} {scope}")]
    OutOfRange {
        /// The quantity, such as `threads per block`.
        what: &'static str,
        /// What was asked for.
        value: u64,
        /// The smallest allowed value.
        lowest: u64,
        /// The largest allowed value.
        highest: u64,
        /// Where the range holds: `on <device>`, `for kernel ... on <device>`, or `of
        /// <count> elements`.
        scope: String,
    },
    /// A grid that the kernel's clusters do not divide.
    #[error(
        "blocks in {axis} is {value}, allowed are multiples of {multiple} for kernel `{kernel}`, whose clusters need them"
    )]
    NotAMultiple {
        /// `x`, `y` or `z`.
        axis: &'static str,
        /// Blocks asked for.
        value: u32,
        /// Blocks of a cluster along this axis.
        multiple: u32,
        /// The kernel's entry name.
        kernel: String,
    },
    /// A grid and a block whose threads cannot be counted.
    #[error(
        "a grid of {grid} blocks of {block} threads is too large, allowed are 1 to {} threads in all on {device}",
        u64::MAX
    )]
    TooManyThreads {
        /// Blocks along x, y, z.
        grid: String,
        /// Threads of a block along x, y, z.
        block: String,
        /// The device's name.
        device: String,
    },
    /// A cooperative launch was asked of a device that has none.
    #[error("{device} has no cooperative launches")]
    NoCooperativeLaunch {
        /// The device's name.
        device: String,
    },
    /// A condition that the kernel's author declared does not hold.
    #[error("kernel `{kernel}` refuses this launch: `{condition}` does not hold")]
    ContractBroken {
        /// The kernel's entry name.
        kernel: String,
        /// The condition, as its author wrote it.
        condition: &'static str,
    },
    /// A buffer of one device given to another.
    #[error(
        "argument `{argument}` of kernel `{kernel}` is a buffer of another device ({owner}), the kernel runs on {device}"
    )]
    ForeignBuffer {
        /// The kernel's entry name.
        kernel: String,
        /// The parameter's name.
        argument: String,
        /// The device that the buffer belongs to.
        owner: String,
        /// The device that was to run the kernel.
        device: String,
    },
    /// Events of two devices compared.
    #[error("the two events belong to different devices")]
    ForeignEvent,
    /// Raw arguments that do not fit the entry's parameters.
    #[error("kernel `{kernel}` takes {expected} parameters, {actual} were given")]
    ArgumentCount {
        /// The kernel's entry name.
        kernel: String,
        /// Parameters of the entry.
        expected: usize,
        /// Arguments given.
        actual: usize,
    },
    /// The module has no such kernel.
    #[error(
        "the module has no kernel `{kernel}`: build the artifact again, or load that of the crate which defines the kernel; quadscan's own kernels need its feature `scan`, `reduce`, `select` or `integrate`, and `kernels` is all four"
    )]
    UnknownKernel {
        /// The entry name that was looked for.
        kernel: String,
    },
    /// The kernels of an operator are without those that find where segments begin.
    #[error(
        "the crate `{origin}` has no kernels that find where segments begin: write `quadscan_kernels::segment_flags_kernels! {{}}` in it, once for all of its operators"
    )]
    NoSegmentFlags {
        /// The crate that has the operator's kernels.
        origin: String,
    },
    /// A kernel was first used while its thread records a graph, when no code can be
    /// loaded.
    #[error(
        "kernel `{kernel}` is in the part `{part}`, which is not loaded yet and cannot be while a graph is recorded; call `Module::prepare(&[\"{kernel}\"])` before"
    )]
    NotPrepared {
        /// The kernel's entry name.
        kernel: String,
        /// The part of the artifact that it is in.
        part: String,
    },
    /// The artifact's kernel and this program's launcher have different parameters.
    #[error(
        "kernel `{kernel}` of the artifact has the parameters ({found}), this program was built for ({expected}); build both from the same source"
    )]
    SignatureMismatch {
        /// The kernel's entry name.
        kernel: String,
        /// The launcher's parameters.
        expected: String,
        /// The artifact's parameters.
        found: String,
    },
    /// A safe launch from a module whose parameters are not known.
    #[error(
        "kernel `{kernel}` was loaded without a manifest, so its parameters cannot be checked; use `launch_unchecked`"
    )]
    NoManifest {
        /// The kernel's entry name.
        kernel: String,
    },
    /// A file of an artifact could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An artifact that is not what the builder wrote.
    #[error("the artifact's file {file} is corrupt: {reason}; build it again")]
    CorruptArtifact {
        /// The file, as far as it is known.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// No architecture of the artifact runs on the device.
    #[error("{device} has compute capability {capability}, the PTX needs {offered}")]
    NoArchitecture {
        /// The device's name.
        device: String,
        /// The device's compute capability, such as `9.0`.
        capability: String,
        /// The architectures that the artifact has.
        offered: String,
    },
    /// The driver does not understand the PTX version.
    #[error(
        "the driver is too old for the PTX: it supports CUDA {driver}, PTX {ptx} needs {needed}; update the driver"
    )]
    DriverTooOld {
        /// The driver's CUDA version.
        driver: String,
        /// The PTX version of the module.
        ptx: String,
        /// What the PTX needs, such as `CUDA 12.7 or newer`.
        needed: String,
    },
    /// The driver refused the PTX or the cubin.
    #[error("the driver cannot load {what}: {name} ({code}): {log}")]
    BadModule {
        /// What was loaded.
        what: String,
        /// The driver's raw code (`CUresult`).
        code: u32,
        /// The code's name.
        name: String,
        /// The compiler's error log on one line, or the driver's description.
        log: String,
    },
    /// The emulator does not run the PTX, or was given something else.
    #[error("the emulator cannot load {what}: {reason}")]
    UnsupportedModule {
        /// What was loaded.
        what: String,
        /// Line and column, the text that is refused, and why.
        reason: String,
    },
    /// A kernel that the emulator stopped: a fault, a deadlock, or a launch without end.
    #[error("the emulator stopped the kernel: {report}")]
    KernelStopped {
        /// The kernel, its source line, block and thread, on one line.
        report: String,
        /// The same in parts.
        #[cfg(feature = "emulator")]
        cause: Box<LaunchError>,
    },
    /// Something that the emulator cannot do.
    #[error("the emulator cannot {action}: {reason}")]
    Emulator {
        /// What was asked for, such as ``launch kernel `x` ``.
        action: String,
        /// Why.
        reason: String,
    },
    /// A time was asked of a device that has none.
    #[error("{device} has no timer: an emulated kernel takes no time that means anything")]
    NoTimer {
        /// The device's name.
        device: String,
    },
    /// Something that only a CUDA device has was asked of another.
    #[error("{device} is not a CUDA device")]
    NotCuda {
        /// The device's name.
        device: String,
    },
    /// A library that works on the device's stream failed
    /// ([`Device::with_cuda_stream`](crate::device::Device::with_cuda_stream)).
    #[error("the peer's {what} failed: {text} ({code})")]
    Peer {
        /// The operation's name, such as `inclusive_sum_i32`.
        what: String,
        /// The CUDA runtime's raw code (`cudaError_t`), or -1 for an unknown operation.
        code: i32,
        /// What the library says of it.
        text: String,
    },
    /// A second stream of work was asked of a device that has one.
    #[error("{device} has only one stream of work")]
    OneStream {
        /// The device's name.
        device: String,
    },
    /// A graph was asked of a device that has none.
    #[error("{device} has no graphs")]
    NoGraphs {
        /// The device's name.
        device: String,
    },
    /// Something was asked of a device while another thread records a graph of its work.
    #[error("{device} is being recorded into a graph by another thread")]
    Recording {
        /// The device's name.
        device: String,
    },
    /// A formula that cannot be understood.
    #[error("the formula, {0}")]
    Formula(#[from] FormulaError),
    /// An argument of the command line or of a function that cannot be carried out.
    #[error("{argument} {problem}")]
    Argument {
        /// The argument as it is typed, such as `--threads`, or its name.
        argument: String,
        /// What is wrong with its value, and the allowed range.
        problem: String,
    },
}

impl Error {
    /// [`Error::Argument`].
    pub(crate) fn argument(argument: &str, problem: impl Into<String>) -> Self {
        Self::Argument {
            argument: argument.to_owned(),
            problem: problem.into(),
        }
    }

    /// [`Error::UnknownKernel`].
    pub(crate) fn unknown_kernel(entry: &str) -> Self {
        Self::UnknownKernel {
            kernel: entry.to_owned(),
        }
    }

    /// [`Error::OutOfRange`] for a value outside of what is `allowed` in this scope.
    pub(crate) fn unless_within(
        what: &'static str,
        value: u64,
        allowed: RangeInclusive<u64>,
        scope: impl FnOnce() -> String,
    ) -> Result<()> {
        if allowed.contains(&value) {
            return Ok(());
        }
        Err(Self::OutOfRange {
            what,
            value,
            lowest: *allowed.start(),
            highest: *allowed.end(),
            scope: scope(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Error;

    #[test]
    fn a_program_without_kernels_says_how_to_have_them() {
        let said = Error::WithoutKernels.to_string();
        let expected = "this program was built without quadscan's own kernels: build it with \
                        quadscan's feature `kernels`, or give it an artifact";
        assert_eq!(said, expected);
    }
}
