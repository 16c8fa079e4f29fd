//! What a scan has to give: one element after the other, on one thread of the host. It is
//! exact for integers, for extremes, and for floats whose sums are; of others it is one
//! order of combination among many.

use quadscan_kernels::operator::Operator;

/// Result i combines `initial`, where there is one, and the elements up to and with i.
pub fn inclusive<O: Operator>(
    initial: Option<O::Accumulator>,
    input: &[O::Input],
) -> Vec<O::Output> {
    let mut running = initial;
    let results = input.iter().map(|&element| {
        let own = O::transform(element);
        let with = running.map_or(own, |before| O::combine(before, own));
        running = Some(with);
        O::finish(with)
    });
    results.collect()
}

/// Result i combines `initial` and the elements before i.
pub fn exclusive<O: Operator>(initial: O::Accumulator, input: &[O::Input]) -> Vec<O::Output> {
    let mut running = initial;
    let results = input.iter().map(|&element| {
        let before = running;
        running = O::combine(before, O::transform(element));
        O::finish(before)
    });
    results.collect()
}

#[cfg(test)]
mod tests {
    use quadscan_kernels::operator::{Affine, Compose, Max, Sum};

    use super::*;

    #[test]
    fn running_sums_are_the_triangular_numbers() {
        let ones: Vec<u32> = (1..=100).collect();
        let triangular: Vec<u32> = (1..=100).map(|n| n * (n + 1) / 2).collect();
        assert_eq!(inclusive::<Sum<u32>>(None, &ones), triangular);
        assert_eq!(exclusive::<Sum<u32>>(0, &ones)[1..], triangular[..99]);
        assert_eq!(exclusive::<Sum<u32>>(7, &ones)[..2], [7, 8]);
    }

    #[test]
    fn an_initial_value_stands_before_the_first_element() {
        assert_eq!(inclusive::<Max<i32>>(Some(3), &[1, 5, 2]), [3, 5, 5]);
        let (twice, next) = (Affine { a: 2.0, b: 0.0 }, Affine { a: 1.0, b: 1.0 });
        let composed = inclusive::<Compose>(Some(next), &[twice]);
        assert_eq!(composed, [Affine { a: 2.0, b: 2.0 }]);
    }
}
