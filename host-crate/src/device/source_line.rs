//! From the line of PTX that a driver's compiler names to the line of Rust that it is of.
//!
//! A driver tells of PTX as it got it, which the author has not written: `.loc` says
//! where it comes from (PTX ISA, ".loc"). Nothing here judges what the driver said.

/// What to add to a compiler's log: the source of the first line of PTX that it names.
pub(super) fn note(ptx: &str, log: &str) -> Option<String> {
    let number = log.split_once("line ")?.1;
    let digits = number.find(|c: char| !c.is_ascii_digit());
    let number: usize = number[..digits.unwrap_or(number.len())].parse().ok()?;
    let place = of(ptx, number)?;
    Some(format!("PTX line {number} is of {place}"))
}

/// The source of a line of PTX, counted from 1: `src/lib.rs:12`.
fn of(ptx: &str, number: usize) -> Option<String> {
    let lines: Vec<&str> = ptx.lines().map(str::trim).collect();
    let before = lines.get(..number)?.iter().rev();
    // A debug location holds to the end of its function.
    let mut before = before.take_while(|line| !line.starts_with('}'));
    let location = before.find_map(|line| line.strip_prefix(".loc"))?;
    let mut words = location.split_whitespace();
    let (file, line) = (words.next()?, words.next()?);
    let files = lines.iter().filter_map(|line| line.strip_prefix(".file"));
    let names = files.filter_map(|rest| rest.trim().split_once(char::is_whitespace));
    let (_, name) = names.into_iter().find(|(known, _)| *known == file)?;
    let name = name.trim().trim_matches('"');
    let line = line.trim_end_matches(',');
    Some(format!(
        "{}:{line}",
        name.strip_prefix("./").unwrap_or(name)
    ))
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
    fn a_line_is_told_by_the_position_that_holds_for_it() {
        let log = "ptxas application ptx input, line 11; error   : Not a name of any known instruction: 'wibble'";
        let expected = "PTX line 11 is of src/lib.rs:12";
        assert_eq!(note(PTX, log).as_deref(), Some(expected));
        assert_eq!(of(PTX, 5).as_deref(), Some("src/other.rs:40"));
    }

    #[test]
    fn nothing_is_said_of_lines_without_a_position() {
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
