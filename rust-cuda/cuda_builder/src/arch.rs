//! The architectures that PTX can be built for, and the PTX version each gets.
//!
//! The names are rust-cuda's. Which PTX version an architecture is emitted in
//! is decided here and nowhere else: the version decides which drivers accept
//! the text and which instructions inline assembly may use.

use std::fmt;
use std::str::FromStr;

use crate::CudaBuilderError;

macro_rules! architectures {
    ($($(#[$attribute:meta])* $variant:ident $target:literal $capability:expr;)*) => {
        /// A virtual GPU architecture, by its compute capability, which is
        /// also how they are ordered; of one capability, `sm_100f` comes after
        /// `sm_100` and before `sm_100a`.
        ///
        /// Capabilities below 7.0 are part of rust-cuda's interface and are
        /// named here, but rustc no longer generates code for them: a build
        /// for one is an [`CudaBuilderError::UnsupportedArch`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
        #[non_exhaustive]
        pub enum NvvmArch {
            $(#[doc = concat!("`", $target, "`")] $(#[$attribute])* $variant,)*
        }

        impl NvvmArch {
            /// Every architecture that has a name here, supported or not, in order.
            pub const ALL: &'static [NvvmArch] = &[$(NvvmArch::$variant,)*];

            /// The name that rustc, LLVM and `ptxas` use: `sm_90`.
            pub fn target(self) -> &'static str {
                match self {
                    $(NvvmArch::$variant => $target,)*
                }
            }

            /// Major and minor compute capability: `(9, 0)` for `sm_90` and `sm_90a`.
            pub fn compute_capability(self) -> (u32, u32) {
                match self {
                    $(NvvmArch::$variant => $capability,)*
                }
            }
        }
    };
}

architectures! {
    Compute35 "sm_35" (3, 5);
    Compute37 "sm_37" (3, 7);
    Compute50 "sm_50" (5, 0);
    Compute52 "sm_52" (5, 2);
    Compute53 "sm_53" (5, 3);
    Compute60 "sm_60" (6, 0);
    Compute61 "sm_61" (6, 1);
    Compute62 "sm_62" (6, 2);
    Compute70 "sm_70" (7, 0);
    Compute72 "sm_72" (7, 2);
    /// (Turing): the default.
    #[default]
    Compute75 "sm_75" (7, 5);
    Compute80 "sm_80" (8, 0);
    Compute86 "sm_86" (8, 6);
    Compute87 "sm_87" (8, 7);
    Compute89 "sm_89" (8, 9);
    Compute90 "sm_90" (9, 0);
    Compute90a "sm_90a" (9, 0);
    Compute100 "sm_100" (10, 0);
    Compute100f "sm_100f" (10, 0);
    Compute100a "sm_100a" (10, 0);
    Compute101 "sm_101" (10, 1);
    Compute101f "sm_101f" (10, 1);
    Compute101a "sm_101a" (10, 1);
    Compute103 "sm_103" (10, 3);
    Compute103f "sm_103f" (10, 3);
    Compute103a "sm_103a" (10, 3);
    Compute110 "sm_110" (11, 0);
    Compute110f "sm_110f" (11, 0);
    Compute110a "sm_110a" (11, 0);
    Compute120 "sm_120" (12, 0);
    Compute120f "sm_120f" (12, 0);
    Compute120a "sm_120a" (12, 0);
    Compute121 "sm_121" (12, 1);
    Compute121f "sm_121f" (12, 1);
    Compute121a "sm_121a" (12, 1);
}

impl NvvmArch {
    /// Whether rustc still generates code for this architecture (7.0 and newer).
    pub fn is_supported(self) -> bool {
        self.compute_capability() >= (7, 0)
    }

    /// The PTX version (major, minor) a module for this architecture is
    /// emitted in, unless [`CudaBuilder::ptx_version`](crate::CudaBuilder::ptx_version)
    /// names another: the oldest that has what cuda_std uses on that
    /// architecture, so that as many drivers as possible accept the module.
    ///
    /// | architectures | PTX | why | driver |
    /// | --- | --- | --- | --- |
    /// | 7.0 to 8.0 | 7.0 | the oldest that rustc supports | CUDA 11.0, 450 |
    /// | 8.6, 8.7, 8.9 | 7.1, 7.4, 7.8 | the first version that knows the architecture | CUDA 11.1 to 11.8 |
    /// | 9.0 | 8.0 | bulk copies and `mbarrier` transactions | CUDA 12.0, 525 |
    /// | 10.x, 12.x | 8.6 to 8.8 | the first version that knows the architecture | CUDA 12.7 to 12.9 |
    /// | 11.0 | 9.0 | the first version that knows the architecture | CUDA 13.0, 580 |
    pub fn ptx_version(self) -> (u32, u32) {
        match self.compute_capability() {
            (major, minor) if (major, minor) <= (8, 0) => (7, 0),
            (8, 6) => (7, 1),
            (8, 7) => (7, 4),
            (8, 9) => (7, 8),
            (9, _) => (8, 0),
            (11, _) => (9, 0),
            _ if self.is_family_variant() => (8, 8),
            (10, 0 | 1) => (8, 6),
            (12, 0) => (8, 7),
            _ => (8, 8),
        }
    }

    /// The capability in one number: 90 for `sm_90` and `sm_90a`.
    pub fn capability_value(self) -> u32 {
        let (major, minor) = self.compute_capability();
        10 * major + minor
    }

    /// The major compute capability.
    pub fn major_version(self) -> u32 {
        self.compute_capability().0
    }

    /// The minor compute capability.
    pub fn minor_version(self) -> u32 {
        self.compute_capability().1
    }

    /// The name in `cfg(target_feature = "..")`: `compute_90a` for `sm_90a`.
    pub fn target_feature(self) -> String {
        self.target().replacen("sm", "compute", 1)
    }

    /// Every `compute_..` that is true in code for this architecture: it and all older ones
    /// without a suffix; for one with a suffix also those with an `f` of its family that are not
    /// newer. One with an `a` is true for itself alone.
    pub fn all_target_features(self) -> Vec<String> {
        let includes = |other: &&NvvmArch| {
            let is_older = other.capability_value() <= self.capability_value();
            let is_of_family = other.major_version() == self.major_version();
            **other == self
                || is_older && other.is_base_variant()
                || is_older && is_of_family && other.is_family_variant() && !self.is_base_variant()
        };
        let included = Self::ALL.iter().filter(includes);
        included.map(|arch| arch.target_feature()).collect()
    }

    /// The architectures of no greater capability, with and without suffixes.
    pub fn iter_up_to(self) -> impl Iterator<Item = Self> {
        let all = Self::ALL.iter().copied();
        all.filter(move |arch| arch.capability_value() <= self.capability_value())
    }

    /// Whether its code runs on every newer GPU: no suffix.
    pub fn is_base_variant(self) -> bool {
        !self.is_family_variant() && !self.is_architecture_variant()
    }

    /// Whether its code runs on newer GPUs of its family alone: the suffix `f`.
    pub fn is_family_variant(self) -> bool {
        self.target().ends_with('f')
    }

    /// Whether its code runs on GPUs of this capability alone: the suffix `a`.
    pub fn is_architecture_variant(self) -> bool {
        self.target().ends_with('a')
    }

    /// The one of the same capability without a suffix.
    pub fn base_architecture(self) -> Self {
        let mut variants = self.get_variants().into_iter();
        variants.find(|arch| arch.is_base_variant()).unwrap_or(self)
    }

    /// All of the same capability.
    pub fn get_variants(self) -> Vec<Self> {
        Self::variants_for_capability(self.capability_value())
    }

    /// All of a capability: `sm_90` and `sm_90a` for 90.
    pub fn variants_for_capability(capability: u32) -> Vec<Self> {
        let all = Self::ALL.iter().copied();
        all.filter(|arch| arch.capability_value() == capability)
            .collect()
    }

    /// Refuses what rustc cannot generate code for.
    #[cfg(feature = "build")]
    pub(crate) fn check(self) -> Result<(), CudaBuilderError> {
        if self.is_supported() {
            return Ok(());
        }
        Err(CudaBuilderError::UnsupportedArch(self.target()))
    }
}

impl fmt::Display for NvvmArch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.target())
    }
}

impl FromStr for NvvmArch {
    type Err = CudaBuilderError;

    /// Reads `sm_90`, `compute_90` or `90`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = text
            .strip_prefix("sm_")
            .or_else(|| text.strip_prefix("compute_"))
            .unwrap_or(text);
        Self::ALL
            .iter()
            .copied()
            .find(|arch| arch.target().strip_prefix("sm_") == Some(number))
            .ok_or_else(|| CudaBuilderError::UnknownArch(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::NvvmArch;

    /// The lists of rust-cuda's guide, "Compute capability gating".
    #[test]
    fn a_target_feature_is_true_for_its_architecture_and_what_that_includes() {
        let features = |arch: NvvmArch| arch.all_target_features().join(" ");
        let base = "compute_35 compute_37 compute_50 compute_52 compute_53 compute_60 compute_61 \
                    compute_62 compute_70 compute_72 compute_75 compute_80 compute_86 compute_87 \
                    compute_89 compute_90";
        assert_eq!(features(NvvmArch::Compute90), base);
        assert_eq!(
            features(NvvmArch::Compute90a),
            format!("{base} compute_90a")
        );
        let ten = format!("{base} compute_100");
        assert_eq!(features(NvvmArch::Compute100), ten);
        assert_eq!(
            features(NvvmArch::Compute100f),
            format!("{ten} compute_100f")
        );
        assert_eq!(
            features(NvvmArch::Compute103a),
            format!(
                "{ten} compute_100f compute_101 compute_101f compute_103 compute_103f compute_103a"
            )
        );
        assert!(!features(NvvmArch::Compute120a).contains("compute_100f"));
    }

    #[test]
    fn variants_are_told_by_their_suffix() {
        use NvvmArch::{Compute90, Compute90a, Compute100, Compute100a, Compute100f};
        assert_eq!(Compute90a.get_variants(), [Compute90, Compute90a]);
        assert_eq!(Compute100a.base_architecture(), Compute100);
        assert_eq!(
            NvvmArch::variants_for_capability(100),
            [Compute100, Compute100f, Compute100a]
        );
        assert!(Compute100f.is_family_variant() && !Compute100f.is_base_variant());
        assert!(Compute90a.is_architecture_variant() && Compute90.is_base_variant());
        assert_eq!(Compute90.iter_up_to().last(), Some(Compute90a));
        assert_eq!(
            (Compute90.major_version(), Compute90.minor_version()),
            (9, 0)
        );
    }

    #[test]
    fn architectures_are_ordered_by_capability_and_then_by_suffix() {
        assert!(NvvmArch::Compute90 > NvvmArch::Compute75);
        assert!(NvvmArch::Compute75 > NvvmArch::Compute72);
        let rank = |arch: &NvvmArch| {
            let suffix = arch.target().chars().last().filter(|c| c.is_alphabetic());
            let suffix = [None, Some('f'), Some('a')]
                .iter()
                .position(|s| *s == suffix);
            (arch.compute_capability(), suffix.unwrap())
        };
        for pair in NvvmArch::ALL.windows(2) {
            assert!(
                pair[0] < pair[1] && rank(&pair[0]) < rank(&pair[1]),
                "{pair:?}"
            );
        }
        assert_eq!(NvvmArch::default(), NvvmArch::Compute75);
    }
}
