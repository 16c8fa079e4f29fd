//! Bytes that lanes read and write, and the map of global memory.
//!
//! Every access is a host atomic of its own width, because blocks may run on
//! several cores: a race of the program is then a race of atomics. Racing
//! accesses of different widths to the same bytes are outside Rust's memory
//! model; x86-64 and aarch64 define them.

use std::alloc::Layout;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use crate::error::{FaultKind, MemoryError};

/// First address that is ever allocated.
const GLOBAL_FIRST: u64 = 0x10_0000_0000;
const GLOBAL_LAST: u64 = 0x7000_0000_0000;
/// The device heap lies between global memory and the windows.
pub(crate) const HEAP_FIRST: u64 = GLOBAL_LAST;
/// The generic address of byte 0 of the block's shared memory.
pub(crate) const SHARED_WINDOW: u64 = 0x7100_0000_0000;
/// The generic address of byte 0 of the thread's local memory.
pub(crate) const LOCAL_WINDOW: u64 = 0x7200_0000_0000;
/// The generic address of byte 0 of the constant bank.
pub(crate) const CONSTANT_WINDOW: u64 = 0x7300_0000_0000;
/// The generic address of byte 0 of the parameter bank.
pub(crate) const PARAMETER_WINDOW: u64 = 0x7400_0000_0000;
/// Addresses of functions begin here.
pub(crate) const FUNCTIONS: u64 = 0x7500_0000_0000;
/// Bytes of each window.
pub(crate) const WINDOW: u64 = 1 << 32;
/// `cudaMalloc` aligns at least so.
const ALIGNMENT: u64 = 256;

/// Bytes that several threads may access at once.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    pub(super) words: Box<[AtomicU64]>,
    pub(super) length: u64,
}

impl Cells {
    /// `length` bytes, all zero.
    pub(crate) fn zeroed(length: u64) -> Self {
        match Cells::try_zeroed(length) {
            Some(cells) => cells,
            None => std::alloc::handle_alloc_error(Layout::new::<u64>()),
        }
    }

    /// `length` bytes, all zero, and not touched until they are used; `None`
    /// when the host has no room.
    pub(crate) fn try_zeroed(length: u64) -> Option<Self> {
        let count = usize::try_from(length.div_ceil(8)).ok()?;
        if count == 0 {
            return Some(Cells::default());
        }
        let layout = Layout::array::<AtomicU64>(count).ok()?;
        // SAFETY: the layout's size is not 0; zero bytes are valid atomics;
        // the box frees with the layout that the memory was allocated with.
        let words = unsafe {
            let pointer = std::alloc::alloc_zeroed(layout).cast::<AtomicU64>();
            if pointer.is_null() {
                return None;
            }
            Box::from_raw(std::ptr::slice_from_raw_parts_mut(pointer, count))
        };
        Some(Cells { words, length })
    }

    pub(crate) fn len(&self) -> u64 {
        self.length
    }

    /// True when `bytes` bytes at `offset` are inside.
    #[inline(always)]
    pub(crate) fn holds(&self, offset: u64, bytes: u32) -> bool {
        u64::from(bytes) <= self.length && offset <= self.length - u64::from(bytes)
    }

    /// A pointer to `bytes` bytes at `offset`.
    ///
    /// Panics when they are not inside or not aligned: callers check first,
    /// and this is what keeps the accesses below sound if one does not.
    #[inline(always)]
    fn pointer(&self, offset: u64, bytes: u32) -> *mut u8 {
        assert!(self.holds(offset, bytes) && offset & u64::from(bytes - 1) == 0);
        self.words
            .as_ptr()
            .cast::<u8>()
            .cast_mut()
            .wrapping_add(offset as usize)
    }

    /// 1, 2, 4 or 8 bytes at a multiple of their number.
    #[inline(always)]
    pub(crate) fn load(&self, offset: u64, bytes: u32, order: Ordering) -> u64 {
        let pointer = self.pointer(offset, bytes);
        // SAFETY: `pointer` checked bounds and alignment; the words are
        // atomics, so shared access to them is allowed, and they live as long
        // as `self`.
        unsafe {
            match bytes {
                1 => u64::from(AtomicU8::from_ptr(pointer).load(order)),
                2 => u64::from(AtomicU16::from_ptr(pointer.cast()).load(order)),
                4 => u64::from(AtomicU32::from_ptr(pointer.cast()).load(order)),
                _ => AtomicU64::from_ptr(pointer.cast()).load(order),
            }
        }
    }

    /// The low 1, 2, 4 or 8 bytes of `value`.
    #[inline(always)]
    pub(crate) fn store(&self, offset: u64, bytes: u32, value: u64, order: Ordering) {
        let pointer = self.pointer(offset, bytes);
        // SAFETY: as in `load`.
        unsafe {
            match bytes {
                1 => AtomicU8::from_ptr(pointer).store(value as u8, order),
                2 => AtomicU16::from_ptr(pointer.cast()).store(value as u16, order),
                4 => AtomicU32::from_ptr(pointer.cast()).store(value as u32, order),
                _ => AtomicU64::from_ptr(pointer.cast()).store(value, order),
            }
        }
    }

    /// Replaces the value by `f` of it in one step; returns the old one.
    #[inline(always)]
    pub(crate) fn update(&self, offset: u64, bytes: u32, f: impl Fn(u64) -> u64) -> u64 {
        let pointer = self.pointer(offset, bytes);
        let order = Ordering::SeqCst;
        macro_rules! exchange {
            ($atomic:ty, $ty:ty) => {{
                // SAFETY: as in `load`.
                let cell = unsafe { <$atomic>::from_ptr(pointer.cast()) };
                let mut old = cell.load(Ordering::Relaxed);
                while let Err(now) = cell.compare_exchange_weak(
                    old,
                    f(u64::from(old)) as $ty,
                    order,
                    Ordering::Relaxed,
                ) {
                    old = now;
                }
                u64::from(old)
            }};
        }
        match bytes {
            1 => exchange!(AtomicU8, u8),
            2 => exchange!(AtomicU16, u16),
            4 => exchange!(AtomicU32, u32),
            _ => exchange!(AtomicU64, u64),
        }
    }

    /// Copies bytes in; what is beyond the end is left out.
    pub(crate) fn write(&self, offset: u64, bytes: &[u8]) {
        let mut at = offset;
        let mut rest = bytes;
        while at < self.length && !rest.is_empty() {
            if at & 7 == 0
                && self.holds(at, 8)
                && let Some((word, tail)) = rest.split_first_chunk::<8>()
            {
                self.store(at, 8, u64::from_le_bytes(*word), Ordering::Relaxed);
                (at, rest) = (at + 8, tail);
            } else {
                self.store(at, 1, u64::from(rest[0]), Ordering::Relaxed);
                (at, rest) = (at + 1, &rest[1..]);
            }
        }
    }

    /// Copies bytes out; what is beyond the end stays as it is.
    pub(crate) fn read(&self, offset: u64, bytes: &mut [u8]) {
        let mut at = offset;
        let mut rest = bytes;
        while at < self.length && !rest.is_empty() {
            if at & 7 == 0 && self.holds(at, 8) && rest.len() >= 8 {
                let (word, tail) = rest.split_at_mut(8);
                word.copy_from_slice(&self.load(at, 8, Ordering::Relaxed).to_le_bytes());
                (at, rest) = (at + 8, tail);
            } else {
                rest[0] = self.load(at, 1, Ordering::Relaxed) as u8;
                (at, rest) = (at + 1, &mut rest[1..]);
            }
        }
    }
}

/// One allocation. Addresses are never used twice, so a freed one stays in
/// the map, without its bytes, and tells a use after free.
#[derive(Debug)]
pub(crate) struct Allocation {
    pub(crate) base: u64,
    pub(crate) length: u64,
    pub(crate) freed: bool,
    /// The name of a module's variable, or the host's name for it.
    pub(crate) name: Option<String>,
    pub(crate) cells: Cells,
}

/// Global memory: allocations by rising address.
#[derive(Debug)]
pub(crate) struct Global {
    allocations: Vec<Allocation>,
    next: u64,
    used: u64,
    limit: u64,
}

impl Global {
    pub(crate) fn new(limit: u64) -> Self {
        Global {
            allocations: Vec::new(),
            next: GLOBAL_FIRST,
            used: 0,
            limit,
        }
    }

    /// Bytes that are left.
    pub(crate) fn unused(&self) -> u64 {
        self.limit.saturating_sub(self.used)
    }

    /// Zeroed bytes; the address. At least 256 bytes that belong to nobody
    /// follow each allocation.
    pub(crate) fn allocate(
        &mut self,
        bytes: u64,
        align: u32,
        name: Option<String>,
    ) -> Result<u64, MemoryError> {
        let free = self.unused();
        let base = self.next.next_multiple_of(u64::from(align).max(ALIGNMENT));
        if bytes > free || base + bytes > GLOBAL_LAST {
            return Err(MemoryError::Full { bytes, free });
        }
        let cells = Cells::try_zeroed(bytes).ok_or(MemoryError::Host { bytes })?;
        self.allocations.push(Allocation {
            base,
            length: bytes,
            freed: false,
            name,
            cells,
        });
        self.used += bytes;
        self.next = (base + bytes.max(1)).next_multiple_of(ALIGNMENT) + ALIGNMENT;
        Ok(base)
    }

    /// The allocation that begins at an address and is not freed.
    fn live(&mut self, address: u64) -> Result<&mut Allocation, MemoryError> {
        let mut all = self.allocations.iter_mut();
        all.find(|a| a.base == address && !a.freed)
            .ok_or(MemoryError::NotAllocated { address, bytes: 0 })
    }

    pub(crate) fn free(&mut self, address: u64) -> Result<(), MemoryError> {
        let allocation = self.live(address)?;
        allocation.freed = true;
        allocation.cells = Cells::default();
        let length = allocation.length;
        self.used -= length;
        Ok(())
    }

    pub(crate) fn name(&mut self, address: u64, name: &str) -> Result<(), MemoryError> {
        self.live(address)?.name = Some(name.to_owned());
        Ok(())
    }

    /// The last allocation that begins at or below the address, by number.
    #[inline]
    pub(crate) fn below(&self, address: u64) -> Option<usize> {
        self.allocations
            .partition_point(|a| a.base <= address)
            .checked_sub(1)
    }

    #[inline(always)]
    pub(crate) fn get(&self, index: usize) -> Option<&Allocation> {
        self.allocations.get(index)
    }

    /// The allocation that holds `bytes` bytes at `address`.
    pub(crate) fn find(&self, address: u64, bytes: u64) -> Option<&Allocation> {
        let allocation = self.get(self.below(address)?)?;
        let inside = !allocation.freed
            && bytes <= allocation.length
            && address - allocation.base <= allocation.length - bytes;
        inside.then_some(allocation)
    }

    /// Why an access cannot be made.
    pub(crate) fn fault(&self, address: u64, bytes: u32) -> FaultKind {
        let mut near = String::new();
        if let Some(allocation) = self.below(address).and_then(|index| self.get(index)) {
            let (past, length) = (address - allocation.base, allocation.length);
            if allocation.freed && past < length {
                return FaultKind::UseAfterFree { address, bytes };
            }
            let name = allocation.name.as_deref().unwrap_or("an allocation");
            near = format!("; {past} bytes from the start of {name} of {length} bytes");
        }
        FaultKind::OutOfBounds {
            address,
            bytes,
            room: "global",
            near,
        }
    }
}
