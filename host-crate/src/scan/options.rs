//! What a program may ask of a plan: the algorithm, which bits repeat, how many blocks.

use quadscan_kernels::scan::{Algorithm, ScanKernels};

/// Between which runs the bits of float results are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reproducibility {
    /// Runs on one GPU, wherever the elements are. Costs nothing: it is how the kernels
    /// work.
    #[default]
    RunToRun,
    /// Runs on all GPUs, of whatever compute capability.
    ///
    /// What it costs: arrays of middling size, between one block's and some megabytes,
    /// are not scanned in one wave, since how many tiles are resident at once depends on
    /// the GPU, but by [`Algorithm::LookAhead`] or, where there is none, by
    /// [`Algorithm::DecoupledLookbackFixed`].
    AcrossGpus,
}

/// What is asked of a plan beside its operator and its capacity.
///
/// ```
/// use quadscan::scan::{Algorithm, Options, Reproducibility};
///
/// let options = Options {
///     reproducibility: Reproducibility::AcrossGpus,
///     ..Options::default()
/// };
/// assert_eq!(options.algorithm, None);
/// let published = Options {
///     algorithm: "decoupled_lookback".parse().ok(),
///     ..Options::default()
/// };
/// assert_eq!(published.algorithm, Some(Algorithm::DecoupledLookback));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// The algorithm; without one it is chosen anew for each scan, by the number of its
    /// elements, of those of which [`Algorithm::is_chosen`]. The others are what is
    /// published on scans; they have kernels for a few operators
    /// ([`quadscan_kernels::scan::textbook`]).
    pub algorithm: Option<Algorithm>,
    /// Between which runs float results have the same bits.
    pub reproducibility: Reproducibility,
    /// The most blocks that a launch has, at least 1; without a bound, as many as the
    /// device holds at once. Leaves a part of the device to others. Under
    /// [`Reproducibility::RunToRun`] two bounds may give different bits. It bounds launches
    /// of which [`Algorithm::is_resident`]; the others have a block for every tile, which
    /// the device holds for a while.
    pub max_blocks: Option<u32>,
}

impl Options {
    /// Whether a plan with these options may scan by an algorithm.
    pub(super) fn allow(&self, algorithm: Algorithm) -> bool {
        self.algorithm
            .map_or(algorithm.is_chosen(), |asked| asked == algorithm)
    }

    /// Words of 8 bytes that the scratch memory of a plan with these options has, for up to
    /// `capacity` elements: known before there is a plan or a device.
    pub fn scratch_len<O: ScanKernels>(&self, capacity: u64) -> u64 {
        let allowed = O::KERNELS.iter().filter(|k| self.allow(k.algorithm));
        let words = allowed.map(|k| k.scratch_words(capacity));
        words.max().unwrap_or(0)
    }
}
