//! Which functions have a kernel: a macro that the kernels and their test both go through.

/// `$with! { functions of one argument; functions of two; terms of sums; FloatExt's of one }`.
macro_rules! for_each_function {
    ($with:ident) => {
        $with! {
            exp exp2 exp_m1 ln ln_1p log2 log10 cbrt sinh cosh tanh asinh acosh atanh atan asin acos
            sin cos tan sqrt recip;
            powf atan2 hypot;
            root reciprocal;
            sinpi cospi error_function complementary_error_function
        }
    };
}
