//! The types of arguments: their names, their sizes, their values as text.

/// A type of scalars and of the elements of arrays.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    /// As in `--arg`.
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) bytes: usize,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Unsigned,
    Signed,
    Float,
}

impl Kind {
    /// NumPy's character for it.
    pub(crate) fn code(self) -> char {
        match self {
            Kind::Unsigned => 'u',
            Kind::Signed => 'i',
            Kind::Float => 'f',
        }
    }
}

const fn element(name: &'static str, kind: Kind, bytes: usize) -> Element {
    Element { name, kind, bytes }
}

/// All of them.
const ELEMENTS: [Element; 11] = [
    element("u8", Kind::Unsigned, 1),
    element("u16", Kind::Unsigned, 2),
    element("u32", Kind::Unsigned, 4),
    element("u64", Kind::Unsigned, 8),
    element("i8", Kind::Signed, 1),
    element("i16", Kind::Signed, 2),
    element("i32", Kind::Signed, 4),
    element("i64", Kind::Signed, 8),
    element("f16", Kind::Float, 2),
    element("f32", Kind::Float, 4),
    element("f64", Kind::Float, 8),
];

/// For messages.
pub(crate) const NAMES: &str = "u8, u16, u32, u64, i8, i16, i32, i64, f16, f32 and f64";

impl Element {
    pub(crate) fn parse(name: &str) -> Option<Element> {
        ELEMENTS.into_iter().find(|element| element.name == name)
    }

    /// NumPy's name of it in little-endian order: `<f4`, `|u1`.
    pub(crate) fn dtype(self) -> String {
        let order = if self.bytes == 1 { '|' } else { '<' };
        format!("{order}{}{}", self.kind.code(), self.bytes)
    }

    /// The little-endian bytes of a value: decimal, or its bits as `0x...`.
    ///
    /// # Errors
    ///
    /// What is allowed.
    pub(crate) fn encode(self, text: &str) -> Result<Vec<u8>, String> {
        let bits = match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
            Some(digits) if !digits.starts_with('+') => u64::from_str_radix(digits, 16)
                .ok()
                .filter(|&bits| self.bytes == 8 || bits >> (8 * self.bytes) == 0),
            Some(_) => None,
            None => self.decimal(text),
        };
        match bits {
            Some(bits) => Ok(bits.to_le_bytes()[..self.bytes].to_vec()),
            None => Err(self.allowed()),
        }
    }

    /// A value from its little-endian bytes, in decimal: the shortest text that is read as it.
    pub(crate) fn decode(self, bytes: &[u8]) -> String {
        let mut raw = [0; 8];
        raw[..self.bytes].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(raw);
        let up = 64 - 8 * self.bytes as u32;
        match (self.kind, self.bytes) {
            (Kind::Unsigned, _) => bits.to_string(),
            (Kind::Signed, _) => ((bits << up) as i64 >> up).to_string(),
            (Kind::Float, 2) => half::f16::from_bits(bits as u16).to_string(),
            (Kind::Float, 4) => f32::from_bits(bits as u32).to_string(),
            (Kind::Float, _) => f64::from_bits(bits).to_string(),
        }
    }

    fn decimal(self, text: &str) -> Option<u64> {
        let integer = |low: i128, high: i128| {
            let value: i128 = text.parse().ok()?;
            (low..=high).contains(&value).then_some(value as u64)
        };
        let width = 8 * self.bytes;
        match (self.kind, self.bytes) {
            (Kind::Unsigned, _) => integer(0, (1 << width) - 1),
            (Kind::Signed, _) => integer(-(1 << (width - 1)), (1 << (width - 1)) - 1),
            (Kind::Float, 2) => Some(half::f16::from_f64(text.parse().ok()?).to_bits().into()),
            (Kind::Float, 4) => Some(text.parse::<f32>().ok()?.to_bits().into()),
            (Kind::Float, _) => Some(text.parse::<f64>().ok()?.to_bits()),
        }
    }

    fn allowed(self) -> String {
        let (name, width) = (self.name, 8 * self.bytes as u32);
        let digits = 2 * self.bytes;
        let decimal = match self.kind {
            Kind::Unsigned => format!("0 to {}", (1i128 << width) - 1),
            Kind::Signed => format!(
                "{} to {}",
                -(1i128 << (width - 1)),
                (1i128 << (width - 1)) - 1
            ),
            Kind::Float => "decimal numbers, inf and nan".into(),
        };
        format!("{name} takes {decimal}, or its bits as 0x and up to {digits} hexadecimal digits")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(name: &str, text: &str) -> Option<Vec<u8>> {
        Element::parse(name).unwrap().encode(text).ok()
    }

    #[test]
    fn text_is_read_back_as_the_same_bits() {
        for (name, texts) in [
            ("u8", &["0", "255"][..]),
            ("i16", &["-32768", "7"]),
            ("u64", &["18446744073709551615"]),
            ("f16", &["0.1", "-65504", "inf"]),
            ("f32", &["0.1", "-0", "3.4028235e38", "1e-45"]),
            ("f64", &["0.1", "5e-324", "-inf"]),
        ] {
            let element = Element::parse(name).unwrap();
            for text in texts {
                let bytes = element.encode(text).unwrap();
                let written = element.decode(&bytes);
                assert_eq!(
                    element.encode(&written),
                    Ok(bytes),
                    "{name} {text} {written}"
                );
            }
        }
    }

    #[test]
    fn values_are_little_endian_and_in_range() {
        assert_eq!(bits("u8", "255"), Some(vec![255]));
        assert_eq!(bits("u8", "256"), None);
        assert_eq!(bits("u8", "-1"), None);
        assert_eq!(bits("i8", "-128"), Some(vec![0x80]));
        assert_eq!(bits("i8", "128"), None);
        assert_eq!(bits("u16", "258"), Some(vec![2, 1]));
        assert_eq!(bits("i32", "-2"), Some(vec![0xfe, 0xff, 0xff, 0xff]));
        assert_eq!(bits("u64", "18446744073709551615"), Some(vec![0xff; 8]));
        assert_eq!(bits("u64", "18446744073709551616"), None);
        assert_eq!(bits("i64", "-9223372036854775809"), None);
        assert_eq!(bits("f16", "1.5"), Some(vec![0x00, 0x3e]));
        assert_eq!(bits("f32", "1"), Some(vec![0, 0, 0x80, 0x3f]));
        assert_eq!(bits("f32", "0x3F800000"), Some(vec![0, 0, 0x80, 0x3f]));
        assert_eq!(bits("f32", "0x100000000"), None);
        assert_eq!(
            bits("f64", "-inf"),
            Some(vec![0, 0, 0, 0, 0, 0, 0xf0, 0xff])
        );
        assert_eq!(bits("f64", "one"), None);
        assert_eq!(bits("u32", "0x+1"), None);
        assert_eq!(bits("u32", ""), None);
        assert!(Element::parse("b32").is_none());
    }
}
