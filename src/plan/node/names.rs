//! Names of one kind as small numbers while rows flow: interned once, compared by bytes, written back as Utf8View.
//!
//! A name of up to 12 bytes is known by its view alone, without a look at the bytes; the same view twice in a row costs
//! one comparison. A null is a name of its own, before all others.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, StringViewArray, StringViewBuilder, UInt32Array};
use arrow::compute::take;
use arrow::error::ArrowError;
use rustc_hash::FxHashMap;

/// A view holds names of up to this many bytes in itself.
const INLINE: u32 = 12;

/// The table of names.
#[derive(Debug, Default)]
pub(super) struct Names {
    names: Vec<Option<Arc<str>>>,
    null: Option<u32>,
    short: FxHashMap<u128, u32>,
    long: FxHashMap<Arc<str>, u32>,
    /// All names as an array, in the order of their numbers; behind `names` after new ones came.
    array: Option<StringViewArray>,
    bytes: usize,
}

impl Names {
    /// The numbers of a column's names.
    pub(super) fn intern(&mut self, column: &StringViewArray) -> Vec<u32> {
        let mut numbers = Vec::with_capacity(column.len());
        // Number of the latest view that was not null.
        let mut latest: Option<(u128, u32)> = None;
        for (row, &view) in column.views().iter().enumerate() {
            let number = match latest {
                _ if column.is_null(row) => self.intern_null(),
                Some((same, number)) if same == view => number,
                _ => {
                    let number = self.intern_view(column, row, view);
                    latest = Some((view, number));
                    number
                }
            };
            numbers.push(number);
        }
        numbers
    }

    /// How many names there are.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// By bytes; the null first.
    pub(super) fn compare(&self, left: u32, right: u32) -> Ordering {
        self.names[left as usize].cmp(&self.names[right as usize])
    }

    /// The names of these numbers as a column.
    pub(super) fn column(&mut self, numbers: &[u32]) -> Result<ArrayRef, ArrowError> {
        let current = |array: &StringViewArray| array.len() == self.names.len();
        // Building the array of all names anew pays while there are not many more names than rows to write.
        if !self.array.as_ref().is_some_and(current) && self.names.len() <= numbers.len().max(1024)
        {
            self.array = Some(self.names.iter().map(Option::as_deref).collect());
        }
        match &self.array {
            Some(array) if array.len() == self.names.len() => {
                take(array, &UInt32Array::from(numbers.to_vec()), None)
            }
            _ => {
                let mut builder = StringViewBuilder::with_capacity(numbers.len());
                for &number in numbers {
                    builder.append_option(self.names[number as usize].as_deref());
                }
                Ok(Arc::new(builder.finish()))
            }
        }
    }

    /// Bytes on the heap, about.
    pub(super) fn memory(&self) -> usize {
        // A name is in the table, in one of the maps and in the array.
        self.bytes + self.names.len() * (16 + 32 + 16)
    }

    fn intern_view(&mut self, column: &StringViewArray, row: usize, view: u128) -> u32 {
        let is_short = view as u32 <= INLINE;
        if is_short {
            if let Some(&number) = self.short.get(&view) {
                return number;
            }
        } else if let Some(&number) = self.long.get(column.value(row)) {
            return number;
        }
        let name: Arc<str> = Arc::from(column.value(row));
        let number = self.add(Some(Arc::clone(&name)));
        if is_short {
            self.short.insert(view, number);
        } else {
            self.long.insert(name, number);
        }
        number
    }

    fn intern_null(&mut self) -> u32 {
        if let Some(number) = self.null {
            return number;
        }
        let number = self.add(None);
        self.null = Some(number);
        number
    }

    fn add(&mut self, name: Option<Arc<str>>) -> u32 {
        let number = self.names.len() as u32;
        self.bytes += name.as_ref().map_or(0, |name| 2 * name.len() + 16);
        self.names.push(name);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_have_one_number_across_arrays_and_come_back() {
        let long = "a name of more than twelve bytes";
        let first: StringViewArray = [Some("b"), Some("b"), None, Some(long), Some("")]
            .into_iter()
            .collect();
        let second: StringViewArray = [Some(long), Some("a"), None, Some("b")]
            .into_iter()
            .collect();
        let mut names = Names::default();
        assert_eq!(names.intern(&first), [0, 0, 1, 2, 3]);
        assert_eq!(names.intern(&second), [2, 4, 1, 0]);
        let back = names.column(&[2, 4, 1, 0]).expect("a column");
        assert_eq!(back.as_ref(), &second as &dyn Array);
        assert_eq!(
            names.compare(1, 3),
            Ordering::Less,
            "a null stands before the empty name"
        );
        assert_eq!(names.compare(0, 4), Ordering::Greater);
    }

    #[test]
    fn a_few_rows_of_many_names_come_back_too() {
        let many: StringViewArray = (0..5000)
            .map(|number| Some(format!("name number {number}")))
            .collect();
        let mut names = Names::default();
        let numbers = names.intern(&many);
        assert_eq!(names.len(), 5000);
        let few = names.column(&numbers[4998..]).expect("a column");
        assert_eq!(few.as_ref(), &many.slice(4998, 2) as &dyn Array);
        let all = names.column(&numbers).expect("a column");
        assert_eq!(all.as_ref(), &many as &dyn Array);
    }
}
