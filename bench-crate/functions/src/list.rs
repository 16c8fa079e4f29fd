//! What the host knows of the kernels.

/// A function of the list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Function {
    /// Its name, which is that of its kernels before `_f32` and `_f64`.
    pub name: &'static str,
    /// The least first argument.
    pub low: f64,
    /// The first arguments are below.
    pub high: f64,
    /// The second argument, of functions that have one.
    pub second: f64,
}

macro_rules! list {
    ($($name:ident, $low:expr, $high:expr, $second:expr, |$x:ident, $y:ident| $value:expr;)*) => {
        impl Function {
            /// All of them.
            pub const ALL: &[Function] = &[$(Function {
                name: stringify!($name),
                low: $low,
                high: $high,
                second: $second,
            },)*];
        }
    };
}

crate::for_each_function!(list);
