//! One integral by a composite rule on several devices.

use super::composite::Composite;
use super::{Real, Rule, refuse};
use crate::device::Buffer;
use crate::{Error, Result};

/// The most pieces of an interval: a multiple of 1 to 6 and 8, so that these devices have equally many.
const PIECES: u64 = 120;

/// Strips from which on an interval is cut into more than one piece.
const STRIPS: u64 = 1 << 22;

/// Integrals of one function, in `R`, over equal strips that several devices have in turn.
///
/// The interval is cut into pieces, whose number depends on that of strips alone. A piece is an
/// integral of a [`Composite`] plan; the host adds them up in their order, in `f64`. So a result is
/// the same bit for bit for every number of devices. It is not, in the last bits, that of [`Composite`],
/// which does not cut.
///
/// ```no_run
/// use quadscan::device::{Artifact, Devices};
/// use quadscan::integrate::{Composite, Rule, ShardedComposite};
/// use quadscan_kernels::integrate::catalogue::QuarterCircle;
///
/// # fn main() -> quadscan::Result<()> {
/// let devices = Devices::all()?;
/// let modules = devices.load(&Artifact::embedded()?)?;
/// let strips = 1 << 34;
/// let plans = modules.iter().map(|module| Composite::<f64>::of::<QuarterCircle>(module, strips));
/// let mut plan = ShardedComposite::new(plans.collect::<quadscan::Result<_>>()?)?;
/// let quarter = plan.value(Rule::Trapezoid, strips, (0.0, 1.0), &[])?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ShardedComposite<R: Real> {
    plans: Vec<Composite<R>>,
    /// Of the pieces that each device has.
    values: Vec<Buffer<R>>,
}

impl<R: Real> ShardedComposite<R> {
    /// A plan of one for each device, of the same function and in any order.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for no plans and for those of several functions; the driver's.
    pub fn new(plans: Vec<Composite<R>>) -> Result<Self> {
        let [first, others @ ..] = &plans[..] else {
            return Err(Error::argument("plans", "are none, allowed are 1 and more"));
        };
        if others
            .iter()
            .any(|other| other.integrand() != first.integrand())
        {
            let problem = "are of several functions, allowed is one";
            return Err(Error::argument("plans", problem));
        }
        let most = (PIECES as usize).div_ceil(plans.len());
        let values = plans.iter().map(|plan| plan.device().alloc(most));
        Ok(Self {
            values: values.collect::<Result<_>>()?,
            plans,
        })
    }

    /// The integral from `from` to `to` by `rule` over `strips` equal strips. Waits for the devices.
    ///
    /// # Errors
    ///
    /// As [`Composite::integrate`].
    pub fn value(
        &mut self,
        rule: Rule,
        strips: u64,
        (from, to): (R, R),
        parameters: &[R],
    ) -> Result<R> {
        let most = self.plans.iter().map(Composite::most).min();
        refuse::strips(strips, most.unwrap_or_default())?;
        let pieces = (strips / STRIPS).clamp(1, PIECES);
        let strip =
            |piece: u64| (u128::from(strips) * u128::from(piece) / u128::from(pieces)) as u64;
        let limit = |piece: u64| match piece {
            0 => from,
            piece if piece == pieces => to,
            piece => {
                let (low, high) = (from.to_f64(), to.to_f64());
                R::from_f64(low + (high - low) * (strip(piece) as f64 / strips as f64))
            }
        };
        let count = self.plans.len();
        for piece in 0..pieces {
            let (device, place) = (piece as usize % count, piece as usize / count);
            let own = strip(piece + 1) - strip(piece);
            self.plans[device].integrate(
                rule,
                own,
                (limit(piece), limit(piece + 1)),
                parameters,
                self.values[device].slice_mut(place..=place)?,
            )?;
        }
        let values = self.values.iter().map(Buffer::to_vec);
        let values: Vec<Vec<R>> = values.collect::<Result<_>>()?;
        let value = |piece: usize| values[piece % count][piece / count].to_f64();
        Ok(R::from_f64((0..pieces as usize).map(value).sum()))
    }
}
