//! Sums of time that are too wide for a column: 128 bits inside, two columns of 64 bits between partitions, by the
//! number of a name.

/// The entry of a name, made where there is none yet.
pub(super) fn entry<T: Copy + Default>(table: &mut Vec<T>, number: u32) -> &mut T {
    let at = number as usize;
    if table.len() <= at {
        table.resize(at + 1, T::default());
    }
    &mut table[at]
}

/// The upper 64 bits.
pub(super) fn upper(total: i128) -> i64 {
    (total >> 64) as i64
}

/// The lower 64 bits, as they are.
pub(super) fn lower(total: i128) -> i64 {
    total as i64
}

/// The sum from its two halves.
pub(super) fn whole(upper: i64, lower: i64) -> i128 {
    (i128::from(upper) << 64) | i128::from(lower as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_make_the_whole() {
        for total in [
            0,
            1,
            -1,
            i128::from(i64::MAX) * 5,
            i128::from(i64::MIN) * 3,
            i128::MAX,
            i128::MIN,
        ] {
            assert_eq!(whole(upper(total), lower(total)), total);
        }
    }
}
