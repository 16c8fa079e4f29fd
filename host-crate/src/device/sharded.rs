//! An array of which several devices have a part each.

use std::ops::Range;

use bytemuck::Pod;

use super::{Buffer, Device, Devices};
use crate::{Error, Result};

/// Which elements of an array a device has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Each device has neighbouring elements, the first device the first ones: how programs have
    /// their arrays.
    Contiguous,
    /// Devices have granules in turn, one behind the other: how a scan reads every element once
    /// and not twice.
    Dealt,
}

/// How the elements of an array are distributed to devices. Neighbouring elements, `granule` of
/// them, are always on one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partition {
    len: usize,
    granule: usize,
    devices: usize,
    layout: Layout,
}

impl Partition {
    /// That of `len` elements on so many devices.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] for a granule of no elements, and for no devices.
    pub fn new(len: usize, granule: usize, devices: usize, layout: Layout) -> Result<Self> {
        for (what, value) in [("elements of a granule", granule), ("devices", devices)] {
            let scope = || "to distribute an array".to_owned();
            Error::unless_within(what, value as u64, 1..=u64::MAX, scope)?;
        }
        Ok(Self {
            len,
            granule,
            devices,
            layout,
        })
    }

    /// Elements of the array.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True when there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Neighbouring elements that are on one device; the last of them may be fewer.
    pub fn granule(&self) -> usize {
        self.granule
    }

    /// Devices.
    pub fn devices(&self) -> usize {
        self.devices
    }

    /// Which elements a device has.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Elements of the device with this number, below [`Partition::devices`].
    pub fn shard_len(&self, device: usize) -> usize {
        self.pieces(device).map(|piece| piece.len()).sum()
    }

    /// The ranges of the array that the device with this number has, in the order in which they lie
    /// one behind the other in its memory.
    pub fn pieces(&self, device: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let Self {
            len,
            granule,
            devices,
            layout,
        } = *self;
        let granules = len.div_ceil(granule);
        // The product may exceed an address.
        let bound = |device: usize| (granules as u128 * device as u128 / devices as u128) as usize;
        let (first, end, step, count) = match layout {
            Layout::Contiguous => {
                let (first, end) = (bound(device), bound(device + 1));
                (first, end, (end - first).max(1), end - first)
            }
            Layout::Dealt => (device, granules, devices, 1),
        };
        let piece = move |at: usize| at * granule..(at + count).saturating_mul(granule).min(len);
        (first..end).step_by(step).map(piece)
    }
}

/// The elements of an array on several devices, a [`Buffer`] each: no device has all of it.
#[derive(Debug)]
pub struct ShardedBuffer<T: Pod> {
    partition: Partition,
    shards: Vec<Buffer<T>>,
}

impl<T: Pod> ShardedBuffer<T> {
    /// How the elements are distributed.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// Elements of all devices.
    pub fn len(&self) -> usize {
        self.partition.len
    }

    /// True when there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements of each device, whose order in the array [`Partition::pieces`] says.
    pub fn shards(&self) -> &[Buffer<T>] {
        &self.shards
    }

    /// The same, to write.
    pub fn shards_mut(&mut self) -> &mut [Buffer<T>] {
        &mut self.shards
    }

    /// Overwrites all elements with those of `source`.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] when `source` has not [`ShardedBuffer::len`] elements; the
    /// driver's.
    pub fn copy_from(&mut self, source: &[T]) -> Result<()> {
        self.expect_len("source", source.len())?;
        for (device, shard) in self.shards.iter_mut().enumerate() {
            let mut at = 0;
            for piece in self.partition.pieces(device) {
                let end = at + piece.len();
                shard.slice_mut(at..end)?.copy_from(&source[piece])?;
                at = end;
            }
        }
        Ok(())
    }

    /// Copies all elements to `target`, in their order, after the work asked for before.
    ///
    /// # Errors
    ///
    /// As [`ShardedBuffer::copy_from`].
    pub fn copy_to(&self, target: &mut [T]) -> Result<()> {
        self.expect_len("target", target.len())?;
        for (device, shard) in self.shards.iter().enumerate() {
            let mut at = 0;
            for piece in self.partition.pieces(device) {
                let end = at + piece.len();
                shard.slice(at..end)?.copy_to(&mut target[piece])?;
                at = end;
            }
        }
        Ok(())
    }

    /// All elements, in their order, after the work asked for before.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut elements = vec![T::zeroed(); self.len()];
        self.copy_to(&mut elements)?;
        Ok(elements)
    }

    /// Where the shards are, of an argument that is distributed as `partition` on these devices.
    pub(crate) fn places(
        &self,
        devices: &Devices,
        partition: &Partition,
        operation: &str,
        argument: &str,
    ) -> Result<Vec<u64>> {
        if &self.partition != partition {
            let has = &self.partition;
            let problem = format!("is distributed as {has:?}, allowed is the plan's {partition:?}");
            return Err(Error::argument(argument, problem));
        }
        let shards = devices.iter().zip(&self.shards).enumerate();
        let place = |(number, (device, shard)): (usize, (&Device, &Buffer<T>))| {
            device.expect_own(shard.device(), operation, argument)?;
            // Whoever may write the shards may put others in their place.
            let (has, needed) = (shard.len(), partition.shard_len(number));
            if has != needed {
                let problem = format!("has {has} elements on device {number}, needed are {needed}");
                return Err(Error::argument(argument, problem));
            }
            Ok(shard.address())
        };
        shards.map(place).collect()
    }

    /// For each device whether its first element `goes_on` with what the last element before it, on an
    /// earlier device, is: of the elements and the one before. Waits for the work asked for before.
    pub(crate) fn borders(&self, goes_on: impl Fn(T, T) -> bool) -> Result<Vec<bool>> {
        let mut last = None;
        let border = |shard: &Buffer<T>| {
            let Some(end) = shard.len().checked_sub(1) else {
                return Ok(false);
            };
            let at = |place: usize| Ok::<T, Error>(shard.slice(place..=place)?.to_vec()?[0]);
            let before = last.replace(at(end)?);
            before.map_or(Ok(false), |before| Ok(goes_on(at(0)?, before)))
        };
        self.shards.iter().map(border).collect()
    }

    fn expect_len(&self, what: &'static str, actual: usize) -> Result<()> {
        let expected = self.len();
        match actual == expected {
            true => Ok(()),
            false => Err(Error::LengthMismatch {
                what,
                expected,
                actual,
            }),
        }
    }
}

impl Devices {
    /// Err unless an array that is distributed so has a shard for each of them.
    pub(crate) fn expect_partition(&self, partition: &Partition) -> Result<()> {
        let (has, allowed) = (partition.devices(), self.len());
        match has == allowed {
            true => Ok(()),
            false => {
                let problem = format!("is for {has} devices, allowed are {allowed}");
                Err(Error::argument("partition", problem))
            }
        }
    }

    /// An array whose contents are unspecified.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for a partition of another number of devices; those of
    /// [`Device::alloc`](super::Device::alloc).
    pub fn alloc<T: Pod>(&self, partition: &Partition) -> Result<ShardedBuffer<T>> {
        self.expect_partition(partition)?;
        let shards = self.iter().enumerate();
        let shards = shards.map(|(number, device)| device.alloc(partition.shard_len(number)));
        Ok(ShardedBuffer {
            partition: *partition,
            shards: shards.collect::<Result<_>>()?,
        })
    }

    /// An array with the elements of `source`.
    ///
    /// # Errors
    ///
    /// As [`Devices::alloc`] and [`ShardedBuffer::copy_from`].
    pub fn upload<T: Pod>(&self, partition: &Partition, source: &[T]) -> Result<ShardedBuffer<T>> {
        let mut buffer = self.alloc(partition)?;
        buffer.copy_from(source)?;
        Ok(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_on_one_device_and_shards_differ_by_a_granule_at_most() -> Result<()> {
        for layout in [Layout::Contiguous, Layout::Dealt] {
            for (len, granule, devices) in
                [(0, 4, 3), (1, 4, 3), (103, 4, 3), (64, 8, 8), (9, 1, 4)]
            {
                let partition = Partition::new(len, granule, devices, layout)?;
                let mut owners = vec![None; len];
                for device in 0..devices {
                    for at in partition.pieces(device).flatten() {
                        assert_eq!(owners[at].replace(device), None);
                    }
                }
                assert!(owners.iter().all(Option::is_some));
                for granule in owners.chunks(granule) {
                    assert!(granule.iter().all(|owner| *owner == granule[0]));
                }
                let lens = || (0..devices).map(|device| partition.shard_len(device));
                assert!(lens().max() <= lens().min().map(|least| least + granule));
                if layout == Layout::Contiguous {
                    assert!(owners.is_sorted());
                }
            }
        }
        Ok(())
    }

    #[test]
    fn a_partition_without_granules_or_devices_is_refused() {
        for (granule, devices, said) in [(0, 1, "elements of a granule"), (1, 0, "devices")] {
            let refused = Partition::new(10, granule, devices, Layout::Dealt);
            let text = refused.expect_err("refused").to_string();
            assert!(text.starts_with(said), "{text}");
        }
    }
}
