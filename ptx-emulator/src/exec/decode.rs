//! What the groups' decoders have in common.

use ptx_syntax::{Operand, Type};

use super::softfloat::Mode;
use crate::ir::{LaneFn, Op, Operands, Width};
use crate::lower::{Decoded, Decoder, Reason};
use crate::observe::Class;

impl Decoded {
    /// What the machine has to do, without rows of operands.
    pub(crate) fn new(op: Op, class: Class) -> Self {
        Decoded {
            op,
            operands: Operands::default(),
            class,
        }
    }

    /// With these operands.
    pub(crate) fn with(self, operands: Operands) -> Self {
        Decoded { operands, ..self }
    }
}

impl<'d> Decoder<'d, '_> {
    /// Takes the next modifier, which must be `word`.
    pub(crate) fn require(&mut self, word: &str) -> Result<(), Reason> {
        if self.take(word) {
            Ok(())
        } else {
            Err(self.unknown_modifier())
        }
    }

    /// Takes the next modifier, which must be one of `words`.
    pub(crate) fn one_of(&mut self, words: &[&str]) -> Result<&'d str, Reason> {
        let taken = self.take_any(words);
        taken.ok_or_else(|| self.unknown_modifier())
    }

    /// Takes the next modifier, which must be a type, and one of these.
    pub(crate) fn type_of(&mut self, allowed: &[Type]) -> Result<Type, Reason> {
        let ty = self.ty()?;
        if allowed.contains(&ty) {
            Ok(ty)
        } else {
            Err(self.unsupported_type(ty))
        }
    }

    /// Takes `.rn`, `.rz`, `.rm` or `.rp`, when one is next.
    pub(crate) fn rounding(&mut self) -> Option<Mode> {
        let word = self.take_any(&["rn", "rz", "rm", "rp"])?;
        Mode::parse(word)
    }

    /// Takes `.v2`, `.v4` or `.v8`, when one of these is next: how many.
    pub(crate) fn vector(&mut self, words: &[&str]) -> u32 {
        match self.take_any(words) {
            Some("v2") => 2,
            Some("v4") => 4,
            Some(_) => 8,
            None => 1,
        }
    }

    /// A function of each lane: the first operand is its result of type `to`,
    /// the others are of the types `sources`.
    pub(crate) fn each_lane(
        &mut self,
        run: LaneFn,
        aux: u64,
        class: Class,
        to: Type,
        sources: &[Type],
    ) -> Result<Decoded, Reason> {
        let operands = self.rows(aux, to, sources)?;
        Ok(Decoded::lanes(run, operands, class))
    }

    /// As `each_lane`, when there is such a function; `result` is refused
    /// otherwise.
    pub(crate) fn each_lane_of(
        &mut self,
        run: Option<LaneFn>,
        aux: u64,
        class: Class,
        result: Type,
        sources: &[Type],
    ) -> Result<Decoded, Reason> {
        match run {
            Some(run) => self.each_lane(run, aux, class, result, sources),
            None => Err(self.unsupported_type(result)),
        }
    }

    /// The destination and the sources of `each_lane`, behind all modifiers.
    pub(crate) fn rows(
        &mut self,
        aux: u64,
        to: Type,
        sources: &[Type],
    ) -> Result<Operands, Reason> {
        self.finish(1 + sources.len())?;
        let mut operands = Operands {
            aux,
            ..Operands::default()
        };
        operands.d[0] = self.destination(0, to)?;
        for (index, &ty) in sources.iter().enumerate() {
            operands.s[index] = self.source(index + 1, ty)?;
        }
        Ok(operands)
    }

    /// Operand 0 as `d` or `d|p`.
    pub(crate) fn pair(&self, operands: &mut Operands, ty: Type) -> Result<(), Reason> {
        match self.operand(0)? {
            Operand::Pair(value, flag) => {
                operands.d[0] = self.written(value, ty, false)?.0;
                operands.d[1] = self.written(flag, Type::Predicate, false)?.0;
            }
            _ => operands.d[0] = self.destination(0, ty)?,
        }
        Ok(())
    }

    /// A register, or an address of module scope, and what is added to it.
    pub(crate) fn named(&self, index: usize) -> Result<Option<(&'d str, i64)>, Reason> {
        Ok(match self.operand(index)? {
            Operand::Name(name) => Some((name, 0)),
            Operand::NameOffset(name, offset) => Some((name, *offset)),
            Operand::Element(name, element) => Some((name, self.element(name, *element)?)),
            _ => None,
        })
    }
}

/// The bits of a flag that is set.
pub(crate) fn flag(set: bool, bits: u64) -> u64 {
    if set { bits } else { 0 }
}

/// Whether values of a type fill a row of 64 bits.
pub(crate) fn is_wide(ty: Type) -> bool {
    Width::of(ty) == Width::W64
}

/// The same closure on each type of a list, for all operands and the result.
macro_rules! each_type {
    ($ty:expr, [$($name:ident $T:ty),*], $args:tt $body:tt) => {
        match $ty {
            $(::ptx_syntax::Type::$name => {
                Some($crate::exec::decode::typed!($T, $args $body))
            })*
            _ => None,
        }
    };
}

macro_rules! typed {
    ($T:ty, ($($a:ident),*) $body:tt) => {
        $crate::ir::lanes!(|$($a: $T),*| -> $T $body)
    };
    ($T:ty, ($($a:ident),*; $aux:ident) $body:tt) => {
        $crate::ir::lanes!(|$($a: $T),*; $aux| -> $T $body)
    };
}

pub(crate) use each_type;
pub(crate) use typed;
