//! The batches of a table, held until it is known whether anything has to be made of their rows.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Schema};

/// Bytes of a file that are read at once.
const BUFFER: usize = 1 << 17;

/// Batches of one table, in their order, in memory and in files.
#[derive(Debug, Default)]
pub struct HeldBatches {
    files: Vec<PathBuf>,
    /// Those after the files.
    batches: VecDeque<RecordBatch>,
    size: usize,
}

impl HeldBatches {
    /// Whether the batches of such a table can be held: a file of them takes about as many bytes as their rows, and gives
    /// back the same types. That is not so for dictionaries, which every file would repeat, nor for what is rare.
    pub fn can_hold(schema: &Schema) -> bool {
        schema.fields().iter().all(|field| field.data_type() == &DataType::Utf8View || is_usual(field.data_type()))
    }

    /// Hold a batch after those that are held.
    pub fn push(&mut self, batch: RecordBatch) {
        let sizes = batch.columns().iter().map(|column| match column.data_type() {
            // What a slice takes is known of all types but this one.
            DataType::Utf8View => column.as_string_view().total_bytes_len() + 16 * column.len(),
            _ => column.to_data().get_slice_memory_size().unwrap_or_else(|_| column.get_buffer_memory_size()),
        });
        self.size += sizes.sum::<usize>();
        self.batches.push_back(batch);
    }

    /// About how many bytes of memory those rows take which are not in a file.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Write the batches in memory to a new file, which has to stay there until it is read.
    pub fn spill(&mut self, path: PathBuf) -> io::Result<()> {
        let Some(first) = self.batches.front() else { return Ok(()) };
        let mut writer = StreamWriter::try_new_buffered(File::create_new(&path)?, &first.schema()).map_err(failed)?;
        for batch in &self.batches {
            writer.write(&compact(batch).map_err(failed)?).map_err(failed)?;
        }
        writer.finish().map_err(failed)?;
        self.files.push(path);
        self.batches.clear();
        self.size = 0;
        Ok(())
    }

    /// Return all batches. A file is removed when it has been read.
    pub fn into_batches(self) -> impl Iterator<Item = Result<RecordBatch, ArrowError>> + Send {
        self.files.into_iter().flat_map(FileBatches::open).chain(self.batches.into_iter().map(Ok))
    }
}

/// The batches of a file.
enum FileBatches {
    Open(StreamReader<BufReader<File>>, PathBuf),
    Failed(Option<ArrowError>),
}

impl FileBatches {
    fn open(path: PathBuf) -> FileBatches {
        let opened = File::open(&path).map_err(ArrowError::from);
        let reader = opened.and_then(|file| StreamReader::try_new(BufReader::with_capacity(BUFFER, file), None));
        match reader {
            Ok(reader) => FileBatches::Open(reader, path),
            Err(error) => FileBatches::Failed(Some(error)),
        }
    }
}

impl Iterator for FileBatches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            FileBatches::Failed(error) => error.take().map(Err),
            FileBatches::Open(reader, path) => match reader.next() {
                None => fs::remove_file(path).err().map(|error| Err(error.into())),
                Some(batch) => Some(batch),
            },
        }
    }
}

/// Whether a file repeats no more of such a column than its rows.
fn is_usual(kind: &DataType) -> bool {
    match kind {
        DataType::List(item) | DataType::LargeList(item) => is_usual(item.data_type()),
        DataType::Struct(fields) => fields.iter().all(|field| is_usual(field.data_type())),
        DataType::Null | DataType::Boolean | DataType::Utf8 | DataType::LargeUtf8 => true,
        other => other.is_numeric() || other.is_temporal(),
    }
}

/// Return the batch without the texts that none of its rows has. A column of views may share those of a whole table.
fn compact(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let compacted = |column: &ArrayRef| match column.as_string_view_opt() {
        Some(views) => Arc::new(views.gc()) as ArrayRef,
        None => column.clone(),
    };
    RecordBatch::try_new(batch.schema(), batch.columns().iter().map(compacted).collect())
}

fn failed(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::{Int64Array, StringArray, StringViewArray};
    use arrow_schema::Field;

    use super::*;

    fn batch(from: i64, rows: usize) -> RecordBatch {
        let numbers: Vec<i64> = (from..from + rows as i64).collect();
        let texts: Vec<String> = numbers.iter().map(|number| format!("a text of the row {number}")).collect();
        let columns: [(&str, ArrayRef); 3] = [
            ("number", Arc::new(Int64Array::from(numbers))),
            ("text", Arc::new(StringArray::from(texts.clone()))),
            ("view", Arc::new(StringViewArray::from_iter(texts.iter().map(Some)))),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    #[test]
    fn batches_come_back_in_their_order_and_files_go() {
        let folder = std::env::temp_dir().join(format!("urlset-held-batches-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let mut held = HeldBatches::default();
        for number in 0..7 {
            held.push(batch(number * 100, 100).slice(10, 50));
            assert!(held.size() > 2_000);
            if number % 2 == 1 {
                held.spill(folder.join(number.to_string())).unwrap();
                assert_eq!(held.size(), 0);
            }
        }
        let found: Vec<RecordBatch> = held.into_batches().map(Result::unwrap).collect();
        let expected: Vec<RecordBatch> = (0..7).map(|number| batch(number * 100, 100).slice(10, 50)).collect();
        assert_eq!(found, expected);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        fs::remove_dir(folder).unwrap();
    }

    #[test]
    fn a_file_has_no_more_texts_than_its_rows() {
        let path = std::env::temp_dir().join(format!("urlset-held-views-{}", std::process::id()));
        let whole = batch(0, 10_000);
        let mut held = HeldBatches::default();
        for at in 0..10 {
            held.push(whole.slice(at, 1));
        }
        held.spill(path.clone()).unwrap();
        assert!(fs::metadata(&path).unwrap().len() < 20_000);
        assert_eq!(held.into_batches().count(), 10);
    }

    #[test]
    fn a_file_that_is_gone_is_an_error() {
        let mut held = HeldBatches::default();
        held.push(batch(0, 1));
        let path = std::env::temp_dir().join(format!("urlset-held-gone-{}", std::process::id()));
        held.spill(path.clone()).unwrap();
        fs::remove_file(path).unwrap();
        assert!(held.into_batches().next().unwrap().is_err());
    }

    #[test]
    fn dictionaries_are_not_held() {
        let text = || Box::new(DataType::Utf8);
        for (kind, can_hold) in [
            (DataType::Utf8View, true),
            (DataType::Dictionary(Box::new(DataType::Int8), text()), false),
            (DataType::new_list(DataType::Utf8, true), true),
            (DataType::new_list(DataType::Utf8View, true), false),
            (DataType::Float64, true),
            (DataType::Date32, true),
        ] {
            assert_eq!(
                HeldBatches::can_hold(&Schema::new(vec![Field::new("a", kind.clone(), true)])),
                can_hold,
                "{kind}"
            );
        }
    }
}
