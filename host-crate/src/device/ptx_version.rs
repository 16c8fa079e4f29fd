//! Which CUDA version a PTX version needs (PTX ISA, "Release Notes", table of
//! PTX release history).

/// (PTX version, first CUDA version that supports it), ascending.
const HISTORY: [((u32, u32), (u32, u32)); 27] = [
    ((6, 0), (9, 0)),
    ((6, 1), (9, 1)),
    ((6, 2), (9, 2)),
    ((6, 3), (10, 0)),
    ((6, 4), (10, 1)),
    ((6, 5), (10, 2)),
    ((7, 0), (11, 0)),
    ((7, 1), (11, 1)),
    ((7, 2), (11, 2)),
    ((7, 3), (11, 3)),
    ((7, 4), (11, 4)),
    ((7, 5), (11, 5)),
    ((7, 6), (11, 6)),
    ((7, 7), (11, 7)),
    ((7, 8), (11, 8)),
    ((8, 0), (12, 0)),
    ((8, 1), (12, 1)),
    ((8, 2), (12, 2)),
    ((8, 3), (12, 3)),
    ((8, 4), (12, 4)),
    ((8, 5), (12, 5)),
    ((8, 6), (12, 7)),
    ((8, 7), (12, 8)),
    ((8, 8), (12, 9)),
    ((9, 0), (13, 0)),
    ((9, 1), (13, 1)),
    ((9, 2), (13, 2)),
];

/// The first CUDA version that supports a PTX version; `None` for a PTX
/// version newer than the table, which only the driver can judge.
pub(super) fn first_cuda(ptx: (u32, u32)) -> Option<(u32, u32)> {
    HISTORY
        .iter()
        .find(|(version, _)| *version >= ptx)
        .map(|&(_, cuda)| cuda)
}

/// `major.minor`.
pub(super) fn parse(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_ascends() {
        assert!(HISTORY.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(HISTORY.windows(2).all(|pair| pair[0].1 < pair[1].1));
    }

    #[test]
    fn ptx_6_4_runs_since_cuda_10_1_and_ptx_8_6_since_12_7() {
        assert_eq!(first_cuda((6, 4)), Some((10, 1)));
        assert_eq!(first_cuda((8, 6)), Some((12, 7)));
        assert_eq!(first_cuda((3, 2)), Some((9, 0)));
        assert_eq!(first_cuda((99, 0)), None);
    }
}
