//! The very first driver call of a program, alone in its program.

mod fixtures;

use fixtures::{fake_driver, recorded};
use libcuda_lazy as _;

unsafe extern "C" {
    #[allow(clippy::too_many_arguments)]
    fn cuProfilerInitialize(
        i0: u64,
        i1: u64,
        i2: u64,
        i3: u64,
        i4: u64,
        i5: u64,
        i6: u64,
        i7: u64,
        f0: f64,
        f1: f64,
        f2: f64,
        f3: f64,
        f4: f64,
        f5: f64,
        f6: f64,
        f7: f64,
        f8: f64,
        f9: f64,
        i8: u64,
    ) -> i32;
}

#[test]
fn all_argument_registers_survive_the_loading_of_the_library() {
    let _guard = fake_driver();
    // The first call loads the library, which overwrites the float registers.
    for call in 0..2 {
        let base = f64::from(call) + 0.5;
        let floats: [f64; 10] = std::array::from_fn(|i| base * 10f64.powi(i as i32));
        let [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9] = floats;
        // SAFETY: the fixture's signature.
        let result = unsafe {
            cuProfilerInitialize(
                10, 11, 12, 13, 14, 15, 16, 17, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, 18,
            )
        };
        assert_eq!(result, -1);
        let expected = [
            &[10, 11, 12, 13, 14, 15, 16, 17][..],
            &floats.map(f64::to_bits),
            &[18],
        ]
        .concat();
        assert_eq!(recorded(), expected);
    }
}
