//! The 240 colours that terminals with 256 agree on: a cube of 6 × 6 × 6 from 16 on, then 24 greys from 232 on.

/// Red, green, blue.
pub(super) type Colour = [u8; 3];

/// The steps of a side of the cube.
const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// What the terminal shows for a number; numbers below 16 belong to the user's theme and are not used.
pub(super) fn colour(number: u8) -> Colour {
    if number >= 232 {
        let grey = 8 + (number - 232) * 10;
        return [grey; 3];
    }
    let place = usize::from(number.saturating_sub(16));
    let step = |place: usize| STEPS.get(place % 6).copied().unwrap_or(u8::MAX);
    [step(place / 36), step(place / 6), step(place)]
}

/// The number of the nearest colour; of two that are as near, the lower.
pub(super) fn nearest(wanted: Colour) -> u8 {
    let step = |part: u8| {
        let near = STEPS
            .iter()
            .enumerate()
            .min_by_key(|(_, step)| step.abs_diff(part));
        near.map_or(0, |(place, _)| place as u8)
    };
    let [red, green, blue] = wanted.map(step);
    let cube = 16 + 36 * red + 6 * green + blue;
    let mean = wanted.iter().map(|part| u16::from(*part)).sum::<u16>() / 3;
    let grey = 232 + (mean.saturating_sub(3) / 10).min(23) as u8;
    if distance(colour(grey), wanted) < distance(colour(cube), wanted) {
        grey
    } else {
        cube
    }
}

fn distance(a: Colour, b: Colour) -> u32 {
    let parts = a.iter().zip(b);
    parts.map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_colour_is_its_own_nearest() {
        for number in 16..=255 {
            let same = nearest(colour(number));
            assert_eq!(colour(same), colour(number), "{number}");
        }
        // The published values of the cube's corners and of some between.
        assert_eq!(colour(16), [0, 0, 0]);
        assert_eq!(colour(196), [255, 0, 0]);
        assert_eq!(colour(67), [95, 135, 175]);
        assert_eq!(colour(244), [128, 128, 128]);
        assert_eq!(nearest([254, 1, 2]), 196);
        assert_eq!(nearest([129, 128, 127]), 244);
    }
}
