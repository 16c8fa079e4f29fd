//! Integrands of an application, and the kernels that integrate them.

use quadscan_kernels::integrands;

integrands! {
    /// Dies away from 1 at 0.
    sinc = Sinc {
        formula: "sin(x) / x",
        limits: (0.0, 10.0),
        parameters: [],
        eval: |x| if x == 0.0 { 1.0 } else { x.sin() / x },
    }

    /// Where a swinging point is found: infinite where it turns.
    arcsine = Arcsine {
        formula: "1 / (pi sqrt(x (1 - x)))",
        limits: (0.0, 1.0),
        parameters: [],
        eval: |x| 1.0 / (consts::PI * (x * (1.0 - x)).sqrt()),
        at: |point| 1.0 / (consts::PI * (point.from_lower * point.to_upper).sqrt()),
    }
}
