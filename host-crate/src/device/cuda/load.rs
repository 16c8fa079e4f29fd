//! Loading PTX and machine code.

use std::ffi::{CString, c_void};
use std::ptr;

use cust::sys::CUjit_option::{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};

use super::driver;
use crate::device::{Image, ModuleHandle};
use crate::{Error, Result};

/// `CUDA_ERROR_INVALID_PTX`.
const INVALID_PTX: u32 = 218;

/// Loads code. The context is current.
pub(super) fn image(image: Image<'_>) -> Result<ModuleHandle> {
    match image {
        Image::Cubin(bytes) => load(bytes),
        Image::Ptx(text) => match CString::new(text) {
            Ok(text) => load(text.as_bytes_with_nul()),
            Err(_) => Err(refused(INVALID_PTX, "it contains a zero byte".to_owned())),
        },
    }
}

/// Loads PTX text (with its final zero byte) or a cubin, and keeps what the
/// driver's compiler says when it refuses.
fn load(image: &[u8]) -> Result<ModuleHandle> {
    let mut log = [0u8; 8192];
    let mut options = [
        CU_JIT_ERROR_LOG_BUFFER as u32,
        CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES as u32,
    ];
    let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), log.len() as *mut c_void];
    let mut module = ptr::null_mut();
    // SAFETY: the image is a living slice in a format that says its own length
    // or ends with a zero byte; there are two options, each with the kind of
    // value that the driver documents for it.
    let code = unsafe {
        driver::cuModuleLoadDataEx(
            &mut module,
            image.as_ptr().cast(),
            2,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    match code {
        0 => Ok(ModuleHandle(module as u64)),
        driver::OUT_OF_MEMORY => Err(driver::error("cuModuleLoadDataEx", code)),
        _ => {
            let log = one_line(&log).unwrap_or_else(|| driver::text(code));
            Err(refused(code, log))
        }
    }
}

fn refused(code: u32, log: String) -> Error {
    Error::BadModule {
        what: "the module".to_owned(),
        code,
        name: driver::name(code),
        log,
    }
}

/// The log up to its zero byte, its lines joined; `None` when it says nothing.
fn one_line(log: &[u8]) -> Option<String> {
    let text = log.split(|&byte| byte == 0).next().unwrap_or_default();
    let text = String::from_utf8_lossy(text);
    let lines: Vec<_> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    (!lines.is_empty()).then(|| lines.join("; "))
}
