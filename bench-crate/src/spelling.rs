//! Names as people type them: `-` and `_` are alike where one name alone is meant, and a name that
//! is unknown is answered with the nearest one.

/// From here on two names are near, of Jaro's similarity from 0 to 1.
const NEAR: f64 = 0.8;

/// The known name that is meant by one that was typed.
pub(crate) fn meant<'a>(
    typed: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> Option<&'a str> {
    if let Some(name) = known.clone().find(|name| *name == typed) {
        return Some(name);
    }
    let plain = |name: &str| name.replace('_', "-");
    let mut alike = known.filter(|name| plain(name) == plain(typed));
    alike.next().filter(|_| alike.next().is_none())
}

/// That a name is unknown, with the nearest that there is.
pub(crate) fn unknown<'a>(typed: &str, known: impl Iterator<Item = &'a str>) -> String {
    let near = known.map(|name| (strsim::jaro(typed, name), name));
    let near = near.filter(|(likeness, _)| *likeness >= NEAR);
    match near.max_by(|one, other| one.0.total_cmp(&other.0)) {
        Some((_, name)) => format!("`{typed}` is unknown, a similar name is `{name}`"),
        None => format!("`{typed}` is unknown"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_and_underscores_are_alike_unless_two_names_are_meant() {
        let of = |typed| {
            meant(
                typed,
                ["quarter_circle", "sweep-f64", "a-b", "a_b"].into_iter(),
            )
        };
        assert_eq!(of("quarter-circle"), Some("quarter_circle"));
        assert_eq!(of("sweep_f64"), Some("sweep-f64"));
        assert_eq!(of("a_b"), Some("a_b"));
        let both = ["a-b_c", "a_b-c"].into_iter();
        assert_eq!(meant("a-b-c", both), None);
        assert_eq!(of("runge"), None);
    }

    #[test]
    fn the_nearest_name_is_told_where_one_is_near() {
        let of = |typed| unknown(typed, ["runge", "planck"].into_iter());
        assert_eq!(of("rnuge"), "`rnuge` is unknown, a similar name is `runge`");
        assert_eq!(of("gauss"), "`gauss` is unknown");
    }
}
