//! Declarations of variables in PTX, as far as their sizes are asked for. How the memory of a
//! kernel's variables adds up is for who asks.

/// A variable.
#[derive(Debug, Clone, Copy)]
pub struct Variable<'t> {
    /// As PTX has it.
    pub name: &'t str,
    /// `None` when the launch decides.
    pub bytes: Option<u64>,
    /// What its address is a multiple of, in bytes.
    pub align: u64,
}

/// `.local .align 8 .b8 depot[24]`: 24.
pub fn local_bytes(statement: &str) -> Option<u64> {
    variable(statement, ".local")?.bytes
}

/// `.shared .align 4 .b8 tile[1024];`, with or without a linkage before it.
pub fn shared(statement: &str) -> Option<Variable<'_>> {
    variable(statement, ".shared")
}

fn variable<'t>(statement: &'t str, space: &str) -> Option<Variable<'t>> {
    let statement = statement.trim_end_matches(';');
    let linkages = [".extern", ".visible", ".weak", ".common"];
    let mut words = statement
        .split_whitespace()
        .skip_while(|word| linkages.contains(word));
    if words.next()? != space {
        return None;
    }
    let mut word = words.next()?;
    let mut align = None;
    if word == ".align" {
        align = words.next()?.parse().ok();
        word = words.next()?;
    }
    let bits: u64 = word
        .trim_start_matches(|c: char| !c.is_ascii_digit())
        .parse()
        .ok()?;
    let name = words.next()?;
    let (name, bytes) = match name.split_once('[') {
        Some((name, "]")) => (name, None),
        Some((name, count)) => {
            let count: u64 = count.trim_end_matches(']').parse().ok()?;
            (name, Some(bits / 8 * count))
        }
        None => (name, Some(bits / 8)),
    };
    Some(Variable {
        name,
        bytes,
        align: align.unwrap_or(bits / 8).max(1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_has_the_size_and_alignment_that_it_is_declared_with() {
        let read = |text| shared(text).map(|one| (one.name, one.bytes, one.align));
        let array = read(".shared .align 16 .b8 tile[1024];");
        assert_eq!(array, Some(("tile", Some(1024), 16)));
        assert_eq!(read(".shared .f64 one"), Some(("one", Some(8), 8)));
        let of_the_launch = read(".extern .shared .align 128 .b8 dynamic[];");
        assert_eq!(of_the_launch, Some(("dynamic", None, 128)));
        assert_eq!(read(".global .u32 other;"), None);
        assert_eq!(local_bytes(".local .align 8 .b32 depot[6]"), Some(24));
    }
}
