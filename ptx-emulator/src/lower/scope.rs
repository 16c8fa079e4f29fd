//! The scopes of a body: what its names stand for, and the slots of its registers.

use std::collections::HashMap;

use ptx_syntax::{Space, Type, Variable};

use super::{Formal, LabelId, Sizes, Symbol};
use crate::ir::{Slot, Width};

/// Rows of one function at most; a warp holds 256 bytes for each.
pub(super) const ROWS: u32 = 1 << 18;
/// Local memory of a thread, bytes (the hardware's limit).
pub(crate) const LOCAL: u32 = 512 << 10;

/// What a name of a body stands for.
#[derive(Clone, Debug)]
pub(crate) enum Entity {
    Register {
        slot: Slot,
        ty: Type,
    },
    /// `.v2`, `.v4`: registers side by side.
    Vector {
        slot: Slot,
        ty: Type,
        parts: u32,
    },
    /// In the parameter bank of the entry.
    Parameter(Formal),
    /// In the call frame: `.local`, `.param` of a function or of a call.
    Frame {
        offset: u32,
        bytes: u32,
        space: Space,
    },
    /// A variable that lives as long as the program.
    Static(Symbol),
    Label(LabelId),
    Targets(Vec<String>),
    Prototype,
}

impl Entity {
    /// One register, or a vector of several.
    pub(super) fn registers(slot: Slot, ty: Type, parts: u32) -> Self {
        match parts {
            1 => Entity::Register { slot, ty },
            _ => Entity::Vector { slot, ty, parts },
        }
    }
}

/// The parts of a vector register by their names: both letters of a pair are the same part.
const COMPONENTS: [&str; 4] = ["xr", "yg", "zb", "wa"];

/// Registers of one `%r<n>`: `%r0` to `%r(n-1)`, in slots of their own.
#[derive(Copy, Clone, Debug)]
struct Range {
    depth: usize,
    first: u32,
    count: u32,
    ty: Type,
    parts: u32,
}

/// What one scope declares, to be forgotten at its end.
#[derive(Default)]
struct Scope {
    names: Vec<String>,
    prefixes: Vec<String>,
    /// Of the names that end in a number, by what is before it: the smallest
    /// number.
    numbered: HashMap<String, u32>,
}

/// The scopes of one body.
///
/// A name costs the same wherever it was declared, and a range of registers
/// the same however long it is: its registers get an entry each when they are
/// first named.
pub(crate) struct Scopes {
    /// By name, outermost first, with the depth of the scope.
    names: HashMap<String, Vec<(usize, Entity)>>,
    /// By the prefix of the names, outermost first.
    ranges: HashMap<String, Vec<Range>>,
    open: Vec<Scope>,
    pub(super) sizes: Sizes,
    carry: Option<Slot>,
}

/// Rows of one register.
fn rows(ty: Type) -> u32 {
    if ty == Type::B128 { 2 } else { 1 }
}

/// The ways to read a name as a prefix and a register's number.
fn splits(name: &str) -> impl Iterator<Item = (&str, u32)> {
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    (1..=digits.min(6)).filter_map(move |length| {
        let (prefix, number) = name.split_at(name.len() - length);
        let canonical = number == "0" || !number.starts_with('0');
        Some((prefix, number.parse().ok().filter(|_| canonical)?))
    })
}

impl Scopes {
    pub(crate) fn new(sizes: Sizes) -> Self {
        Scopes {
            names: HashMap::new(),
            ranges: HashMap::new(),
            open: vec![Scope::default()],
            sizes,
            carry: None,
        }
    }

    pub(crate) fn enter(&mut self) {
        self.open.push(Scope::default());
    }

    pub(crate) fn leave(&mut self) {
        let Some(scope) = self.open.pop() else { return };
        for name in scope.names {
            if let Some(known) = self.names.get_mut(&name) {
                known.pop();
            }
        }
        for prefix in scope.prefixes {
            if let Some(known) = self.ranges.get_mut(&prefix) {
                known.pop();
            }
        }
    }

    /// What a name stands for. Of the registers of a range, only those that
    /// were named to `touch` are found.
    pub(crate) fn find(&self, name: &str) -> Option<&Entity> {
        self.names.get(name)?.last().map(|(_, entity)| entity)
    }

    /// Makes `find` know a name that may be a register of a range, or a part of a vector.
    pub(crate) fn touch(&mut self, name: &str) {
        if let Some((vector, component)) = name.split_once('.') {
            self.touch(vector);
            self.touch_part(name, vector, component);
        } else if let Some((range, number)) = self.in_range(name) {
            let slot = Slot(range.first + number * range.parts * rows(range.ty));
            self.know(
                range.depth,
                name,
                Entity::registers(slot, range.ty, range.parts),
            );
        }
    }

    fn touch_part(&mut self, name: &str, vector: &str, component: &str) {
        let known = self.names.get(vector).and_then(|known| known.last());
        if let Some(&(depth, Entity::Vector { slot, ty, parts })) = known
            && let Some(part) =
                (0..parts).find(|&part| COMPONENTS[part as usize].contains(component))
        {
            let slot = Slot(slot.0 + part * rows(ty));
            self.know(depth, name, Entity::Register { slot, ty });
        }
    }

    /// Notes what a name stands for in an open scope, unless a scope inside of it has the name.
    fn know(&mut self, depth: usize, name: &str, entity: Entity) {
        let known = self.names.entry(name.to_owned()).or_default();
        if known.last().is_none_or(|(own, _)| *own < depth) {
            known.push((depth, entity));
            self.open[depth].names.push(name.to_owned());
        }
    }

    /// The names of a vector's parts; none when the name is no vector's.
    pub(super) fn parts(&self, name: &str) -> Vec<String> {
        match self.find(name) {
            Some(Entity::Vector { parts, .. }) => {
                let letters = COMPONENTS.iter().take(*parts as usize);
                letters.map(|of| format!("{name}.{}", &of[..1])).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The innermost range that holds a register of this name.
    fn in_range(&self, name: &str) -> Option<(Range, u32)> {
        splits(name)
            .filter_map(|(prefix, number)| {
                let ranges = self.ranges.get(prefix)?;
                let range = ranges.iter().rev().find(|range| number < range.count)?;
                Some((*range, number))
            })
            .max_by_key(|(range, _)| range.depth)
    }

    /// Notes a name in the innermost scope; false when it exists there.
    fn reserve(&mut self, name: &str) -> bool {
        let depth = self.open.len() - 1;
        let named = self.names.get(name).and_then(|known| known.last());
        if named.is_some_and(|(at, _)| *at == depth)
            || self
                .in_range(name)
                .is_some_and(|(range, _)| range.depth == depth)
        {
            return false;
        }
        let Some(scope) = self.open.last_mut() else {
            return false;
        };
        for (prefix, number) in splits(name) {
            let smallest = scope.numbered.entry(prefix.to_owned()).or_insert(number);
            *smallest = number.min(*smallest);
        }
        true
    }

    /// False when the name exists in this very scope.
    pub(crate) fn declare(&mut self, name: &str, entity: Entity) -> bool {
        if !self.reserve(name) {
            return false;
        }
        let depth = self.open.len() - 1;
        self.names
            .entry(name.to_owned())
            .or_default()
            .push((depth, entity));
        self.open[depth].names.push(name.to_owned());
        true
    }

    /// Declares `prefix0` to `prefix(count-1)`; false when one of them exists
    /// in this very scope. `first` is the slot of the first one; each has so many parts.
    pub(super) fn declare_range(
        &mut self,
        prefix: &str,
        first: Slot,
        count: u32,
        (ty, parts): (Type, u32),
    ) -> bool {
        if count == 0 {
            return true;
        }
        let depth = self.open.len() - 1;
        let numbered = self.open[depth].numbered.get(prefix);
        // Of another range that has a name in common with this one, the
        // shortest name is in common, or that of this one is: `reserve`.
        if numbered.is_some_and(|&smallest| smallest < count)
            || !self.reserve(&format!("{prefix}0"))
        {
            return false;
        }
        self.ranges
            .entry(prefix.to_owned())
            .or_default()
            .push(Range {
                depth,
                first: first.0,
                count,
                ty,
                parts,
            });
        self.open[depth].prefixes.push(prefix.to_owned());
        true
    }

    pub(crate) fn sizes(&self) -> Sizes {
        Sizes {
            local: self.sizes.local.next_multiple_of(16),
            ..self.sizes
        }
    }

    /// The first of the slots of `count` registers.
    pub(super) fn slots(&mut self, ty: Type, count: u32) -> Option<Slot> {
        let file = match Width::of(ty) {
            Width::Predicate => &mut self.sizes.predicates,
            Width::W32 => &mut self.sizes.w32,
            Width::W64 => &mut self.sizes.w64,
        };
        let slot = Slot(*file);
        *file = file.checked_add(count.checked_mul(rows(ty))?)?;
        (*file <= ROWS).then_some(slot)
    }

    /// The predicate that holds the carries of this body's lanes; `None` when
    /// there is no room for another predicate.
    pub(crate) fn carry(&mut self) -> Option<Slot> {
        if self.carry.is_none() {
            self.carry = self.slots(Type::Predicate, 1);
        }
        self.carry
    }

    /// Offset and bytes of a variable in the frame.
    pub(super) fn place(&mut self, variable: &Variable<'_>) -> Option<(u32, u32)> {
        let bytes = u32::try_from(variable.bytes())
            .ok()
            .filter(|&bytes| bytes <= LOCAL)?;
        let offset = self
            .sizes
            .local
            .checked_next_multiple_of(variable.alignment().max(1))?;
        self.sizes.local = offset.checked_add(bytes).filter(|&end| end <= LOCAL)?;
        Some((offset, bytes))
    }
}
