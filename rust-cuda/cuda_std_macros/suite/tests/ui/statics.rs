use cuda_std::{address_space, externally_visible, unroll};

#[address_space(texture)]
static A: u32 = 0;

#[address_space]
static B: u32 = 0;

#[address_space(local)]
static mut C: u32 = 0;

#[address_space(shared)]
const D: u32 = 0;

#[externally_visible]
pub fn mangled() {}

const N: usize = 4;

fn main() {
    unroll!(for i in 0..N {});
}
