//! The bytes of debug sections, and the numbers, texts and attributes that they are
//! (DWARF 2, sections 7.5 and 7.6).

use std::collections::HashMap;
use std::ops::Range;

/// The bytes of a section; names stand for numbers that an assembler knows.
#[derive(Default)]
pub(super) struct Data<'t> {
    pub(super) bytes: Vec<u8>,
    names: HashMap<usize, &'t str>,
    pub(super) labels: HashMap<&'t str, usize>,
}

impl<'t> Data<'t> {
    pub(super) fn of(section: &'t str) -> Self {
        let mut data = Data::default();
        for line in section.lines() {
            let line = line.split("//").next().unwrap_or_default().trim();
            if let Some(label) = line.strip_suffix(':') {
                data.labels.insert(label, data.bytes.len());
            }
            let Some((directive, values)) = line.split_once([' ', '\t']) else {
                continue;
            };
            let size = match directive {
                ".b8" => 1,
                ".b16" => 2,
                ".b32" => 4,
                ".b64" => 8,
                _ => continue,
            };
            for value in values.split(',').map(str::trim) {
                let number = value.parse().unwrap_or_else(|_| {
                    data.names.insert(data.bytes.len(), value);
                    0_u64
                });
                data.bytes.extend(&number.to_le_bytes()[..size]);
            }
        }
        data
    }
}

/// Reads a section from its begin.
pub(super) struct Reader<'d, 't> {
    pub(super) data: &'d Data<'t>,
    pub(super) at: usize,
}

impl<'d, 't> Reader<'d, 't> {
    pub(super) fn of(data: &'d Data<'t>) -> Self {
        Reader { data, at: 0 }
    }

    pub(super) fn take(&mut self, bytes: usize) -> Option<&'d [u8]> {
        let taken = self.data.bytes.get(self.at..self.at.checked_add(bytes)?)?;
        self.at += bytes;
        Some(taken)
    }

    /// The name that stands here, if one does.
    pub(super) fn name(&self) -> Option<&'t str> {
        self.data.names.get(&self.at).copied()
    }

    pub(super) fn number(&mut self, bytes: usize) -> Option<u64> {
        let bytes = self.take(bytes)?.iter().rev();
        Some(bytes.fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// LEB128; of a signed number the bits that are given.
    pub(super) fn leb(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.number(1)?;
            number |= (byte & 0x7f).checked_shl(shift).unwrap_or(0);
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
    }

    fn text(&mut self) -> Option<String> {
        let length = self
            .data
            .bytes
            .get(self.at..)?
            .iter()
            .position(|b| *b == 0)?;
        let text = String::from_utf8_lossy(self.take(length)?).into_owned();
        self.at += 1;
        Some(text)
    }

    /// The value of an attribute (DWARF 2, section 7.5.4, and the later forms that LLVM uses).
    pub(super) fn value(&mut self, form: u64) -> Option<Value<'t>> {
        if let Some(name) = self.name() {
            self.take(if form == 0x01 { 8 } else { 4 })?;
            return Some(Value::Name(name));
        }
        let block = |reader: &mut Self, length: Option<u64>| {
            let first = reader.at;
            reader.take(usize::try_from(length?).ok()?)?;
            Some(Value::Block(first..reader.at))
        };
        let number = match form {
            0x03 => {
                let length = self.number(2);
                return block(self, length);
            }
            0x04 => {
                let length = self.number(4);
                return block(self, length);
            }
            0x0a => {
                let length = self.number(1);
                return block(self, length);
            }
            0x09 | 0x18 => {
                let length = self.leb();
                return block(self, length);
            }
            0x08 => return self.text().map(Value::Text),
            0x0b | 0x0c | 0x11 => self.number(1)?,
            0x05 | 0x12 => self.number(2)?,
            0x06 | 0x0e | 0x13 | 0x17 => self.number(4)?,
            0x01 | 0x07 | 0x10 | 0x14 => self.number(8)?,
            0x0d | 0x0f | 0x15 => self.leb()?,
            0x19 => 1,
            _ => return None,
        };
        Some(Value::Number(number))
    }
}

/// The value of an attribute.
#[derive(Clone, Debug)]
pub(super) enum Value<'t> {
    Number(u64),
    Name(&'t str),
    Text(String),
    /// Bytes of the section.
    Block(Range<usize>),
}

/// What entries of one abbreviation have: a tag, and attributes with their forms.
pub(super) struct Shape {
    pub(super) tag: u64,
    pub(super) has_children: bool,
    pub(super) attributes: Vec<(u64, u64)>,
}

/// By the number of the abbreviation.
pub(super) fn shapes(abbreviations: &Data<'_>) -> HashMap<u64, Shape> {
    let mut reader = Reader::of(abbreviations);
    let mut shapes = HashMap::new();
    let mut next = || {
        let code = reader.leb().filter(|code| *code != 0)?;
        let tag = reader.leb()?;
        let has_children = reader.number(1)? != 0;
        let mut attributes = Vec::new();
        loop {
            match (reader.leb()?, reader.leb()?) {
                (0, 0) => break,
                attribute => attributes.push(attribute),
            }
        }
        let shape = Shape {
            tag,
            has_children,
            attributes,
        };
        Some((code, shape))
    };
    while let Some((code, shape)) = next() {
        shapes.insert(code, shape);
    }
    shapes
}
