//! A small map that keeps the order in which its names came: in JSON an object.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Names with their values. Two are equal when they have the same values under the same names,
/// in whatever order.
#[derive(Clone, Debug)]
pub(super) struct Ordered<V> {
    entries: Vec<(String, V)>,
}

impl<V> Default for Ordered<V> {
    fn default() -> Self {
        Ordered {
            entries: Vec::new(),
        }
    }
}

impl<V> Ordered<V> {
    /// The value of a name.
    pub(super) fn get(&self, name: &str) -> Option<&V> {
        let found = self.entries.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }

    /// The same, to be changed.
    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut V> {
        let found = self.entries.iter_mut().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }

    /// Gives a name its value, in the place of the one that it had.
    pub(super) fn set(&mut self, name: impl Into<String>, value: V) {
        let name = name.into();
        match self.get_mut(&name) {
            Some(known) => *known = value,
            None => self.entries.push((name, value)),
        }
    }

    /// Takes a name out.
    pub(super) fn remove(&mut self, name: &str) -> Option<V> {
        let place = self.entries.iter().position(|(known, _)| known == name)?;
        Some(self.entries.remove(place).1)
    }

    /// Names and values, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &V)> {
        let entries = self.entries.iter();
        entries.map(|(name, value)| (name.as_str(), value))
    }

    /// The same, with values to be changed.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (&str, &mut V)> {
        let entries = self.entries.iter_mut();
        entries.map(|(name, value)| (name.as_str(), value))
    }
}

impl<V: PartialEq> PartialEq for Ordered<V> {
    fn eq(&self, other: &Self) -> bool {
        let is_there = |(name, value): &(String, V)| other.get(name) == Some(value);
        self.entries.len() == other.entries.len() && self.entries.iter().all(is_there)
    }
}

impl<V> FromIterator<(String, V)> for Ordered<V> {
    fn from_iter<I: IntoIterator<Item = (String, V)>>(pairs: I) -> Self {
        let mut ordered = Ordered::default();
        for (name, value) in pairs {
            ordered.set(name, value);
        }
        ordered
    }
}

impl<V: Serialize> Serialize for Ordered<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Ordered<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs<V>(PhantomData<V>);

        impl<'de, V: Deserialize<'de>> Visitor<'de> for Pairs<V> {
            type Value = Ordered<V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut ordered = Ordered::default();
                while let Some((name, value)) = map.next_entry::<String, V>()? {
                    ordered.set(name, value);
                }
                Ok(ordered)
            }
        }

        deserializer.deserialize_map(Pairs(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::Ordered;

    fn ordered(pairs: &[(&str, u32)]) -> Ordered<u32> {
        let pairs = pairs.iter().map(|&(name, value)| (name.to_owned(), value));
        pairs.collect()
    }

    #[test]
    fn names_keep_their_order_and_have_one_value_each() {
        let mut map = ordered(&[("b", 1), ("a", 2)]);
        map.set("b", 3);
        assert_eq!(map.iter().collect::<Vec<_>>(), [("b", &3), ("a", &2)]);
        assert_eq!(map.remove("b"), Some(3));
        assert_eq!((map.get("b"), map.get("a")), (None, Some(&2)));
    }

    #[test]
    fn the_order_is_in_the_json_and_not_in_what_is_equal() {
        let map = ordered(&[("b", 1), ("a", 2)]);
        let json = serde_json::to_string(&map).expect("maps have a form");
        assert_eq!(json, r#"{"b":1,"a":2}"#);
        assert_eq!(serde_json::from_str::<Ordered<u32>>(&json).ok(), Some(map));
        assert_eq!(
            ordered(&[("a", 2), ("b", 1)]),
            ordered(&[("b", 1), ("a", 2)])
        );
        assert_ne!(ordered(&[("a", 2)]), ordered(&[("a", 2), ("b", 1)]));
    }
}
