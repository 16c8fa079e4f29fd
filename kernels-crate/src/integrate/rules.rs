//! Composite rules: where each strip is looked at, and with what weight.
//!
//! Every rule here is a sum of *families*, each with one node a strip: where in the strip
//! the node is, of whose width it is a part, above 0 and up to 1, and its weight, of the
//! strip's width as well. Nodes at 1 are the next strip's left end; the last strip has none.
//! A kernel therefore has all rules. Nodes and weights of Gauss and Legendre were computed with 60 digits
//! (Newton's method on the Legendre polynomial; Golub and Welsch, Calculation of Gauss
//! quadrature rules, 1969, has them as well) and rounded once.

/// The most families of a rule.
pub const MAX_FAMILIES: usize = 16;

/// The fewest nodes of a strip by Gauss and Legendre.
pub const MIN_POINTS: u32 = 2;

/// The most.
pub const MAX_POINTS: u32 = MAX_FAMILIES as u32;

/// A composite rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Both ends of a strip.
    Trapezoid,
    /// The middle of a strip.
    Midpoint,
    /// Both ends and the middle of a strip, 1 to 4 to 1: the rule of twice as many intervals
    /// of half the width.
    Simpson,
    /// So many nodes a strip, [`MIN_POINTS`] to [`MAX_POINTS`]: exact for polynomials up to
    /// degree 2 n - 1.
    GaussLegendre(u32),
}

impl Rule {
    /// Its families in [`FAMILIES`]: the first and how many. None for a number of points
    /// that is not allowed.
    pub const fn families(self) -> (u32, u32) {
        match self {
            Rule::Trapezoid => (0, 1),
            Rule::Midpoint => (1, 1),
            Rule::Simpson => (2, 2),
            Rule::GaussLegendre(points @ MIN_POINTS..=MAX_POINTS) => {
                // Behind the rules of 2 to n - 1 points.
                (4 + (points * (points - 1)) / 2 - 1, points)
            }
            Rule::GaussLegendre(_) => (0, 0),
        }
    }

    /// The weight of each limit of the integral, of a strip's width.
    pub const fn ends(self) -> f64 {
        match self {
            Rule::Trapezoid => 0.5,
            Rule::Simpson => 1.0 / 6.0,
            Rule::Midpoint | Rule::GaussLegendre(_) => 0.0,
        }
    }
}

/// A rule of Gauss and Kronrod, of one interval: [`kronrod`](super::kronrod).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum GaussKronrod {
    /// 7 nodes of Gauss among 15 of Kronrod.
    G7K15 = 15,
    /// 10 among 21.
    G10K21 = 21,
}

/// The families of all rules, one rule after the other. In the PTX of every integrand.
#[rustfmt::skip]
pub static FAMILIES: [(f64, f64); 4 + (MAX_POINTS * (MAX_POINTS + 1) / 2 - 1) as usize] = [
    // The trapezoid rule.
    (1.0, 1.0),
    // The midpoint rule.
    (0.5, 1.0),
    // Simpson's rule.
    (1.0, 1.0 / 3.0), (0.5, 2.0 / 3.0),
    // Gauss and Legendre, 2 points.
    (0.2113248654051871, 0.5),
    (0.7886751345948129, 0.5),
    // Gauss and Legendre, 3 points.
    (0.11270166537925831, 0.2777777777777778),
    (0.5, 0.4444444444444444),
    (0.8872983346207417, 0.2777777777777778),
    // Gauss and Legendre, 4 points.
    (0.06943184420297371, 0.17392742256872692),
    (0.33000947820757187, 0.32607257743127305),
    (0.6699905217924281, 0.32607257743127305),
    (0.9305681557970263, 0.17392742256872692),
    // Gauss and Legendre, 5 points.
    (0.046910077030668004, 0.11846344252809454),
    (0.23076534494715845, 0.23931433524968324),
    (0.5, 0.28444444444444444),
    (0.7692346550528415, 0.23931433524968324),
    (0.953089922969332, 0.11846344252809454),
    // Gauss and Legendre, 6 points.
    (0.03376524289842399, 0.08566224618958518),
    (0.16939530676686773, 0.1803807865240693),
    (0.38069040695840156, 0.23395696728634552),
    (0.6193095930415985, 0.23395696728634552),
    (0.8306046932331322, 0.1803807865240693),
    (0.966234757101576, 0.08566224618958518),
    // Gauss and Legendre, 7 points.
    (0.025446043828620736, 0.06474248308443485),
    (0.12923440720030277, 0.13985269574463832),
    (0.2970774243113014, 0.19091502525255946),
    (0.5, 0.2089795918367347),
    (0.7029225756886985, 0.19091502525255946),
    (0.8707655927996972, 0.13985269574463832),
    (0.9745539561713793, 0.06474248308443485),
    // Gauss and Legendre, 8 points.
    (0.019855071751231884, 0.05061426814518813),
    (0.10166676129318664, 0.11119051722668724),
    (0.2372337950418355, 0.15685332293894363),
    (0.4082826787521751, 0.181341891689181),
    (0.591717321247825, 0.181341891689181),
    (0.7627662049581645, 0.15685332293894363),
    (0.8983332387068134, 0.11119051722668724),
    (0.9801449282487681, 0.05061426814518813),
    // Gauss and Legendre, 9 points.
    (0.015919880246186954, 0.040637194180787206),
    (0.0819844463366821, 0.0903240803474287),
    (0.1933142836497048, 0.13030534820146772),
    (0.33787328829809554, 0.15617353852000143),
    (0.5, 0.1651196775006299),
    (0.6621267117019045, 0.15617353852000143),
    (0.8066857163502952, 0.13030534820146772),
    (0.9180155536633179, 0.0903240803474287),
    (0.984080119753813, 0.040637194180787206),
    // Gauss and Legendre, 10 points.
    (0.01304673574141414, 0.03333567215434407),
    (0.06746831665550775, 0.0747256745752903),
    (0.1602952158504878, 0.10954318125799102),
    (0.2833023029353764, 0.13463335965499817),
    (0.4255628305091844, 0.14776211235737644),
    (0.5744371694908156, 0.14776211235737644),
    (0.7166976970646236, 0.13463335965499817),
    (0.8397047841495122, 0.10954318125799102),
    (0.9325316833444922, 0.0747256745752903),
    (0.9869532642585859, 0.03333567215434407),
    // Gauss and Legendre, 11 points.
    (0.010885670926971503, 0.02783428355808683),
    (0.05646870011595235, 0.0627901847324523),
    (0.13492399721297535, 0.09314510546386713),
    (0.2404519353965941, 0.11659688229599524),
    (0.3652284220238275, 0.13140227225512333),
    (0.5, 0.1364625433889503),
    (0.6347715779761725, 0.13140227225512333),
    (0.759548064603406, 0.11659688229599524),
    (0.8650760027870247, 0.09314510546386713),
    (0.9435312998840476, 0.0627901847324523),
    (0.9891143290730285, 0.02783428355808683),
    // Gauss and Legendre, 12 points.
    (0.009219682876640375, 0.023587668193255914),
    (0.04794137181476257, 0.05346966299765921),
    (0.11504866290284765, 0.08003916427167311),
    (0.2063410228566913, 0.10158371336153296),
    (0.3160842505009099, 0.1167462682691774),
    (0.43738329574426554, 0.12457352290670139),
    (0.5626167042557345, 0.12457352290670139),
    (0.6839157494990901, 0.1167462682691774),
    (0.7936589771433087, 0.10158371336153296),
    (0.8849513370971523, 0.08003916427167311),
    (0.9520586281852375, 0.05346966299765921),
    (0.9907803171233597, 0.023587668193255914),
    // Gauss and Legendre, 13 points.
    (0.007908472640705926, 0.02024200238265794),
    (0.04120080038851102, 0.046060749918864226),
    (0.09921095463334505, 0.06943675510989362),
    (0.17882533027982989, 0.08907299038097287),
    (0.2757536244817766, 0.10390802376844425),
    (0.3847708420224326, 0.11314159013144862),
    (0.5, 0.11627577661543695),
    (0.6152291579775674, 0.11314159013144862),
    (0.7242463755182235, 0.10390802376844425),
    (0.8211746697201701, 0.08907299038097287),
    (0.9007890453666549, 0.06943675510989362),
    (0.958799199611489, 0.046060749918864226),
    (0.9920915273592941, 0.02024200238265794),
    // Gauss and Legendre, 14 points.
    (0.006858095651593831, 0.01755973016587593),
    (0.03578255816821324, 0.040079043579880104),
    (0.0863993424651175, 0.06075928534395159),
    (0.15635354759415726, 0.07860158357909677),
    (0.24237568182092295, 0.09276919873896891),
    (0.3404438155360551, 0.1025992318606478),
    (0.44597252564632817, 0.1076319267315789),
    (0.5540274743536718, 0.1076319267315789),
    (0.6595561844639449, 0.1025992318606478),
    (0.757624318179077, 0.09276919873896891),
    (0.8436464524058427, 0.07860158357909677),
    (0.9136006575348825, 0.06075928534395159),
    (0.9642174418317867, 0.040079043579880104),
    (0.9931419043484062, 0.01755973016587593),
    // Gauss and Legendre, 15 points.
    (0.006003740989757286, 0.015376620998058635),
    (0.031363303799647045, 0.03518302374405406),
    (0.0758967082947864, 0.05357961023358597),
    (0.13779113431991497, 0.06978533896307716),
    (0.21451391369573058, 0.08313460290849696),
    (0.3029243264612183, 0.0930805000077811),
    (0.39940295300128276, 0.09921574266355579),
    (0.5, 0.10128912096278064),
    (0.6005970469987173, 0.09921574266355579),
    (0.6970756735387816, 0.0930805000077811),
    (0.7854860863042694, 0.08313460290849696),
    (0.862208865680085, 0.06978533896307716),
    (0.9241032917052137, 0.05357961023358597),
    (0.968636696200353, 0.03518302374405406),
    (0.9939962590102427, 0.015376620998058635),
    // Gauss and Legendre, 16 points.
    (0.005299532504175033, 0.013576229705877048),
    (0.02771248846338371, 0.031126761969323947),
    (0.06718439880608412, 0.04757925584124639),
    (0.12229779582249849, 0.06231448562776694),
    (0.19106187779867811, 0.07479799440828837),
    (0.2709916111713863, 0.08457825969750127),
    (0.35919822461037054, 0.09130170752246179),
    (0.4524937450811813, 0.09472530522753425),
    (0.5475062549188188, 0.09472530522753425),
    (0.6408017753896295, 0.09130170752246179),
    (0.7290083888286137, 0.08457825969750127),
    (0.8089381222013219, 0.07479799440828837),
    (0.8777022041775016, 0.06231448562776694),
    (0.9328156011939158, 0.04757925584124639),
    (0.9722875115366163, 0.031126761969323947),
    (0.994700467495825, 0.013576229705877048),
];

#[cfg(test)]
mod tests {
    use super::{FAMILIES, MAX_POINTS, MIN_POINTS, Rule};

    fn families(rule: Rule) -> &'static [(f64, f64)] {
        let (first, count) = rule.families();
        &FAMILIES[first as usize..][..count as usize]
    }

    /// The rule's integral of x^degree over one strip, 0..1.
    fn power(rule: Rule, degree: i32) -> f64 {
        let ends = if degree == 0 { 2.0 } else { 1.0 };
        let inside = families(rule).iter().filter(|(offset, _)| *offset < 1.0);
        let terms = inside.map(|(offset, weight)| weight * offset.powi(degree));
        terms.sum::<f64>() + rule.ends() * ends
    }

    #[test]
    fn rules_are_exact_up_to_their_degree_and_no_further() {
        let known = [
            (Rule::Trapezoid, 1),
            (Rule::Midpoint, 1),
            (Rule::Simpson, 3),
        ];
        let gauss = (MIN_POINTS..=8).map(|n| (Rule::GaussLegendre(n), 2 * n as i32 - 1));
        for (rule, exact) in known.into_iter().chain(gauss) {
            for degree in 0..=exact {
                let error = power(rule, degree) - 1.0 / f64::from(degree + 1);
                assert!(error.abs() < 4e-16, "{rule:?}, degree {degree}: {error}");
            }
            let next = exact + 1;
            let error = power(rule, next) - 1.0 / f64::from(next + 1);
            assert!(error.abs() > 1e-14, "{rule:?} is exact for degree {next}");
        }
        for points in 9..=MAX_POINTS {
            let rule = Rule::GaussLegendre(points);
            for degree in 0..2 * points as i32 {
                let error = power(rule, degree) - 1.0 / f64::from(degree + 1);
                assert!(error.abs() < 4e-16, "{rule:?}, degree {degree}: {error}");
            }
        }
    }

    #[test]
    fn numbers_of_points_that_are_not_there_have_no_nodes() {
        for points in [0, 1, MAX_POINTS + 1, u32::MAX] {
            assert_eq!(families(Rule::GaussLegendre(points)), []);
        }
    }
}
