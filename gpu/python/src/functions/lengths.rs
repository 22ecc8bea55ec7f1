//! Lengths and axes of Fourier transforms along several axes, by the rules of NumPy and of SciPy.

use cuprum::table::Record;
use pyo3::exceptions::{PyDeprecationWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyTuple};

use super::arguments::Slots;
use crate::convert;
use crate::errors::{type_error, value_error};

/// The parameters of lengths and axes of a function, and the rules that apply.
pub(crate) struct Lengths {
    s: usize,
    axes: usize,
    of_scipy: bool,
    /// True if the last axis is half of the spectrum.
    of_half: bool,
}

impl Lengths {
    /// Returns those of the functions of `numpy.fft` and `scipy.fft` that transform along several axes.
    pub(crate) fn of(record: &Record) -> Option<Lengths> {
        let of_scipy = match record.namespace() {
            "numpy.fft" => false,
            "scipy.fft" => true,
            _ => return None,
        };
        let at = |name| record.parameters().iter().position(|p| p.name == name);
        let of_half = matches!(record.name(), "irfftn" | "irfft2");
        Some(Lengths { s: at("s")?, axes: at("axes")?, of_scipy, of_half })
    }

    /// Checks the arguments, and replaces omitted lengths by numbers.
    pub(crate) fn settle(&self, record: &Record, slots: &mut Slots<'_>) -> PyResult<()> {
        for (at, name) in [(self.s, "s"), (self.axes, "axes")] {
            let Some(object) = slots[at].as_ref().filter(|object| !object.is_none()) else { continue };
            if self.of_scipy {
                if let Err(e) = convert::integers(object) {
                    let said = format!(
                        "{}: `{name}` is {object}: it must be an integer or a sequence of integers",
                        record.name()
                    );
                    let error = PyValueError::new_err(said);
                    error.set_cause(object.py(), Some(e));
                    return Err(error);
                }
            } else if object.is_instance_of::<PyInt>() {
                return type_error(format!(
                    "{}: `{name}` is {object}: it must be a sequence of integers",
                    record.name()
                ));
            }
        }
        if self.of_scipy { Ok(()) } else { self.close(record, slots) }
    }

    /// Warns of usage that NumPy 2 deprecates: lengths without axes, and `None` among them, which is the length of the
    /// axis.
    fn close(&self, record: &Record, slots: &mut Slots<'_>) -> PyResult<()> {
        let passed = |at: usize| slots[at].clone().filter(|object| !object.is_none());
        let Some(s) = passed(self.s) else { return Ok(()) };
        let py = s.py();
        let warn =
            |said: String| PyErr::warn(py, &py.get_type::<PyDeprecationWarning>(), &std::ffi::CString::new(said)?, 1);
        // An empty slot has the default axes, `None` all axes.
        let default = record.parameters()[self.axes].default.as_ref();
        let by_default = slots[self.axes].is_none() && !matches!(default, None | Some(cuprum::table::Value::None));
        if !by_default && passed(self.axes).is_none() {
            warn(format!("{}: `s` without `axes` is deprecated: name the axes, one for each length", record.name()))?;
        }
        let mut lengths: Vec<Option<isize>> = vec![];
        for length in s.try_iter()? {
            let length = length?;
            lengths.push(if length.is_none() { None } else { Some(convert::index(&length)?) });
        }
        if lengths.iter().all(Option::is_some) {
            return Ok(());
        }
        warn(format!(
            "{}: `None` in `s` is deprecated: leave `s` out, or write -1 for the length of the axis",
            record.name()
        ))?;
        let last = lengths.len() - 1;
        let mut closed = vec![];
        for (k, length) in lengths.iter().enumerate() {
            closed.push(match length {
                Some(length) => *length,
                None if self.of_half && k == last => self.whole(slots, k, lengths.len(), by_default)?,
                None => -1,
            });
        }
        slots[self.s] = Some(PyTuple::new(py, closed)?.into_any());
        Ok(())
    }

    /// Returns the length of the real axis of which the last axis is the half spectrum.
    fn whole(&self, slots: &Slots<'_>, k: usize, count: usize, by_default: bool) -> PyResult<isize> {
        let Some(a) = &slots[0] else { return type_error("an array is expected") };
        let a = convert::as_array(a, None)?;
        let axis = match slots[self.axes].as_ref().filter(|axes| !axes.is_none() && !by_default) {
            Some(axes) => convert::integers(axes)?.get(k).copied().unwrap_or(-1),
            None => k as isize - count as isize,
        };
        let at = if axis < 0 { axis + a.ndim() as isize } else { axis };
        match usize::try_from(at).ok().and_then(|at| a.shape().get(at)) {
            Some(own) => Ok(2 * (*own as isize - 1)),
            None => value_error(format!("axis {axis} is out of bounds for array of dimension {}", a.ndim())),
        }
    }
}
