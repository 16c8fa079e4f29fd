//! Which architecture this code is compiled for.
//!
//! What lives here: the architecture as a value, for `if`. For `#[cfg]`, rustc has a feature for
//! each architecture that the one compiled for includes, `#[cfg(target_feature = "sm_80")]`, and
//! `cuda_builder` sets rust-cuda's names for them: `compute_80`, `compute_90a`, `compute_100f`.

macro_rules! capabilities {
    ($($name:ident = $number:literal,)*) => {
        /// A compute capability that code can be compiled for; the order is age. As a number,
        /// `Compute90 as u32` is 90.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        #[allow(missing_docs)]
        pub enum ComputeCapability {
            $($name = $number,)*
        }

        impl ComputeCapability {
            const fn from_number(number: u32) -> Option<Self> {
                match number {
                    $($number => Some(Self::$name),)*
                    _ => None,
                }
            }
        }
    };
}

capabilities! {
    Compute35 = 35,
    Compute37 = 37,
    Compute50 = 50,
    Compute52 = 52,
    Compute53 = 53,
    Compute60 = 60,
    Compute61 = 61,
    Compute62 = 62,
    Compute70 = 70,
    Compute72 = 72,
    Compute75 = 75,
    Compute80 = 80,
    Compute86 = 86,
    Compute87 = 87,
    Compute89 = 89,
    Compute90 = 90,
    Compute100 = 100,
    Compute101 = 101,
    Compute103 = 103,
    Compute110 = 110,
    Compute120 = 120,
    Compute121 = 121,
}

impl ComputeCapability {
    /// The compute capability that this code is compiled for, a constant: of
    /// `if ComputeCapability::from_cuda_arch_env() >= ComputeCapability::Compute80 { .. }` only
    /// one branch is left. It is read when this crate is compiled, from the environment variable
    /// `CUDA_ARCH` that `cuda_builder` sets: rustc has no name of its own for the newest ones.
    ///
    /// # Panics
    ///
    /// On the host; on the device, when it is compiled without a `CUDA_ARCH` that has a name here.
    #[inline(always)]
    #[must_use]
    pub const fn from_cuda_arch_env() -> Self {
        #[cfg(not(target_os = "cuda"))]
        {
            panic!("`from_cuda_arch_env` is known on the GPU only: call it from a kernel")
        }
        #[cfg(target_os = "cuda")]
        {
            match option_env!("CUDA_ARCH") {
                Some(text) => match Self::parse(text) {
                    Some(capability) => capability,
                    None => panic!("CUDA_ARCH is not an architecture of `ComputeCapability`"),
                },
                None => panic!("CUDA_ARCH is not set: build kernels with `cuda_builder`"),
            }
        }
    }

    /// `900` is 9.0, and `1030` is 10.3.
    #[cfg_attr(
        not(any(target_os = "cuda", test)),
        expect(dead_code, reason = "the host's is unknown")
    )]
    const fn parse(text: &str) -> Option<Self> {
        match u32::from_str_radix(text, 10) {
            Ok(number) if number.is_multiple_of(10) => Self::from_number(number / 10),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ComputeCapability;
    use alloc::format;
    use cuda_builder::NvvmArch;

    #[test]
    fn every_architecture_of_the_builder_has_a_name() {
        for arch in NvvmArch::ALL {
            let (major, minor) = arch.compute_capability();
            let parsed = ComputeCapability::parse(&format!("{major}{minor}0"));
            assert_eq!(
                parsed.map(|capability| capability as u32),
                Some(10 * major + minor),
                "{arch}"
            );
            assert_eq!(
                parsed.map(|capability| format!("{capability:?}")),
                Some(format!("Compute{major}{minor}")),
                "{arch}"
            );
        }
    }

    #[test]
    fn another_text_is_no_architecture() {
        for text in ["", "90", "905", "sm_90", "9000"] {
            assert_eq!(ComputeCapability::parse(text), None, "{text}");
        }
    }
}
