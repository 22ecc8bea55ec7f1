//! Details of the functions' signatures in Python which the parameters of a record do not have.
//!
//! Positional-only and keyword-only parameters, aliases, and parameters of NumPy's that are accepted with one value
//! only.

/// Rounding of an integer parameter for which NumPy accepts floats, too.
///
/// NumPy converts such floats in different ways in different functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// Towards zero, as Python's `int`.
    Cut,
    /// Towards positive infinity.
    Ceil,
    /// None: the float, or the array of one element, must be an integer.
    Exact,
}

/// Values that NumPy accepts for a parameter `axis`.
///
/// A function of one axis rejects a tuple.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AxisForm {
    /// An integer or a tuple of integers.
    #[default]
    Tuple,
    /// One integer.
    Integer,
    /// Any sequence of integers.
    Sequence,
}

/// Effect of a parameter that only Python has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extra {
    /// Another name of this parameter.
    Alias(&'static str),
    /// The array to which the result is copied.
    Out,
    /// The dtype to which the result is cast.
    Cast,
    /// The device on which the call is made.
    Device,
    /// Sorts in descending order.
    Descending,
    /// The plan of the call's transforms.
    Plan,
    /// Accepted without effect, because the behaviour is the default.
    Granted,
    /// The name of one of several algorithms with the same result; without effect.
    Named(&'static [&'static str]),
    /// Not supported: values other than `None` or `False` are rejected.
    Rejected,
}

/// Results of a least-squares fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// The coefficients of a series, and a list of all else.
    Series,
    /// The coefficients of a polynomial, all else, or the covariance.
    Polynomial,
}

/// Signature of a function in Python where it differs from the parameters of its record, which by default may be passed
/// by position or by name.
///
/// `#[routine(python(…))]` sets the fields.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PythonSignature {
    /// Number of leading positional-only parameters.
    pub positional_only: usize,
    /// Number of trailing keyword-only parameters of the record; if there are any, those that only Python has are
    /// keyword-only, too.
    pub keyword_only: Option<usize>,
    /// The parameter that takes all positional arguments from its own on.
    pub varargs: Option<&'static str>,
    /// The parameter that is written to the first operand, or inserted among its elements.
    pub written: Option<&'static str>,
    /// True if the first operand is changed in place: it has to be an array of the device.
    pub changes_first: bool,
    /// True if Python scalars in a list of arrays take the dtype of the arrays.
    pub weak_scalars: bool,
    /// True if Python scalars take the dtype of the other operand.
    pub common_dtype: bool,
    /// The integer parameter of any size: one of too many bits has the effect of the largest or the smallest integer.
    pub saturating: Option<&'static str>,
    /// The parameter of integers of any size of which only the remainders by the number of elements count.
    pub cyclic: Option<&'static str>,
    /// The parameter that is cast to indices: an empty list is an array of integers.
    pub indices: Option<&'static str>,
    /// Two parameters that NumPy requires together or not at all.
    pub together: Option<[&'static str; 2]>,
    /// CuPy's names of parameters that have another name in NumPy. Both are accepted.
    pub aliases: &'static [(&'static str, &'static str)],
    /// Integer parameters for which floats are accepted.
    pub rounded: &'static [(&'static str, Rounding)],
    /// True if the third positional parameter is NumPy's `out` or CuPy's `dtype`, which is followed by `out`.
    pub dtype_before_out: bool,
    /// Values of the parameter `axis`.
    pub axis: AxisForm,
    /// Parameters that only Python has, which follow those of the record.
    pub extras: &'static [(&'static str, Extra)],
    /// True if arrays are returned as a list; those of others are a tuple.
    pub returns_list: bool,
    /// True if the argument itself is returned where there is nothing to do.
    pub returns_same: bool,
    /// True if views are read-only in NumPy.
    pub read_only_views: bool,
    /// True if `out` must have exactly the dtype and the shape of the result in C order.
    pub exact_out: bool,
    /// The number of leading operands of which one polynomial object makes the results polynomial objects.
    pub polynomials: usize,
    /// Results of a fit, which a warning accompanies if it is poorly conditioned.
    pub fit: Option<Fit>,
    /// The Python class of named results.
    pub result_class: Option<&'static str>,
}

impl PythonSignature {
    pub(crate) const fn new() -> PythonSignature {
        PythonSignature {
            positional_only: 0,
            keyword_only: None,
            varargs: None,
            written: None,
            changes_first: false,
            weak_scalars: false,
            common_dtype: false,
            saturating: None,
            cyclic: None,
            indices: None,
            together: None,
            aliases: &[],
            rounded: &[],
            dtype_before_out: false,
            axis: AxisForm::Tuple,
            extras: &[],
            returns_list: false,
            returns_same: false,
            read_only_views: false,
            exact_out: false,
            polynomials: 0,
            fit: None,
            result_class: None,
        }
    }
}

/// Sets one field, for `#[routine(python(…))]`.
macro_rules! setters {
    ($($name:ident: $type:ty $(=> $some:path)?;)+) => {
        impl PythonSignature {$(
            pub(crate) const fn $name(mut self, $name: $type) -> PythonSignature {
                self.$name = $($some)?($name);
                self
            }
        )+}
    };
}
setters! {
    positional_only: usize;
    keyword_only: usize => Some;
    varargs: &'static str => Some;
    written: &'static str => Some;
    changes_first: bool;
    weak_scalars: bool;
    common_dtype: bool;
    saturating: &'static str => Some;
    cyclic: &'static str => Some;
    indices: &'static str => Some;
    together: [&'static str; 2] => Some;
    aliases: &'static [(&'static str, &'static str)];
    rounded: &'static [(&'static str, Rounding)];
    dtype_before_out: bool;
    axis: AxisForm;
    extras: &'static [(&'static str, Extra)];
    returns_list: bool;
    returns_same: bool;
    read_only_views: bool;
    exact_out: bool;
    polynomials: usize;
    fit: Fit => Some;
    result_class: &'static str => Some;
}
