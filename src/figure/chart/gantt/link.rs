//! Links as arrows: from the end of a state to the start of another, thin, over the marks.

use std::collections::BTreeMap;

use crate::figure::chart::gantt::bands::Stripe;
use crate::figure::chart::gantt::draw::View;
use crate::figure::chart::gantt::table::{End, Link, LinkClass};
use crate::figure::scene::{Arrow, Line, Mark, Stroke};

/// Beyond this many arrows the pen is thinner.
pub(super) const MANY: usize = 2_000;

/// How much thinner.
const THINNED: f64 = 0.4;

/// Least length of a straight arrow between two states side by side, in pixels; a shorter one would be all head.
const LEAST_LEVEL: f64 = 9.0;

/// How far a bow reaches beyond the two states that it joins, in pixels.
pub(super) const BOW: f64 = 4.0;

/// The arrow of one link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Route {
    pub(super) class: LinkClass,
    /// Lines before the arrow; of a bow.
    pub(super) lead: Option<[Line; 2]>,
    pub(super) arrow: Arrow,
}

/// The arrows that can be seen, in an order that does not hang on that of the links.
pub(super) fn routes(view: &View<'_>) -> Vec<Route> {
    if view.table.links.is_empty() {
        return Vec::new();
    }
    let mut place_of = vec![u32::MAX; view.table.marks.len()];
    for (place, &mark) in view.order.iter().enumerate() {
        if let Some(slot) = place_of.get_mut(mark as usize) {
            *slot = place as u32;
        }
    }
    let links = view.table.links.iter();
    let mut routes: Vec<Route> = links
        .filter(|link| {
            let (from, to) = (link.from.time, link.to.time);
            let (start, end) = (from.min(to), from.max(to));
            end >= view.scale.start && start <= view.scale.end
        })
        .map(|link| route(view, &place_of, link))
        .collect();
    let key = |route: &Route| {
        let (tail, tip) = (route.arrow.shaft.from, route.arrow.head[0]);
        [tail.0, tail.1, tip.0, tip.1]
    };
    routes.sort_by(|one, two| {
        let pairs = key(one).into_iter().zip(key(two));
        pairs.fold(one.class.cmp(&two.class), |order, (one, two)| {
            order.then_with(|| one.total_cmp(&two))
        })
    });
    routes
}

/// The arrow of a link. To another row it is straight: from the middle of the end of its source to the middle of the start of
/// its target, or to the corner of the target where it comes steeply, so that its head is seen beside the bar and not on it.
/// Between neighbours in one row it is a bow over their common edge.
fn route(view: &View<'_>, place_of: &[u32], link: &Link) -> Route {
    let (source, target) = (
        stripe(view, place_of, link.from),
        stripe(view, place_of, link.to),
    );
    let (from, to) = (view.x(link.from.time), view.x(link.to.time));
    let (leaves, arrives) = ((source.0 + source.1) / 2.0, (target.0 + target.1) / 2.0);
    let class = link.class;
    let straight = |tip: f64| Route {
        class,
        lead: None,
        arrow: Arrow::new((from, leaves), (to, tip)),
    };
    if (leaves - arrives).abs() < 0.5 {
        if to - from >= LEAST_LEVEL {
            return straight(arrives);
        }
        let top = source.0.min(target.0);
        let over = top - BOW.min(view.bands.free_above(link.to.row as usize, top));
        let (left, right) = (from.min(to) - BOW, from.max(to) + BOW);
        let (first, last) = if to < from {
            (right, left)
        } else {
            (left, right)
        };
        return Route {
            class,
            lead: Some([
                Line {
                    from: (first, top),
                    to: (first, over),
                },
                Line {
                    from: (first, over),
                    to: (last, over),
                },
            ]),
            arrow: Arrow::new((last, over), (last, top + 1.5)),
        };
    }
    if (to - from).abs() < (arrives - leaves).abs() {
        straight(if arrives > leaves { target.0 } else { target.1 })
    } else {
        straight(arrives)
    }
}

/// The stripe of the mark at an end of a link, or of its row.
fn stripe(view: &View<'_>, place_of: &[u32], end: End) -> Stripe {
    let place = end.mark.and_then(|mark| place_of.get(mark as usize));
    match place {
        Some(&place) if place != u32::MAX => {
            let rect = view.rect(place as usize);
            (rect.y, rect.bottom())
        }
        _ => view.bands.area(end.row as usize),
    }
}

/// The arrows as marks, the critical ones last and so on top.
pub(super) fn draw(routes: &[Route]) -> Vec<Mark> {
    let mut classes: BTreeMap<LinkClass, Vec<&Route>> = BTreeMap::new();
    for route in routes {
        classes.entry(route.class).or_default().push(route);
    }
    let thinned = if routes.len() > MANY { THINNED } else { 1.0 };
    let marks = classes.into_iter().flat_map(|(class, routes)| {
        let stroke = class.stroke();
        let lead = routes
            .iter()
            .flat_map(|route| route.lead.into_iter().flatten());
        let lines = lead.chain(routes.iter().map(|route| route.arrow.shaft));
        let lines = lines.collect();
        let triangles = routes.iter().map(|route| route.arrow.head).collect();
        [
            Mark::Lines {
                stroke: Stroke {
                    width: stroke.width * thinned,
                    ..stroke
                },
                lines,
            },
            Mark::Triangles {
                fill: stroke.colour,
                triangles,
            },
        ]
    });
    marks.collect()
}
