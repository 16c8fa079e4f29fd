//! The header of NumPy's `.npy` files: a dictionary as Python writes it, with the type, the order
//! and the shape of the elements that follow. Versions 1.0 to 3.0 are read (NumPy Enhancement
//! Proposal 1 and `numpy.lib.format`); what is ASCII is written as 1.0.
//!
//! It depends on nothing: other programs of the workspace include this file by its path.

use std::io::Read;
use std::str::Chars;

/// Bytes of a header's text that is read, at most. Ten fields have less than 300.
const LONGEST: u32 = 1 << 14;

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// What a header says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) descr: Descr,
    /// Whether the first index is the fastest.
    pub(crate) is_fortran: bool,
    pub(crate) shape: Vec<u64>,
}

/// The type of elements.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Descr {
    /// Its name: `<f4`, `|u1`.
    Plain(String),
    /// Names of fields and of their types. A type that has no name, such as an array or a record, is
    /// the text of the header.
    Records(Vec<(String, String)>),
}

/// Reads the header, and no more; `None` where there is none.
pub(crate) fn read(input: &mut impl Read) -> Option<Header> {
    let mut start = [0; 10];
    input.read_exact(&mut start).ok()?;
    let [version, 0, a, b] = start.strip_prefix(MAGIC)? else {
        return None;
    };
    let mut high = [0; 2];
    match version {
        1 => {}
        2 | 3 => input.read_exact(&mut high).ok()?,
        _ => return None,
    }
    let length = u32::from_le_bytes([*a, *b, high[0], high[1]]);
    if length > LONGEST {
        return None;
    }
    let mut text = vec![0; length as usize];
    input.read_exact(&mut text).ok()?;
    let text = match version {
        3 => String::from_utf8(text).ok()?,
        // Latin-1
        _ => text.into_iter().map(char::from).collect(),
    };
    Literal { rest: &text }.header()
}

/// The header of an array in C order. The elements begin at a multiple of 64 bytes.
pub(crate) fn written(descr: &Descr, shape: &[u64]) -> Vec<u8> {
    let descr = match descr {
        Descr::Plain(name) => quoted(name),
        Descr::Records(fields) => {
            let field =
                |(name, of): &(String, String)| format!("({}, {})", quoted(name), quoted(of));
            let fields: Vec<String> = fields.iter().map(field).collect();
            format!("[{}]", fields.join(", "))
        }
    };
    let shape: Vec<String> = shape.iter().map(u64::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    let shape = shape.join(", ") + comma;
    let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': ({shape}), }}");
    let is_short = text.is_ascii() && text.len() < usize::from(u16::MAX) - 64;
    let start = if is_short { 10 } else { 12 };
    let length = (start + text.len() + 1).next_multiple_of(64) - start;
    let mut bytes = MAGIC.to_vec();
    bytes.extend([if is_short { 1 } else { 3 }, 0]);
    bytes.extend(&(length as u32).to_le_bytes()[..start - 8]);
    bytes.extend(text.as_bytes());
    bytes.resize(start + length - 1, b' ');
    bytes.push(b'\n');
    bytes
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("'");
    for character in text.chars() {
        match character {
            '\'' | '\\' => quoted.extend(['\\', character]),
            '\0'..' ' => quoted += &format!("\\x{:02x}", u32::from(character)),
            _ => quoted.push(character),
        }
    }
    quoted + "'"
}

/// What is left of the text. A method that returns `None` may have read some of it.
struct Literal<'a> {
    rest: &'a str,
}

impl Literal<'_> {
    fn header(mut self) -> Option<Header> {
        let (mut descr, mut is_fortran, mut shape) = (None, None, None);
        self.take("{")?;
        self.items("}", |text| {
            let key = text.string()?;
            text.take(":")?;
            match key.as_str() {
                "descr" => descr = Some(text.descr()?),
                "fortran_order" => {
                    let is_true = text.take("True").is_some();
                    is_fortran = is_true
                        .then_some(true)
                        .or(text.take("False").map(|()| false));
                }
                "shape" => {
                    text.take("(")?;
                    shape = Some(text.items(")", Self::number)?);
                }
                _ => return None,
            }
            Some(())
        })?;
        let header = Header {
            descr: descr?,
            is_fortran: is_fortran?,
            shape: shape?,
        };
        self.rest.trim_start().is_empty().then_some(header)
    }

    fn descr(&mut self) -> Option<Descr> {
        if self.take("[").is_none() {
            return self.string().map(Descr::Plain);
        }
        let field = |text: &mut Self| {
            text.take("(")?;
            let name = text.string()?;
            text.take(",")?;
            Some((name, text.kind()?))
        };
        self.items("]", field).map(Descr::Records)
    }

    /// The type of a field, up to the bracket that ends the field.
    fn kind(&mut self) -> Option<String> {
        let start = self.rest;
        if let Some(name) = self.string()
            && self.take(")").is_some()
        {
            return Some(name);
        }
        self.rest = start;
        let mut open = 1;
        while open > 0 {
            self.rest = self.rest.trim_start();
            let first = self.rest.chars().next()?;
            match first {
                '\'' | '"' => {
                    self.string()?;
                    continue;
                }
                '(' | '[' | '{' => open += 1,
                ')' | ']' | '}' => open -= 1,
                _ => {}
            }
            self.rest = &self.rest[first.len_utf8()..];
        }
        let text = &start[..start.len() - self.rest.len() - 1];
        Some(text.trim().to_owned())
    }

    fn take(&mut self, word: &str) -> Option<()> {
        self.rest = self.rest.trim_start().strip_prefix(word)?;
        Some(())
    }

    /// Items up to `end`, with commas between them or after each.
    fn items<T>(
        &mut self,
        end: &str,
        mut item: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut items = Vec::new();
        while self.take(end).is_none() {
            items.push(item(self)?);
            if self.take(",").is_none() {
                self.take(end)?;
                break;
            }
        }
        Some(items)
    }

    fn number(&mut self) -> Option<u64> {
        let rest = self.rest.trim_start();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        self.rest = &rest[digits..];
        rest[..digits].parse().ok()
    }

    fn string(&mut self) -> Option<String> {
        let mut characters = self.rest.trim_start().chars();
        let quote = characters.next().filter(|first| "'\"".contains(*first))?;
        let mut text = String::new();
        loop {
            match characters.next()? {
                '\\' => text.push(escaped(&mut characters)?),
                character if character == quote => break,
                character => text.push(character),
            }
        }
        self.rest = characters.as_str();
        Some(text)
    }
}

/// What follows a backslash.
fn escaped(characters: &mut Chars) -> Option<char> {
    let digits = match characters.next()? {
        'n' => return Some('\n'),
        'r' => return Some('\r'),
        't' => return Some('\t'),
        itself @ ('\\' | '\'' | '"') => return Some(itself),
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => return None,
    };
    let (code, rest) = characters.as_str().split_at_checked(digits)?;
    *characters = rest.chars();
    u32::from_str_radix(code, 16).ok().and_then(char::from_u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<Header> {
        let length = (text.len() as u32).to_le_bytes();
        read(
            &mut [b"\x93NUMPY\x03\x00", &length[..], text.as_bytes()]
                .concat()
                .as_slice(),
        )
    }

    #[test]
    fn a_header_is_read_whatever_its_version_and_its_blanks() {
        let expected = |name: &str| Header {
            descr: Descr::Records(vec![
                (name.to_owned(), "<f8".to_owned()),
                (String::new(), "|V4".to_owned()),
                ("b".to_owned(), "'<i4', (2, 3)".to_owned()),
                ("c".to_owned(), "[('d', ')]')]".to_owned()),
            ]),
            is_fortran: true,
            shape: vec![3, 18_446_744_073_709_551_615],
        };
        let text = "{'shape' :(3,18446744073709551615,), \"fortran_order\": True,'descr':[('NAME', \
                    '<f8'), ('', '|V4'), ('b', '<i4', (2, 3)), ('c', [('d', ')]')])]}  \n";
        let written = text.replace("NAME", r"\'\\\xe9\u00e9\n");
        assert_eq!(of(&written), Some(expected("'\\éé\n")));
        assert_eq!(of(&text.replace("NAME", "é")), Some(expected("é")));
        // Latin-1 before version 3, and two bytes of length before version 2.
        let text = text.replace("NAME", "\u{fffd}");
        let [before, after] = text
            .split_once('\u{fffd}')
            .map(<[_; 2]>::from)
            .expect("one");
        let length = (before.len() + 1 + after.len()) as u8;
        for start in [&[1, 0, length, 0][..], &[2, 0, length, 0, 0, 0]] {
            let parts = [
                MAGIC,
                start,
                before.as_bytes(),
                b"\xe9",
                after.as_bytes(),
                b"rest",
            ];
            let file = parts.concat();
            let mut rest = &file[..];
            assert_eq!(read(&mut rest), Some(expected("é")));
            assert_eq!(rest, b"rest");
        }
    }

    #[test]
    fn what_is_written_is_aligned_and_read_back() {
        let records = |name: &str| Descr::Records(vec![(name.to_owned(), "|S3".to_owned())]);
        for (descr, shape) in [
            (Descr::Plain("<f4".to_owned()), &[][..]),
            (Descr::Plain("|u1".to_owned()), &[7]),
            (records("it's a \\ and\t\u{1}"), &[2, 3]),
            (records("é"), &[0]),
            (records(&"x".repeat(10_000)), &[1]),
        ] {
            let bytes = written(&descr, shape);
            assert!(bytes.len().is_multiple_of(64) && bytes.ends_with(b"\n"));
            let shape = shape.to_vec();
            let is_fortran = false;
            let expected = Header {
                descr,
                is_fortran,
                shape,
            };
            assert_eq!(read(&mut &bytes[..]), Some(expected));
        }
        let plain = written(&Descr::Plain("<f8".to_owned()), &[5]);
        let text =
            b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': (5,), }  ";
        assert!(plain.starts_with(text));
        let long = written(&records(&"x".repeat(70_000)), &[5]);
        assert!(long.starts_with(b"\x93NUMPY\x03\x00") && long.len().is_multiple_of(64));
    }

    #[test]
    fn what_is_no_header_is_none() {
        let good = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}";
        assert!(of(good).is_some());
        for (part, other) in [
            ("{", ""),
            ("}", ""),
            ("}", "} 1"),
            ("}", ", 'more': 1}"),
            ("'shape': (2,)", ""),
            ("'descr': '<f8',", ""),
            ("False", "0"),
            ("(2,)", "2"),
            ("(2,)", "(-2,)"),
            ("(2,)", "(2,,)"),
            ("(2,)", "(18446744073709551616,)"),
            ("'<f8'", "<f8"),
            ("'<f8'", "'<f8"),
            ("'<f8'", "'<f\\8'"),
            ("'<f8'", "'\\xe'"),
            ("'<f8'", "'\\ud800'"),
            ("'<f8'", "[('a')]"),
            ("'<f8'", "[('a', '<f8']"),
            ("'<f8'", "[('a', ['<f8')"),
            ("'<f8'", &"[(".repeat(2000)),
        ] {
            let text = good.replacen(part, other, 1);
            assert_eq!(of(&text), None, "{text}");
        }
        let long = good.to_owned() + &" ".repeat(LONGEST as usize);
        assert_eq!(of(&long), None);
        for bytes in [&b""[..], b"\x93NUMPY\x01", b"\x93NUMPY\x01\x00\x02\x00{"] {
            assert_eq!(read(&mut &bytes[..]), None);
        }
        for version in [[0, 0], [1, 1], [4, 0]] {
            let bytes = [&MAGIC[..], &version[..], &[2, 0, 0, 0], b"{}"].concat();
            assert_eq!(read(&mut &bytes[..]), None);
        }
    }
}
