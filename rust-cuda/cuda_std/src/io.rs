//! Printing from a kernel, and assertions that print.
//!
//! What lives here: [`print!`](crate::print), [`println!`](crate::println), [`device_assert!`](crate::device_assert),
//! [`assert_eq!`](crate::assert_eq) and [`assert_ne!`](crate::assert_ne). Each message is formatted
//! by `core::fmt` in the thread and handed to the driver's `vprintf` as a whole, so messages of
//! different threads do not mix. The driver shows them when the host synchronises; it keeps 1 MB
//! and overwrites the oldest beyond that.
//!
//! A message has at most [`MESSAGE_BYTES`] bytes; a longer one is cut there (at a character) and
//! ends in `...`. A NUL ends it early. It is put together on the device's heap. Formatting calls
//! through pointers, so the driver cannot tell how much stack it takes: integers and text do with
//! the 1 KB a thread that it gives by default; for floating-point numbers raise
//! `CU_LIMIT_STACK_SIZE` to 4 KB first, or the launch faults. This is for looking for mistakes, not
//! for fast kernels.

use core::fmt::{self, Write};

/// The most bytes of one message.
pub const MESSAGE_BYTES: usize = 508;

/// A message, its `...` and the final NUL.
type Buffer = [u8; MESSAGE_BYTES + 4];

/// Writes into a buffer and stops at [`MESSAGE_BYTES`].
struct Message<'a> {
    bytes: &'a mut Buffer,
    len: usize,
    cut: bool,
}

impl Write for Message<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.cut {
            return Err(fmt::Error);
        }
        let mut take = text.len().min(MESSAGE_BYTES - self.len);
        while !text.is_char_boundary(take) {
            take -= 1;
        }
        self.bytes[self.len..self.len + take].copy_from_slice(&text.as_bytes()[..take]);
        self.len += take;
        if take < text.len() {
            self.cut = true;
            return Err(fmt::Error);
        }
        Ok(())
    }
}

/// Fills `bytes` with the message and a NUL; the number of bytes before the NUL.
fn format(bytes: &mut Buffer, arguments: fmt::Arguments<'_>) -> usize {
    let mut message = Message {
        bytes,
        len: 0,
        cut: false,
    };
    // An error means that the message was cut, or that a `Display` gave up: what there is so far
    // is worth seeing either way.
    let _ = message.write_fmt(arguments);
    let Message {
        bytes,
        mut len,
        cut,
    } = message;
    if cut {
        bytes[len..len + 3].copy_from_slice(b"...");
        len += 3;
    }
    bytes[len] = 0;
    len
}

/// Prints `arguments`; on the host it does nothing.
#[doc(hidden)]
#[cold]
#[inline(never)]
pub fn print(arguments: fmt::Arguments<'_>) {
    // Formatting calls through pointers, so the driver cannot tell how much stack it needs and
    // gives 1 KB: the message does not go there.
    #[cfg(target_os = "cuda")]
    // SAFETY: the block has the buffer's size and is initialised before it is used; the format
    // takes one string, which ends in NUL.
    unsafe {
        let block = core::arch::nvptx::malloc(size_of::<Buffer>()).cast::<Buffer>();
        if block.is_null() {
            let text = c"print!: the device's heap is full\n";
            core::arch::nvptx::vprintf(text.as_ptr().cast(), core::ptr::null());
            return;
        }
        block.cast::<u8>().write_bytes(0, size_of::<Buffer>());
        format(&mut *block, arguments);
        let list = [block];
        core::arch::nvptx::vprintf(c"%s".as_ptr().cast(), list.as_ptr().cast());
        core::arch::nvptx::free(block.cast());
    }
    #[cfg(not(target_os = "cuda"))]
    let _ = format(&mut [0; MESSAGE_BYTES + 4], arguments);
}

/// Prints what an assertion has to say, and ends the launch; on the host it panics.
#[doc(hidden)]
#[cold]
#[inline(never)]
pub fn fail(arguments: fmt::Arguments<'_>) -> ! {
    #[cfg(target_os = "cuda")]
    {
        print(arguments);
        crate::misc::trap()
    }
    #[cfg(not(target_os = "cuda"))]
    panic!("{arguments}")
}

/// Prints from a thread, with Rust's formatting. See [`io`](crate::io) for the limits.
///
/// PTX: `vprintf`. On the host the arguments are type-checked and nothing is printed.
#[macro_export]
macro_rules! print {
    ($($argument:tt)*) => {
        $crate::io::print(::core::format_args!($($argument)*))
    };
}

/// [`print!`](crate::print) and a line feed.
#[macro_export]
macro_rules! println {
    () => {
        $crate::io::print(::core::format_args!("\n"))
    };
    ($($argument:tt)*) => {
        $crate::io::print(::core::format_args!("{}\n", ::core::format_args!($($argument)*)))
    };
}

/// `device_assert!(condition[, message ...])`: if `condition` is false, prints file, line, block,
/// thread and the message, and ends the launch with `trap`.
#[macro_export]
macro_rules! device_assert {
    ($condition:expr $(,)?) => {
        $crate::device_assert!($condition, "{}", ::core::stringify!($condition))
    };
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            $crate::io::fail(::core::format_args!(
                "{}:{}: block {} thread {}: assertion failed: {}\n",
                ::core::file!(),
                ::core::line!(),
                $crate::thread::block_idx(),
                $crate::thread::thread_idx(),
                ::core::format_args!($($message)+),
            ))
        }
    };
}

/// [`device_assert!`](crate::device_assert) that two values are equal; it prints both.
#[macro_export]
macro_rules! assert_eq {
    ($left:expr, $right:expr $(,)?) => {
        $crate::assert_eq!($left, $right, "")
    };
    ($left:expr, $right:expr, $($message:tt)+) => {
        match (&$left, &$right) {
            (left, right) => $crate::device_assert!(
                *left == *right,
                "{} == {}: left {:?}, right {:?} {}",
                ::core::stringify!($left),
                ::core::stringify!($right),
                left,
                right,
                ::core::format_args!($($message)+),
            ),
        }
    };
}

/// [`device_assert!`](crate::device_assert) that two values differ; it prints both.
#[macro_export]
macro_rules! assert_ne {
    ($left:expr, $right:expr $(,)?) => {
        $crate::assert_ne!($left, $right, "")
    };
    ($left:expr, $right:expr, $($message:tt)+) => {
        match (&$left, &$right) {
            (left, right) => $crate::device_assert!(
                *left != *right,
                "{} != {}: both {:?} {}",
                ::core::stringify!($left),
                ::core::stringify!($right),
                left,
                ::core::format_args!($($message)+),
            ),
        }
    };
}

#[cfg(test)]
mod tests {
    use super::{MESSAGE_BYTES, format};
    use alloc::string::String;

    #[test]
    fn a_short_message_stays_whole() {
        let mut bytes = [0xff; MESSAGE_BYTES + 4];
        let len = format(&mut bytes, format_args!("{} + {:.2}", 1, 2.0));
        core::assert_eq!(&bytes[..=len], b"1 + 2.00\0");
    }

    #[test]
    fn a_long_message_is_cut_at_a_character_and_says_so() {
        let long: String = core::iter::repeat_n('\u{e9}', MESSAGE_BYTES).collect();
        let mut bytes = [0xff; MESSAGE_BYTES + 4];
        let len = format(&mut bytes, format_args!("x{long}"));
        core::assert_eq!(len, MESSAGE_BYTES - 1 + 3);
        core::assert_eq!(&bytes[len - 3..=len], b"...\0");
    }
}
