//! What fits nowhere else: clocks, profiler events, breakpoints, the SM's number.

use crate::device::gpu;

/// Stops here under a debugger; without one the launch fails.
///
/// PTX: `brkpt`.
#[inline(always)]
pub fn breakpoint() {
    gpu!(breakpoint, () => { core::arch::asm!("brkpt;", options(nostack)) });
}

/// Ends the launch with an error that the host sees as an illegal instruction.
///
/// PTX: `trap`.
#[inline(always)]
pub fn trap() -> ! {
    gpu!(trap, () => { core::arch::nvptx::trap() })
}

/// Ends this thread. What it has stored stays; barriers no longer wait for it.
///
/// PTX: `exit`.
#[inline(always)]
pub fn exit() -> ! {
    gpu!(exit, () => { core::arch::asm!("exit;", options(noreturn)) })
}

/// The same bits, of which the compiler knows nothing more, each time that this is executed. So conditions that
/// they were put together of need not stay, nor what is tested of them in a loop before it: of
/// predicates a thread has seven.
///
/// PTX: `mov.b32`.
#[inline(always)]
#[must_use]
pub fn in_register(bits: u32) -> u32 {
    gpu!(in_register, (bits) => {
        let same: u32;
        core::arch::asm!(
            "mov.b32 {}, {};",
            out(reg32) same,
            in(reg32) bits,
            options(nomem, nostack, preserves_flags),
        );
        same
    })
}

/// Counts one on the profiler's event `counter` for each warp that comes here.
///
/// PTX: `pmevent`, whose operand is a constant: one of eight is chosen by a branch unless
/// `counter` is known to the compiler.
///
/// # Panics
///
/// When `counter` is not 0 to 7.
#[inline(always)]
pub fn profiler_counter(counter: u32) {
    assert!(counter <= 7, "a profiler counter is 0 to 7");
    gpu!(profiler_counter, (counter) => {
        macro_rules! event {
            ($($number:literal)*) => {
                match counter {
                    $($number => core::arch::asm!(concat!("pmevent ", $number, ";"), options(nostack)),)*
                    _ => {}
                }
            };
        }
        event!(0 1 2 3 4 5 6 7);
    });
}

macro_rules! register {
    ($($(#[$doc:meta])* $name:ident -> $type:ident, $register:ident, $mov:literal, $ptx:literal, ($($option:ident),*);)*) => {$(
        $(#[$doc])*
        ///
        #[doc = concat!("PTX: `%", $ptx, "`.")]
        #[inline(always)]
        #[must_use]
        pub fn $name() -> $type {
            gpu!($name, () => {
                let value: $type;
                core::arch::asm!(
                    concat!($mov, " {}, %", $ptx, ";"),
                    out($register) value,
                    options($($option,)* nomem, nostack, preserves_flags),
                );
                value
            })
        }
    )*};
}

register! {
    /// Cycles of this SM's clock since some moment.
    clock -> u64, reg64, "mov.u64", "clock64", ();
    /// Nanoseconds since some moment, the same for the whole device; the step is the device's
    /// choice (32 ns to about 1 us).
    global_timer -> u64, reg64, "mov.u64", "globaltimer", ();
    /// The SM that runs this thread now.
    sm_id -> u32, reg32, "mov.u32", "smid", ();
    /// One more than the greatest [`sm_id`]; numbers may be left out.
    sm_count -> u32, reg32, "mov.u32", "nsmid", (pure);
    /// The number of this launch on its device.
    grid_id -> u64, reg64, "mov.u64", "gridid", (pure);
}
