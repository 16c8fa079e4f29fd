//! Which architecture this code is compiled for.
//!
//! What lives here: the architecture as a value, for `if`. For `#[cfg]`, rustc has a feature for
//! each architecture that the one compiled for includes: `#[cfg(target_feature = "sm_80")]`.

/// A compute capability that code can be compiled for; the order is age.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum ComputeCapability {
    Compute35,
    Compute37,
    Compute50,
    Compute52,
    Compute53,
    Compute60,
    Compute61,
    Compute62,
    Compute70,
    Compute72,
    Compute75,
    Compute80,
    Compute86,
    Compute87,
    Compute89,
    Compute90,
    Compute100,
    Compute101,
    Compute103,
    Compute120,
    Compute121,
}

impl ComputeCapability {
    /// The compute capability that this code is compiled for, a constant: of
    /// `if ComputeCapability::from_cuda_arch_env() >= ComputeCapability::Compute80 { .. }` only
    /// one branch is left. rust-cuda read it from an environment variable, hence the name.
    ///
    /// # Panics
    ///
    /// On the host.
    #[inline(always)]
    #[must_use]
    pub const fn from_cuda_arch_env() -> Self {
        #[cfg(not(target_os = "cuda"))]
        {
            panic!("`from_cuda_arch_env` is known on the GPU only: call it from a kernel")
        }
        #[cfg(target_os = "cuda")]
        {
            macro_rules! newest {
                ($($feature:literal $capability:ident)*) => {
                    $(if cfg!(target_feature = $feature) {
                        return Self::$capability;
                    })*
                };
            }
            newest! {
                "sm_120" Compute120
                "sm_101" Compute101
                "sm_100" Compute100
                "sm_90" Compute90
                "sm_89" Compute89
                "sm_87" Compute87
                "sm_86" Compute86
                "sm_80" Compute80
                "sm_75" Compute75
                "sm_72" Compute72
            }
            Self::Compute70
        }
    }
}
