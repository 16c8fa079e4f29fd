//! What the program asks of a CUDA device, on a driver made of the host's memory.

#[path = "../../../host-crate/tests/device/fake_cuda.rs"]
#[allow(dead_code, reason = "the library's tests use all of it")]
mod fake_cuda;

mod parts;
mod peers;

use fake_cuda::{BOTH, FakeCuda, Settings, artifact};
use quadscan::Result;
use quadscan_bench::trapezoid::{self, Grid};

#[test]
fn a_grid_that_would_lose_strips_is_refused_before_the_launch() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let device = fake.open();
    let module = device.load(&artifact(BOTH))?;
    let mut doubles = device.alloc_zeroed::<f64>(2)?;
    let mut singles = device.alloc_zeroed::<f32>(2)?;
    for (strips, blocks, expected) in [
        (64, 0, "blocks is 0, allowed are 1 to 2147483648"),
        (
            1 << 33,
            1,
            "strips is 8589934592, allowed are 1 to 2147483648",
        ),
        (
            65,
            2,
            "strips is 65, allowed are multiples of blocks * threads = 2 * 1 = 2",
        ),
    ] {
        let grid = Grid {
            strips,
            blocks,
            threads: 1,
        };
        for refused in [
            trapezoid::f64_partials(&module, grid, &mut doubles),
            trapezoid::f32_partials(&module, grid, &mut singles),
            trapezoid::f32_pure_partials(&module, grid, &mut singles),
        ] {
            assert_eq!(refused.expect_err("it is refused").to_string(), expected);
        }
    }
    Ok(())
}
