//! The border to other owners of Arrow data: capsules of the Arrow `PyCapsule` interface.
//!
//! This is the only file with `unsafe`: a stream that comes in a capsule is taken out of it once.

use std::ffi::CStr;

use arrow_array::RecordBatchReader;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_schema::Schema;
use arrow_schema::ffi::FFI_ArrowSchema;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::usage;

const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";

/// Takes the stream of an object that has `__arrow_c_stream__`.
#[expect(unsafe_code, reason = "the interface of Arrow is a pointer in a capsule")]
pub(crate) fn stream_of(object: &Bound<'_, PyAny>) -> PyResult<RecordBatchStreamReader> {
    let capsule = object.call_method0("__arrow_c_stream__")?;
    let capsule = capsule.cast::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: By the Arrow PyCapsule interface a capsule of this name, which `pointer_checked` made sure
    // of, holds a valid `ArrowArrayStream`. The capsule was made for this call, so nobody else reads it;
    // `from_raw` moves the stream out and leaves an empty one behind, which the capsule may free.
    let stream = unsafe { RecordBatchStreamReader::from_raw(pointer.as_ptr()) };
    stream.map_err(usage)
}

/// Hands a stream over.
pub(crate) fn stream_capsule(
    py: Python<'_>,
    reader: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), STREAM)
}

/// Hands a schema over.
pub(crate) fn schema_capsule<'py>(
    py: Python<'py>,
    schema: &Schema,
) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowSchema::try_from(schema).map_err(usage)?, SCHEMA)
}
