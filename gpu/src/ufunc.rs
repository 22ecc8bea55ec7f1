//! Universal functions: which loop runs, what comes out.

use cuprum_kernels::registry::UfuncId;
use cuprum_kernels::{DType, Kind};
use smallvec::SmallVec;

use crate::array::Array;
use crate::cuda::Device;
use crate::dtype::{Casting, can_cast, promote_types, weak_dtype};
use crate::engine;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Layout, Order, broadcast_shapes, shape_text};
use crate::scalar::{Operand, Scalar};

/// A universal function; NumPy's `ufunc`.
///
/// ```
/// let add = cuprum::ufunc("add")?;
/// let a = cuprum::arange(0, 3, 1)?;
/// let b = add.call(&[(&a).into(), 10.into()], &Default::default())?;
/// assert_eq!(b.to_vec::<i64>()?, [10, 11, 12]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ufunc(UfuncId);

/// What a call of a [`Ufunc`] can be told.
#[derive(Clone, Copy, Debug, Default)]
pub struct UfuncOptions<'a> {
    /// Where the result goes, instead of to a new array. It may overlap the operands.
    pub out: Option<&'a Array>,
    /// The dtype of the result, which decides the loop.
    pub dtype: Option<DType>,
    /// Which casts of the operands and of the result are allowed.
    pub casting: Casting,
    /// The memory order of a new result.
    pub order: Option<Order>,
}

/// The ufunc of this name or alias.
///
/// # Errors
///
/// [`ErrorKind::NotImplemented`] where there is none.
pub fn ufunc(name: &str) -> Result<Ufunc> {
    UfuncId::named(name)
        .map(Ufunc)
        .ok_or_else(|| Error::new(ErrorKind::NotImplemented, format!("there is no ufunc called {name}")))
}

const COMPARISONS: [&str; 6] = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"];

impl Ufunc {
    /// NumPy's name of the function.
    pub fn name(&self) -> &'static str {
        self.0.record().name
    }

    /// The number of operands.
    pub fn nin(&self) -> usize {
        self.0.record().nin
    }

    /// Calls the function: operands are broadcast together, the loop of their dtypes runs, or the first to which all can be cast safely, and
    /// casts happen as elements are loaded and stored.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] where there is no loop for the dtypes or a cast is not allowed, [`ErrorKind::Value`] where
    /// the shapes do not go together, [`ErrorKind::Overflow`] for a scalar that the arrays' dtype cannot hold.
    ///
    /// # Synchronization
    ///
    /// None, but for `power` with an array of signed integer exponents: they are checked first.
    pub fn call(&self, operands: &[Operand<'_>], options: &UfuncOptions<'_>) -> Result<Array> {
        self.run(operands, options).map_err(|e| e.with_op(self.name()))
    }

    fn run(&self, operands: &[Operand<'_>], options: &UfuncOptions<'_>) -> Result<Array> {
        if operands.len() != self.nin() {
            return Err(Error::new(
                ErrorKind::Type,
                format!("{} operands are needed, {} are given", self.nin(), operands.len()),
            ));
        }
        if let Some(answer) = self.beyond_range(operands) {
            let out = self.result(operands, DType::Bool, options)?;
            engine::fill(&out, Scalar::Bool(answer))?;
            return Ok(out);
        }
        let (signature, dtypes) = self.resolve(operands, options)?;
        let loop_ = &self.0.loops()[signature];
        for (k, o) in operands.iter().enumerate() {
            if let Operand::Scalar(s) = o {
                s.check_fits(dtypes[k])?;
            }
        }
        if self.name() == "power" {
            check_exponents(&operands[1], loop_.ins[1])?;
        }
        let out = self.result(operands, loop_.out, options)?;
        engine::elementwise(self.0, signature as u8, operands, &out)?;
        Ok(out)
    }

    /// The loop, and the dtype of each operand: of a scalar, the one it takes.
    fn resolve(&self, operands: &[Operand<'_>], options: &UfuncOptions<'_>) -> Result<(usize, SmallVec<[DType; 3]>)> {
        // A condition is any dtype and decides nothing.
        let deciding = if self.name() == "where" { &operands[1..] } else { operands };
        let arrays = deciding.iter().filter_map(array_dtype).reduce(promote_types);
        let mut dtypes: SmallVec<[DType; 3]> = operands
            .iter()
            .map(|o| match o {
                Operand::Array(a) => a.dtype(),
                Operand::Scalar(s) if COMPARISONS.contains(&self.name()) => comparable(s, weak_dtype(s, arrays)),
                Operand::Scalar(s) => weak_dtype(s, arrays),
            })
            .collect();
        if self.name() == "where" {
            dtypes[0] = DType::Bool;
        }
        if self.0.record().refuses_bool && dtypes.iter().all(|&d| d == DType::Bool) {
            return Err(Error::new(
                ErrorKind::Type,
                "booleans have no difference and no sign: use not_equal, bitwise_xor or logical_not",
            ));
        }
        let casting = if options.dtype.is_some() { options.casting } else { Casting::Safe };
        let fits = |l: &cuprum_kernels::registry::Loop| {
            options.dtype.is_none_or(|d| d == l.out)
                && dtypes.iter().zip(&l.ins).all(|(&have, &want)| can_cast(have, want, casting))
        };
        // The loop of exactly these dtypes comes before any to which they must be cast.
        let strong = options.dtype.is_none() && operands.iter().all(|o| array_dtype(o).is_some());
        let same = |l: &cuprum_kernels::registry::Loop| strong && l.ins[..dtypes.len()] == dtypes[..];
        let loops = self.0.loops();
        match loops.iter().position(same).or_else(|| loops.iter().position(fits)) {
            Some(at) => Ok((at, dtypes)),
            None => {
                let names: Vec<_> = dtypes.iter().map(|d| d.name()).collect();
                let asked = options.dtype.map_or(String::new(), |d| format!(" with result {d}"));
                Err(Error::new(ErrorKind::Type, format!("there is no loop for ({}){asked}", names.join(", "))))
            }
        }
    }

    /// A comparison with an integer that no 64-bit type holds has the same answer for every integer.
    fn beyond_range(&self, operands: &[Operand<'_>]) -> Option<bool> {
        if !COMPARISONS.contains(&self.name()) {
            return None;
        }
        let (n, scalar_first) = match operands {
            [Operand::Scalar(Scalar::Int(n)), Operand::Array(a)] if exact(a.dtype()) => (*n, true),
            [Operand::Array(a), Operand::Scalar(Scalar::Int(n))] if exact(a.dtype()) => (*n, false),
            _ => return None,
        };
        if n >= i64::MIN.into() && n <= u64::MAX.into() {
            return None;
        }
        let array_is_less = (n > 0) != scalar_first;
        Some(match self.name() {
            "equal" => false,
            "not_equal" => true,
            "less" | "less_equal" => array_is_less,
            _ => !array_is_less,
        })
    }

    /// The array that the result is written to.
    fn result(&self, operands: &[Operand<'_>], dtype: DType, options: &UfuncOptions<'_>) -> Result<Array> {
        let arrays: SmallVec<[&Array; 3]> = operands
            .iter()
            .filter_map(|o| match o {
                Operand::Array(a) => Some(*a),
                Operand::Scalar(_) => None,
            })
            .collect();
        let shapes: SmallVec<[&[usize]; 3]> = arrays.iter().map(|a| a.shape()).collect();
        let shape = broadcast_shapes(&shapes)?;
        let Some(out) = options.out else {
            let layout = match options.order.unwrap_or(Order::K) {
                Order::C => Layout::c_order(&shape, dtype.size()),
                Order::F => Layout::f_order(&shape, dtype.size()),
                Order::A
                    if !arrays.is_empty() && arrays.iter().all(|a| a.is_f_contiguous() && !a.is_c_contiguous()) =>
                {
                    Layout::f_order(&shape, dtype.size())
                }
                Order::A => Layout::c_order(&shape, dtype.size()),
                Order::K => {
                    let strides: SmallVec<[_; 3]> =
                        arrays.iter().map(|a| a.layout().broadcast_to(&shape)).collect::<Result<_>>()?;
                    let strides: SmallVec<[&[i64]; 3]> = strides.iter().map(|l| l.strides.as_slice()).collect();
                    Layout::like(&shape, dtype.size(), &strides)
                }
            };
            let device = arrays.first().map_or_else(Device::current, |a| Ok(a.device()))?;
            return Array::of_layout(device, layout, dtype);
        };
        if broadcast_shapes(&[&shape, out.shape()])?.as_slice() != out.shape() {
            return Err(Error::new(
                ErrorKind::Value,
                format!(
                    "a result of shape {} does not fit in out of shape {}",
                    shape_text(&shape),
                    shape_text(out.shape())
                ),
            ));
        }
        if !can_cast(dtype, out.dtype(), options.casting) {
            return Err(Error::new(
                ErrorKind::Type,
                format!(
                    "a result of {dtype} cannot be cast to out of {} by the rule {:?}",
                    out.dtype(),
                    options.casting
                ),
            ));
        }
        out.check_writable()?;
        Ok(out.clone())
    }
}

fn array_dtype(o: &Operand<'_>) -> Option<DType> {
    match o {
        Operand::Array(a) => Some(a.dtype()),
        Operand::Scalar(_) => None,
    }
}

fn exact(d: DType) -> bool {
    d.is_integer() || d == DType::Bool
}

/// The dtype that holds an integer which the arrays' dtype does not: comparisons are by value.
fn comparable(s: &Scalar, dtype: DType) -> DType {
    match s {
        Scalar::Int(_) if s.check_fits(dtype).is_ok() => dtype,
        Scalar::Int(n) if *n > i64::MAX.into() => DType::U64,
        Scalar::Int(_) => DType::I64,
        _ => dtype,
    }
}

/// An integer has no negative integer power.
fn check_exponents(exponent: &Operand<'_>, dtype: DType) -> Result<()> {
    if dtype.kind() != Kind::Signed {
        return Ok(());
    }
    let negative = match exponent {
        Operand::Scalar(Scalar::Int(n)) => *n < 0,
        Operand::Scalar(_) => false,
        Operand::Array(a) if a.dtype().kind() != Kind::Signed => false,
        Operand::Array(a) => {
            let below = ufunc("less")?.call(&[(*a).into(), 0.into()], &UfuncOptions::default())?;
            crate::any(&below, ())?.item::<bool>()?
        }
    };
    if negative {
        return Err(Error::new(ErrorKind::Value, "integers to negative integer powers are not integers"));
    }
    Ok(())
}
