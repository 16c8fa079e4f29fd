//! The tree of all cuts: which region has a point, and which regions are much larger than others beside
//! them.

use std::collections::BTreeMap;

use quadscan_kernels::cubature::adapt::Places;
use quadscan_kernels::cubature::adapt::part::Region;
use quadscan_kernels::cubature::adapt::rounds::Neighbours;
use quadscan_kernels::cubature::region::MAX_DIMENSIONS;

/// A region beside one where what is rough lies across the axes is cut where its widths are more than so
/// many times as large, on the geometric mean: the surface may go on there, where no line saw it.
const COARSE: f64 = 3.0;

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
    /// The whole box,
    limits: Vec<(f64, f64)>,
    /// and where regions beside much smaller ones are halved.
    coarse: BTreeMap<usize, Places>,
}

impl Cuts {
    pub(super) fn new(limits: &[(f64, f64)]) -> Self {
        Self {
            limits: limits.to_vec(),
            coarse: BTreeMap::new(),
            nodes: vec![Node::Region(0)],
            of_regions: vec![0],
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

impl Neighbours for Cuts {
    fn find(&mut self, regions: &[Region], faint: f64) -> bool {
        let dimensions = self.limits.len();
        self.coarse.clear();
        for Region { part, .. } in regions.iter().filter(|region| region.is_surface(faint)) {
            let mut middle = [0.0; MAX_DIMENSIONS];
            for (k, middle) in middle.iter_mut().enumerate().take(dimensions) {
                *middle = part.from[k] + 0.5 * (part.to[k] - part.from[k]);
            }
            for (k, &(first, last)) in self.limits.iter().enumerate() {
                let beside = [part.from[k].next_down(), part.to[k]];
                for place in beside.into_iter().filter(|x| (first..last).contains(x)) {
                    let mut x = middle;
                    x[k] = place;
                    let index = self.region(&x);
                    let other = &regions[index].part;
                    let times =
                        |k: usize| (other.to[k] - other.from[k]) / (part.to[k] - part.from[k]);
                    if (0..dimensions).map(times).product::<f64>() <= COARSE.powi(dimensions as i32)
                    {
                        continue;
                    }
                    let cuts: &mut Places = self.coarse.entry(index).or_default();
                    for k in (0..dimensions).filter(|&k| times(k) > 2.0) {
                        let at = regions[index].middle(k);
                        cuts[k] = (other.from[k] < at && at < other.to[k]).then_some(at);
                    }
                }
            }
        }
        self.coarse
            .retain(|_, cuts| cuts.iter().any(Option::is_some));
        !self.coarse.is_empty()
    }

    fn cuts(&self, region: usize) -> Option<&Places> {
        self.coarse.get(&region)
    }

    fn divide(&mut self, region: usize, cuts: &Places) {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_where_they_were_cut() {
        let mut cuts = Cuts::new(&[(0.0, 1.0); 2]);
        let mut places = Places::default();
        (places[0], places[1]) = (Some(0.5), Some(0.25));
        cuts.divide(0, &places);
        // The upper one in x alone is the second, and is cut again.
        let mut again = Places::default();
        again[1] = Some(0.125);
        cuts.divide(1, &again);
        let region = |x: f64, y: f64| {
            let mut point = [0.0; MAX_DIMENSIONS];
            (point[0], point[1]) = (x, y);
            cuts.region(&point)
        };
        assert_eq!([region(0.1, 0.1), region(0.9, 0.1)], [0, 1]);
        assert_eq!([region(0.1, 0.9), region(0.5, 0.25)], [2, 3]);
        assert_eq!([region(0.9, 0.125), region(0.9, 0.2)], [4, 4]);
    }
}
