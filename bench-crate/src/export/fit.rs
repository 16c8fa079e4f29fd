//! Texts fitted to the columns of a terminal. It depends on nothing: `cargo xtask` includes this
//! file.

/// Columns where the terminal's are not known.
pub const COLUMNS: usize = 80;

/// The lines of a text, broken between words where they would be longer. A longer word has a line
/// of its own.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if columns(line) + 1 + columns(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A line broken between words, and behind the commas of lists, where it would be longer; what
/// follows is indented. Line ends included.
pub fn hanging(text: &str, width: usize) -> String {
    let (mut whole, mut length) = (String::new(), 0);
    for word in text.split_inclusive([' ', ',']) {
        if length > 0 && length + columns(word.trim_end()) > width {
            whole.truncate(whole.trim_end().len());
            whole += "\n    ";
            length = 4;
        }
        whole += word;
        length += columns(word);
    }
    whole + "\n"
}

/// Columns of a terminal that a text takes: ours have no wide characters.
pub(super) fn columns(text: &str) -> usize {
    text.chars().count()
}

/// The columns of a table in bands that fit, each after the `keys`, which name the rows; `widths`
/// are with what divides them. A band has one column at least.
pub(super) fn bands(widths: &[usize], keys: &[usize], width: usize) -> Vec<Vec<usize>> {
    let sum = |columns: &[usize]| columns.iter().map(|&column| widths[column]).sum::<usize>();
    let mut bands: Vec<Vec<usize>> = Vec::new();
    for column in (0..widths.len()).filter(|column| !keys.contains(column)) {
        match bands.last_mut() {
            Some(band) if sum(band) + widths[column] <= width => band.push(column),
            _ => bands.push([keys, &[column]].concat()),
        }
    }
    match bands.is_empty() {
        true => vec![keys.to_vec()],
        false => bands,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_broken_between_words() {
        assert_eq!(wrapped("a bc def g", 4), ["a bc", "def", "g"]);
        assert_eq!(wrapped("a bc def g", 5), ["a bc", "def g"]);
        assert_eq!(wrapped("longer than", 3), ["longer", "than"]);
        assert_eq!(wrapped("", 3), [""]);
    }

    #[test]
    fn a_list_is_broken_behind_its_commas() {
        assert_eq!(hanging("  of: a,bc,d", 9), "  of: a,\n    bc,d\n");
        assert_eq!(hanging("  of: a,bc,d", 12), "  of: a,bc,d\n");
        assert_eq!(hanging("a-long-word b", 3), "a-long-word\n    b\n");
    }

    #[test]
    fn every_column_is_in_a_band_after_the_columns_that_name_a_row() {
        let widths = [3, 4, 4, 4, 20];
        assert_eq!(
            bands(&widths, &[1], 12),
            [vec![1, 0, 2], vec![1, 3], vec![1, 4]]
        );
        assert_eq!(bands(&widths, &[0], 35), [[0, 1, 2, 3, 4]]);
        assert_eq!(bands(&[3], &[0], 9), [[0]]);
    }
}
