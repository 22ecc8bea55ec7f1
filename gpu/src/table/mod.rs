//! Every function by name.
//!
//! A function is written once, with its Rust signature, and `#[routine]` above it. From that follows its record here: its
//! name and namespace, its parameters with their kinds and defaults, one sentence, and a call with dynamic arguments. The
//! functions of the registry (ufuncs with their methods, reductions) have records by their own.
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
pub use value::Value;

/// What `#[routine]` writes beside a function.
pub(crate) struct Routine {
    pub(crate) name: &'static str,
    pub(crate) namespace: &'static str,
    /// The name of the function in Rust.
    pub(crate) function: &'static str,
    pub(crate) doc: &'static str,
    /// The parameters that NumPy's function has, in its order; all, where there are none.
    pub(crate) keywords: &'static [&'static str],
    pub(crate) parameters: fn() -> Vec<Parameter>,
    pub(crate) call: fn(&Bound<'_>) -> Result<Vec<Output>>,
}

/// The functions that are written with `#[routine]`, each put here where it stands.
#[distributed_slice]
pub(crate) static ROUTINES: [Routine];

/// The functions whose records follow from others: those of the registry.
#[distributed_slice]
pub(crate) static FAMILIES: [fn() -> Vec<Record>];

/// A call with arguments that found their parameters.
pub(crate) type Thunk = Box<dyn Fn(&Bound<'_>) -> Result<Vec<Output>> + Send + Sync>;

/// A function of the library, by name.
pub struct Record {
    pub(crate) name: Cow<'static, str>,
    pub(crate) namespace: &'static str,
    pub(crate) function: &'static str,
    pub(crate) alias_of: Option<Cow<'static, str>>,
    pub(crate) doc: Cow<'static, str>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) call: Thunk,
}

impl Record {
    /// The function's name in its namespace: NumPy's, SciPy's or CuPy's.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The module that has it: `numpy`, `numpy.linalg`, `scipy.special`.
    pub fn namespace(&self) -> &'static str {
        self.namespace
    }

    /// Both: `numpy.linalg.norm`.
    pub fn path(&self) -> String {
        format!("{}.{}", self.namespace, self.name)
    }

    /// The name of the function in Rust that it calls.
    pub fn function(&self) -> &'static str {
        self.function
    }

    /// The record of which this is another name.
    pub fn alias_of(&self) -> Option<&str> {
        self.alias_of.as_deref()
    }

    /// One sentence.
    pub fn doc(&self) -> &str {
        &self.doc
    }

    /// The parameters, in order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The signature, as Python writes it.
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
    /// # Errors
    ///
    /// [`ErrorKind::Type`] for an argument without a parameter, a parameter without an argument and a value of another kind
    /// than the parameter's, [`ErrorKind::Value`] for a name that is none of a parameter's choices; and the function's own.
    ///
    /// # Synchronization
    ///
    /// The function's.
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
        // Two structs of options may have one in common, which is given to both.
        let names: Vec<&str> = parameters.iter().map(|p| p.name).collect();
        let mut place = 0..;
        parameters.retain(|p| place.next().is_none_or(|at| !names[..at].contains(&p.name)));
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
            call: Box::new(self.call),
        }
    }
}

struct Table {
    records: Vec<Record>,
    by_path: FxHashMap<String, usize>,
}

fn built() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let of_families = FAMILIES.iter().flat_map(|family| family());
        let mut records: Vec<Record> = ROUTINES.iter().map(Routine::record).chain(of_families).collect();
        // The order in which a linker puts them is its own.
        records.sort_by(|a, b| (a.namespace, &a.name).cmp(&(b.namespace, &b.name)));
        let by_path = records.iter().enumerate().map(|(at, record)| (record.path(), at)).collect();
        Table { records, by_path }
    })
}

/// Every function, by namespace and name.
pub fn records() -> &'static [Record] {
    &built().records
}

/// The record of the function of this path, where there is one: [`find`] without the text of an error.
pub fn get(path: &str) -> Option<&'static Record> {
    let table = built();
    table.by_path.get(path).map(|at| &table.records[*at])
}

/// The function of this path: `numpy.take`, `scipy.special.erf`, `numpy.add.reduce`.
///
/// # Errors
///
/// [`ErrorKind::NotImplemented`] where there is none.
pub fn find(path: &str) -> Result<&'static Record> {
    get(path).ok_or_else(|| {
        let near = near_names(path, built().by_path.keys().map(AsRef::as_ref));
        Error::new(ErrorKind::NotImplemented, format!("there is no function called {path}{near}"))
    })
}
