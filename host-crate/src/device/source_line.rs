//! From the line of PTX that a driver's compiler names to the line of Rust that it came from.
//!
//! A driver names lines of the generated PTX, which the author has not written. `.loc` gives
//! their source (PTX ISA, ".loc"). The driver's message is passed on unchanged.

/// What to add to a compiler's log: the source of the first line of PTX that it names.
pub(super) fn note(ptx: &str, log: &str) -> Option<String> {
    let number = log.split_once("line ")?.1;
    let digits = number.find(|c: char| !c.is_ascii_digit());
    let number: u32 = number[..digits.unwrap_or(number.len())].parse().ok()?;
    let line = ptx_syntax::debug::line_of(ptx, number)?.to_string();
    let line = line.strip_prefix("./").unwrap_or(&line);
    Some(format!("PTX line {number} is of {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = "\
.version 8.0
.entry first()
{
\t.loc\t2 40 9
\tret;
}
.entry second()
{
\tmov.u32 %r1, 1;
\t.loc\t1 12 0 //3
\twibble.u32 %r1, 2;
}
.file\t1 \"./src/lib.rs\"
.file\t2 \"src/other.rs\"
";

    #[test]
    fn a_line_is_told_by_the_location_that_holds_for_it() {
        let log = "ptxas application ptx input, line 11; error   : Not a name of any known instruction: 'wibble'";
        let expected = "PTX line 11 is of src/lib.rs:12";
        assert_eq!(note(PTX, log).as_deref(), Some(expected));
        let other = "PTX line 5 is of src/other.rs:40";
        assert_eq!(note(PTX, "line 5").as_deref(), Some(other));
    }

    #[test]
    fn nothing_is_said_of_lines_without_a_location() {
        for log in [
            "line 9; error",
            "line 1; error",
            "line 99",
            "line x",
            "fatal",
        ] {
            assert_eq!(note(PTX, log), None, "{log}");
        }
    }
}
