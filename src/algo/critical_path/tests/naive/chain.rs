//! Single chains, read word for word: the representative path, the walk back, and chains that span the trace.

use super::*;

impl Naive<'_> {
    pub(super) fn preferred(&self, arrow: &Arrow) -> u8 {
        // Paths prefer direct dependencies; transitive ones only change labels.
        match arrow.conforms {
            Some(true) => 0,
            _ if self.trace.resource[arrow.from] == self.trace.resource[arrow.to] => 1,
            _ => 2,
        }
    }

    pub(super) fn back_by_claims(
        &self,
        arrows: &[Arrow],
        into: &[i128],
        claim: usize,
        passed: &mut Vec<usize>,
    ) -> Option<(Vec<usize>, i64)> {
        if into[claim] == 0 {
            return Some((vec![claim], 0));
        }
        passed.push(claim);
        let mut ways: Vec<&Arrow> = arrows.iter().filter(|arrow| arrow.to == claim).collect();
        ways.sort_by_key(|arrow| (arrow.gap.abs(), self.preferred(arrow), arrow.from));
        for way in ways {
            if passed.contains(&way.from) {
                continue;
            }
            if let Some((mut path, gap)) = self.back_by_claims(arrows, into, way.from, passed) {
                path.push(claim);
                return Some((path, gap + way.gap));
            }
        }
        passed.pop();
        None
    }

    /// The path for any points: back from a point, no point twice.
    pub(super) fn back(
        &self,
        ways: &[Arrow],
        needed: &dyn Fn(usize) -> i128,
        claim: usize,
        leaves: Point,
        passed: &mut Vec<usize>,
    ) -> Option<(Vec<usize>, i64)> {
        let whole = |path: &mut Vec<usize>, arrives: Point| {
            if leaves == Point::End && arrives == Point::Start {
                path.push(claim);
            }
        };
        if needed(claim) == 0 {
            let mut path = Vec::new();
            whole(&mut path, Point::Start);
            return Some((path, 0));
        }
        passed.push(node(claim, leaves));
        let mut here: Vec<&Arrow> = ways.iter().filter(|arrow| arrow.to == claim).collect();
        here.sort_by_key(|arrow| {
            let from_start = arrow.from_point == Point::Start;
            let first = (arrow.to_point == Point::End, arrow.gap.abs());
            let second = (self.preferred(arrow), arrow.from, from_start);
            (first, second, arrow.dependency, arrow.is_upper)
        });
        for way in here {
            if passed.contains(&node(way.from, way.from_point)) {
                continue;
            }
            let before = self.back(ways, needed, way.from, way.from_point, passed);
            if let Some((mut path, gap)) = before {
                whole(&mut path, way.to_point);
                return Some((path, gap + way.gap));
            }
        }
        passed.pop();
        None
    }

    pub(super) fn walk(&self) -> Found {
        let longer = |one: usize| -self.length(one);
        let mut path: Vec<usize> = Vec::new();
        let mut arrows = Vec::new();
        let last = (0..self.claims()).min_by_key(|one| (-self.trace.end[*one], longer(*one), *one));
        if let Some(mut claim) = last {
            loop {
                path.push(claim);
                let ways = self.arrows.iter().filter(|arrow| {
                    arrow.to == claim
                        && arrow.to_point == Point::Start
                        && !arrow.is_upper
                        && !path.contains(&arrow.from)
                });
                let Some(way) = ways.min_by_key(|arrow| {
                    let elsewhere = self.trace.resource[arrow.from] != self.trace.resource[claim];
                    (
                        -self.trace.end[arrow.from],
                        arrow.conforms != Some(true),
                        elsewhere,
                        longer(arrow.from),
                        arrow.from,
                        arrow.from_point == Point::Start,
                        arrow.dependency,
                    )
                }) else {
                    break;
                };
                arrows.push(*way);
                claim = way.from;
            }
        }
        path.reverse();
        let critical: Vec<bool> = (0..self.claims()).map(|one| path.contains(&one)).collect();
        let (blocking, edges) = self.blocked(&critical, &arrows);
        Found {
            path_order: self.order(&critical, |one| {
                (self.trace.start[one], self.trace.end[one])
            }),
            path_position: self.positions(&path),
            blocking,
            length: path.iter().map(|one| self.length(*one)).sum(),
            path_gap: arrows.iter().map(|arrow| arrow.gap).sum(),
            path: path.iter().map(|one| *one as u32).collect(),
            edges,
            critical,
            ..Found::default()
        }
    }

    /// Whether a chain may begin or end with a claim.
    fn begins(&self, claim: usize) -> bool {
        let first = self.trace.start.iter().min().expect("claims");
        self.trace.start[claim] - first <= self.options.epsilon
    }

    fn ends(&self, claim: usize) -> bool {
        let last = self.trace.end.iter().max().expect("claims");
        last - self.trace.end[claim] <= self.options.epsilon
    }

    /// Tries all chains without a repeated claim.
    fn chains(&self, chain: &mut Vec<usize>, marked: &mut [bool]) {
        let claim = *chain.last().expect("not empty");
        if self.ends(claim) {
            chain.iter().for_each(|one| marked[*one] = true);
        }
        for arrow in self.arrows.iter().filter(|arrow| arrow.from == claim) {
            if !chain.contains(&arrow.to) {
                chain.push(arrow.to);
                self.chains(chain, marked);
                chain.pop();
            }
        }
    }

    pub(in super::super) fn marked(&self) -> Vec<bool> {
        let mut marked = vec![false; self.claims()];
        for claim in (0..self.claims()).filter(|one| self.begins(*one)) {
            self.chains(&mut vec![claim], &mut marked);
        }
        marked
    }

    pub(super) fn spanning(&self) -> Found {
        let critical = self.marked();
        let joined = |arrow: &Arrow| critical[arrow.from] && critical[arrow.to];
        let arrows: Vec<Arrow> = self.arrows.iter().copied().filter(joined).collect();
        let mut path: Vec<usize> = Vec::new();
        let mut path_gap = 0;
        let some = (0..self.claims()).filter(|one| critical[*one]);
        if let Some(mut claim) = some.min_by_key(|one| (-self.trace.end[*one], *one)) {
            loop {
                path.push(claim);
                let ways = arrows
                    .iter()
                    .filter(|arrow| arrow.to == claim && !path.contains(&arrow.from));
                let Some(way) =
                    ways.min_by_key(|arrow| (arrow.gap, self.preferred(arrow), arrow.from))
                else {
                    break;
                };
                path_gap += way.gap;
                claim = way.from;
            }
            assert!(self.begins(claim), "a chain from the first start");
        }
        path.reverse();
        let (blocking, edges) = self.blocked(&critical, &arrows);
        Found {
            path_order: self.order(&critical, |one| {
                (self.trace.start[one], self.trace.end[one])
            }),
            path_position: self.positions(&path),
            blocking,
            length: path.iter().map(|one| self.length(*one)).sum(),
            path_gap,
            path: path.iter().map(|one| *one as u32).collect(),
            edges,
            critical,
            ..Found::default()
        }
    }
}
