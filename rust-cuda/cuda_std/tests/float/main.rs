//! The floating-point functions: how far they are from the exact values (`accuracy`, against
//! `dashu-float`, which computes with any number of bits; f32 against the host's own f64), what
//! they give for special arguments (`special`, IEEE 754-2019 and ISO C 17, annex F), and that a
//! device has the host's bits (`device`, on the emulator).

#[macro_use]
#[path = "../rust-cuda-compat/functions/src/list.rs"]
mod list;

mod accuracy;
mod device;
mod exact;
mod single;
mod special;
