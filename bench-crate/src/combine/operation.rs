//! What is made of a column, and what its numbers are combined by.

use crate::named::named;

named! {
    /// What numbers are combined by.
    Operation {
        /// Their sum.
        Sum = "sum",
        /// The smallest.
        Min = "min",
        /// The largest.
        Max = "max",
        /// Their product.
        Product = "product",
    }
}

named! {
    /// What is made of a column.
    Form {
        /// What each number and those before it are together.
        Scan = "scan",
        /// The same among neighbours with one key.
        ScanByKey = "scan by key",
        /// What all numbers are together.
        Reduce = "reduce",
        /// What neighbours with one key are together.
        ReduceByKey = "reduce by key",
    }
}
