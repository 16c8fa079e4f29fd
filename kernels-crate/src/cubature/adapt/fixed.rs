//! A list in memory of the device.

use core::ops::{Deref, DerefMut};
use core::slice;

use super::List;

/// A list that has places for so many items.
#[derive(Debug)]
pub(super) struct Fixed<T> {
    items: *mut T,
    len: usize,
    most: usize,
    is_over: bool,
}

impl<T> Fixed<T> {
    /// Of the first `len` items of memory.
    ///
    /// # Safety
    /// The memory has room for `most` items and nobody else uses it; the first `len` were written.
    pub(super) unsafe fn new(items: *mut T, len: usize, most: usize) -> Self {
        Self {
            items,
            len,
            most,
            is_over: false,
        }
    }
}

impl<T> Deref for Fixed<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: `new`'s caller and `push` wrote so many.
        unsafe { slice::from_raw_parts(self.items, self.len) }
    }
}

impl<T> DerefMut for Fixed<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: `new`'s caller and `push` wrote so many.
        unsafe { slice::from_raw_parts_mut(self.items, self.len) }
    }
}

impl<T> List<T> for Fixed<T> {
    fn push(&mut self, item: T) {
        if self.len == self.most {
            self.is_over = true;
            return;
        }
        // SAFETY: there is a place.
        unsafe { self.items.add(self.len).write(item) };
        self.len += 1;
    }

    fn clear(&mut self) {
        self.len = 0;
    }

    /// By insertion: there are few.
    fn sort(&mut self)
    where
        T: Ord,
    {
        for end in 1..self.len {
            let mut at = end;
            while at > 0 && self[at] < self[at - 1] {
                self.swap(at, at - 1);
                at -= 1;
            }
        }
    }

    fn is_over(&self) -> bool {
        self.is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_put_in_order_and_those_without_a_place_are_noticed() {
        let mut memory = [0_u32; 5];
        // SAFETY: the memory is there, and this list's.
        let mut list = unsafe { Fixed::new(memory.as_mut_ptr(), 0, 5) };
        for item in [3, 1, 4, 1, 5] {
            list.push(item);
        }
        list.sort();
        assert_eq!((&list[..], list.is_over()), (&[1, 1, 3, 4, 5][..], false));
        list.push(9);
        assert_eq!((list.len(), list.is_over()), (5, true));
        list.clear();
        assert!(list.is_empty());
    }
}
