//! The items of a batch: limits and parameters, each the same for all or an array.

use super::subject::Subject;
use super::{MAX_PARAMETERS, Parameters, Real, refuse};
use crate::device::{Module, Readable, View};
use crate::{Error, Result};

/// Limits and parameters of a batch of integrals.
#[derive(Debug)]
pub struct Items<'a, R: Real> {
    from: Given<'a, R>,
    to: Given<'a, R>,
    parameters: Values<'a, R>,
}

#[derive(Debug)]
enum Given<'a, R: Real> {
    All(R),
    Each(View<'a, R>),
}

#[derive(Debug)]
enum Values<'a, R: Real> {
    All(Vec<R>),
    Each(View<'a, R>),
}

impl<'a, R: Real> Items<'a, R> {
    /// Items with the same limits and without parameters. A limit may be infinite; from a
    /// higher limit to a lower one the integral is negative.
    pub fn between(from: R, to: R) -> Self {
        Self {
            from: Given::All(from),
            to: Given::All(to),
            parameters: Values::All(Vec::new()),
        }
    }

    /// The same with a lower limit for each item.
    #[must_use]
    pub fn from_each(mut self, from: impl Readable<'a, R>) -> Self {
        self.from = Given::Each(from.into());
        self
    }

    /// The same with an upper limit for each item.
    #[must_use]
    pub fn to_each(mut self, to: impl Readable<'a, R>) -> Self {
        self.to = Given::Each(to.into());
        self
    }

    /// The same with these parameters for all items.
    #[must_use]
    pub fn with(mut self, parameters: &[R]) -> Self {
        self.parameters = Values::All(parameters.to_vec());
        self
    }

    /// The same with parameters for each item, one item's after another's.
    #[must_use]
    pub fn with_each(mut self, parameters: impl Readable<'a, R>) -> Self {
        self.parameters = Values::Each(parameters.into());
        self
    }

    /// How many items there are: as many as an array is for; one without arrays.
    pub(super) fn len(&self, of: &Subject) -> usize {
        match (&self.from, &self.to, &self.parameters) {
            (Given::Each(view), ..) | (_, Given::Each(view), _) => view.len(),
            (.., Values::Each(view)) => view.len() / of.parameters.len().max(1),
            _ => 1,
        }
    }

    /// The items as a kernel takes them, or what is wrong with them.
    pub(super) fn checked(
        &self,
        module: &Module,
        of: &Subject,
        entry: &str,
        n: usize,
    ) -> Result<Raw<R>> {
        let array = |name: &'static str, view: &View<'_, R>, each: usize| {
            refuse::elements(name, view.len(), n, each)?;
            module.device().expect_own(view.device(), entry, name)?;
            Ok::<u64, Error>(view.address())
        };
        let limit = |name, given: &Given<'_, R>| match given {
            Given::All(limit) => Ok((0, *limit)),
            Given::Each(view) => Ok::<_, Error>((array(name, view, 1)?, R::ZERO)),
        };
        let ((from, low), (to, high)) = (limit("from", &self.from)?, limit("to", &self.to)?);
        let (of_items, parameters) = match &self.parameters {
            Values::All(values) => (0, refuse::parameters(of, values)?),
            Values::Each(view) => {
                let each = of.parameters.len();
                if each == 0 {
                    let problem = format!("are given, {} has none", of.name);
                    return Err(Error::argument("parameters", problem));
                }
                (array("parameters", view, each)?, [R::ZERO; MAX_PARAMETERS])
            }
        };
        Ok(Raw {
            from,
            to,
            limits: [low, high],
            of_items,
            parameters,
        })
    }
}

/// Addresses, 0 for none, and what holds for all items.
pub(super) struct Raw<R: Real> {
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) limits: [R; 2],
    pub(super) of_items: u64,
    pub(super) parameters: Parameters<R>,
}
