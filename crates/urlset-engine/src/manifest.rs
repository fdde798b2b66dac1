//! The manifest as a Parquet file.

use std::fs::File;
use std::io::{self, BufWriter};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader, make_array};
use arrow_schema::{ArrowError, SchemaRef};
use arrow_select::coalesce::BatchCoalescer;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::arrow::arrow_writer::{ArrowWriter, ArrowWriterOptions};
use parquet::basic::{Compression, Encoding};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder, WriterVersion};
use urlset_core::write::TableError;
use urlset_core::write::store::manifest;

use crate::interrupt::Interrupt;

/// Rows of a group.
const GROUP: usize = 122_880;
/// Rows that are encoded at once, so that a group is held encoded, and not as a table.
const WRITTEN_AT_ONCE: usize = 8192;
/// Bytes of the values of a column that are written only once, as long as there are few.
const DICTIONARY: usize = 1 << 16;
/// Bytes that are written at once.
const BUFFER: usize = 1 << 18;
/// Rows that are read at once.
const READ_AT_ONCE: usize = 8192;

/// Any rows of a manifest.
pub type Rows = Box<dyn RecordBatchReader + Send>;

/// The error of a disk is one, whatever wrote to it.
fn failed(error: ParquetError) -> TableError {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => TableError::Io(*error),
            Err(error) => TableError::Arrow(ArrowError::ExternalError(error)),
        },
        error => TableError::Arrow(error.into()),
    }
}

/// A manifest that is being written: first its rows, then what it says of its set.
pub struct Writer {
    file: ArrowWriter<BufWriter<File>>,
    // Where batches end would show in the pages of the file, and it differs with the number of threads of DuckDB.
    rows: BatchCoalescer,
}

impl Writer {
    /// Begin a file.
    pub fn create(path: &Path) -> Result<Writer, TableError> {
        // The schema of Arrow would say again what that of Parquet says.
        let options = ArrowWriterOptions::new().with_properties(form()).with_skip_arrow_metadata(true);
        let file = BufWriter::with_capacity(BUFFER, File::create(path)?);
        let file = ArrowWriter::try_new_with_options(file, manifest::schema(), options).map_err(failed)?;
        Ok(Writer { file, rows: BatchCoalescer::new(manifest::schema(), WRITTEN_AT_ONCE) })
    }

    /// Write the rows of a table after those that were written.
    pub fn write(&mut self, table: Rows, interrupt: &dyn Interrupt) -> Result<(), TableError> {
        for batch in table {
            interrupt.check()?;
            self.rows.push_batch(RecordBatch::try_new(manifest::schema(), batch?.columns().to_vec())?)?;
            self.write_rows()?;
        }
        Ok(())
    }

    /// End the file. `said` is what it says of its set, in that order.
    pub fn finish(mut self, said: Vec<(String, String)>) -> Result<(), TableError> {
        self.rows.finish_buffered_batch()?;
        self.write_rows()?;
        for (key, value) in said {
            self.file.append_key_value_metadata(KeyValue::new(key, value));
        }
        let file = self.file.into_inner().map_err(failed)?;
        file.into_inner().map_err(|error| error.into_error())?;
        Ok(())
    }

    fn write_rows(&mut self) -> Result<(), TableError> {
        while let Some(rows) = self.rows.next_completed_batch() {
            self.file.write(&without_idle_bitmaps(&rows)?).map_err(failed)?;
        }
        Ok(())
    }
}

/// The rows without the bitmaps that mark none of them as null. `parquet` ends a page elsewhere if there is one, and
/// whether there is one depends on the batch that the rows came in.
fn without_idle_bitmaps(rows: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let plain = |column: &ArrayRef| match column.nulls() {
        Some(nulls) if nulls.null_count() == 0 => Ok(make_array(column.to_data().into_builder().nulls(None).build()?)),
        _ => Ok(column.clone()),
    };
    let columns = rows.columns().iter().map(plain).collect::<Result<_, ArrowError>>()?;
    RecordBatch::try_new(rows.schema(), columns)
}

/// How the file is written. Of a text or a moment, only what differs from the one before is stored: locs are mostly sorted,
/// and the rest is mostly the same in each row. Only a lastmod is neither. Nobody asks for the least and the greatest value.
fn form() -> WriterProperties {
    let form = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_max_row_group_row_count(Some(GROUP))
        .set_statistics_enabled(EnabledStatistics::None)
        .set_dictionary_enabled(false)
        .set_column_dictionary_enabled("entry_hash".into(), true)
        .set_dictionary_page_size_limit(DICTIONARY)
        .set_column_compression("loc".into(), Compression::LZ4_RAW)
        .set_column_compression("lastmod".into(), Compression::LZ4_RAW);
    let texts = ["loc", "section", "shard", "lastmod_source"].map(|column| (column, Encoding::DELTA_BYTE_ARRAY));
    let moments = ["first_seen", "last_seen", "gone"].map(|column| (column, Encoding::DELTA_BINARY_PACKED));
    let set = |form: WriterPropertiesBuilder, (column, encoding): (&str, Encoding)| {
        form.set_column_encoding(column.into(), encoding)
    };
    texts.into_iter().chain(moments).fold(form, set).build()
}

/// Reads the rows of manifests, one after the other. A file that is not one ends the reading with an error.
pub struct Files {
    waiting: Vec<PathBuf>,
    open: Option<ParquetRecordBatchReader>,
}

impl Files {
    pub fn new(mut paths: Vec<PathBuf>) -> Files {
        paths.reverse();
        Files { waiting: paths, open: None }
    }

    /// The next batch. The checksum of a manifest shows what has damaged it, but whoever can write it can compute one, and
    /// `parquet` panics at some files that no program writes.
    fn checked_batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        let read = panic::catch_unwind(AssertUnwindSafe(|| self.next_batch()));
        let found = read.unwrap_or_else(|_| Err(ArrowError::ParquetError("the file is damaged".to_owned())));
        if found.is_err() {
            *self = Files { waiting: Vec::new(), open: None };
        }
        found
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        loop {
            if let Some(batch) = self.open.as_mut().and_then(Iterator::next) {
                return batch.map(Some);
            }
            let Some(path) = self.waiting.pop() else { return Ok(None) };
            self.open = Some(open(&path)?);
        }
    }
}

fn open(path: &Path) -> Result<ParquetRecordBatchReader, ArrowError> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path)?)?;
    let schema = manifest::schema();
    let columns = schema.fields().iter().map(|field| field.name().as_str());
    let mask = ProjectionMask::columns(builder.parquet_schema(), columns);
    Ok(builder.with_projection(mask).with_batch_size(READ_AT_ONCE).build()?)
}

impl Iterator for Files {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.checked_batch().transpose()
    }
}

impl RecordBatchReader for Files {
    fn schema(&self) -> SchemaRef {
        manifest::schema()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use arrow_array::{RecordBatchIterator, StringArray, new_null_array};

    use super::*;
    use crate::interrupt::Never;

    const COUNT: usize = 100_000;

    /// Rows of which only the last has no shard, and which have nothing but a loc and a shard.
    fn rows() -> RecordBatch {
        let schema = manifest::schema();
        let column = |name: &str| -> ArrayRef {
            match name {
                "loc" => {
                    Arc::new(StringArray::from_iter_values((0..COUNT).map(|n| format!("https://example.com/{n:06}"))))
                }
                "shard" => Arc::new(StringArray::from_iter((0..COUNT).map(|n| (n + 1 < COUNT).then_some("0001")))),
                _ => new_null_array(schema.field_with_name(name).unwrap().data_type(), COUNT),
            }
        };
        let columns = schema.fields().iter().map(|field| column(field.name())).collect();
        RecordBatch::try_new(schema, columns).unwrap()
    }

    #[test]
    fn the_bytes_of_a_file_do_not_depend_on_the_batches_that_its_rows_come_in() {
        let rows = rows();
        let folder = std::env::temp_dir().join(format!("urlset-manifest-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let written = |at_once: usize| {
            let path = folder.join(at_once.to_string());
            let parts = (0..COUNT).step_by(at_once).map(|from| {
                // As a program sends them, which marks nulls only where there are some.
                let part = rows.slice(from, at_once.min(COUNT - from));
                if at_once == COUNT { Ok(part) } else { without_idle_bitmaps(&part) }
            });
            let parts: Vec<_> = parts.collect();
            let mut writer = Writer::create(&path).unwrap();
            writer.write(Box::new(RecordBatchIterator::new(parts, rows.schema())), &Never).unwrap();
            writer.finish(Vec::new()).unwrap();
            fs::read(path).unwrap()
        };
        let whole = written(COUNT);
        for at_once in [777, 2048, 8192, 33_333] {
            assert_eq!(written(at_once), whole, "{at_once} at once");
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
