//! Crates from crates.io in kernels: hashes, complex numbers, half precision, libm, random
//! numbers.

use cuda_std::half::{bf16, f16};
use num_complex::Complex64;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use rand_xoshiro::Xoshiro256PlusPlus;
use sha2::{Digest, Sha256, Sha512};

per_element! {
    /// `sha2`: the first bytes of the digest of the element's own.
    fn sha256(x: u32) -> u64 {
        let digest = Sha256::digest(x.to_le_bytes());
        digest.iter().take(8).fold(0, |word, byte| word << 8 | u64::from(*byte))
    }

    /// `sha2`: a message in pieces, over several blocks of the function.
    fn sha512_in_pieces(x: u32) -> u64 {
        let mut hasher = Sha512::new();
        for i in 0..x % 40 {
            hasher.update((x ^ i).to_le_bytes());
            hasher.update(b"between");
        }
        let digest = hasher.finalize();
        digest.iter().skip(3).take(8).fold(0, |word, byte| word << 8 | u64::from(*byte))
    }

    /// `num-complex`: products, quotients and powers.
    fn complex_numbers(x: f64) -> f64 {
        let z = Complex64::new(x % 3.0, 1.0 - x % 2.0);
        let w = z * z + Complex64::new(0.25, -0.5);
        let u = (w / (z + 4.0)).powi(3) - z.conj() * w.inv();
        u.re + 2.0 * u.im + z.norm_sqr()
    }

    /// `half`: sums and products in 16 bits, rounded after each.
    fn half_precision(x: f32) -> f32 {
        let (a, b) = (f16::from_f32(x % 100.0), bf16::from_f32(x % 100.0));
        let sum = a * f16::from_f32(1.1) + f16::from_f32(0.3) - a / f16::from_f32(7.0);
        let other = b * b + bf16::from_f32(3.3);
        f32::from(sum) + 2.0 * f32::from(other) + f32::from(a.max(f16::ONE))
    }

    /// `libm`: the functions of a C library.
    fn libm_functions(x: f64) -> f64 {
        let y = x % 20.0;
        libm::sin(y) + libm::exp(y / 4.0) + libm::log(1.5 + y * y) + libm::cbrt(y)
            + libm::tgamma(1.0 + y * y / 100.0) + libm::erf(y) + libm::j0(y) + libm::fmod(y, 0.7)
            + f64::from(libm::sinf(y as f32)) + f64::from(libm::powf(1.0 + y as f32 * y as f32, 0.3))
    }

    /// `rand_pcg`: a stream of its own for each element.
    fn pcg(x: u32) -> u64 {
        let mut random = Pcg32::new(0xcafe_f00d_d15e_a5e5, u64::from(x));
        (0..5).fold(0, |sum: u64, _| sum.rotate_left(9) ^ random.next_u64())
    }

    /// `rand_xoshiro`: seeded with the element, and filling bytes.
    fn xoshiro(x: u32) -> u64 {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(u64::from(x));
        let mut bytes = [0; 11];
        random.fill_bytes(&mut bytes);
        let start = bytes.iter().fold(0, |word: u64, byte| word.rotate_left(8) ^ u64::from(*byte));
        (0..5).fold(start, |sum, _| sum.rotate_left(9) ^ random.next_u64())
    }
}
