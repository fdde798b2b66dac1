//! Rows as lines of JSON, against what the formats say.

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder, StringDictionaryBuilder};
use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BooleanArray, Decimal128Array, Float32Array, Float64Array, Int64Array, NullArray, RecordBatch,
    StringArray, StringViewArray, StructArray, TimestampMicrosecondArray, TimestampMillisecondArray,
    TimestampNanosecondArray, TimestampSecondArray,
};
use arrow_schema::{DataType, Field};
use urlset_core::json_lines;

fn lines(name: &str, values: ArrayRef) -> String {
    let mut out = String::new();
    json_lines::write(&RecordBatch::try_from_iter([(name, values)]).unwrap(), &mut out).unwrap();
    out
}

#[test]
fn texts_are_quoted_and_what_a_terminal_obeys_is_escaped() {
    let texts = StringArray::from(vec![
        Some("a\"b\\c/\n\r\t\u{1}\u{7f}\u{85}\u{9b}"),
        Some("é 漢 😀 ©\u{a0} ؜\u{202e}\u{2066} — ‘"),
        Some(""),
        None,
    ]);
    let expected = concat!(
        r#"{"t":"a\"b\\c/\n\r\t\u0001\u007f\u0085\u009b"}"#,
        "\n{\"t\":\"é 漢 😀 ©\u{a0} \\u061c\\u202e\\u2066 — ‘\"}\n",
        "{\"t\":\"\"}\n{\"t\":null}\n",
    );
    assert_eq!(lines("t", Arc::new(texts.clone())), expected);
    assert_eq!(lines("t", Arc::new(StringViewArray::from_iter(&texts))), expected);
}

#[test]
fn numbers_read_back_as_they_are_and_json_has_no_others() {
    let numbers = Float64Array::from(vec![0.5, 1.0, 1e300, 1e-7, f64::NAN, f64::NEG_INFINITY]);
    assert_eq!(
        lines("n", Arc::new(numbers)),
        "{\"n\":0.5}\n{\"n\":1.0}\n{\"n\":1e300}\n{\"n\":1e-7}\n{\"n\":null}\n{\"n\":null}\n"
    );
    assert_eq!(lines("n", Arc::new(Float32Array::from(vec![0.5]))), "{\"n\":0.5}\n");
    assert_eq!(
        lines("n", Arc::new(Int64Array::from(vec![Some(i64::MIN), None]))),
        "{\"n\":-9223372036854775808}\n{\"n\":null}\n"
    );
    assert_eq!(lines("n", Arc::new(BooleanArray::from(vec![true, false]))), "{\"n\":true}\n{\"n\":false}\n");
    assert_eq!(lines("n", Arc::new(NullArray::new(1))), "{\"n\":null}\n");
}

#[test]
fn times_are_of_rfc_3339_with_a_fraction_only_if_there_is_one() {
    let second = "{\"at\":\"2026-01-02T03:04:05Z\"}\n";
    let seconds = 1_767_323_045;
    assert_eq!(lines("at", Arc::new(TimestampSecondArray::from(vec![seconds]))), second);
    assert_eq!(lines("at", Arc::new(TimestampMillisecondArray::from(vec![seconds * 1_000]))), second);
    let half = "{\"at\":\"2026-01-02T03:04:05.5Z\"}\n{\"at\":\"1969-12-31T23:59:59.999999Z\"}\n";
    assert_eq!(lines("at", Arc::new(TimestampMicrosecondArray::from(vec![seconds * 1_000_000 + 500_000, -1]))), half);
    assert_eq!(
        lines("at", Arc::new(TimestampNanosecondArray::from(vec![seconds * 1_000_000_000 + 500_000_000, -1]))),
        half
    );
}

#[test]
fn lists_structs_and_words_nest() {
    let mut tags = ListBuilder::new(StringBuilder::new());
    tags.values().append_value("a");
    tags.values().append_null();
    tags.append(true);
    tags.append(true);
    tags.append(false);
    let tags: ArrayRef = Arc::new(tags.finish());
    let mut kinds = StringDictionaryBuilder::<Int8Type>::new();
    kinds.append_value("url\"set");
    kinds.append_null();
    kinds.append_value("url\"set");
    let field = |name: &str, array: &ArrayRef| Arc::new(Field::new(name, array.data_type().clone(), true));
    let kinds: ArrayRef = Arc::new(kinds.finish());
    let both = StructArray::from(vec![(field("tags", &tags), tags), (field("kind", &kinds), kinds)]);
    let expected = concat!(
        r#"{"both":{"tags":["a",null],"kind":"url\"set"}}"#,
        "\n",
        r#"{"both":{"tags":[],"kind":null}}"#,
        "\n",
        r#"{"both":{"tags":null,"kind":"url\"set"}}"#,
        "\n",
    );
    assert_eq!(lines("both", Arc::new(both.clone())), expected);
    // A slice begins elsewhere in its buffers.
    let (first, rest) = expected.split_once('\n').unwrap();
    assert_eq!(first.matches("both").count(), 1);
    let whole = RecordBatch::try_from_iter([("both", Arc::new(both) as ArrayRef)]).unwrap();
    let mut out = String::new();
    json_lines::write(&whole.slice(1, 2), &mut out).unwrap();
    assert_eq!(out, rest);
    let none: ArrayRef = Arc::new(StringDictionaryBuilder::<Int8Type>::new().finish());
    assert_eq!(lines("kind", none), "");
}

#[test]
fn a_type_without_a_form_is_refused_by_name() {
    let prices = Decimal128Array::from(vec![1]).with_precision_and_scale(5, 2).unwrap();
    let batch = RecordBatch::try_from_iter([("price", Arc::new(prices) as ArrayRef)]).unwrap();
    let error = json_lines::write(&batch, &mut String::new()).unwrap_err();
    assert!(error.to_string().contains("price: Decimal128(5, 2) has no form in JSON"), "{error}");
    assert!(matches!(batch.column(0).data_type(), DataType::Decimal128(5, 2)));
}
