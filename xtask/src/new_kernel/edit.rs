//! Insertions into source files: each finds its place exactly once, or says in one sentence
//! that it does not.

/// Adds `mod NAME;` to the list of modules of a file, in the order of their names; `head` is
/// what stands before a name: `pub mod` or `mod`.
pub(crate) fn add_module(path: &str, text: &str, head: &str, name: &str) -> Result<String, String> {
    let is_module = |line: &&str| {
        let rest = line
            .strip_prefix(head)
            .and_then(|rest| rest.strip_prefix(' '));
        rest.and_then(|rest| rest.strip_suffix(';'))
            .is_some_and(|name| {
                name.bytes()
                    .all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
            })
    };
    let lines: Vec<&str> = text.lines().collect();
    let modules: Vec<usize> = (0..lines.len())
        .filter(|&at| is_module(&lines[at]))
        .collect();
    let (Some(&first), Some(&last)) = (modules.first(), modules.last()) else {
        return Err(format!(
            "{path} has no list of `{head}` lines to add `{name}` to"
        ));
    };
    // Attributes may stand between them, and nothing else.
    let is_apart = |line: &&str| !is_module(line) && !line.starts_with("#[");
    if lines[first..last].iter().any(is_apart) {
        return Err(format!(
            "{path} has more than one list of `{head}` lines: add `{name}` by hand"
        ));
    }
    let new = format!("{head} {name};");
    let at = modules.into_iter().find(|&at| lines[at] > new.as_str());
    let at = at.map_or(last + 1, |at| attributes_before(&lines, at));
    let mut all = lines;
    all.insert(at, &new);
    Ok(all.join("\n") + "\n")
}

/// Adds a module to the list of layers in a file's documentation, as the last one.
pub(crate) fn add_layer(path: &str, text: &str, name: &str) -> Result<String, String> {
    let mut lines: Vec<&str> = text.lines().collect();
    let is_layer = |line: &&str| line.starts_with("//! - ");
    let head = lines
        .iter()
        .position(|line| line.starts_with("//! Its layers"));
    let first = head.and_then(|head| Some(head + lines[head..].iter().position(is_layer)?));
    let Some(first) = first else {
        return Err(format!("{path} has no list of layers to add `{name}` to"));
    };
    let rest = lines[first..].iter();
    let is_of_list = |line: &&&str| is_layer(line) || line.starts_with("//!   ");
    let behind = first + rest.take_while(is_of_list).count();
    let new = format!("//! - `{name}`: a kernel of its own.");
    lines.insert(behind, &new);
    Ok(lines.join("\n") + "\n")
}

/// The first of the attributes that belong to a line.
fn attributes_before(lines: &[&str], mut at: usize) -> usize {
    while at > 0 && lines[at - 1].starts_with("#[") {
        at -= 1;
    }
    at
}

/// Puts text before a mark that the file has once.
pub(crate) fn insert_before(
    path: &str,
    text: &str,
    mark: &str,
    new: &str,
) -> Result<String, String> {
    let at = once(path, text, mark)?;
    Ok(format!("{}{new}{}", &text[..at], &text[at..]))
}

/// Puts an item behind the last one of a list of Rust that begins with a mark and ends with
/// `];`.
pub(crate) fn add_item(path: &str, text: &str, mark: &str, item: &str) -> Result<String, String> {
    let begin = once(path, text, mark)? + mark.len();
    let Some(length) = text[begin..].find("];") else {
        return Err(format!("{path} has no end of the list `{mark}`"));
    };
    let (items, rest) = text[begin..].split_at(length);
    let items = items.trim_end().trim_end_matches(',');
    let comma = if items.trim().is_empty() { "" } else { "," };
    Ok(format!("{}{items}{comma} {item}{rest}", &text[..begin]))
}

/// Where a mark stands that the file has once.
fn once(path: &str, text: &str, mark: &str) -> Result<usize, String> {
    let shown = mark.trim().replace('\n', " ");
    let mut found = text.match_indices(mark);
    match (found.next(), found.next()) {
        (Some((at, _)), None) => Ok(at),
        (None, _) => Err(format!(
            "{path} has no `{shown}`, where a new kernel is added"
        )),
        (Some(_), Some(_)) => Err(format!(
            "{path} has `{shown}` more than once, and a new kernel is added at the only one"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_added_in_the_order_of_names() {
        let text =
            "//! A.\n\npub mod block;\n#[cfg(x)]\npub mod reduce;\npub mod scan;\n\nfn f() {}\n";
        let add = |name| add_module("lib.rs", text, "pub mod", name).expect("there is a list");
        assert_eq!(add("scale"), text.replace("scan;", "scale;\npub mod scan;"));
        assert_eq!(
            add("map"),
            text.replace("#[cfg(x)]", "pub mod map;\n#[cfg(x)]")
        );
        assert_eq!(add("zero"), text.replace("scan;", "scan;\npub mod zero;"));
        assert_eq!(
            add("a"),
            text.replace("pub mod block", "pub mod a;\npub mod block")
        );
    }

    #[test]
    fn a_file_without_a_list_of_modules_or_with_two_is_refused() {
        let of = |text| add_module("lib.rs", text, "mod", "new").expect_err("it is refused");
        assert_eq!(
            of("fn f() {}\n"),
            "lib.rs has no list of `mod` lines to add `new` to"
        );
        let two = of("mod a;\nfn f() {}\nmod b;\n");
        assert_eq!(
            two,
            "lib.rs has more than one list of `mod` lines: add `new` by hand"
        );
    }

    #[test]
    fn a_layer_is_added_behind_the_others() {
        let text = "//! A.\n//!\n//! Its layers:\n//!\n//! - `a`: one\n//!   more.\n//! - `b`\n//!\n//! C.\n";
        let added = add_layer("lib.rs", text, "new").expect("there is a list");
        let line = "//! - `b`\n//! - `new`: a kernel of its own.\n";
        assert_eq!(added, text.replace("//! - `b`\n", line));
        let said = add_layer("lib.rs", "//! A.\n//! - `b`\n", "new").expect_err("it is refused");
        assert_eq!(said, "lib.rs has no list of layers to add `new` to");
    }

    #[test]
    fn text_goes_before_the_only_mark() {
        let of = |text| insert_before("f", text, "END", "new ");
        assert_eq!(of("a END b").as_deref(), Ok("a new END b"));
        assert_eq!(
            of("a b").expect_err("none"),
            "f has no `END`, where a new kernel is added"
        );
        assert_eq!(
            of("END END").expect_err("two"),
            "f has `END` more than once, and a new kernel is added at the only one"
        );
    }

    #[test]
    fn an_item_goes_behind_the_last_one_of_its_list() {
        let of = |text| add_item("f", text, "= &[", "c");
        assert_eq!(
            of("x = &[a, b];\ny = [];").as_deref(),
            Ok("x = &[a, b, c];\ny = [];")
        );
        assert_eq!(
            of("x = &[\n    a,\n];").as_deref(),
            Ok("x = &[\n    a, c];")
        );
        assert_eq!(of("x = &[];").as_deref(), Ok("x = &[ c];"));
        assert_eq!(
            of("x = &[").expect_err("open"),
            "f has no end of the list `= &[`"
        );
    }
}
