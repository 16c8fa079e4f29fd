//! Instruction probes: one kernel an instruction form, one lane a case.
//!
//! [`table::forms`] lists the forms; [`operands::cases`] makes what they are
//! given, from special values and a seed; [`module`] is the PTX. What an H200
//! gave is kept beside the recorded launches ([`crate::fixtures`]).

pub mod form;
pub mod operands;
pub mod table;
mod values;

pub use form::{Agreement, Form, Place};

/// The name of a form's kernel when it is the `index`-th of its module.
pub fn kernel_name(index: usize) -> String {
    format!("probe_{index}")
}

/// A module of PTX with one kernel a form.
pub fn module<'a>(forms: impl IntoIterator<Item = &'a Form>) -> String {
    let mut text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 8 .b8 cells[{}];\n",
        8 * operands::CASES
    );
    for (index, form) in forms.into_iter().enumerate() {
        text.push_str(&form.kernel(&kernel_name(index)));
    }
    text
}
