//! Ways to add terms in f32, one after the other: plain, compensated, pairwise,
//! and with a sum of two f32.
//!
//! Each is used twice: for the terms, and again for the partial sums that the
//! threads of a grid give. The kernels beside which they stand as the oracle are
//! in `quadscan_kernels::integrate`; these are written from the papers:
//! Kahan, Further remarks on reducing truncation errors, CACM 8 (1965) 40; Knuth,
//! The Art of Computer Programming 2, section 4.2.2 (`two_sum`); Dekker, A
//! floating-point technique for extending the available precision, Numer. Math. 18
//! (1971) 224; Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition
//! (2002), chapter 4 (pairwise).

/// A sum that is built up term by term.
pub trait Summation: Default {
    /// What is left of a sub-range when its terms are added.
    type Partial: Copy;
    /// Adds a term.
    fn add(&mut self, term: f32);
    /// Adds another sum's result.
    fn add_partial(&mut self, partial: Self::Partial);
    /// The result.
    fn partial(&self) -> Self::Partial;
}

/// Recursive summation: the running sum is rounded after every term.
#[derive(Default)]
pub struct Plain {
    sum: f32,
}

impl Summation for Plain {
    type Partial = f32;

    #[inline(always)]
    fn add(&mut self, term: f32) {
        self.sum += term;
    }

    fn add_partial(&mut self, partial: f32) {
        self.add(partial);
    }

    fn partial(&self) -> f32 {
        self.sum
    }
}

/// Kahan: what an addition lost is taken off the next term.
#[derive(Default)]
pub struct Kahan {
    sum: f32,
    excess: f32,
}

impl Summation for Kahan {
    type Partial = f32;

    #[inline(always)]
    fn add(&mut self, term: f32) {
        let corrected = term - self.excess;
        let sum = self.sum + corrected;
        self.excess = (sum - self.sum) - corrected;
        self.sum = sum;
    }

    fn add_partial(&mut self, partial: f32) {
        self.add(partial);
    }

    fn partial(&self) -> f32 {
        self.sum
    }
}

/// Pairwise: sums of equally many terms are added to each other, as the carries
/// of a binary counter of terms.
#[derive(Default)]
pub struct Pairwise {
    terms: u64,
    /// The sum of 2^k terms at k, for every bit k of `terms`.
    digits: Vec<f32>,
}

impl Summation for Pairwise {
    type Partial = f32;

    #[inline(always)]
    fn add(&mut self, term: f32) {
        self.terms += 1;
        let place = self.terms.trailing_zeros() as usize;
        let mut carry = term;
        for digit in &self.digits[..place] {
            carry += digit;
        }
        match self.digits.get_mut(place) {
            Some(digit) => *digit = carry,
            None => self.digits.push(carry),
        }
    }

    fn add_partial(&mut self, partial: f32) {
        self.add(partial);
    }

    /// The digits that are left, the fewest terms first.
    fn partial(&self) -> f32 {
        let set = |place: &usize| self.terms >> place & 1 == 1;
        (0..self.digits.len())
            .filter(set)
            .fold(0.0, |sum, place| sum + self.digits[place])
    }
}

/// Two f32 whose exact sum is the running sum: about 48 bits.
#[derive(Default)]
pub struct DoubleFloat {
    high: f32,
    low: f32,
}

/// The rounded sum and what the rounding left, for any two numbers (Knuth).
#[inline(always)]
fn two_sum(a: f32, b: f32) -> (f32, f32) {
    let sum = a + b;
    let b_in_sum = sum - a;
    let rest = (a - (sum - b_in_sum)) + (b - b_in_sum);
    (sum, rest)
}

/// The same where |a| >= |b| (Dekker).
#[inline(always)]
fn fast_two_sum(a: f32, b: f32) -> (f32, f32) {
    let sum = a + b;
    (sum, b - (sum - a))
}

impl Summation for DoubleFloat {
    type Partial = [f32; 2];

    #[inline(always)]
    fn add(&mut self, term: f32) {
        self.add_partial([term, 0.0]);
    }

    #[inline(always)]
    fn add_partial(&mut self, [high, low]: [f32; 2]) {
        let (sum, rest) = two_sum(self.high, high);
        (self.high, self.low) = fast_two_sum(sum, rest + (self.low + low));
    }

    fn partial(&self) -> [f32; 2] {
        [self.high, self.low]
    }
}

/// The partial sums added in order, in the manner of `S`.
pub fn in_order<S: Summation>(partials: &[S::Partial]) -> S::Partial {
    let mut sum = S::default();
    for &partial in partials {
        sum.add_partial(partial);
    }
    sum.partial()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum<S: Summation>(terms: impl IntoIterator<Item = f32>) -> S::Partial {
        let mut sum = S::default();
        terms.into_iter().for_each(|term| sum.add(term));
        sum.partial()
    }

    /// 1, and a million times what is lost when it is added to 1.
    fn one_and_crumbs() -> impl Iterator<Item = f32> {
        std::iter::once(1.0).chain(std::iter::repeat_n(2.0_f32.powi(-25), 1 << 20))
    }

    #[test]
    fn crumbs_are_lost_by_the_plain_sum_alone() {
        // 1 + 2^20 * 2^-25 = 1 + 2^-5.
        let right = 1.0 + 2.0_f32.powi(-5);
        assert_eq!(sum::<Plain>(one_and_crumbs()), 1.0);
        assert_eq!(sum::<Kahan>(one_and_crumbs()), right);
        let pairwise = sum::<Pairwise>(one_and_crumbs());
        // log2 n units of roundoff at most.
        assert!(
            (pairwise - right).abs() <= 21.0 * 2.0_f32.powi(-24),
            "{pairwise}"
        );
        assert_eq!(sum::<DoubleFloat>(one_and_crumbs()), [right, 0.0]);
    }

    #[test]
    fn double_float_keeps_what_no_f32_holds() {
        let small = 2.0_f32.powi(-40);
        assert_eq!(sum::<DoubleFloat>([1.0, small]), [1.0, small]);
        assert_eq!(sum::<DoubleFloat>([small, 1.0, -1.0]), [small, 0.0]);
    }

    #[test]
    fn pairwise_adds_neighbours_first_whatever_the_number_of_terms() {
        // 2^24 + 1 is no f32, 2^24 + 2 is one: only neighbours save the ones.
        let big = 16_777_216.0;
        assert_eq!(sum::<Pairwise>([big, 0.0, 1.0, 1.0]), big + 2.0);
        assert_eq!(sum::<Pairwise>([big, 0.0, 1.0]), big);
        let whole = |n: u16| (1..=n).map(f32::from);
        for n in [0, 1, 2, 3, 7, 100, 1000, 1023] {
            let exact = f32::from(n) * (f32::from(n) + 1.0) / 2.0;
            assert_eq!(sum::<Pairwise>(whole(n)), exact, "{n}");
        }
    }

    #[test]
    fn partial_sums_are_added_in_the_same_manner() {
        let parts = [1.0, 2.0_f32.powi(-25), 2.0_f32.powi(-25)];
        assert_eq!(in_order::<Plain>(&parts), 1.0);
        assert_eq!(in_order::<Kahan>(&parts), 1.0 + 2.0_f32.powi(-24));
        let pairs = parts.map(|part| [part, 0.0]);
        assert_eq!(in_order::<DoubleFloat>(&pairs), [1.0, 2.0_f32.powi(-24)]);
    }
}
