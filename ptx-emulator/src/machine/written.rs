//! Which bytes have been written: a bit a byte.

/// Which bytes of one piece of memory have been written.
#[derive(Clone, Debug)]
pub(crate) enum Written {
    /// All of them.
    All,
    /// Those whose bit is set; 64 bytes a word.
    Bits(Vec<u64>),
}

impl Written {
    /// None of `bytes` bytes.
    pub(crate) fn nothing(bytes: u64) -> Self {
        Written::Bits(vec![0; bytes.div_ceil(64) as usize])
    }

    /// The bytes of an access of at most 64 that have not been written, a bit
    /// a byte. Bytes beyond the end count as written: that is another fault.
    #[inline(always)]
    pub(crate) fn missing(&self, offset: u64, bytes: u32) -> u64 {
        let Written::Bits(words) = self else {
            return 0;
        };
        let (word, shift) = ((offset / 64) as usize, offset % 64);
        let mut bits = words.get(word).map_or(u64::MAX, |bits| bits >> shift);
        if shift + u64::from(bytes) > 64 {
            bits |= words.get(word + 1).unwrap_or(&u64::MAX) << (64 - shift);
        }
        !bits & low_bits(bytes)
    }

    /// Bytes are written.
    #[inline(always)]
    pub(crate) fn write(&mut self, offset: u64, bytes: u64) {
        let Written::Bits(words) = self else {
            return;
        };
        let (mut at, mut rest) = (offset, bytes);
        while rest > 0 {
            let shift = at % 64;
            let count = rest.min(64 - shift);
            let Some(word) = words.get_mut((at / 64) as usize) else {
                return;
            };
            *word |= low_bits(count as u32) << shift;
            (at, rest) = (at + count, rest - count);
        }
    }
}

/// The low `count` bits, at most 64.
#[inline(always)]
pub(crate) fn low_bits(count: u32) -> u64 {
    if count >= 64 {
        u64::MAX
    } else {
        (1 << count) - 1
    }
}

/// What has been written of an allocation or a module's variable.
#[derive(Clone, Debug)]
struct Span {
    base: u64,
    length: u64,
    written: Written,
}

/// What has been written of global memory, by rising address.
#[derive(Clone, Debug, Default)]
pub(crate) struct GlobalWritten {
    spans: Vec<Span>,
    /// The span that was looked at last.
    last: usize,
}

impl GlobalWritten {
    /// There is another allocation, behind all others.
    pub(crate) fn allocated(&mut self, base: u64, length: u64, written: Written) {
        self.spans.push(Span {
            base,
            length,
            written,
        });
    }

    /// An allocation is gone.
    pub(crate) fn freed(&mut self, base: u64) {
        if let Some((written, 0)) = self.find(base, 0) {
            *written = Written::All;
        }
    }

    /// Nobody watched what a kernel wrote: everything counts as written.
    pub(crate) fn everything(&mut self) {
        for span in &mut self.spans {
            span.written = Written::All;
        }
    }

    /// The host writes bytes that lie in one allocation.
    pub(crate) fn write(&mut self, address: u64, bytes: u64) {
        let Some((written, offset)) = self.find(address, bytes) else {
            return;
        };
        written.write(offset, bytes);
        let span = &mut self.spans[self.last];
        if bytes == span.length {
            span.written = Written::All;
        }
    }

    /// The span that holds `bytes` bytes at `address`, and the offset in it.
    #[inline(always)]
    pub(crate) fn find(&mut self, address: u64, bytes: u64) -> Option<(&mut Written, u64)> {
        let holds = |span: &Span| {
            bytes <= span.length && address.wrapping_sub(span.base) <= span.length - bytes
        };
        if !self.spans.get(self.last).is_some_and(holds) {
            let below = self.spans.partition_point(|span| span.base <= address);
            let index = below.checked_sub(1)?;
            if !holds(&self.spans[index]) {
                return None;
            }
            self.last = index;
        }
        let span = &mut self.spans[self.last];
        Some((&mut span.written, address - span.base))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_one_by_one_and_across_words() {
        let mut written = Written::nothing(200);
        written.write(60, 8);
        assert_eq!(written.missing(60, 8), 0);
        assert_eq!(written.missing(56, 8), 0x0f);
        assert_eq!(written.missing(64, 8), 0xf0);
        written.write(70, 130);
        assert_eq!(written.missing(64, 8), 0b11_0000);
        assert_eq!(written.missing(192, 8), 0);
        assert_eq!(Written::All.missing(3, 32), 0);
    }

    #[test]
    fn a_copy_of_a_whole_allocation_needs_no_bits_any_more() {
        let mut global = GlobalWritten::default();
        global.allocated(1024, 100, Written::nothing(100));
        global.allocated(2048, 8, Written::nothing(8));
        global.write(1030, 2);
        assert_eq!(
            global.find(1024, 8).map(|(w, at)| w.missing(at, 8)),
            Some(0x3f)
        );
        global.write(2048, 8);
        assert!(matches!(global.find(2050, 1), Some((Written::All, 2))));
        assert!(global.find(1120, 8).is_none());
    }
}
