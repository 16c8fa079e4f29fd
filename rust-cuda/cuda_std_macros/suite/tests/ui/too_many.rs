use cuda_std::kernel;

#[kernel]
#[rustfmt::skip]
pub unsafe fn seventeen(
    p1: u32, p2: u32, p3: u32, p4: u32, p5: u32, p6: u32, p7: u32, p8: u32, p9: u32,
    p10: u32, p11: u32, p12: u32, p13: u32, p14: u32, p15: u32, p16: u32, p17: u32,
) {}

fn main() {}
