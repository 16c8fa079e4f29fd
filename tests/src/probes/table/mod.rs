//! Which forms are probed, a file a group.

mod approximate;
mod atomic;
mod compare;
mod convert;
mod float;
mod half;
mod integer;
mod logic;
mod memory;
mod warp;

use super::Form;

/// The modes of rounding.
const ROUNDINGS: [&str; 4] = [".rn", ".rz", ".rm", ".rp"];

/// All forms, in the order in which they are recorded.
pub fn forms() -> Vec<Form> {
    [
        integer::forms(),
        logic::forms(),
        compare::forms(),
        convert::forms(),
        float::forms(),
        memory::forms(),
        atomic::forms(),
        warp::forms(),
        half::forms(),
        approximate::forms(),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_form_is_there_twice() {
        let mut names: Vec<String> = forms().into_iter().map(|form| form.name).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(count > 400, "only {count} forms");
    }
}
