//! Variables of the source: which register holds one, and in which lines of the text.
//!
//! They stand in the sections `.debug_abbrev`, `.debug_info` and `.debug_loc` that LLVM writes
//! with full debug information (DWARF 2, sections 2.4, 2.6, 7.5 and 7.7.3). A register's number
//! is its name: the letters of `%r1`, the first one highest. Of values that are spread over
//! registers, or are constants or addresses in memory, nothing is told.

mod sections;

use std::collections::HashMap;
use std::ops::Range;

use sections::{Data, Reader, Shape, Value, shapes};

use crate::tree::{Item, Kind, Module};
use crate::types::Type;

/// A register that holds a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The variable's name.
    pub name: String,
    /// The file that declares it, as `.file` names it.
    pub file: String,
    /// Its type, where it is a number or a truth value.
    pub ty: Option<Type>,
    /// `%r7`
    pub register: String,
    /// From the first line of the text to the one behind the last.
    pub lines: Range<u32>,
}

/// What of the variables a text tells; nothing without debug information, and no more where
/// that is not understood.
pub fn held(module: &Module<'_>) -> Vec<Held> {
    let section = |name: &str| {
        let mut sections = module.items.iter().filter_map(|item| match item {
            Item::Section(text) => Some(*text),
            _ => None,
        });
        sections.find(|text| text.split_whitespace().nth(1) == Some(name))
    };
    let section = |name| section(name).map(Data::of).unwrap_or_default();
    let (abbreviations, info) = (section(".debug_abbrev"), section(".debug_info"));
    let mut units = Units {
        shapes: shapes(&abbreviations),
        ..Units::default()
    };
    // What was read before an end that is not understood is right all the same.
    let _ = units.read(&mut Reader::of(&info));
    let mut held = units.held(&info, &section(".debug_loc"), &labels(module));
    for (file, one) in &mut held {
        let path = module.files().find(|known| known.index == *file);
        one.file = path.map(|file| file.path.to_owned()).unwrap_or_default();
    }
    held.into_iter().map(|(_, held)| held).collect()
}

/// The line of each label.
fn labels<'t>(module: &Module<'t>) -> HashMap<&'t str, u32> {
    let statements = module
        .functions()
        .flat_map(|function| function.statements());
    let labels = statements.filter_map(|statement| match statement.kind {
        Kind::Label(name) => Some((name, statement.span.position.line)),
        _ => None,
    });
    labels.collect()
}

// Tags and attributes (DWARF 2, figures 14 and 15).
const PARAMETER: u64 = 0x05;
const BASE_TYPE: u64 = 0x24;
const VARIABLE: u64 = 0x34;
const LOCATION: u64 = 0x02;
const NAME: u64 = 0x03;
const SIZE: u64 = 0x0b;
const LOW: u64 = 0x11;
const HIGH: u64 = 0x12;
const ORIGIN: u64 = 0x31;
const FILE: u64 = 0x3a;
const ENCODING: u64 = 0x3e;
const TYPE: u64 = 0x49;
const RANGES: u64 = 0x55;

/// The labels between which the code of a scope lies; `None` where it is not in one piece.
type Scope<'t> = Option<(&'t str, &'t str)>;

/// What is known of the entries that are variables, parameters or types, by their offsets.
#[derive(Default)]
struct Units<'t> {
    shapes: HashMap<u64, Shape>,
    entries: HashMap<u64, HashMap<u64, Value<'t>>>,
    /// Offsets of the entry and of its unit, and the scope.
    located: Vec<(u64, u64, Scope<'t>)>,
}

impl<'t> Units<'t> {
    fn read(&mut self, reader: &mut Reader<'_, 't>) -> Option<()> {
        while reader.at < reader.data.bytes.len() {
            let unit = reader.at as u64;
            let length = reader.number(4)?;
            let end = reader.at + usize::try_from(length).ok()?;
            // Version, offset of the abbreviations, bytes of an address.
            reader.take(2 + 4 + 1)?;
            let mut scopes: Vec<Scope<'t>> = Vec::new();
            while reader.at < end {
                self.entry(reader, unit, &mut scopes)?;
            }
        }
        Some(())
    }

    fn entry(
        &mut self,
        reader: &mut Reader<'_, 't>,
        unit: u64,
        scopes: &mut Vec<Scope<'t>>,
    ) -> Option<()> {
        let offset = reader.at as u64;
        let code = reader.leb()?;
        if code == 0 {
            scopes.pop();
            return Some(());
        }
        let shape = self.shapes.get(&code)?;
        let mut values = HashMap::new();
        for &(attribute, form) in &shape.attributes {
            values.insert(attribute, reader.value(form)?);
        }
        let outer = scopes.last().copied().flatten();
        if shape.has_children {
            scopes.push(match (values.get(&LOW), values.get(&HIGH)) {
                (Some(Value::Name(low)), Some(Value::Name(high))) => Some((low, high)),
                _ if values.contains_key(&RANGES) => None,
                _ => outer,
            });
        }
        if matches!(shape.tag, VARIABLE | PARAMETER | BASE_TYPE) {
            if values.contains_key(&LOCATION) {
                self.located.push((offset, unit, outer));
            }
            self.entries.insert(offset, values);
        }
        Some(())
    }

    /// An attribute of an entry, or of the one that it is an instance of.
    fn attribute(&self, entry: u64, unit: u64, attribute: u64) -> Option<&Value<'t>> {
        let values = self.entries.get(&entry)?;
        values.get(&attribute).or_else(|| {
            let origin = self.entries.get(&reference(values.get(&ORIGIN)?, unit)?)?;
            origin.get(&attribute)
        })
    }

    fn ty(&self, entry: u64, unit: u64) -> Option<Type> {
        let ty = reference(self.attribute(entry, unit, TYPE)?, unit)?;
        let number = |attribute| match self.entries.get(&ty)?.get(&attribute)? {
            Value::Number(number) => Some(*number),
            _ => None,
        };
        // Encodings of base types (DWARF 2, figure 20).
        Some(match (number(ENCODING)?, number(SIZE)?) {
            (2, _) => Type::Predicate,
            (4, 2) => Type::F16,
            (4, 4) => Type::F32,
            (4, 8) => Type::F64,
            (5, 1) => Type::S8,
            (5, 2) => Type::S16,
            (5, 4) => Type::S32,
            (5, 8) => Type::S64,
            (7, 1) => Type::U8,
            (7, 2) => Type::U16,
            (7, 4) => Type::U32,
            (7, 8) => Type::U64,
            _ => return None,
        })
    }

    /// Each with the number of its file.
    fn held(
        &self,
        info: &Data<'t>,
        lists: &Data<'t>,
        lines: &HashMap<&str, u32>,
    ) -> Vec<(u32, Held)> {
        let mut held = Vec::new();
        for &(entry, unit, scope) in &self.located {
            let (Some(Value::Text(name)), Some(Value::Number(file))) = (
                self.attribute(entry, unit, NAME),
                self.attribute(entry, unit, FILE),
            ) else {
                continue;
            };
            let pieces = match self.entries[&entry].get(&LOCATION) {
                Some(Value::Block(bytes)) => {
                    let expression = &info.bytes[bytes.clone()];
                    scope.map(|scope| (scope, expression)).into_iter().collect()
                }
                Some(Value::Name(list)) => list_of(lists, list),
                _ => Vec::new(),
            };
            for ((low, high), expression) in pieces {
                if let Some(register) = register(expression)
                    && let (Some(&low), Some(&high)) = (lines.get(low), lines.get(high))
                {
                    let one = Held {
                        name: name.clone(),
                        file: String::new(),
                        ty: self.ty(entry, unit),
                        register,
                        lines: low..high,
                    };
                    held.push((*file as u32, one));
                }
            }
        }
        held
    }
}

/// The offset of the entry that an attribute names.
fn reference(value: &Value<'_>, unit: u64) -> Option<u64> {
    match value {
        Value::Number(offset) => unit.checked_add(*offset),
        _ => None,
    }
}

/// Labels of a location list, two for each expression (DWARF 2, section 7.7.3).
fn list_of<'d, 't>(lists: &'d Data<'t>, list: &str) -> Vec<((&'t str, &'t str), &'d [u8])> {
    let mut reader = Reader::of(lists);
    let mut pieces = Vec::new();
    let Some(&first) = lists.labels.get(list) else {
        return pieces;
    };
    reader.at = first;
    let mut next = || {
        let low = reader.name();
        reader.take(8)?;
        let high = reader.name();
        reader.take(8)?;
        let length = reader.number(2).filter(|_| low.is_some())?;
        Some(((low?, high?), reader.take(length as usize)?))
    };
    while let Some(piece) = next() {
        pieces.push(piece);
    }
    pieces
}

/// The one register that an expression names, and all of the value is in.
fn register(expression: &[u8]) -> Option<String> {
    let [0x90, number @ ..] = expression else {
        return None;
    };
    let mut data = Data::default();
    data.bytes.extend(number);
    let mut reader = Reader::of(&data);
    let letters = reader.leb()?.to_be_bytes();
    // Nothing, or that the register is the value.
    let rest = &number[reader.at..];
    let name = letters.iter().skip_while(|letter| **letter == 0);
    let name: String = name.map(|letter| char::from(*letter)).collect();
    (name.starts_with('%') && matches!(rest, [] | [0x9f])).then_some(name)
}

#[cfg(test)]
#[path = "variables_tests.rs"]
mod tests;
