//! Special values of each type.

/// Zeros, subnormals, one, extremes, infinities, a quiet and a signalling NaN
/// with payloads: crossed with each other where there are two operands.
#[rustfmt::skip]
pub(super) const CORE_F32: &[u32] = &[
    0x0000_0000, 0x8000_0000, 0x3f80_0000, 0x8000_0001, 0x007f_ffff, 0x0080_0000, 0xff7f_ffff,
    0x7f80_0000, 0xff80_0000, 0x7fc1_2345, 0xff81_2345,
];

#[rustfmt::skip]
pub(super) const MORE_F32: &[u32] = &[
    0x0000_0001, 0x807f_ffff, 0x8080_0000, 0x0080_0001, 0x00ff_ffff, 0x7f7f_ffff, 0x7fff_ffff,
    0x7f80_0001, 0xffc0_0000, 0x3f00_0000, 0xbf00_0000, 0x3f80_0001, 0x3f7f_ffff, 0xbf80_0000,
    0x3fc0_0000, 0x4020_0000, 0xc020_0000, 0x4040_0000, 0x3fff_ffff, 0x42fe_8000, 0x4300_0000,
    0xc301_0000, 0x437f_8000, 0x4380_0000, 0x46ff_ff00, 0x4700_0000, 0xc700_0100, 0x477f_ff80,
    0x4780_0000, 0x4b00_0001, 0x4b7f_ffff, 0x4eff_ffff, 0x4f00_0000, 0xcf00_0000, 0xcf00_0001,
    0x4f7f_ffff, 0x4f80_0000, 0x5eff_ffff, 0x5f00_0000, 0xdf00_0000, 0xdf00_0001, 0x5f7f_ffff,
    0x5f80_0000, 0x7e80_0000, 0x7f00_0000, 0x0040_0000, 0x1f80_0000, 0x2000_0000, 0x6000_0000,
];

#[rustfmt::skip]
pub(super) const CORE_F64: &[u64] = &[
    0x0000_0000_0000_0000, 0x8000_0000_0000_0000, 0x3ff0_0000_0000_0000, 0x8000_0000_0000_0001,
    0x000f_ffff_ffff_ffff, 0x0010_0000_0000_0000, 0xffef_ffff_ffff_ffff, 0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000, 0x7ff8_1234_5678_9abc, 0xfff0_1234_5678_9abc,
];

#[rustfmt::skip]
pub(super) const MORE_F64: &[u64] = &[
    0x0000_0000_0000_0001, 0x800f_ffff_ffff_ffff, 0x8010_0000_0000_0000, 0x001f_ffff_ffff_ffff,
    0x7fef_ffff_ffff_ffff, 0x7fff_ffff_ffff_ffff, 0x7ff0_0000_0000_0001, 0xfff8_0000_0000_0000,
    0x3fe0_0000_0000_0000, 0xbfe0_0000_0000_0000, 0x3ff0_0000_0000_0001, 0x3fef_ffff_ffff_ffff,
    0xbff0_0000_0000_0000, 0x3ff8_0000_0000_0000, 0x4004_0000_0000_0000, 0xc004_0000_0000_0000,
    0x405f_d000_0000_0000, 0x4060_0000_0000_0000, 0xc060_2000_0000_0000, 0x406f_f000_0000_0000,
    0x40df_ffe0_0000_0000, 0x40e0_0000_0000_0000, 0xc0e0_0020_0000_0000, 0x40ef_fff0_0000_0000,
    0x41df_ffff_ffc0_0000, 0x41df_ffff_ffe0_0000, 0x41e0_0000_0000_0000, 0xc1e0_0000_0000_0000,
    0xc1e0_0000_0010_0000, 0xc1e0_0000_0020_0000, 0x41ef_ffff_ffe0_0000, 0x41f0_0000_0000_0000,
    0x43df_ffff_ffff_ffff, 0x43e0_0000_0000_0000, 0xc3e0_0000_0000_0000, 0xc3e0_0000_0000_0001,
    0x43ef_ffff_ffff_ffff, 0x43f0_0000_0000_0000, 0x36a0_0000_0000_0000, 0x3690_0000_0000_0000,
    0x3690_0000_0000_0001, 0x380f_ffff_f000_0000, 0x380f_ffff_e000_0000, 0x3810_0000_0000_0000,
    0x47ef_ffff_e000_0000, 0x47ef_ffff_efff_ffff, 0x47ef_ffff_f000_0000, 0x47f0_0000_0000_0000,
    0x3ff0_0000_1000_0000, 0x3ff0_0000_3000_0000, 0x3ff0_0000_1000_0001, 0x4330_0000_0000_0001,
];

#[rustfmt::skip]
pub(super) const CORE_F16: &[u16] = &[
    0x0000, 0x8000, 0x3c00, 0x8001, 0x03ff, 0x0400, 0xfbff, 0x7c00, 0xfc00, 0x7e12, 0xfc12,
];
#[rustfmt::skip]
pub(super) const MORE_F16: &[u16] = &[
    0x0001, 0x83ff, 0x8400, 0x7bff, 0x7fff, 0x3800, 0x3c01, 0x3bff, 0xbc00, 0x3e00, 0x4100, 0xc100,
    0x57f8, 0x5800, 0x5bfc, 0x77ff, 0x7800, 0x0200,
];
#[rustfmt::skip]
pub(super) const CORE_BF16: &[u16] = &[
    0x0000, 0x8000, 0x3f80, 0x8001, 0x007f, 0x0080, 0xff7f, 0x7f80, 0xff80, 0x7fc1, 0xff81,
];
#[rustfmt::skip]
pub(super) const MORE_BF16: &[u16] = &[
    0x0001, 0x807f, 0x8080, 0x7f7f, 0x7fff, 0x3f00, 0x3f81, 0x3f7f, 0xbf80, 0x3fc0, 0x4020, 0xc020,
    0x42fe, 0x4300, 0x437f, 0x4f00, 0x5f00, 0x0040,
];

#[rustfmt::skip]
pub(super) const CORE_I16: &[u16] = &[
    0, 1, 2, 7, 0x00ff, 0x0100, 0x7ffe, 0x7fff, 0x8000, 0x8001, 0xffff,
];
#[rustfmt::skip]
pub(super) const CORE_I32: &[u32] = &[
    0, 1, 2, 7, 0x0000_ffff, 0x0001_0000, 0x7fff_fffe, 0x7fff_ffff, 0x8000_0000, 0x8000_0001,
    0xffff_ffff,
];
#[rustfmt::skip]
pub(super) const MORE_I32: &[u32] = &[
    0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0x00ff_ffff, 0x0080_0000, 0x0100_0001, 0x7fff_ff80,
    0xffff_ff80, 0xffff_ff7f, 0xffff_8000, 0xffff_7fff, 0xff80_0000, 0xaaaa_aaaa,
];
#[rustfmt::skip]
pub(super) const CORE_I64: &[u64] = &[
    0, 1, 2, 0xffff_ffff, 0x1_0000_0000, 0x7fff_ffff_ffff_fffe, 0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000, 0x8000_0000_0000_0001, 0xffff_ffff_8000_0000, 0xffff_ffff_ffff_ffff,
];
#[rustfmt::skip]
pub(super) const MORE_I64: &[u64] = &[
    0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff_7fff_ffff,
    0x001f_ffff_ffff_ffff, 0x0020_0000_0000_0001, 0x0020_0000_0000_0003, 0x7fff_ff40_0000_0000,
    0x7fff_ffc0_0000_0000, 0x8000_0080_0000_0001, 0xffff_ffff_ffff_fc00, 0xffff_ff80_0000_0000,
    0x0100_0001_0000_0000, 0x0000_0100_0001_0001,
];
#[rustfmt::skip]
pub(super) const CORE_SHIFT: &[u32] = &[
    0, 1, 5, 16, 31, 32, 33, 63, 64, 255, 0xffff_ffff,
];
#[rustfmt::skip]
pub(super) const MORE_SHIFT: &[u32] = &[
    8, 15, 17, 30, 34, 62, 65, 127, 128, 254, 256, 257, 0x8000_0000,
];

/// Pairs whose product, or whose quotient, is below the least normal number
/// and rounds to it: a device flushes before rounding or after.
#[rustfmt::skip]
pub(super) const BORDER_F32: &[(u32, u32)] = &[
    (0x3f7fffff, 0x00800000), (0x3f7ffffe, 0x00800001), (0xbf7fffff, 0x00800000),
    (0xbf7ffffe, 0x80800001), (0x00ffffff, 0x40000000), (0x80ffffff, 0x40000000),
    (0x1fffffff, 0x20000000), (0x207fffff, 0x9f800000), (0x00800001, 0x80800000),
];
#[rustfmt::skip]
pub(super) const BORDER_F16: &[(u16, u16)] = &[
    (0x3bff, 0x0400), (0x3bfe, 0x0401), (0x07ff, 0xb800),
];

/// Lanes and distances.
#[rustfmt::skip]
pub(super) const CORE_LANE: &[u64] = &[
    0, 1, 2, 3, 8, 15, 16, 17, 30, 31, 32,
];

/// The clamp of `shfl` in bits 0 to 4, its segment mask in 8 to 12.
#[rustfmt::skip]
pub(super) const SEGMENTS: &[u64] = &[
    0x1f, 0x00, 0x1c1f, 0x1c00, 0x181f, 0x1000, 0x1e01, 0x0f, 0x1010, 0x1f1f, 0x1807,
];

/// Values that lanes share.
#[rustfmt::skip]
pub(super) const FEW: &[u64] = &[
    0, 1, 2, 3, 0xffff_ffff, 0x1_0000_0000, 0x1_0000_0001, 5, 6, 7, 8,
];
