//! Enums whose members have names that are printed and typed.

/// Makes such an enum.
macro_rules! named {
    ($(#[$doc:meta])* $type:ident { $($(#[$of:meta])* $member:ident = $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type {
            $($(#[$of])* $member,)*
        }

        impl $type {
            /// All of them, in the order of rows.
            pub const ALL: &[$type] = &[$($type::$member),*];

            /// As it is printed.
            pub fn name(self) -> &'static str {
                match self {
                    $($type::$member => $name,)*
                }
            }

            /// The one of a name.
            pub fn by_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name() == name)
            }

            /// All names.
            pub fn names() -> Vec<String> {
                Self::ALL.iter().map(|one| one.name().to_owned()).collect()
            }
        }
    };
}

pub(crate) use named;
