//! `--arg`: a scalar, an array from a file or for a file, or memory.

use std::path::PathBuf;

use crate::Refused;
use crate::element::{self, Element};

/// One argument of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Argument {
    /// As on the command line.
    pub(crate) text: String,
    pub(crate) value: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// The bytes of a parameter.
    Bytes(Vec<u8>),
    /// The address of an array.
    Array {
        element: Element,
        from: Contents,
        /// Written when all went well.
        to: Option<PathBuf>,
    },
}

/// What is in an array before the launch.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Contents {
    /// The elements of a file.
    File(PathBuf),
    /// This many zeros, which count as written.
    Zeros(usize),
    /// This many elements that nobody has written.
    Unwritten(usize),
}

/// The forms, for `--help` and for messages.
const FORMS: &str = "TYPE:VALUE, in:TYPE:FILE, out:TYPE:COUNT:FILE, \
     inout:TYPE:FILE:FILE, zero:TYPE:COUNT, scratch:TYPE:COUNT, null and bytes:HEX";

impl Argument {
    /// Reads the `--arg` with this number, from 1.
    pub(crate) fn parse(number: usize, text: &str) -> Result<Argument, Refused> {
        let refuse = |why: String| Refused(format!("--arg {number} `{text}`: {why}"));
        let value = value(text).map_err(refuse)?;
        Ok(Argument {
            text: format!("--arg {number} `{text}`"),
            value,
        })
    }
}

fn value(text: &str) -> Result<Value, String> {
    let (word, rest) = text.split_once(':').unwrap_or((text, ""));
    let form = |form: &str| format!("`{word}` is written {form}");
    match word {
        "null" | "ptr" => match text {
            "null" | "ptr:0" => Ok(Value::Bytes(vec![0; 8])),
            _ => Err("the only address that can be given is null".into()),
        },
        "bytes" => bytes(rest).map(Value::Bytes),
        "in" => {
            let (element, file) = typed(rest).ok_or_else(|| form("in:TYPE:FILE"))?;
            Ok(Value::Array {
                element: element?,
                from: Contents::File(path(file)?),
                to: None,
            })
        }
        "inout" => {
            let form = || form("inout:TYPE:FILE:FILE");
            let (element, files) = typed(rest).ok_or_else(form)?;
            let (from, to) = files.split_once(':').ok_or_else(form)?;
            Ok(Value::Array {
                element: element?,
                from: Contents::File(path(from)?),
                to: Some(path(to)?),
            })
        }
        "out" => {
            let form = || form("out:TYPE:COUNT:FILE");
            let (element, rest) = typed(rest).ok_or_else(form)?;
            let (number, file) = rest.split_once(':').ok_or_else(form)?;
            let element = element?;
            Ok(Value::Array {
                element,
                from: Contents::Unwritten(count(element, number)?),
                to: Some(path(file)?),
            })
        }
        "zero" | "scratch" => {
            let (element, number) =
                typed(rest).ok_or_else(|| form(&format!("{word}:TYPE:COUNT")))?;
            let element = element?;
            let count = count(element, number)?;
            Ok(Value::Array {
                element,
                from: match word {
                    "zero" => Contents::Zeros(count),
                    _ => Contents::Unwritten(count),
                },
                to: None,
            })
        }
        _ => match Element::parse(word) {
            Some(element) => element.encode(rest).map(Value::Bytes),
            None => Err(format!(
                "allowed are {FORMS}; TYPE is one of {}",
                element::NAMES
            )),
        },
    }
}

/// `TYPE:rest`; `None` without the colon.
fn typed(text: &str) -> Option<(Result<Element, String>, &str)> {
    let (name, rest) = text.split_once(':')?;
    let element = Element::parse(name)
        .ok_or_else(|| format!("no type `{name}`; allowed are {}", element::NAMES));
    Some((element, rest))
}

fn count(element: Element, text: &str) -> Result<usize, String> {
    let most = isize::MAX as usize / element.bytes;
    match text.parse() {
        Ok(count) if (1..=most).contains(&count) => Ok(count),
        _ => Err(format!(
            "COUNT is `{text}`; allowed are 1 to {most} elements"
        )),
    }
}

fn path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("npy" | "bin" | "txt") => Ok(path),
        _ => Err(format!(
            "FILE is `{text}`; allowed are names that end in .npy (NumPy), .bin (the bytes as they \
             are) or .txt (numbers)"
        )),
    }
}

fn bytes(digits: &str) -> Result<Vec<u8>, String> {
    let pairs = digits.as_bytes().chunks(2);
    let decoded: Option<Vec<u8>> = pairs
        .map(|pair| match pair {
            [a, b] => {
                let (a, b) = ((*a as char).to_digit(16)?, (*b as char).to_digit(16)?);
                Some((a * 16 + b) as u8)
            }
            _ => None,
        })
        .collect();
    decoded
        .filter(|bytes| !bytes.is_empty())
        .ok_or_else(|| "bytes takes pairs of hexadecimal digits, the first byte first".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read() {
        let array = |from, to: Option<&str>| Value::Array {
            element: Element::parse("f32").unwrap(),
            from,
            to: to.map(PathBuf::from),
        };
        let file = |name: &str| Contents::File(name.into());
        for (text, expected) in [
            ("u16:513", Value::Bytes(vec![1, 2])),
            ("null", Value::Bytes(vec![0; 8])),
            ("ptr:0", Value::Bytes(vec![0; 8])),
            ("bytes:00ff1A", Value::Bytes(vec![0, 255, 26])),
            ("in:f32:a.npy", array(file("a.npy"), None)),
            ("inout:f32:a.npy:b.bin", array(file("a.npy"), Some("b.bin"))),
            (
                "out:f32:4:b.npy",
                array(Contents::Unwritten(4), Some("b.npy")),
            ),
            ("zero:f32:4", array(Contents::Zeros(4), None)),
            ("scratch:f32:4", array(Contents::Unwritten(4), None)),
        ] {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_mistake_gets_what_is_allowed() {
        for (text, allowed) in [
            ("", "allowed are TYPE:VALUE, in:TYPE:FILE"),
            ("q32:1", "TYPE is one of u8, u16"),
            ("u8:256", "u8 takes 0 to 255, or its bits"),
            ("f32:", "f32 takes decimal numbers"),
            ("ptr:16", "null"),
            ("bytes:123", "pairs of hexadecimal digits"),
            ("bytes:", "pairs of hexadecimal digits"),
            ("bytes:é", "pairs of hexadecimal digits"),
            ("in:f32", "`in` is written in:TYPE:FILE"),
            ("in:f33:a.npy", "no type `f33`; allowed are u8"),
            ("in:f32:a.csv", "end in .npy (NumPy), .bin"),
            ("out:f32:4", "`out` is written out:TYPE:COUNT:FILE"),
            ("out:f32:0:a.npy", "allowed are 1 to"),
            ("out:f64:9223372036854775807:a.npy", "allowed are 1 to"),
            ("inout:f32:a.npy", "`inout` is written inout:TYPE:FILE:FILE"),
            ("zero:f32", "`zero` is written zero:TYPE:COUNT"),
        ] {
            let why = value(text).expect_err(text);
            assert!(why.contains(allowed), "{text}: {why}");
        }
    }
}
