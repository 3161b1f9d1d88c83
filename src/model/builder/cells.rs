//! A column of the file whose type is not known before its last row: integers as long as every cell is
//! one, text from the first that is not. Texts are exact, so nothing is lost on the way.

use super::intern::{Interner, NULL};
use arrow::array::{Array, ArrayRef, DictionaryArray, Float64Array, Int64Array, StringViewArray};
use arrow::buffer::{NullBuffer, ScalarBuffer};
use arrow::datatypes::{DataType, UInt32Type};
use std::sync::Arc;

/// No integer here. [`plain_integer`] never gives it.
const NO_INTEGER: i64 = i64::MIN;

/// The cells of one column; rows past the end are null.
#[derive(Clone, Debug)]
pub(super) enum Cells {
    /// Every cell so far is null or the decimal text of this integer.
    Integers(Vec<i64>),
    /// Numbers of texts.
    Texts(Vec<u32>, Interner),
}

impl Default for Cells {
    fn default() -> Self {
        Cells::Integers(Vec::new())
    }
}

impl Cells {
    /// Sets a cell. The empty text and `NA` are null.
    pub(super) fn set(&mut self, row: usize, text: &[u8]) {
        if is_null_text(text) {
            return;
        }
        if let Cells::Integers(values) = self {
            match plain_integer(text) {
                Some(value) => return put(values, row, value, NO_INTEGER),
                None => self.become_texts(),
            }
        }
        if let Cells::Texts(numbers, texts) = self {
            let number = match texts.find(text) {
                Some(number) => number,
                None => texts.intern(&String::from_utf8_lossy(text)),
            };
            put(numbers, row, number, NULL);
        }
    }

    /// True where some cell is no plain integer.
    pub(super) fn is_text(&self) -> bool {
        matches!(self, Cells::Texts(..))
    }

    /// True where every cell is null.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Cells::Integers(values) => values.is_empty(),
            Cells::Texts(numbers, _) => numbers.is_empty(),
        }
    }

    /// The integer of a cell, where the column holds integers.
    pub(super) fn integer(&self, row: usize) -> Option<i64> {
        match self {
            Cells::Integers(values) => values.get(row).copied().filter(|v| *v != NO_INTEGER),
            Cells::Texts(..) => None,
        }
    }

    /// The text of a cell, whatever the column holds.
    pub(super) fn text(&self, row: usize) -> Option<std::borrow::Cow<'_, str>> {
        match self {
            Cells::Integers(_) => self.integer(row).map(|value| value.to_string().into()),
            Cells::Texts(numbers, texts) => numbers
                .get(row)
                .filter(|number| **number != NULL)
                .map(|number| texts.get(*number).into()),
        }
    }

    fn become_texts(&mut self) {
        let Cells::Integers(values) = self else {
            return;
        };
        let mut texts = Interner::default();
        let numbers = values
            .iter()
            .map(|value| match *value {
                NO_INTEGER => NULL,
                value => texts.intern(&value.to_string()),
            })
            .collect();
        *self = Cells::Texts(numbers, texts);
    }

    /// The column as an Arrow array of `rows` cells, in the order given (none: as they came). Text columns
    /// with few distinct texts are dictionaries.
    pub(super) fn into_array(self, rows: usize, order: Option<&[u32]>, float: bool) -> ArrayRef {
        match self {
            Cells::Integers(values) if float => {
                let value = |row: usize| {
                    let value = values.get(row).copied().filter(|v| *v != NO_INTEGER);
                    value.map(|value| value as f64)
                };
                Arc::new(Float64Array::from_iter(indices(rows, order).map(value)))
            }
            Cells::Integers(values) => integers(values, rows, order),
            Cells::Texts(numbers, texts) => match all_floats(&texts) {
                Some(floats) => {
                    let value = |row: usize| {
                        let number = numbers.get(row).copied().unwrap_or(NULL);
                        floats.get(number as usize).copied()
                    };
                    Arc::new(Float64Array::from_iter(indices(rows, order).map(value)))
                }
                None => {
                    let distinct = texts.len();
                    let values = Arc::new(texts.into_array());
                    let keys = gather(numbers, NULL, rows, order);
                    dictionary(keys, values, distinct * 2 > rows)
                }
            },
        }
    }
}

impl Cells {
    /// The column as ticks, where every cell is a time; `parse` gets the row and the text. None where some
    /// cell is no time.
    pub(super) fn ticks(
        &self,
        rows: usize,
        mut parse: impl FnMut(usize, &[u8]) -> Option<i64>,
    ) -> Option<Vec<i64>> {
        let mut ticks = vec![NO_INTEGER; rows];
        for (row, slot) in ticks.iter_mut().enumerate() {
            if let Some(text) = self.text(row) {
                *slot = parse(row, text.as_bytes())?;
            }
        }
        Some(ticks)
    }
}

/// The type that users see of an array made here.
pub(super) fn plan_type(array: &dyn Array) -> DataType {
    match array.data_type() {
        DataType::Dictionary(..) => DataType::Utf8View,
        other => other.clone(),
    }
}

/// The row numbers of the result, in order.
pub(super) fn indices(rows: usize, order: Option<&[u32]>) -> impl Iterator<Item = usize> + '_ {
    (0..rows).map(move |at| match order {
        Some(order) => order.get(at).map_or(at, |row| *row as usize),
        None => at,
    })
}

/// The values in the order given; missing ones are `missing`.
pub(super) fn gather<T: Copy>(
    mut values: Vec<T>,
    missing: T,
    rows: usize,
    order: Option<&[u32]>,
) -> Vec<T> {
    match order {
        None => {
            values.resize(rows, missing);
            values
        }
        Some(order) => order
            .iter()
            .map(|row| values.get(*row as usize).copied().unwrap_or(missing))
            .collect(),
    }
}

fn integers(values: Vec<i64>, rows: usize, order: Option<&[u32]>) -> ArrayRef {
    Arc::new(nullable(gather(values, NO_INTEGER, rows, order)))
}

/// An Int64 array where `i64::MIN` means null.
pub(super) fn nullable(values: Vec<i64>) -> Int64Array {
    let nulls = values
        .contains(&NO_INTEGER)
        .then(|| NullBuffer::from_iter(values.iter().map(|value| *value != NO_INTEGER)));
    Int64Array::new(ScalarBuffer::from(values), nulls)
}

/// A name column from its keys, of which [`NULL`] means null: a dictionary, or plain text where nearly
/// every text is its own.
pub(super) fn dictionary(keys: Vec<u32>, values: Arc<StringViewArray>, plain: bool) -> ArrayRef {
    let nulls = keys
        .contains(&NULL)
        .then(|| NullBuffer::from_iter(keys.iter().map(|key| *key != NULL)));
    if plain {
        let views = values.views();
        let rows: Vec<u128> = keys
            .iter()
            .map(|key| views.get(*key as usize).copied().unwrap_or(0))
            .collect();
        let buffers = values.data_buffers().to_vec();
        if let Ok(array) =
            StringViewArray::try_new(ScalarBuffer::from(rows), buffers, nulls.clone())
        {
            return Arc::new(array);
        }
    }
    let keys = arrow::array::UInt32Array::new(ScalarBuffer::from(keys), nulls);
    match DictionaryArray::<UInt32Type>::try_new(keys, values) {
        Ok(array) => Arc::new(array),
        // Keys come from the interner that made the values, so this cannot be; nulls are harmless.
        Err(_) => arrow::array::new_null_array(&DataType::Utf8View, 0),
    }
}

/// Puts a value at `row`, filling rows in between with `missing`.
pub(super) fn put<T: Copy>(values: &mut Vec<T>, row: usize, value: T, missing: T) {
    if row == values.len() {
        values.push(value);
        return;
    }
    if row > values.len() {
        values.resize(row + 1, missing);
    }
    if let Some(cell) = values.get_mut(row) {
        *cell = value;
    }
}

/// True for the texts that files write for "nothing".
pub(super) fn is_null_text(text: &[u8]) -> bool {
    text.is_empty() || text == b"NA"
}

/// The value of a text that is exactly how this 64-bit integer is printed: no sign but `-`, no leading
/// zero, no blank.
pub(super) fn plain_integer(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text.split_first()? {
        (b'-', rest) => (true, rest),
        _ => (false, text),
    };
    match digits {
        [b'0'] if !negative => return Some(0),
        [] | [b'0', ..] => return None,
        _ => {}
    }
    let mut value: i64 = 0;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(i64::from(digit))?;
    }
    Some(if negative { -value } else { value })
}

/// All texts as floats, where every one is a decimal number that a float can stand for.
fn all_floats(texts: &Interner) -> Option<Vec<f64>> {
    if texts.len() == 0 {
        return None;
    }
    (0..texts.len() as u32)
        .map(|number| decimal(texts.get(number)))
        .collect()
}

/// A decimal number that may become a float. Codes stay text: leading zeros (`007`) and integers of more
/// than 64 bits, which a float would blur.
fn decimal(text: &str) -> Option<f64> {
    let digits = text.trim_start_matches(['-', '+']).as_bytes();
    let first_point = digits.iter().position(|byte| !byte.is_ascii_digit());
    let leading_zero = matches!(digits, [b'0', b'0'..=b'9', ..]);
    let starts_well = matches!(digits.first(), Some(b'0'..=b'9' | b'.'));
    if leading_zero || !starts_well || (first_point.is_none() && digits.len() > 18) {
        return None;
    }
    if !digits
        .iter()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'-' | b'+'))
    {
        return None;
    }
    text.parse::<f64>().ok().filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::AsArray;
    use arrow::datatypes::{Float64Type, Int64Type};

    fn column(cells: &[&str]) -> ArrayRef {
        let mut column = Cells::default();
        for (row, cell) in cells.iter().enumerate() {
            column.set(row, cell.as_bytes());
        }
        column.into_array(cells.len(), None, false)
    }

    #[test]
    fn the_type_comes_from_the_whole_column() {
        let cases: [(&[&str], DataType); 9] = [
            (&["1", "-1", "", "NA"], DataType::Int64),
            (&["1", "2.5", "-0", "1e3"], DataType::Float64),
            (&["1", "x"], DataType::Utf8View),
            (&["12", "007"], DataType::Utf8View),
            (&["0000000000000000"], DataType::Utf8View),
            (&["87dba6c6", "12e5"], DataType::Utf8View),
            (&["99999999999999999999"], DataType::Utf8View),
            (&["nan", "1.5"], DataType::Utf8View),
            (&["1_000"], DataType::Utf8View),
        ];
        for (cells, wanted) in cases {
            assert_eq!(plan_type(&column(cells)), wanted, "{cells:?}");
        }
    }

    #[test]
    fn texts_survive_a_late_change_of_type() {
        let array = column(&["1", "", "-20", "x"]);
        let array = array.as_any_dictionary_opt();
        let texts = column(&["1", "", "-20", "x", "x", "x", "x", "x"]);
        assert!(array.is_none(), "mostly distinct texts are plain");
        let keys = texts.as_dictionary::<UInt32Type>();
        let values = keys.downcast_dict::<StringViewArray>();
        let shown: Vec<_> = values.into_iter().flatten().collect();
        assert_eq!(shown[..4], [Some("1"), None, Some("-20"), Some("x")]);
    }

    #[test]
    fn cells_follow_the_order_and_short_columns_end_in_nulls() {
        let mut cells = Cells::default();
        cells.set(1, b"5");
        cells.set(0, b"7");
        let array = cells.clone().into_array(4, Some(&[3, 1, 0, 2]), false);
        let array = array.as_primitive::<Int64Type>();
        let shown: Vec<_> = array.iter().collect();
        assert_eq!(shown, [None, Some(5), Some(7), None]);
        cells.set(2, b"0.5");
        let array = cells.into_array(3, None, false);
        let array = array.as_primitive::<Float64Type>();
        assert_eq!(array.values().as_ref(), [7.0, 5.0, 0.5]);
    }
}
