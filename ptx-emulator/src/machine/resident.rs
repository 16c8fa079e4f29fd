//! State of the blocks that are resident, for observers that keep some.

use std::collections::HashMap;

/// A value for each resident block; the block that was asked for last is
/// found without a look-up.
#[derive(Clone, Debug)]
pub(crate) struct Resident<T> {
    slots: Vec<Option<T>>,
    free: Vec<usize>,
    places: HashMap<u64, usize>,
    last: Option<(u64, usize)>,
}

impl<T> Default for Resident<T> {
    fn default() -> Self {
        Resident {
            slots: Vec::new(),
            free: Vec::new(),
            places: HashMap::new(),
            last: None,
        }
    }
}

impl<T> Resident<T> {
    pub(crate) fn begin(&mut self, block: u64, value: T) {
        let place = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() - 1
        });
        self.slots[place] = Some(value);
        self.places.insert(block, place);
        self.last = Some((block, place));
    }

    #[inline(always)]
    pub(crate) fn get(&mut self, block: u64) -> Option<&mut T> {
        let place = match self.last {
            Some((last, place)) if last == block => place,
            _ => self.find(block)?,
        };
        self.slots.get_mut(place)?.as_mut()
    }

    #[cold]
    fn find(&mut self, block: u64) -> Option<usize> {
        let place = *self.places.get(&block)?;
        self.last = Some((block, place));
        Some(place)
    }

    pub(crate) fn end(&mut self, block: u64) -> Option<T> {
        let place = self.places.remove(&block)?;
        self.last = None;
        self.free.push(place);
        self.slots.get_mut(place)?.take()
    }
}
