//! Arrays as other packages know them: DLPack's structs, read and made, and results on a device
//! that other packages take over.
//!
//! Source: dlpack.h 0.8, without versions; the Python array API, 2022.12, `__dlpack__`;
//! the CUDA array interface, version 3.

use std::ffi::{CStr, c_void};
use std::ptr::{self, NonNull};
use std::sync::Arc;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use pyo3::{ffi, intern};
use quadscan::device::{Buffer, Device};

use crate::context::Kept;
use crate::error::raised;

/// A CUDA device of DLPack.
const CUDA: i32 = 2;

/// What a capsule is called until somebody takes its tensor over.
const NAME: &CStr = c"dltensor";

#[repr(C)]
struct Tensor {
    data: *mut c_void,
    device_type: i32,
    device: i32,
    dimensions: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *mut i64,
    strides: *mut i64,
    offset: u64,
}

#[repr(C)]
struct Managed {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

/// Letters of elements' types, by DLPack's codes.
const KINDS: [(u8, &str); 5] = [(0, "i"), (1, "u"), (2, "f"), (4, "bf"), (6, "bool")];

/// What is in a capsule: address, shape, strides in elements (None: in C order), type,
/// (type, number) of the device. The capsule owns it still.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "it is a tuple in Python")]
pub(crate) fn dlpack(
    capsule: &Bound<'_, PyCapsule>,
) -> PyResult<(u64, Vec<i64>, Option<Vec<i64>>, String, (i32, i32))> {
    let managed = capsule.pointer_checked(Some(NAME))?.cast::<Managed>();
    // SAFETY: a capsule of this name holds a managed tensor, which lives as long as it does.
    let tensor = unsafe { &managed.as_ref().tensor };
    let numbers = |from: *mut i64| match tensor.dimensions {
        0 => Vec::new(),
        // SAFETY: there are as many as dimensions.
        many => unsafe { std::slice::from_raw_parts(from, many as usize) }.to_vec(),
    };
    let kind = KINDS.iter().find(|(code, _)| *code == tensor.code);
    let (1, Some((code, kind))) = (tensor.lanes, kind) else {
        let said = "elements of this DLPack type are not known: allowed are numbers and booleans";
        return Err(PyTypeError::new_err(said));
    };
    let element = match code {
        6 => (*kind).to_owned(),
        _ => format!("{kind}{}", tensor.bits),
    };
    let strides = (!tensor.strides.is_null()).then(|| numbers(tensor.strides));
    let address = tensor.data as u64 + tensor.offset;
    let device = (tensor.device_type, tensor.device);
    Ok((address, numbers(tensor.shape), strides, element, device))
}

/// Elements on a CUDA device, which other packages take over without a copy: by `__dlpack__`
/// or `__cuda_array_interface__`.
#[pyclass(frozen, module = "quadscan")]
pub(crate) struct DeviceArray {
    device: Device,
    memory: Arc<Memory>,
    shape: Vec<i64>,
    /// Such as `f32`.
    element: String,
}

/// Memory that is given back in the context of whoever drops it.
struct Memory {
    buffer: Buffer<u8>,
    /// Dropped after the buffer.
    kept: Option<Kept>,
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.kept = Some(Kept::new());
    }
}

/// What a capsule owns beside the tensor.
struct Owned {
    _memory: Arc<Memory>,
    shape: Vec<i64>,
}

impl DeviceArray {
    /// Memory for an array of this shape, in C order, of elements of so many bytes.
    pub(crate) fn new(
        device: &Device,
        shape: Vec<i64>,
        element: String,
        size: usize,
    ) -> PyResult<Self> {
        let elements = shape
            .iter()
            .try_fold(size, |all, &n| all.checked_mul(usize::try_from(n).ok()?));
        let bytes = elements.ok_or_else(|| PyValueError::new_err("shape has too many elements"))?;
        Ok(Self {
            device: device.clone(),
            memory: Arc::new(Memory {
                buffer: device.alloc(bytes).map_err(raised)?,
                kept: None,
            }),
            shape,
            element,
        })
    }

    /// DLPack's code, and the bits of an element.
    fn code(&self) -> (u8, u8) {
        let digits = self.element.trim_start_matches(char::is_alphabetic);
        let kind = self.element.strip_suffix(digits).unwrap_or_default();
        let code = KINDS.iter().find(|(_, name)| *name == kind);
        (
            code.map_or(0, |(code, _)| *code),
            digits.parse().unwrap_or(8),
        )
    }
}

#[pymethods]
impl DeviceArray {
    /// The address of the first element.
    #[getter]
    fn address(&self) -> u64 {
        self.memory.buffer.address()
    }

    /// Elements along each axis.
    #[getter]
    fn shape(&self) -> Vec<i64> {
        self.shape.clone()
    }

    /// DLPack's type of the device, and its number.
    fn __dlpack_device__(&self) -> (i32, i32) {
        (CUDA, self.device.properties().ordinal as i32)
    }

    /// A capsule, for a consumer that works on `stream`: None or 1 is the default one, -1 that
    /// nothing waits.
    #[pyo3(signature = (*, stream=None, **_options))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<i64>,
        _options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _kept = Kept::new();
        if stream != Some(-1) {
            let stream = stream.unwrap_or(1) as usize as *mut c_void;
            // SAFETY: the protocol's: a stream of the consumer on this device.
            unsafe { self.device.lead(stream) }.map_err(raised)?;
        }
        let mut owned = Box::new(Owned {
            _memory: self.memory.clone(),
            shape: self.shape.clone(),
        });
        let (code, bits) = self.code();
        let tensor = Tensor {
            data: self.memory.buffer.address() as *mut c_void,
            device_type: CUDA,
            device: self.device.properties().ordinal as i32,
            dimensions: self.shape.len() as i32,
            code,
            bits,
            lanes: 1,
            shape: owned.shape.as_mut_ptr(),
            strides: ptr::null_mut(),
            offset: 0,
        };
        let managed = Box::new(Managed {
            tensor,
            context: Box::into_raw(owned).cast(),
            deleter: Some(delete),
        });
        let pointer = NonNull::from(Box::leak(managed)).cast();
        // SAFETY: the pointer is a managed tensor, as the name says, which the destructor frees
        // where nobody took it over.
        unsafe { PyCapsule::new_with_pointer_and_destructor(py, pointer, NAME, Some(destroy)) }
    }

    /// The array's description for Numba and others.
    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (code, bits) = self.code();
        let kind = match code {
            0 => "i",
            1 => "u",
            2 => "f",
            _ => {
                return Err(PyTypeError::new_err(
                    "bf16 has no array interface: use __dlpack__",
                ));
            }
        };
        let _kept = Kept::new();
        let stream = self.device.with_cuda_stream(|stream| Ok(stream as u64));
        let described = PyDict::new(py);
        described.set_item(
            intern!(py, "shape"),
            pyo3::types::PyTuple::new(py, &self.shape)?,
        )?;
        described.set_item(intern!(py, "typestr"), format!("<{kind}{}", bits / 8))?;
        described.set_item(intern!(py, "data"), (self.memory.buffer.address(), false))?;
        described.set_item(intern!(py, "version"), 3)?;
        described.set_item(intern!(py, "stream"), stream.map_err(raised)?)?;
        Ok(described)
    }
}

/// Frees a tensor that [`DeviceArray`] made.
unsafe extern "C" fn delete(managed: *mut Managed) {
    // SAFETY: both boxes were made there, and nobody uses the tensor any more.
    unsafe {
        let managed = Box::from_raw(managed);
        drop(Box::from_raw(managed.context.cast::<Owned>()));
    }
}

/// Frees the tensor of a capsule, unless somebody took it over and renamed the capsule.
unsafe extern "C" fn destroy(capsule: *mut ffi::PyObject) {
    // SAFETY: Python calls this with the capsule, whose pointer is a managed tensor's.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, NAME.as_ptr()) == 1 {
            delete(ffi::PyCapsule_GetPointer(capsule, NAME.as_ptr()).cast());
        }
    }
}
