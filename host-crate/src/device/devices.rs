//! Several devices of one machine, which share the work of one process.

use std::ops::Deref;

use super::gate::in_order;
use super::{Artifact, Device, Module};
use crate::{Error, Result};

/// The most devices that share work.
const MOST: usize = quadscan_kernels::scan::scratch::MAX_DEVICES;

/// Devices that share work, up to 8: GPUs, or emulated ones.
///
/// ```
/// use quadscan::device::{Devices, Layout, Partition};
///
/// # fn main() -> quadscan::Result<()> {
/// let devices = Devices::emulated(3, None)?;
/// // 100 elements, of which neighbouring tens stay together.
/// let partition = Partition::new(100, 10, devices.len(), Layout::Dealt)?;
/// let numbers: Vec<u32> = (0..100).collect();
/// let buffer = devices.upload(&partition, &numbers)?;
/// assert_eq!(buffer.shards()[1].to_vec()?[..11], [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 40]);
/// assert_eq!(buffer.to_vec()?, numbers);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Devices(Vec<Device>);

impl Devices {
    /// All CUDA devices of the machine, the first 8 where there are more.
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] with the reason where there is none; the driver's.
    pub fn all() -> Result<Self> {
        let count = super::cuda::count()?.min(MOST as u32);
        Self::cuda(&(0..count).collect::<Vec<_>>())
    }

    /// How many CUDA devices this process sees: those of the machine, or those that
    /// `CUDA_VISIBLE_DEVICES` names.
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] with the reason where there is none; the driver's.
    pub fn visible() -> Result<u32> {
        super::cuda::count()
    }

    /// The CUDA devices of these numbers.
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] with the reason where one is not there; those of [`Devices::new`].
    pub fn cuda(ordinals: &[u32]) -> Result<Self> {
        let devices = ordinals
            .iter()
            .map(|&number| Device::open_cuda(Some(number)));
        Self::new(devices.collect::<Result<_>>()?)
    }

    /// `count` emulated devices, each with modules and work of its own, which reach the memory of
    /// each other; `schedule` is the seed of a random interleaving of their warps and blocks.
    ///
    /// # Errors
    ///
    /// Those of [`Devices::new`]; [`Error::NoDevice`] where quadscan was built without its feature
    /// `emulator`.
    pub fn emulated(count: usize, schedule: Option<u64>) -> Result<Self> {
        within(count)?;
        Self::new(open_emulators(count, schedule)?)
    }

    /// Devices in this order.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] for none and for more than 8, [`Error::Argument`] where one occurs
    /// twice, also where one GPU was opened twice: it would wait for itself.
    pub fn new(devices: Vec<Device>) -> Result<Self> {
        within(devices.len())?;
        let mut pairs = (1..devices.len()).map(|i| (&devices[i], &devices[..i]));
        let is_one = |one: &Device, other: &Device| {
            let place = one.pci_bus_id();
            one == other || place.is_some() && place == other.pci_bus_id()
        };
        let is_among = |device, before: &[Device]| before.iter().any(|one| is_one(one, device));
        if let Some((twice, _)) = pairs.find(|(device, before)| is_among(device, before)) {
            let problem = format!("has {} twice, allowed is each device once", twice.label());
            return Err(Error::argument("devices", problem));
        }
        Ok(Self(devices))
    }

    /// The module of an artifact on each of them.
    ///
    /// # Errors
    ///
    /// As [`Device::load`].
    pub fn load(&self, artifact: &Artifact) -> Result<Vec<Module>> {
        self.iter().map(|device| device.load(artifact)).collect()
    }

    /// Err unless these are modules of one artifact, one on each device, in the order of the devices.
    /// Those of other architectures cannot be compared.
    pub(crate) fn expect_modules(&self, modules: &[Module]) -> Result<()> {
        if !self.iter().eq(modules.iter().map(Module::device)) {
            let problem = format!("are not of the {} devices, in their order", self.len());
            return Err(Error::argument("modules", problem));
        }
        let differ = |a: &Module, b: &Module| match (a.manifest(), b.manifest()) {
            (Some(a), Some(b)) => a.arch == b.arch && a != b,
            (a, b) => a.is_some() != b.is_some(),
        };
        let mut pairs = (1..modules.len()).map(|i| (&modules[i], &modules[..i]));
        match pairs.any(|(module, before)| before.iter().any(|one| differ(one, module))) {
            true => Err(Error::argument(
                "modules",
                "are of several artifacts, allowed is one",
            )),
            false => Ok(()),
        }
    }

    /// Err while one of them is recorded into a graph.
    pub(crate) fn expect_no_recording(&self, what: &str) -> Result<()> {
        self.iter()
            .try_for_each(|device| device.expect_no_recording(what))
    }

    /// Lets kernels of each device access the memory of all others, by NVLink or PCI Express; false
    /// where two of them cannot.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn reach_each_other(&self) -> Result<bool> {
        for device in self.iter() {
            for other in self.iter() {
                let (own, others) = (device.backend().family(), other.backend().family());
                let reaches = match (own, others) {
                    (None, None) if device.properties().kind == other.properties().kind => {
                        device.backend().reach(other.properties().ordinal)?
                    }
                    _ => own.is_some() && own == others,
                };
                if !reaches {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Makes the work that each device is given from now on wait for what all others were given so
    /// far. Does not wait itself.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn join(&self) -> Result<()> {
        let _in_order = in_order();
        let (first, others) = (&self[0], &self[1..]);
        // Emulated devices have done what they were given.
        if first.backend().family().is_some() {
            return Ok(());
        }
        // The first one waits for all others, then these for it.
        let (to, from) = (others.iter().map(|other| (other, first)), others.iter());
        to.chain(from.map(|other| (first, other)))
            .try_for_each(|(before, then)| {
                then.with_cuda_stream(|then| {
                    before.with_cuda_stream(|own| {
                        // SAFETY: both are streams of open devices, the first one's of `before`.
                        unsafe { before.backend().order_streams(own, then) }
                    })
                })
            })
    }

    /// Waits until all work given to them is done.
    ///
    /// # Errors
    ///
    /// As [`Device::synchronize`].
    pub fn synchronize(&self) -> Result<()> {
        self.iter().try_for_each(Device::synchronize)
    }
}

/// Emulated devices that reach each other's memory.
#[cfg(feature = "emulator")]
fn open_emulators(count: usize, schedule: Option<u64>) -> Result<Vec<Device>> {
    let settings = super::emulator::Settings {
        schedule,
        ..super::emulator::Settings::default()
    };
    let unobserved =
        || Box::new(super::emulator::Unobserved) as Box<dyn super::emulator::Observation>;
    let observations = (0..count).map(|_| unobserved());
    let family = super::emulator::Emulator::family(settings, observations);
    let devices = family.into_iter();
    Ok(devices
        .map(|one| Device::from_backend(Box::new(one)))
        .collect())
}

#[cfg(not(feature = "emulator"))]
fn open_emulators(_count: usize, schedule: Option<u64>) -> Result<Vec<Device>> {
    Device::open_emulator(schedule).map(|device| vec![device])
}

fn within(count: usize) -> Result<()> {
    Error::unless_within("devices", count as u64, 1..=MOST as u64, || {
        "to share work".to_owned()
    })
}

impl Deref for Devices {
    type Target = [Device];

    fn deref(&self) -> &[Device] {
        &self.0
    }
}
