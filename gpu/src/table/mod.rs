//! Call table: every function by name.
//!
//! A function is written once, with its Rust signature, under `#[routine]`. From that its record here is derived: its
//! name and namespace, its parameters with their kinds and defaults, one sentence, and a call with dynamic arguments.
//! The functions of the registry (ufuncs with their methods, reductions) have records derived from it.
//!
//! Bindings, the conformance suite and the random programs call every function through it, so that a function is
//! declared once.
//!
//! ```
//! use cuprum::table::{Arguments, find};
//! let sort = find("numpy.sort")?;
//! assert_eq!(sort.signature(), "numpy.sort(a, axis=-1, kind='quicksort')");
//!
//! let a = cuprum::array([3, 1, 2])?;
//! let sorted = sort.call(&Arguments::new([(&a).into()]))?;
//! assert_eq!(sorted[0].array()?.to_vec::<i32>()?, [1, 2, 3]);
//! # Ok::<(), cuprum::Error>(())
//! ```

mod argument;
mod bound;
mod output;
mod parameter;
pub(crate) mod python;
mod value;

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use linkme::distributed_slice;
use rustc_hash::FxHashMap;

use crate::error::{Error, ErrorKind, Result, near_names};

pub(crate) use argument::{Argument, Element, Shape, no_choice, text};
pub(crate) use bound::Options;
pub use bound::{Arguments, Bound};
pub use output::Output;
pub(crate) use output::Returned;
pub use parameter::{Parameter, ParameterKind};
pub use python::{AxisForm, Extra, Fit, PythonSignature, Rounding};
pub use value::Value;

/// Record data that `#[routine]` generates for a function.
pub(crate) struct Routine {
    /// Name in its namespace.
    pub(crate) name: &'static str,
    /// The module.
    pub(crate) namespace: &'static str,
    /// The name of the function in Rust.
    pub(crate) function: &'static str,
    /// First sentence of the documentation.
    pub(crate) doc: &'static str,
    /// The parameters of NumPy's function, in its order; if empty, all parameters.
    pub(crate) keywords: &'static [&'static str],
    /// Additions of Python's signature.
    pub(crate) python: PythonSignature,
    /// Reason why no conformance case calls it.
    pub(crate) no_cases: Option<&'static str>,
    /// Reason why no random program calls it.
    pub(crate) no_programs: Option<&'static str>,
    /// Creates the list of parameters.
    pub(crate) parameters: fn() -> Vec<Parameter>,
    /// Calls the function with bound arguments.
    pub(crate) call: fn(&Bound<'_>) -> Result<Vec<Output>>,
}

/// The functions under `#[routine]`, collected at link time.
#[distributed_slice]
pub(crate) static ROUTINES: [Routine];

/// The functions whose records are derived from the registry.
#[distributed_slice]
pub(crate) static FAMILIES: [fn() -> Vec<Record>];

/// A call with bound arguments.
pub(crate) type Thunk = Box<dyn Fn(&Bound<'_>) -> Result<Vec<Output>> + Send + Sync>;

/// Record of a function in the call table.
///
/// It is created from the attribute `#[routine]`, or from the registry for ufuncs and reductions.
pub struct Record {
    /// Name in its namespace.
    pub(crate) name: Cow<'static, str>,
    /// The module.
    pub(crate) namespace: &'static str,
    /// Name of the Rust function.
    pub(crate) function: &'static str,
    /// Path of the record of which this is an alias.
    pub(crate) alias_of: Option<Cow<'static, str>>,
    /// First sentence of the documentation.
    pub(crate) doc: Cow<'static, str>,
    /// The parameters, in NumPy's order.
    pub(crate) parameters: Vec<Parameter>,
    /// Additions of Python's signature.
    pub(crate) python: PythonSignature,
    /// Reason why no conformance case calls it.
    pub(crate) no_cases: Option<&'static str>,
    /// Reason why no random program calls it.
    pub(crate) no_programs: Option<&'static str>,
    pub(crate) call: Thunk,
}

impl Record {
    /// Returns the function's name in its namespace: NumPy's, SciPy's or CuPy's.
    ///
    /// ```
    /// use cuprum::table::find;
    /// let erf = find("scipy.special.erf")?;
    /// assert_eq!((erf.name(), erf.namespace()), ("erf", "scipy.special"));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the module: `numpy`, `numpy.linalg`, `scipy.special`.
    pub fn namespace(&self) -> &'static str {
        self.namespace
    }

    /// Returns namespace and name: `numpy.linalg.norm`.
    ///
    /// ```
    /// use cuprum::table::find;
    /// let record = find("numpy.take")?;
    /// assert_eq!((record.name(), record.namespace(), record.path()), ("take", "numpy", "numpy.take".to_string()));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn path(&self) -> String {
        format!("{}.{}", self.namespace, self.name)
    }

    /// Returns the name of the Rust function that it calls.
    pub fn function(&self) -> &'static str {
        self.function
    }

    /// Returns the path of the record of which this is an alias.
    ///
    /// It is `None` for a function under its own name.
    pub fn alias_of(&self) -> Option<&str> {
        self.alias_of.as_deref()
    }

    /// Returns the first sentence of the documentation.
    ///
    /// ```
    /// let doc = cuprum::table::find("numpy.flip")?.doc();
    /// assert!(doc.starts_with("Reverses the order"));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn doc(&self) -> &str {
        &self.doc
    }

    /// Returns the parameters, in order.
    ///
    /// Their order is that of NumPy's signature.
    ///
    /// ```
    /// use cuprum::table::find;
    /// let names: Vec<_> = find("numpy.sort")?.parameters().iter().map(|p| p.name).collect();
    /// assert_eq!(names[0], "a");
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Returns what Python's signature has beyond the parameters.
    ///
    /// ```
    /// use cuprum::table::find;
    /// assert_eq!(find("numpy.sort")?.python().positional_only, 0);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn python(&self) -> &PythonSignature {
        &self.python
    }

    /// Returns why no conformance case calls the function; `None` for a function with cases.
    pub fn no_cases(&self) -> Option<&'static str> {
        self.no_cases
    }

    /// Returns why no random program of the conformance suite calls the function, for a reason of its own.
    pub fn no_programs(&self) -> Option<&'static str> {
        self.no_programs
    }

    /// Returns the signature in Python's syntax.
    ///
    /// See [`table`](self) for an example.
    pub fn signature(&self) -> String {
        let one = |p: &Parameter| match &p.default {
            Some(default) => format!("{}={default}", p.name),
            None => p.name.into(),
        };
        let all: Vec<String> = self.parameters.iter().map(one).collect();
        format!("{}({})", self.path(), all.join(", "))
    }

    /// Calls the function.
    ///
    /// Arguments are bound as in Python and converted to the types of the function.
    ///
    /// The results are in the order in which the Rust function returns them. See [`table`](self) for an
    /// example.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] for an argument without a parameter, a missing argument and a value of another kind than the
    /// parameter's, [`ErrorKind::Value`] for a name that is not among a parameter's choices; and errors of the
    /// function.
    ///
    /// # Synchronization
    ///
    /// That of the function.
    pub fn call(&self, arguments: &Arguments) -> Result<Vec<Output>> {
        Bound::new(self, arguments).and_then(|bound| (self.call)(&bound)).map_err(|e| e.with_op(&self.name))
    }
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.signature())
    }
}

impl Routine {
    fn record(&self) -> Record {
        let mut parameters = (self.parameters)();
        // Two option structs may have an option in common, which is passed to both.
        let names: Vec<&str> = parameters.iter().map(|p| p.name).collect();
        let mut positions = 0..;
        parameters.retain(|p| positions.next().is_none_or(|at| !names[..at].contains(&p.name)));
        if !self.keywords.is_empty() {
            parameters.retain(|p| self.keywords.contains(&p.name));
            parameters.sort_by_key(|p| self.keywords.iter().position(|k| *k == p.name));
        }
        Record {
            name: self.name.into(),
            namespace: self.namespace,
            function: self.function,
            alias_of: None,
            doc: self.doc.into(),
            parameters,
            python: self.python.clone(),
            no_cases: self.no_cases,
            no_programs: self.no_programs,
            call: Box::new(self.call),
        }
    }
}

/// All records, and an index of their paths.
struct Table {
    /// Records, ordered by namespace and name.
    records: Vec<Record>,
    /// Position of each path.
    by_path: FxHashMap<String, usize>,
}

fn built() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let of_families = FAMILIES.iter().flat_map(|family| family());
        let mut records: Vec<Record> = ROUTINES.iter().map(Routine::record).chain(of_families).collect();
        // The order of the linker is unspecified.
        records.sort_by(|a, b| (a.namespace, &a.name).cmp(&(b.namespace, &b.name)));
        let by_path = records.iter().enumerate().map(|(at, record)| (record.path(), at)).collect();
        Table { records, by_path }
    })
}

/// Returns all functions, ordered by namespace and name.
///
/// ```
/// use cuprum::table::records;
/// assert!(records().iter().any(|record| record.path() == "numpy.flip"));
/// ```
pub fn records() -> &'static [Record] {
    &built().records
}

/// Returns the record of a path, if there is one; unlike [`find`] without composing an error message.
pub fn get(path: &str) -> Option<&'static Record> {
    let table = built();
    table.by_path.get(path).map(|at| &table.records[*at])
}

/// Returns the record of a path: `numpy.take`, `scipy.special.erf`, `numpy.add.reduce`.
///
/// ```
/// use cuprum::table::{find, get};
/// assert!(find("numpy.no_such_function").is_err() && get("numpy.no_such_function").is_none());
/// ```
///
/// # Errors
///
/// [`ErrorKind::NotImplemented`] for an unknown path.
pub fn find(path: &str) -> Result<&'static Record> {
    get(path).ok_or_else(|| {
        let near = near_names(path, built().by_path.keys().map(AsRef::as_ref));
        Error::new(ErrorKind::NotImplemented, format!("there is no function called {path}{near}"))
    })
}
