//! Universal functions: which loop runs, what comes out.

use cuprum_kernels::registry::UfuncId;
use cuprum_kernels::{DType, Kind};
use smallvec::SmallVec;

use crate::array::Array;
use crate::cuda::Device;
use crate::dtype::{Casting, can_cast, promote_types, weak_dtype};
use crate::engine;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Layout, Order, Strides, broadcast_shapes, shape_text};
use crate::scalar::{Operand, OperandType, Scalar};

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
    /// Where the second result goes, of a function that has two.
    pub second_out: Option<&'a Array>,
    /// Where results are computed: an array of booleans, broadcast with the operands. Elsewhere `out` keeps what it
    /// holds, and a new array holds zeros (NumPy leaves them as they were found in memory).
    pub where_: Option<&'a Array>,
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

    /// The number of results.
    pub fn nout(&self) -> usize {
        self.0.record().nout
    }

    /// Calls the function: operands are broadcast together, the loop of exactly their dtypes runs, or else the
    /// first to which all can be cast safely, and casts happen as elements are loaded and stored.
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
        let go = || {
            if self.nout() != 1 {
                return Err(Error::new(ErrorKind::Type, "there are two results: they are got by call_pair"));
            }
            Ok(self.run(operands, options)?.swap_remove(0))
        };
        go().map_err(|e: Error| e.with_op(self.name()))
    }

    /// Calls a function that has two results, as [`Ufunc::call`] does.
    ///
    /// # Errors
    ///
    /// As [`Ufunc::call`].
    ///
    /// # Synchronization
    ///
    /// None.
    pub fn call_pair(&self, operands: &[Operand<'_>], options: &UfuncOptions<'_>) -> Result<(Array, Array)> {
        let go = || {
            if self.nout() != 2 {
                return Err(Error::new(ErrorKind::Type, "there is one result: it is got by call"));
            }
            let mut results = self.run(operands, options)?;
            let second = results.swap_remove(1);
            Ok((results.swap_remove(0), second))
        };
        go().map_err(|e: Error| e.with_op(self.name()))
    }

    /// The dtypes in which a call computes: of each operand, then of each result; NumPy's `resolve_dtypes`.
    ///
    /// ```
    /// use cuprum::DType;
    /// let divide = cuprum::ufunc("divide")?;
    /// assert_eq!(divide.resolve_dtypes(&[DType::F16.into(), 3.into()])?, [DType::F16; 3]);
    /// assert_eq!(divide.resolve_dtypes(&[DType::F32.into(), DType::I32.into()])?, [DType::F64; 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] where there is no loop for the operands, or another number of them is needed.
    pub fn resolve_dtypes(&self, operands: &[OperandType]) -> Result<Vec<DType>> {
        let go = || {
            self.check_count(operands.len())?;
            let found = &self.0.loops()[self.resolve(operands, &UfuncOptions::default())?];
            Ok([&found.ins[..self.nin()], &found.outs[..self.nout()]].concat())
        };
        go().map_err(|e: Error| e.with_op(self.name()))
    }

    fn check_count(&self, given: usize) -> Result<()> {
        if given != self.nin() {
            let message = format!("{} operands are needed, {given} are given", self.nin());
            return Err(Error::new(ErrorKind::Type, message));
        }
        Ok(())
    }

    fn run(&self, operands: &[Operand<'_>], options: &UfuncOptions<'_>) -> Result<SmallVec<[Array; 2]>> {
        self.check_count(operands.len())?;
        if let Some(mask) = options.where_.filter(|m| m.dtype() != DType::Bool) {
            return Err(Error::new(ErrorKind::Type, format!("where is of {}, not of bool", mask.dtype())));
        }
        if let Some(answer) = self.beyond_range(operands) {
            let outs = self.results(operands, &[DType::Bool], options)?;
            let (copy, signature) = engine::internal("copy", outs[0].dtype())?;
            let ins = [Operand::Scalar(Scalar::Bool(answer))];
            engine::Call { op: copy, signature, ins: &ins, mask: options.where_, outs: &[&outs[0]] }.run()?;
            return Ok(outs);
        }
        let operands = &self.prepared(operands)?[..];
        let types: SmallVec<[OperandType; 3]> = operands.iter().map(OperandType::from).collect();
        let signature = self.resolve(&types, options)?;
        let loop_ = &self.0.loops()[signature];
        for (k, o) in operands.iter().enumerate() {
            if let Operand::Scalar(s) = o
                && self.name() != "where"
            {
                // Where integers are computed as floats, any value will do.
                s.check_fits(loop_.ins[k])?;
            }
        }
        if self.name() == "power" {
            check_exponents(&operands[1], loop_.ins[1])?;
        }
        let results = self.results(operands, &loop_.outs[..self.nout()], options)?;
        let outs: [&Array; 2] = [&results[0], results.last().unwrap_or(&results[0])];
        let (signature, outs) = (signature as u8, &outs[..results.len()]);
        engine::Call { op: self.0, signature, ins: operands, mask: options.where_, outs }.run()?;
        Ok(results)
    }

    /// The operands, with scalars whose value need not fit their neighbours' dtype in the form that the loop can hold.
    fn prepared<'a>(&self, operands: &[Operand<'a>]) -> Result<SmallVec<[Operand<'a>; 3]>> {
        let floats =
            operands.iter().filter_map(|o| OperandType::from(o).array()).any(|d| d.is_float() || d.is_complex());
        let prepare = |o: &Operand<'a>| match *o {
            // The quotient of integers is made of floats.
            Operand::Scalar(Scalar::Int(n)) if self.name() == "true_divide" && !floats => {
                Ok(Operand::Scalar(Scalar::Float(n as f64)))
            }
            // Only the truth of a scalar matters, but an integer must be one that int64 holds.
            Operand::Scalar(s) if self.name().starts_with("logical_") => {
                s.check_fits(DType::I64)?;
                Ok(Operand::Scalar(Scalar::Bool(s.is_true())))
            }
            other => Ok(other),
        };
        operands.iter().map(prepare).collect()
    }

    /// The loop: the first to which all operands can be cast.
    fn resolve(&self, operands: &[OperandType], options: &UfuncOptions<'_>) -> Result<usize> {
        // A condition is any dtype and decides nothing.
        let deciding = if self.name() == "where" { &operands[1..] } else { operands };
        let arrays = deciding.iter().filter_map(OperandType::array).reduce(promote_types);
        let mut dtypes: SmallVec<[DType; 3]> = operands
            .iter()
            .enumerate()
            .map(|(k, o)| match o {
                OperandType::Array(dtype) => *dtype,
                OperandType::Scalar(s) if self.name() == "ldexp" => self.in_slot(k, s, arrays),
                OperandType::Scalar(s) if arrays != Some(DType::Bool) && COMPARISONS.contains(&self.name()) => {
                    comparable(s, weak_dtype(s, arrays))
                }
                OperandType::Scalar(s) => weak_dtype(s, arrays),
            })
            .collect();
        if self.name() == "where" {
            dtypes[0] = DType::Bool;
        }
        let of_bool = options.dtype.is_none_or(|d| d == DType::Bool) && dtypes.iter().all(|&d| d == DType::Bool);
        if self.0.record().refuses_bool && of_bool {
            return Err(Error::new(
                ErrorKind::Type,
                "booleans have no difference and no sign: use not_equal, bitwise_xor or logical_not",
            ));
        }
        let wanted = |l: &cuprum_kernels::registry::Loop| options.dtype.is_none_or(|d| d == l.out());
        let fits = |l: &cuprum_kernels::registry::Loop, casting| {
            dtypes.iter().zip(&l.ins).all(|(&have, &want)| can_cast(have, want, casting))
        };
        let loops = self.0.loops();
        // The loop of exactly these dtypes comes before any to which they must be cast.
        let strong = operands.iter().all(|o| matches!(o, OperandType::Array(_)));
        let same = |l: &cuprum_kernels::registry::Loop| strong && wanted(l) && l.ins[..dtypes.len()] == dtypes[..];
        // A result that is asked for may be had by a cast that loses something, but then of the first loop only.
        let same = loops.iter().position(same);
        let safe = || loops.iter().position(|l| wanted(l) && fits(l, options.casting.min(Casting::Safe)));
        let cast = || loops.iter().position(wanted).filter(|&at| fits(&loops[at], options.casting));
        match same.or_else(safe).or_else(|| options.dtype.and_then(|_| cast())) {
            Some(at) => Ok(at),
            None => {
                let names: Vec<_> = dtypes.iter().map(|d| d.name()).collect();
                let asked = options.dtype.map_or(String::new(), |d| format!(" with result {d}"));
                Err(Error::new(ErrorKind::Type, format!("there is no loop for ({}){asked}", names.join(", "))))
            }
        }
    }

    /// The dtype of a scalar where operands are unlike: what the first loop takes there, if it is of a kind that can be
    /// that and no array is of a lower kind; else its own.
    fn in_slot(&self, k: usize, s: &Scalar, arrays: Option<DType>) -> DType {
        let level = |d: DType| match d.kind() {
            Kind::Bool => 0,
            Kind::Unsigned | Kind::Signed => 1,
            Kind::Float | Kind::Complex => 2,
        };
        // An integer beyond int64 is refused for its value later on.
        let own = if matches!(s, Scalar::Int(_)) { DType::I64 } else { weak_dtype(s, None) };
        let slot = self.0.loops()[0].ins[k];
        let weak = arrays.is_some_and(|d| level(own) <= level(d));
        if weak && own.kind() <= slot.kind() { slot } else { own }
    }

    /// A comparison with an integer that no 64-bit type holds has the same answer for every integer.
    fn beyond_range(&self, operands: &[Operand<'_>]) -> Option<bool> {
        if !COMPARISONS.contains(&self.name()) {
            return None;
        }
        let (n, scalar_first) = match operands {
            [Operand::Scalar(Scalar::Int(n)), Operand::Array(a)] if a.dtype().is_integer() => (*n, true),
            [Operand::Array(a), Operand::Scalar(Scalar::Int(n))] if a.dtype().is_integer() => (*n, false),
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

    /// The arrays that the results are written to.
    fn results(
        &self,
        operands: &[Operand<'_>],
        dtypes: &[DType],
        options: &UfuncOptions<'_>,
    ) -> Result<SmallVec<[Array; 2]>> {
        let arrays: SmallVec<[&Array; 4]> = operands
            .iter()
            .filter_map(|o| match o {
                Operand::Array(a) => Some(*a),
                Operand::Scalar(_) => None,
            })
            .chain(options.where_)
            .collect();
        let given = [options.out, options.second_out];
        let shapes: SmallVec<[&[usize]; 4]> = arrays.iter().map(|a| a.shape()).collect();
        let mut shape = broadcast_shapes(&shapes)?;
        for out in given.iter().flatten() {
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
            shape = out.shape().into();
        }
        let device = arrays.first().map_or_else(Device::current, |a| Ok(a.device()))?;
        let result = |(out, &dtype): (Option<&Array>, &DType)| match out {
            Some(out) => checked_out(out, dtype, options.casting),
            None => {
                let out = Array::of_layout(device, layout_like(&arrays, &shape, dtype, options.order), dtype)?;
                if options.where_.is_some() {
                    engine::fill(&out, Scalar::Bool(false))?;
                }
                Ok(out)
            }
        };
        given.into_iter().zip(dtypes).map(result).collect()
    }
}

/// The layout of a new result, in the order asked for: by default, in the order of the operands.
fn layout_like(arrays: &[&Array], shape: &[usize], dtype: DType, order: Option<Order>) -> Layout {
    match order.unwrap_or(Order::K) {
        Order::F => Layout::f_order(shape, dtype.size()),
        Order::A if !arrays.is_empty() && arrays.iter().all(|a| a.is_f_contiguous() && !a.is_c_contiguous()) => {
            Layout::f_order(shape, dtype.size())
        }
        Order::C | Order::A => Layout::c_order(shape, dtype.size()),
        Order::K if arrays.iter().all(|a| a.is_c_contiguous() && a.ndim() == shape.len()) => {
            Layout::c_order(shape, dtype.size())
        }
        Order::K => {
            let strides: SmallVec<[Strides; 4]> = arrays.iter().map(|a| a.layout().stretched_strides(shape)).collect();
            let strides: SmallVec<[&[i64]; 4]> = strides.iter().map(|s| s.as_slice()).collect();
            Layout::like(shape, dtype.size(), &strides)
        }
    }
}

fn checked_out(out: &Array, dtype: DType, casting: Casting) -> Result<Array> {
    if !can_cast(dtype, out.dtype(), casting) {
        return Err(Error::new(
            ErrorKind::Type,
            format!("a result of {dtype} cannot be cast to out of {} by the rule {casting:?}", out.dtype()),
        ));
    }
    out.check_writable()?;
    Ok(out.clone())
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
