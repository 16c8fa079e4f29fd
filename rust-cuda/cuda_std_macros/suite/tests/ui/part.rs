use cuda_std::{kernel, part};

#[kernel]
#[part(scans)]
#[part(sums)]
pub unsafe fn twice(_n: u32) {}

#[kernel]
#[part("scans")]
pub unsafe fn a_string(_n: u32) {}

#[kernel]
#[part(scans, sums)]
pub unsafe fn two_names(_n: u32) {}

#[kernel]
#[part]
pub unsafe fn no_name(_n: u32) {}

#[kernel]
#[part(fn)]
pub unsafe fn a_keyword(_n: u32) {}

#[kernel]
#[part(größe)]
pub unsafe fn not_ascii(_n: u32) {}

#[part(scans)]
#[kernel]
pub unsafe fn above(_n: u32) {}

#[part(scans)]
pub fn not_a_kernel() {}

macro_rules! of_part {
    ($part:ident) => {
        #[kernel]
        #[part($part)]
        pub unsafe fn of_a_macro(_n: u32) {}
    };
}
of_part!(scans);

fn main() {}
