//! From files to the modelled GPU before a launch, and back after it.

use std::path::PathBuf;

use ptx_emulator::Gpu;

use crate::Refused;
use crate::argument::{Argument, Contents, Value};
use crate::array::{self, Array, Written};
use crate::element::Element;

/// An argument whose file has been read.
pub(crate) struct Loaded {
    /// The argument as on the command line, for messages.
    label: String,
    start: Start,
    to: Option<Destination>,
}

enum Start {
    /// The parameter itself.
    Parameter(Vec<u8>),
    /// An array with these bytes.
    Filled(Vec<u8>),
    /// An array of this many bytes, all zero.
    Zeros(usize),
    /// An array of this many bytes that nobody has written.
    Unwritten(usize),
}

#[derive(Clone)]
struct Destination {
    /// As on the command line.
    file: PathBuf,
    element: Element,
    shape: Vec<u64>,
}

/// A file that will be written.
pub(crate) struct Output<'a> {
    label: &'a str,
    destination: &'a Destination,
    /// The file itself: no links, and the same for all its spellings.
    target: PathBuf,
    /// Of the parameter that holds the address.
    index: usize,
    bytes: usize,
    written: Written,
}

fn refuse(label: &str, why: impl std::fmt::Display) -> Refused {
    Refused(format!("{label}: {why}"))
}

/// Reads the file of an argument.
pub(crate) fn load(argument: Argument) -> Result<Loaded, Refused> {
    let label = argument.text;
    let (element, from, to) = match argument.value {
        Value::Array { element, from, to } => (element, from, to),
        Value::Bytes(bytes) => {
            return Ok(Loaded {
                label,
                start: Start::Parameter(bytes),
                to: None,
            });
        }
    };
    let (start, shape) = match from {
        Contents::File(file) => {
            let array = array::read(&file, element).map_err(|why| refuse(&label, why))?;
            (Start::Filled(array.bytes), array.shape)
        }
        Contents::Zeros(count) => (Start::Zeros(count * element.bytes), vec![count as u64]),
        Contents::Unwritten(count) => (Start::Unwritten(count * element.bytes), vec![count as u64]),
    };
    let to = to.map(|file| Destination {
        file,
        element,
        shape,
    });
    Ok(Loaded { label, start, to })
}

/// The files that will be written; each is known to be writable from here on.
pub(crate) fn outputs(arguments: &[Loaded]) -> Result<Vec<Output<'_>>, Refused> {
    let mut outputs: Vec<Output<'_>> = Vec::new();
    for (index, loaded) in arguments.iter().enumerate() {
        let label = loaded.label.as_str();
        let (Some(destination), Some(bytes)) = (&loaded.to, loaded.start.array_bytes()) else {
            continue;
        };
        let target = array::target(&destination.file).map_err(|why| refuse(label, why))?;
        let same = |output: &&Output<'_>| output.target == target;
        if let Some(other) = outputs.iter().find(same) {
            return Err(refuse(
                label,
                format!("{} goes to the same file", other.label),
            ));
        }
        let written =
            array::reserve(&destination.file, &target).map_err(|why| refuse(label, why))?;
        outputs.push(Output {
            label,
            destination,
            target,
            index,
            bytes,
            written,
        });
    }
    Ok(outputs)
}

impl Start {
    fn array_bytes(&self) -> Option<usize> {
        match self {
            Start::Parameter(_) => None,
            Start::Filled(bytes) => Some(bytes.len()),
            Start::Zeros(bytes) | Start::Unwritten(bytes) => Some(*bytes),
        }
    }
}

/// Allocates and fills the arrays; the bytes of all parameters.
pub(crate) fn place(gpu: &mut Gpu, arguments: &[Loaded]) -> Result<Vec<Vec<u8>>, Refused> {
    arguments
        .iter()
        .zip(1..)
        .map(|(loaded, number)| {
            let label = &loaded.label;
            match &loaded.start {
                Start::Parameter(bytes) => Ok(bytes.clone()),
                array => {
                    let address = fill(gpu, array, number).map_err(|why| refuse(label, why))?;
                    Ok(address.to_le_bytes().to_vec())
                }
            }
        })
        .collect()
}

/// A report calls the array by its argument's number: `arg3[17]`.
fn fill(gpu: &mut Gpu, array: &Start, number: u32) -> Result<u64, ptx_emulator::MemoryError> {
    let address = gpu.alloc_named(array.array_bytes().unwrap_or(0), &format!("arg{number}"))?;
    match array {
        Start::Filled(bytes) => gpu.copy_in(address, bytes)?,
        // New memory is zero; the copy is what makes it count as written.
        Start::Zeros(bytes) => {
            let zeros = [0; 1 << 16];
            for at in (0..*bytes).step_by(zeros.len()) {
                let part = zeros.len().min(bytes - at);
                gpu.copy_in(address + at as u64, &zeros[..part])?;
            }
        }
        Start::Parameter(_) | Start::Unwritten(_) => {}
    }
    Ok(address)
}

/// Writes all files, and gives them their names when all are written.
pub(crate) fn save(
    gpu: &Gpu,
    parameters: &[Vec<u8>],
    mut outputs: Vec<Output<'_>>,
) -> Result<(), Refused> {
    for output in &mut outputs {
        let refuse = |why: String| refuse(output.label, why);
        let address = parameters
            .get(output.index)
            .and_then(|bytes| Some(u64::from_le_bytes(bytes.as_slice().try_into().ok()?)))
            .unwrap_or(0);
        let mut bytes = Vec::new();
        bytes
            .try_reserve_exact(output.bytes)
            .map_err(|_| refuse(format!("no memory for {} bytes", output.bytes)))?;
        bytes.resize(output.bytes, 0);
        gpu.copy_out(address, &mut bytes)
            .map_err(|error| refuse(error.to_string()))?;
        let Destination {
            file,
            element,
            shape,
        } = output.destination;
        let array = Array {
            bytes,
            shape: shape.clone(),
        };
        output
            .written
            .fill(file, &array, *element)
            .map_err(refuse)?;
    }
    for output in outputs {
        let kept = output.written.keep(&output.target);
        kept.map_err(|why| refuse(output.label, why))?;
    }
    Ok(())
}
