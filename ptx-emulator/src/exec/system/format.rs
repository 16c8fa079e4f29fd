//! The formats of C's `printf` (ISO C, 7.21.6.1) as the device's `vprintf`
//! takes them: an argument of 4 bytes for `int` and shorter, of 8 bytes for
//! `long`, `long long`, `double` and pointers.

/// Gives the arguments of a call, in order.
pub(super) trait Arguments {
    /// Why an argument cannot be read.
    type Error;
    /// The next one, of 4 or 8 bytes.
    fn next(&mut self, bytes: u32) -> Result<u64, Self::Error>;
    /// The text at an address, without its closing zero.
    fn text(&mut self, address: u64) -> Result<Vec<u8>, Self::Error>;
}

#[derive(Clone, Debug, Default)]
struct Directive {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// Bytes of an integer.
    bytes: u32,
}

/// The widest field: more is cut, so that a wrong width takes no memory.
const WIDEST: usize = 4096;

/// The text, and how many arguments it took.
pub(super) fn format<A: Arguments>(
    format: &[u8],
    arguments: &mut A,
) -> Result<(Vec<u8>, u32), A::Error> {
    let mut out = Vec::new();
    let mut count = 0;
    let mut rest = format;
    while let Some((&byte, after)) = rest.split_first() {
        if byte != b'%' {
            out.push(byte);
            rest = after;
            continue;
        }
        let mut counted = Counted {
            arguments: &mut *arguments,
            count: &mut count,
        };
        let (directive, after) = parse(after, &mut counted)?;
        match after.split_first() {
            Some((&conversion, after_all)) => {
                let known = convert(&directive, conversion, &mut counted, &mut out)?;
                if !known {
                    // As written.
                    let length = rest.len() - after_all.len();
                    out.extend_from_slice(&rest[..length]);
                }
                rest = after_all;
            }
            None => {
                out.extend_from_slice(rest);
                rest = &[];
            }
        }
    }
    Ok((out, count))
}

struct Counted<'a, A> {
    arguments: &'a mut A,
    count: &'a mut u32,
}

impl<A: Arguments> Counted<'_, A> {
    fn next(&mut self, bytes: u32) -> Result<u64, A::Error> {
        *self.count += 1;
        self.arguments.next(bytes)
    }
}

/// Flags, width, precision and length; what is left begins with the
/// conversion.
fn parse<'f, A: Arguments>(
    mut rest: &'f [u8],
    arguments: &mut Counted<'_, A>,
) -> Result<(Directive, &'f [u8]), A::Error> {
    let mut directive = Directive {
        bytes: 4,
        ..Directive::default()
    };
    loop {
        match rest.first() {
            Some(b'-') => directive.left = true,
            Some(b'+') => directive.plus = true,
            Some(b' ') => directive.space = true,
            Some(b'#') => directive.alternate = true,
            Some(b'0') => directive.zero = true,
            _ => break,
        }
        rest = &rest[1..];
    }
    if let Some(after) = rest.strip_prefix(b"*") {
        let width = arguments.next(4)? as u32 as i32;
        directive.left |= width < 0;
        directive.width = width.unsigned_abs() as usize;
        rest = after;
    } else {
        (directive.width, rest) = digits(rest);
    }
    directive.width = directive.width.min(WIDEST);
    if let Some(after) = rest.strip_prefix(b".") {
        if let Some(after) = after.strip_prefix(b"*") {
            let precision = arguments.next(4)? as u32 as i32;
            directive.precision = usize::try_from(precision).ok();
            rest = after;
        } else {
            let (precision, after) = digits(after);
            directive.precision = Some(precision);
            rest = after;
        }
        directive.precision = directive.precision.map(|digits| digits.min(WIDEST));
    }
    for (word, bytes) in [
        (&b"ll"[..], 8),
        (b"l", 8),
        (b"hh", 1),
        (b"h", 2),
        (b"j", 8),
        (b"z", 8),
        (b"t", 8),
    ] {
        if let Some(after) = rest.strip_prefix(word) {
            directive.bytes = bytes;
            rest = after;
            break;
        }
    }
    Ok((directive, rest))
}

fn digits(mut rest: &[u8]) -> (usize, &[u8]) {
    let mut value = 0usize;
    while let Some(digit @ b'0'..=b'9') = rest.first() {
        value = value
            .saturating_mul(10)
            .saturating_add(usize::from(digit - b'0'));
        rest = &rest[1..];
    }
    (value, rest)
}

/// One conversion; false when there is none of this letter.
fn convert<A: Arguments>(
    directive: &Directive,
    conversion: u8,
    arguments: &mut Counted<'_, A>,
    out: &mut Vec<u8>,
) -> Result<bool, A::Error> {
    match conversion {
        b'%' => out.push(b'%'),
        b'c' => {
            let byte = arguments.next(4)? as u8;
            pad(directive, out, "", &[byte], false);
        }
        b's' => {
            let address = arguments.next(8)?;
            let mut text = if address == 0 {
                b"(null)".to_vec()
            } else {
                arguments.arguments.text(address)?
            };
            text.truncate(directive.precision.unwrap_or(usize::MAX));
            pad(directive, out, "", &text, false);
        }
        b'p' => {
            let address = arguments.next(8)?;
            let text = if address == 0 {
                "(nil)".to_owned()
            } else {
                format!("{address:#x}")
            };
            pad(directive, out, "", text.as_bytes(), false);
        }
        b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => {
            let value = arguments.next(directive.bytes.max(4))?;
            integer(directive, conversion, value, out);
        }
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            let value = f64::from_bits(arguments.next(8)?);
            float(directive, conversion, value, out);
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Sign or prefix, then digits, in a field; with `zeros`, filled by zeros
/// between the two.
fn pad(directive: &Directive, out: &mut Vec<u8>, prefix: &str, text: &[u8], zeros: bool) {
    let missing = directive.width.saturating_sub(prefix.len() + text.len());
    let fill = |out: &mut Vec<u8>, byte| out.resize(out.len() + missing, byte);
    if !directive.left && !zeros {
        fill(out, b' ');
    }
    out.extend_from_slice(prefix.as_bytes());
    if !directive.left && zeros {
        fill(out, b'0');
    }
    out.extend_from_slice(text);
    if directive.left {
        fill(out, b' ');
    }
}

fn sign(directive: &Directive, negative: bool) -> &'static str {
    match (negative, directive.plus, directive.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

fn integer(directive: &Directive, conversion: u8, value: u64, out: &mut Vec<u8>) {
    let unused = 64 - 8 * directive.bytes;
    let signed = (value << unused) as i64 >> unused;
    let unsigned = value << unused >> unused;
    let (mut prefix, mut digits) = match conversion {
        b'd' | b'i' => (
            sign(directive, signed < 0),
            signed.unsigned_abs().to_string(),
        ),
        b'o' => ("", format!("{unsigned:o}")),
        b'x' => ("", format!("{unsigned:x}")),
        b'X' => ("", format!("{unsigned:X}")),
        _ => ("", unsigned.to_string()),
    };
    if directive.precision == Some(0) && unsigned == 0 {
        digits.clear();
    }
    if let Some(precision) = directive.precision {
        let missing = precision.saturating_sub(digits.len());
        digits.insert_str(0, &"0".repeat(missing));
    }
    if directive.alternate {
        match conversion {
            b'o' if !digits.starts_with('0') => digits.insert(0, '0'),
            b'x' if unsigned != 0 => prefix = "0x",
            b'X' if unsigned != 0 => prefix = "0X",
            _ => {}
        }
    }
    let zeros = directive.zero && directive.precision.is_none();
    pad(directive, out, prefix, digits.as_bytes(), zeros);
}

fn float(directive: &Directive, conversion: u8, value: f64, out: &mut Vec<u8>) {
    let prefix = sign(directive, value.is_sign_negative());
    let size = value.abs();
    let text = if size.is_nan() {
        "nan".to_owned()
    } else if size.is_infinite() {
        "inf".to_owned()
    } else {
        let precision = directive.precision.unwrap_or(6);
        match conversion.to_ascii_lowercase() {
            b'f' => fixed(size, precision, directive.alternate),
            b'e' => exponential(size, precision, directive.alternate),
            b'g' => shortest(size, precision, directive.alternate),
            _ => hexadecimal(size, directive.precision, directive.alternate),
        }
    };
    let mut prefix = prefix.to_owned();
    let mut digits = text.as_str();
    // The zeros of a field stand behind 0x.
    if let Some(after) = text.strip_prefix("0x") {
        prefix.push_str("0x");
        digits = after;
    }
    let mut digits = digits.to_owned();
    if conversion.is_ascii_uppercase() {
        digits.make_ascii_uppercase();
        prefix.make_ascii_uppercase();
    }
    let zeros = directive.zero && size.is_finite();
    pad(directive, out, &prefix, digits.as_bytes(), zeros);
}

fn fixed(value: f64, precision: usize, point: bool) -> String {
    let mut text = format!("{value:.precision$}");
    if point && precision == 0 {
        text.push('.');
    }
    text
}

/// The digits and the decimal exponent of a value rounded to so many places.
fn scientific(value: f64, precision: usize) -> (String, i32) {
    let text = format!("{value:.precision$e}");
    match text.split_once('e') {
        Some((digits, exponent)) => (digits.to_owned(), exponent.parse().unwrap_or(0)),
        None => (text, 0),
    }
}

fn exponential(value: f64, precision: usize, point: bool) -> String {
    let (mut digits, exponent) = scientific(value, precision);
    if point && precision == 0 {
        digits.push('.');
    }
    with_exponent(digits, exponent)
}

fn with_exponent(digits: String, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

fn shortest(value: f64, precision: usize, keep_zeros: bool) -> String {
    let places = precision.max(1);
    let (digits, exponent) = scientific(value, places - 1);
    let strip = |text: String| {
        if keep_zeros || !text.contains('.') {
            return text;
        }
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    if exponent < -4 || exponent >= places as i32 {
        let digits = if keep_zeros && places == 1 {
            format!("{digits}.")
        } else {
            strip(digits)
        };
        return with_exponent(digits, exponent);
    }
    let precision = (places as i32 - 1 - exponent) as usize;
    strip(fixed(value, precision, keep_zeros))
}

fn hexadecimal(value: f64, precision: Option<usize>, point: bool) -> String {
    const FRACTION: u32 = 52;
    let bits = value.to_bits();
    let mut fraction = bits & ((1 << FRACTION) - 1);
    let mut exponent = (bits >> FRACTION) as i32 - 1023;
    let mut leading = 1;
    if exponent == -1023 {
        leading = 0;
        exponent = if fraction == 0 { 0 } else { -1022 };
    }
    if let Some(places) = precision.filter(|&places| places < 13) {
        // To nearest, ties to even.
        let dropped = FRACTION - 4 * places as u32;
        let whole = leading << FRACTION | fraction;
        let (kept, lost) = (whole >> dropped, whole & ((1 << dropped) - 1));
        let half = 1 << (dropped - 1);
        let up = lost > half || lost == half && kept & 1 == 1;
        let whole = (kept + u64::from(up)) << dropped;
        leading = whole >> FRACTION;
        fraction = whole & ((1 << FRACTION) - 1);
    }
    let mut digits = format!("{fraction:013x}");
    match precision {
        None => digits.truncate(digits.trim_end_matches('0').len()),
        Some(places) if places < 13 => digits.truncate(places),
        Some(places) => digits.push_str(&"0".repeat(places - 13)),
    }
    let dot = if digits.is_empty() && !point { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("0x{leading}{dot}{digits}p{sign}{}", exponent.unsigned_abs())
}

#[cfg(test)]
mod tests;
