//! What an instruction group decodes with: modifiers, operands by index and type. A decoder
//! takes what it knows; `finish` refuses the rest, so that no modifier is ever passed over.
//!
//! As for ptxas, the order of modifiers does not matter, except among those of one kind (the
//! types of a conversion) and for words that belong to the opcode (`mul.lo`, `bar.red`).

use ptx_syntax::{Instruction, Number, Operand, Space, Type};

use super::scope::{Entity, Scopes};
use super::{Builder, LabelId, Symbol};
use crate::ir::{Address, Base, LaneFn, Op, Operands, Room, Slot, Source, Width};
use crate::observe::Class;

/// Why an instruction is refused.
pub(crate) type Reason = String;

/// An instruction decoded.
pub(crate) struct Decoded {
    pub(crate) op: Op,
    pub(crate) operands: Operands,
    pub(crate) class: Class,
}

impl Decoded {
    pub(crate) fn lanes(run: LaneFn, operands: Operands, class: Class) -> Self {
        Decoded {
            op: Op::Lanes(run),
            operands,
            class,
        }
    }
}

pub(crate) struct Decoder<'d, 'a> {
    pub(crate) builder: &'d mut Builder<'a>,
    pub(crate) scopes: &'d mut Scopes,
    pub(crate) instruction: &'d Instruction<'d>,
    /// Modifiers taken so far, a bit each.
    taken: u64,
    /// The one that was taken last.
    last: usize,
}

/// Words that are taken only in their place: parts of opcodes (`mul.lo`, `cp.async.bulk`), and
/// types that only some groups know.
const IN_PLACE: [&str; 17] = [
    "lo", "hi", "wide", "l", "r", "to", "pack", "proxy", "reduce", "async", "bulk", "mbarrier",
    "tf32", "e4m3x2", "e5m2x2", "f16x2", "bf16x2",
];

impl<'d, 'a> Decoder<'d, 'a> {
    pub(crate) fn new(
        builder: &'d mut Builder<'a>,
        scopes: &'d mut Scopes,
        instruction: &'d Instruction<'d>,
    ) -> Self {
        Decoder {
            builder,
            scopes,
            instruction,
            taken: 0,
            last: 0,
        }
    }

    pub(crate) fn opcode(&self) -> &'d str {
        self.instruction.opcode
    }

    /// The first modifier that is not taken.
    pub(crate) fn peek(&self) -> Option<&'d str> {
        self.left().next().map(|(_, word)| word)
    }

    fn left(&self) -> impl Iterator<Item = (usize, &'d str)> + use<'d> {
        let taken = self.taken;
        let words = self.instruction.modifiers.iter().copied().enumerate();
        words.filter(move |(index, _)| taken >> index & 1 == 0)
    }

    /// How many modifiers are taken before the first that is not.
    pub(crate) fn taken(&self) -> u32 {
        self.taken.trailing_ones()
    }

    /// Takes the first modifier that `is_wanted`.
    pub(crate) fn take_if(&mut self, is_wanted: impl Fn(&str) -> bool) -> Option<&'d str> {
        let (index, word) = self.left().find(|(_, word)| is_wanted(word))?;
        self.taken |= 1 << index;
        self.last = index;
        Some(word)
    }

    /// Takes the modifier `word`, if it is there.
    pub(crate) fn take(&mut self, word: &str) -> bool {
        self.take_any(&[word]).is_some()
    }

    /// Takes the first modifier that is one of `words`.
    pub(crate) fn take_any(&mut self, words: &[&str]) -> Option<&'d str> {
        let next = self.peek()?;
        self.take_if(|word| words.contains(&word) && (!IN_PLACE.contains(&word) || word == next))
    }

    /// Takes the next type, which must be there.
    pub(crate) fn ty(&mut self) -> Result<Type, Reason> {
        let word = self.take_if(|word| Type::parse(word).is_some());
        match word.and_then(Type::parse) {
            Some(ty) => Ok(ty),
            None if self.peek().is_some() => Err(self.unknown_modifier()),
            None => Err(format!("`{}` needs a type", self.opcode())),
        }
    }

    pub(crate) fn unknown_modifier(&self) -> Reason {
        match self.peek() {
            Some(word) => format!(
                "the modifier `.{word}` of `{}` is not supported here",
                self.opcode()
            ),
            None => format!("a modifier of `{}` is missing", self.opcode()),
        }
    }

    /// The type just taken is none of this group's; it is put back, so that
    /// the reason of a group that has the type weighs more.
    pub(crate) fn unsupported_type(&mut self, ty: Type) -> Reason {
        self.taken &= !(1 << self.last);
        if self.peek().is_some_and(|word| Type::parse(word).is_none()) {
            return self.unknown_modifier();
        }
        format!("`{}` on {ty:?} is not supported", self.opcode())
    }

    /// All modifiers are taken, and there are `count` operands.
    pub(crate) fn finish(&self, count: usize) -> Result<(), Reason> {
        if self.peek().is_some() {
            return Err(self.unknown_modifier());
        }
        let found = self.instruction.operands.len();
        if found != count {
            return Err(format!(
                "`{}` takes {count} operands here, not {found}",
                self.opcode()
            ));
        }
        Ok(())
    }

    pub(crate) fn operand(&self, index: usize) -> Result<&'d Operand<'d>, Reason> {
        self.instruction
            .operands
            .get(index)
            .ok_or_else(|| format!("operand {} is missing", index + 1))
    }

    /// A register and its type.
    pub(crate) fn register(&self, name: &str) -> Result<(Slot, Type), Reason> {
        match self.scopes.find(name) {
            Some(Entity::Register { slot, ty }) => Ok((*slot, *ty)),
            Some(_) => Err(format!("`{name}` is not a register")),
            None => Err(format!("no register `{name}`")),
        }
    }

    fn fits(&self, name: &str, register: Type, ty: Type, wider: bool) -> Result<(), Reason> {
        let same_file = (register == Type::Predicate) == (ty == Type::Predicate);
        let fits = if wider {
            register.bytes() >= ty.bytes()
        } else {
            register.bytes() == ty.bytes()
        };
        if same_file && fits {
            return Ok(());
        }
        Err(format!(
            "`{name}` is a register of {register:?}, which does not hold {ty:?}"
        ))
    }

    /// The row that operand `index`, a value of type `ty`, is written to.
    pub(crate) fn destination(&self, index: usize, ty: Type) -> Result<Slot, Reason> {
        Ok(self.written(self.operand(index)?, ty, false)?.0)
    }

    /// As `destination`; with `wider`, the register may be wider than `ty`
    /// (loads and conversions), and its own type comes back.
    pub(crate) fn written(
        &self,
        operand: &Operand<'_>,
        ty: Type,
        wider: bool,
    ) -> Result<(Slot, Type), Reason> {
        match operand {
            Operand::Name(name) => {
                let (slot, register) = self.register(name)?;
                self.fits(name, register, ty, wider)?;
                Ok((slot, register))
            }
            Operand::Sink => Ok((Slot::SINK, ty)),
            _ => Err("a register is expected as the destination".into()),
        }
    }

    /// The row that holds operand `index`, a value of type `ty`.
    pub(crate) fn source(&mut self, index: usize, ty: Type) -> Result<Source, Reason> {
        let operand = self.operand(index)?;
        self.read(operand, ty, false)
    }

    /// As `source`; with `wider`, a wider register is truncated (stores and
    /// conversions).
    pub(crate) fn read(
        &mut self,
        operand: &Operand<'_>,
        ty: Type,
        wider: bool,
    ) -> Result<Source, Reason> {
        match operand {
            Operand::Name(name) => match self.scopes.find(name) {
                Some(Entity::Register { slot, ty: register }) => {
                    self.fits(name, *register, ty, wider)?;
                    Ok(Source::register(*slot))
                }
                _ => self.symbol(name, 0, ty),
            },
            Operand::NameOffset(name, offset) => self.symbol(name, *offset, ty),
            Operand::Element(name, element) => self.symbol(name, self.element(name, *element)?, ty),
            Operand::Number(number) => {
                let bits = number
                    .bits(ty)
                    .filter(|_| !(ty.is_float() && matches!(number, Number::Integer(_))))
                    .ok_or_else(|| format!("the immediate does not fit {ty:?}"))?;
                Ok(match Width::of(ty) {
                    Width::W64 => self.builder.immediate64(bits),
                    Width::W32 => self.builder.immediate32(bits as u32),
                    Width::Predicate => return Err("a predicate register is expected".into()),
                })
            }
            _ => Err("a register or an immediate is expected".into()),
        }
    }

    /// The register that operand `index` names, when it is one, with its own
    /// type: for groups whose operand may be wider or narrower.
    pub(crate) fn register_type(&self, index: usize) -> Option<Type> {
        match self.instruction.operands.get(index)? {
            Operand::Name(name) => self.register(name).ok().map(|(_, ty)| ty),
            _ => None,
        }
    }

    fn symbol(&mut self, name: &str, offset: i64, ty: Type) -> Result<Source, Reason> {
        // The frame of an entry begins at 0.
        if let Some(Entity::Frame { offset: start, .. }) = self.scopes.find(name)
            && self.in_entry()
            && matches!(ty.bytes(), 4 | 8)
        {
            let address = i64::from(*start).wrapping_add(offset) as u64;
            return Ok(match Width::of(ty) {
                Width::W64 => self.builder.immediate64(address),
                _ => self.builder.immediate32(address as u32),
            });
        }
        let symbol = self.find_symbol(name)?;
        match ty {
            Type::U32 | Type::B32 | Type::S32 => {
                Ok(self.builder.address_of(symbol, offset, false, false))
            }
            Type::U64 | Type::B64 | Type::S64 => {
                Ok(self.builder.address_of(symbol, offset, true, false))
            }
            _ => Err(format!("the address of `{name}` is not a value of {ty:?}")),
        }
    }

    /// A variable or function of the program by name.
    pub(crate) fn find_symbol(&self, name: &str) -> Result<Symbol, Reason> {
        match self.scopes.find(name) {
            Some(Entity::Static(symbol)) => return Ok(*symbol),
            Some(_) => return Err(format!("`{name}` has no address that is known at load")),
            None => {}
        }
        self.builder
            .module
            .get(name)
            .copied()
            .ok_or_else(|| format!("no register or variable `{name}`"))
    }

    /// Bytes from the beginning of a variable to an element of it.
    pub(crate) fn element(&self, name: &str, element: i64) -> Result<i64, Reason> {
        let Symbol::Variable(variable) = self.find_symbol(name)? else {
            return Err(format!("`{name}` is a function"));
        };
        let unit = i64::from(self.builder.variables[variable as usize].unit);
        let bytes = element.checked_mul(unit);
        bytes.ok_or_else(|| format!("`{name}` has no element {element}"))
    }

    /// A predicate, perhaps negated, or a number: 0 is false, others are true.
    pub(crate) fn predicate(&self, index: usize) -> Result<Source, Reason> {
        let (name, negated) = match self.operand(index)? {
            Operand::Name(name) => (name, false),
            Operand::Not(name) => (name, true),
            Operand::Number(Number::Integer(value)) => {
                return Ok(Source::predicate(Slot::FALSE, *value != 0));
            }
            _ => return Err("a predicate register is expected".into()),
        };
        match self.register(name)? {
            (slot, Type::Predicate) => Ok(Source::predicate(slot, negated)),
            _ => Err(format!("`{name}` is not a predicate")),
        }
    }

    /// The address in operand `index`, for an access to `room`; the room may
    /// become a narrower one when the operand names a variable.
    pub(crate) fn address(&mut self, index: usize, room: Room) -> Result<(Address, Room), Reason> {
        let (base, offset) = match self.operand(index)? {
            Operand::Address { rest, .. } if !rest.is_empty() => {
                return Err("more than an address in brackets".into());
            }
            Operand::Address { base, offset, .. } => (*base, *offset),
            Operand::Element(name, element) => (Some(*name), self.element(name, *element)?),
            _ => return Err("an address in brackets is expected".into()),
        };
        let at = |base, start: u32| {
            let offset = offset.wrapping_add(i64::from(start));
            Address { base, offset }
        };
        let Some(name) = base else {
            return Ok((at(Base::W64(self.builder.immediate64(0)), 0), room));
        };
        match self.scopes.find(name) {
            Some(Entity::Register { slot, ty }) => {
                let row = Source::register(*slot);
                let narrow = !matches!(room, Room::Generic | Room::Global);
                match ty.bytes() {
                    8 | 16 => Ok((at(Base::W64(row), 0), room)),
                    4 if narrow => Ok((at(Base::W32(row), 0), room)),
                    _ => Err(format!("`{name}` is not a register that holds an address")),
                }
            }
            Some(Entity::Parameter(formal)) => {
                if room != Room::Parameter {
                    return Err(format!("`{name}` is a parameter"));
                }
                let zero = Base::W64(self.builder.immediate64(0));
                Ok((at(zero, formal.offset), room))
            }
            Some(Entity::Frame {
                offset: start,
                space,
                ..
            }) => {
                let expected = match space {
                    Space::Parameter => Room::Parameter,
                    _ => Room::Local,
                };
                if room != expected && room != Room::Generic {
                    return Err(format!("`{name}` is not in this state space"));
                }
                Ok((at(Base::Frame, *start), Room::Local))
            }
            _ => {
                let symbol = self.find_symbol(name)?;
                let Symbol::Variable(variable) = symbol else {
                    return Err(format!("`{name}` is a function"));
                };
                let own = Room::of(self.builder.variables[variable as usize].space);
                if room != Room::Generic && own != Some(room) {
                    return Err(format!("`{name}` is not in this state space"));
                }
                let source = self.builder.address_of(symbol, 0, true, false);
                Ok((at(Base::W64(source), 0), own.unwrap_or(room)))
            }
        }
    }

    /// The label that operand `index` names.
    pub(crate) fn label(&self, index: usize) -> Result<LabelId, Reason> {
        match self.operand(index)? {
            Operand::Name(name) => self.label_named(name),
            _ => Err("a label is expected".into()),
        }
    }

    pub(crate) fn label_named(&self, name: &str) -> Result<LabelId, Reason> {
        match self.scopes.find(name) {
            Some(Entity::Label(label)) => Ok(*label),
            _ => Err(format!("no label `{name}`")),
        }
    }

    /// True inside an `.entry`.
    pub(crate) fn in_entry(&self) -> bool {
        self.builder.functions[self.builder.function as usize].entry
    }
}
