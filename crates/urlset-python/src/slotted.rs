//! Objects of frozen classes with slots, filled without their constructors, and fields read without a search for their
//! names. PyO3 has no safe way to do that: this is the only module that needs one.

use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::ptr::null_mut;
use std::slice::Iter;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};

/// A frozen dataclass with slots, and how its fields are set.
///
/// What Python does on a call of the class and of `object.__setattr__` is done here by the functions that these end in:
/// they take a third of the time, and make the same checks.
pub struct Slotted<'py> {
    class: Bound<'py, PyType>,
    new: ffi::newfunc,
    no_arguments: Bound<'py, PyTuple>,
    fields: Vec<Slot<'py>>,
    is_collected: bool,
}

/// The descriptor of a field, and the function that sets the field of an object.
struct Slot<'py> {
    descriptor: Bound<'py, PyAny>,
    set: ffi::descrsetfunc,
}

impl<'py> Slotted<'py> {
    /// The class of a module, with the fields that its objects are given, in this order.
    pub fn import<'a>(
        py: Python<'py>,
        cell: &'static PyOnceLock<Py<PyType>>,
        (module, name): (&str, &str),
        fields: impl IntoIterator<Item = &'a str>,
    ) -> PyResult<Self> {
        let class = cell.import(py, module, name)?.clone();
        let new = slot_of(&class, ffi::Py_tp_new)?;
        let fields = fields.into_iter().map(|field| Slot::of(&class.getattr(field)?)).collect::<PyResult<_>>()?;
        Ok(Slotted {
            // SAFETY: whatever a type has in this slot is a newfunc.
            new: unsafe { transmute::<*mut c_void, ffi::newfunc>(new) },
            no_arguments: PyTuple::empty(py),
            fields,
            // SAFETY: the pointer is that of a type.
            is_collected: unsafe { ffi::PyType_GetFlags(class.as_type_ptr()) } & ffi::Py_TPFLAGS_HAVE_GC != 0,
            class,
        })
    }

    /// Begins a new object.
    ///
    /// The collector of cycles does not look at it. It would find nothing: the values are texts, numbers, instants and
    /// tuples of further such objects, and a frozen object gets no others. To look at a million of them again and again
    /// takes longer than reading them.
    pub fn begin(&self) -> PyResult<Filling<'_, 'py>> {
        // SAFETY: the arguments are a type, an empty tuple and no keywords, with which every newfunc can be called. It
        // returns a reference of its own, or null with an exception set.
        let object = unsafe {
            let object = (self.new)(self.class.as_type_ptr(), self.no_arguments.as_ptr(), null_mut());
            Bound::from_owned_ptr_or_err(self.class.py(), object)?
        };
        if self.is_collected {
            // SAFETY: the type takes part in the collection of cycles and has made the object, which may be untracked at
            // any time: for the collector, something outside refers to what it has.
            unsafe { ffi::PyObject_GC_UnTrack(object.as_ptr().cast()) };
        }
        Ok(Filling { object, slots: self.fields.iter() })
    }
}

/// An object whose fields are set one after the other.
pub struct Filling<'a, 'py> {
    object: Bound<'py, PyAny>,
    slots: Iter<'a, Slot<'py>>,
}

impl<'py> Filling<'_, 'py> {
    /// Sets the next field.
    pub fn put(&mut self, value: &Bound<'py, PyAny>) -> PyResult<()> {
        let Some(slot) = self.slots.next() else { return Ok(()) };
        // SAFETY: the descriptor is of the type that the function was taken from. The function checks that the object is of
        // the class of the descriptor, and takes a reference of its own. It returns 0, or -1 with an exception set.
        let failed = unsafe { (slot.set)(slot.descriptor.as_ptr(), self.object.as_ptr(), value.as_ptr()) };
        if failed == 0 { Ok(()) } else { Err(PyErr::fetch(self.object.py())) }
    }

    /// The object, whose fields are all set.
    pub fn end(self) -> Bound<'py, PyAny> {
        self.object
    }
}

impl<'py> Slot<'py> {
    fn of(descriptor: &Bound<'py, PyAny>) -> PyResult<Self> {
        let set = slot_of(&descriptor.get_type(), ffi::Py_tp_descr_set)?;
        // SAFETY: whatever a type has in this slot is a descrsetfunc.
        let set = unsafe { transmute::<*mut c_void, ffi::descrsetfunc>(set) };
        Ok(Slot { descriptor: descriptor.clone(), set })
    }
}

/// A field of the objects of a class, and the function that reads it.
pub struct Getter {
    descriptor: Py<PyAny>,
    get: ffi::descrgetfunc,
}

impl Getter {
    /// The field of a class with this name. A method has none that can be read so: it is refused.
    pub fn of(class: &Bound<'_, PyType>, name: &str) -> PyResult<Self> {
        let descriptor = class.getattr(name)?;
        // A function binds the object that it is asked for. A field is set, too, or refuses to be.
        slot_of(&descriptor.get_type(), ffi::Py_tp_descr_set)?;
        let get = slot_of(&descriptor.get_type(), ffi::Py_tp_descr_get)?;
        // SAFETY: whatever a type has in this slot is a descrgetfunc.
        let get = unsafe { transmute::<*mut c_void, ffi::descrgetfunc>(get) };
        Ok(Getter { descriptor: descriptor.unbind(), get })
    }

    /// Reads the field of an object.
    #[inline(always)]
    pub fn get<'py>(&self, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: the descriptor is of the type that the function was taken from. The function checks that the object is of
        // the class of the descriptor, and may be told no class. It returns a reference of its own, or null with an
        // exception set.
        unsafe {
            let value = (self.get)(self.descriptor.as_ptr(), object.as_ptr(), null_mut());
            Bound::from_owned_ptr_or_err(object.py(), value)
        }
    }

    /// Reads the field of an object, which has to be a number.
    #[inline(always)]
    pub fn number(&self, object: &Bound<'_, PyAny>) -> PyResult<i64> {
        self.get(object)?.extract()
    }
}

/// What a type has in one of its slots.
fn slot_of(class: &Bound<'_, PyType>, slot: c_int) -> PyResult<*mut c_void> {
    // SAFETY: the pointer is that of a type, and the number that of a slot.
    let found = unsafe { ffi::PyType_GetSlot(class.as_type_ptr(), slot) };
    if found.is_null() {
        return Err(PyTypeError::new_err(format!("{} cannot be made slot by slot", class.name()?)));
    }
    Ok(found)
}
