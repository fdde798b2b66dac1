//! Publishing: rows rendered for a set.

use pyo3::prelude::*;
use urlset_core::write::render;

use crate::fingerprint::Fingerprint;
use crate::interpreter::input_error;
use crate::publish::Layout;
use crate::rows::Rows;
use crate::store::RowStore;
use crate::write::{FillStatus, Filled, PAUSE, Refusal, ValuePolicy};

/// Bytes of rows that are taken before the caller can spill them. Few rows are so large that this matters.
const PAUSE_BYTES: usize = 8 << 20;

/// Renders rows for a set; see `urlset_core::write::render`.
#[pyclass]
pub struct Renderer(render::Renderer);

#[pymethods]
impl Renderer {
    #[new]
    #[pyo3(signature = (base_url, scope, layout, values))]
    fn new(py: Python<'_>, base_url: &str, scope: Option<&str>, layout: Layout, values: ValuePolicy) -> PyResult<Self> {
        let renderer = render::Renderer::new(base_url, scope, layout.into_core().is_pretty).ok_or_else(|| {
            input_error(py, &format!("{:?} is not an absolute http or https URL", scope.unwrap_or(base_url)))
        })?;
        Ok(Renderer(renderer.with_values(values.into_core(py)?)))
    }

    /// Two sums over all rows that were rendered, which are the same for any order of the rows.
    #[getter]
    fn fingerprint(&self) -> Fingerprint {
        self.0.fingerprint().into()
    }

    /// How many locs were normalized: they were not given in the form in which they are written.
    #[getter]
    fn normalized(&self) -> u64 {
        self.0.normalized()
    }

    /// How many locs are not below the folder of the set.
    #[getter]
    fn outside(&self) -> u64 {
        self.0.outside()
    }

    /// Take rows into a store until they end, or many were taken.
    fn fill(&mut self, py: Python<'_>, rows: &mut Rows, store: &mut RowStore) -> PyResult<Filled> {
        let (mut refused, mut corrected) = (Vec::new(), Vec::new());
        let store = store.filling()?;
        let most = store.size() + PAUSE_BYTES;
        for _ in 0..PAUSE {
            let index = rows.index();
            let renderer = &mut self.0;
            let pushed = rows.with_next(py, |row| {
                let of = |refusals| Refusal::all(index, row, refusals);
                (true, renderer.push(index, row, store).map(of).map_err(|refusal| Refusal::new(index, row, refusal)))
            })?;
            match pushed {
                None => return Filled::new(py, FillStatus::End, refused, corrected),
                Some(Err(refusal)) => refused.push(refusal),
                Some(Ok(values)) => corrected.extend(values),
            }
            if store.size() > most {
                break;
            }
        }
        Filled::new(py, FillStatus::More, refused, corrected)
    }
}
