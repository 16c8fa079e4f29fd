//! Values by their order: of first appearance, or of size.

/// Items by their keys, in the order in which the keys first appear.
pub fn groups<T, K: PartialEq>(
    items: impl IntoIterator<Item = T>,
    key: impl Fn(&T) -> K,
) -> Vec<(K, Vec<T>)> {
    let mut groups: Vec<(K, Vec<T>)> = Vec::new();
    for item in items {
        let key = key(&item);
        match groups.iter_mut().find(|group| group.0 == key) {
            Some(group) => group.1.push(item),
            None => groups.push((key, vec![item])),
        }
    }
    groups
}

/// The values without repetition, in the order in which they first appear.
pub fn distinct<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut distinct: Vec<T> = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

/// The values without repetition, in order of size.
pub fn rising<T: Ord>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.into_iter().collect();
    values.sort_unstable();
    values.dedup();
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_and_values_stand_where_they_first_appear() {
        let letters = ["b", "a", "b", "c"];
        assert_eq!(distinct(letters), ["b", "a", "c"]);
        let by_length = groups(["one", "four", "two"], |text| text.len());
        assert_eq!(by_length, [(3, vec!["one", "two"]), (4, vec!["four"])]);
        assert_eq!(rising([3, 1, 3, 2]), [1, 2, 3]);
    }
}
