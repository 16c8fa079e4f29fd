//! Machines that gave the same: what does not depend on the machine is drawn once.

use super::machines::Machine;
use super::words::list;

/// What each machine gave, without repetition: the machines that gave it, and
/// what they gave. Machines that gave nothing are left out.
pub(super) fn alike<'a, T: PartialEq>(
    machines: &[&'a Machine],
    gave: impl Fn(&'a Machine) -> Option<T>,
) -> Vec<(Vec<&'a Machine>, T)> {
    let mut groups: Vec<(Vec<&Machine>, T)> = Vec::new();
    for &machine in machines {
        let Some(given) = gave(machine) else { continue };
        match groups.iter_mut().find(|group| group.1 == given) {
            Some(group) => group.0.push(machine),
            None => groups.push((vec![machine], given)),
        }
    }
    groups
}

/// The names of the machines.
pub(super) fn names(machines: &[&Machine]) -> String {
    let names: Vec<&str> = machines.iter().map(|machine| &*machine.name).collect();
    list(&names)
}
