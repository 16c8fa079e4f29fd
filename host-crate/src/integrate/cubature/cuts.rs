//! The tree of all cuts: which region has a point.

use quadscan_kernels::cubature::region::MAX_DIMENSIONS;

/// A cut, or a region where there is none.
#[derive(Clone, Copy, Debug)]
enum Node {
    Region(u32),
    /// An axis, a place, and the nodes below it and from it on.
    Cut(u8, f64, [u32; 2]),
}

/// All cuts of an integral.
#[derive(Debug)]
pub(super) struct Cuts {
    /// The first one is the whole box.
    nodes: Vec<Node>,
    /// The node of each region.
    of_regions: Vec<u32>,
}

impl Cuts {
    pub(super) fn new() -> Self {
        Self {
            nodes: vec![Node::Region(0)],
            of_regions: vec![0],
        }
    }

    /// Cuts a region: the first part keeps its number, the others have the next ones, in the order of
    /// [`Region::divided`](super::region::Region::divided).
    pub(super) fn cut(&mut self, region: usize, cuts: &[Option<f64>; MAX_DIMENSIONS]) {
        let mut parts = vec![region as u32];
        for (axis, at) in cuts.iter().enumerate() {
            let Some(at) = *at else { continue };
            for index in 0..parts.len() {
                let (lower, upper) = (parts[index], self.of_regions.len() as u32);
                let node = self.of_regions[lower as usize];
                let sides = [self.nodes.len() as u32, self.nodes.len() as u32 + 1];
                self.nodes[node as usize] = Node::Cut(axis as u8, at, sides);
                self.nodes
                    .extend([Node::Region(lower), Node::Region(upper)]);
                self.of_regions[lower as usize] = sides[0];
                self.of_regions.push(sides[1]);
                parts.push(upper);
            }
        }
    }

    /// The region that has a point.
    pub(super) fn region(&self, x: &[f64; MAX_DIMENSIONS]) -> usize {
        let mut node = 0;
        loop {
            match self.nodes[node] {
                Node::Region(region) => return region as usize,
                Node::Cut(axis, at, sides) => {
                    node = sides[usize::from(x[usize::from(axis)] >= at)] as usize;
                }
            }
        }
    }
}
