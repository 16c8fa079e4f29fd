//! After which errors a device is beyond use.
//!
//! Source: CUDA driver API, `CUresult`: which errors leave the context in an inconsistent state.

use super::Error;

impl Error {
    /// True when the device is beyond use: every later call on it fails in the
    /// same way. Of a CUDA device all of this process's contexts are, and only a
    /// new process can go on; beside an emulated one another can be opened.
    pub fn is_context_lost(&self) -> bool {
        match self {
            Error::Driver { code, .. } | Error::BadModule { code, .. } => {
                Self::loses_context(*code)
            }
            // The runtime's codes of lost contexts are the driver's.
            Error::Peer { code, .. } => u32::try_from(*code).is_ok_and(Self::loses_context),
            Error::KernelStopped { .. } => true,
            _ => false,
        }
    }

    /// Whether the driver's documentation calls a code (`CUresult`) an inconsistent-state error
    /// ("the context is left in an inconsistent state and any further CUDA work will return the
    /// same error").
    pub fn loses_context(code: u32) -> bool {
        const ECC_UNCORRECTABLE: u32 = 214;
        const NVLINK_UNCORRECTABLE: u32 = 220;
        const CONTAINED: u32 = 226;
        const ILLEGAL_ADDRESS: u32 = 700;
        const LAUNCH_TIMEOUT: u32 = 702;
        const CONTEXT_IS_DESTROYED: u32 = 709;
        const ASSERT: u32 = 710;
        const HARDWARE_STACK_ERROR: u32 = 714;
        const LAUNCH_FAILED: u32 = 719;
        const TENSOR_MEMORY_LEAK: u32 = 721;
        const EXTERNAL_DEVICE: u32 = 911;
        matches!(
            code,
            ECC_UNCORRECTABLE
                | NVLINK_UNCORRECTABLE
                | CONTAINED
                | ILLEGAL_ADDRESS
                | LAUNCH_TIMEOUT
                | CONTEXT_IS_DESTROYED
                | ASSERT
                | HARDWARE_STACK_ERROR
                ..=LAUNCH_FAILED | TENSOR_MEMORY_LEAK | EXTERNAL_DEVICE
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn driver(code: u32) -> Error {
        Error::Driver {
            call: "cuStreamSynchronize",
            code,
            name: "NAME".into(),
            text: "text".into(),
        }
    }

    #[test]
    fn a_fault_of_a_kernel_loses_the_context() {
        for code in [700, 702, 710, 714, 715, 716, 717, 718, 719] {
            assert!(driver(code).is_context_lost(), "{code}");
        }
    }

    #[test]
    fn a_refused_request_keeps_the_context() {
        for code in [1, 2, 3, 100, 218, 222, 500, 701, 720, 999] {
            assert!(!driver(code).is_context_lost(), "{code}");
        }
    }
}
