//! Lanes: their order, their names, where they stand, and which names can be written beside them.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::figure::text::{self, LABEL_SIZE, SMALL_SIZE};

/// What one lane shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// Resource.
    pub resource: String,
    /// State type.
    pub kind: String,
}

/// Compares as people count: `CPU2` before `CPU10`; what natural order takes for the same goes by its bytes.
pub fn natural(left: &str, right: &str) -> Ordering {
    natord::compare(left, right).then_with(|| left.cmp(right))
}

/// Positions of the tracks in natural order of resource, then type: the first is the lowest lane.
pub fn natural_order(tracks: &[Track]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..tracks.len()).collect();
    order.sort_by(|&left, &right| {
        natural(&tracks[left].resource, &tracks[right].resource)
            .then_with(|| natural(&tracks[left].kind, &tracks[right].kind))
    });
    order
}

/// Names of lanes: the resource, with its type only where a resource has several.
pub fn labels(tracks: &[Track]) -> Vec<String> {
    let mut lanes_of: BTreeMap<&str, usize> = BTreeMap::new();
    for track in tracks {
        *lanes_of.entry(&track.resource).or_insert(0) += 1;
    }
    tracks
        .iter()
        .map(|track| {
            if lanes_of.get(track.resource.as_str()) == Some(&1) {
                text::clean(&track.resource)
            } else {
                text::clean(&format!("{} ({})", track.resource, track.kind))
            }
        })
        .collect()
}

/// Least distance of two lines between lanes, in pixels.
pub const LEAST_SEPARATED: f64 = 4.0;

/// Where the lanes stand. Lane 0 is at the bottom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lanes {
    /// Lower edge of lane 0, in pixels.
    pub bottom: f64,
    /// Pixels from a lane to the next.
    pub pitch: f64,
    /// Height of a lane's area, in pixels: the same for all, and less than the pitch.
    pub height: f64,
}

impl Lanes {
    /// Spreads `count` lanes over `height` pixels that end at `bottom`. A fifth of the room, at most 4 pixels, is kept free
    /// above each lane's area: it parts the lanes and holds the marks of interruptions.
    pub fn new(count: usize, bottom: f64, height: f64) -> Lanes {
        let pitch = height / count.max(1) as f64;
        let gap = if pitch < 2.0 {
            0.0
        } else {
            (pitch * 0.2).min(4.0)
        };
        Lanes {
            bottom,
            pitch,
            height: pitch - gap,
        }
    }

    /// Free pixels above each lane's area.
    pub fn gap(&self) -> f64 {
        self.pitch - self.height
    }

    /// Heights of the lines between `count` lanes, in pixels; none where they would be too dense.
    pub fn separators(&self, count: usize) -> Vec<f64> {
        if self.pitch < LEAST_SEPARATED {
            return Vec::new();
        }
        (1..count).map(|lane| self.y(lane, 0.0)).collect()
    }

    /// Pixel of a height (0 to 1) in a lane.
    pub fn y(&self, lane: usize, height: f64) -> f64 {
        self.bottom - lane as f64 * self.pitch - height * self.height
    }
}

/// Distance of two base lines of names, in font sizes.
const LINE: f64 = 1.12;

/// A name that stands beside its lane.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneLabel {
    /// The lane.
    pub lane: usize,
    /// Middle of the lane, in pixels.
    pub middle: f64,
    /// Base line, in pixels.
    pub y: f64,
    /// Font size, in pixels.
    pub size: f64,
    /// The name, shortened where it must be.
    pub text: String,
}

/// The names that can stand beside the lanes without touching each other, shortened to `room` pixels. Where they do not
/// all fit, every second, fifth, tenth … is written; none that would leave a page of `page` pixels' height.
pub fn place_labels(labels: &[String], lanes: &Lanes, room: f64, page: f64) -> Vec<LaneLabel> {
    let middles: Vec<f64> = (0..labels.len()).map(|lane| lanes.y(lane, 0.5)).collect();
    place_even(labels, &middles, lanes.pitch, room, page)
}

/// The same for lanes whose middles are given, `pitch` pixels from one to the next.
pub fn place_even(
    labels: &[String],
    middles: &[f64],
    pitch: f64,
    room: f64,
    page: f64,
) -> Vec<LaneLabel> {
    let size = if pitch >= LABEL_SIZE * LINE {
        LABEL_SIZE
    } else {
        SMALL_SIZE
    };
    let mut step = 1;
    let mut digits = [2, 5, 10].iter().cycle();
    let mut power = 1;
    while step as f64 * pitch < size * LINE && step < labels.len() {
        let digit = digits.next().copied().unwrap_or(10);
        step = power * digit;
        if digit == 10 {
            power *= 10;
        }
    }
    labels
        .iter()
        .zip(middles)
        .enumerate()
        .step_by(step)
        .filter_map(|(lane, (label, &middle))| place(label, lane, middle, size, room, page))
        .collect()
}

/// The same for lanes that differ in height, whose middles are given from the top down or from the bottom up: a name that
/// would touch the last one written is left out.
pub fn place_uneven(labels: &[String], middles: &[f64], room: f64, page: f64) -> Vec<LaneLabel> {
    let mut out: Vec<LaneLabel> = Vec::new();
    for (lane, (label, &middle)) in labels.iter().zip(middles).enumerate() {
        let touches = out
            .last()
            .is_some_and(|last| (last.middle - middle).abs() < SMALL_SIZE * LINE);
        if !touches {
            out.extend(place(label, lane, middle, SMALL_SIZE, room, page));
        }
    }
    out
}

/// A name beside the middle of its lane, unless it would leave the page.
fn place(
    label: &str,
    lane: usize,
    middle: f64,
    size: f64,
    room: f64,
    page: f64,
) -> Option<LaneLabel> {
    let text = text::shorten(label, size, room);
    // Capitals and digits are 0.73 em high: half of it under the middle centres them.
    let y = middle + 0.36 * size;
    let is_on_page = y >= 0.76 * size && y + 0.24 * size <= page;
    (is_on_page && !text.is_empty()).then_some(LaneLabel {
        lane,
        middle,
        y,
        size,
        text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tracks(names: &[&str]) -> Vec<Track> {
        names
            .iter()
            .map(|name| Track {
                resource: (*name).to_owned(),
                kind: "Worker".to_owned(),
            })
            .collect()
    }

    #[test]
    fn lanes_are_in_natural_order() {
        let tracks = tracks(&[
            "CPU10", "CPU2", "CUDA0_10", "CUDA0_9", "CPU02", "cpu1", "CPU2",
        ]);
        let names: Vec<&str> = natural_order(&tracks)
            .into_iter()
            .map(|index| tracks[index].resource.as_str())
            .collect();
        assert_eq!(
            names,
            [
                "CPU02", "CPU2", "CPU2", "CPU10", "CUDA0_9", "CUDA0_10", "cpu1"
            ]
        );
    }

    #[test]
    fn natural_order_is_an_order() {
        // Sorting may panic on a comparison that contradicts itself.
        let parts = [
            "",
            "0",
            "1",
            "01",
            "10",
            "9",
            "a",
            " ",
            "00",
            "a1",
            "é",
            "99999999999999999999",
        ];
        let mut names: Vec<String> = Vec::new();
        for one in parts {
            for two in parts {
                for three in ["", "0", "2", " 1", "b"] {
                    names.push(format!("{one}{two}{three}"));
                }
            }
        }
        names.sort();
        names.dedup();
        let mut order = names.clone();
        order.sort_by(|a, b| natural(a, b));
        for (index, one) in order.iter().enumerate() {
            for two in &order[index + 1..] {
                assert_eq!(natural(one, two), Ordering::Less, "{one:?} {two:?}");
                assert_eq!(natural(two, one), Ordering::Greater, "{one:?} {two:?}");
            }
        }
    }

    #[test]
    fn types_are_named_where_they_are_needed() {
        let mut tracks = tracks(&["CPU0", "CPU1", "CPU1"]);
        tracks[2].kind = "Memory".to_owned();
        assert_eq!(labels(&tracks), ["CPU0", "CPU1 (Worker)", "CPU1 (Memory)"]);
    }

    #[test]
    fn labels_never_touch() {
        for count in [1, 2, 7, 12, 13, 50, 200, 5000] {
            for height in [1.0, 10.0, 100.0, 400.0] {
                let lanes = Lanes::new(count, 500.0, height);
                let names: Vec<String> = (0..count)
                    .map(|lane| format!("a long name of lane {lane}"))
                    .collect();
                let placed = place_labels(&names, &lanes, 60.0, 510.0);
                for pair in placed.windows(2) {
                    assert!(pair[0].y - pair[1].y >= pair[0].size, "{count} {height}");
                }
                assert!(
                    placed
                        .iter()
                        .all(|label| text::width(&label.text, label.size) <= 60.0)
                );
                assert!(!placed.is_empty(), "{count} {height}");
            }
        }
    }
}
