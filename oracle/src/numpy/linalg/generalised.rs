//! NumPy's products that are generalised ufuncs: `matmul`, `vecdot`, `matvec`, `vecmat`, with their keywords.

use cuprum_kernels::DType;

use super::products::conjugated;
use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::{Order, broadcast_shapes, walk_order};
use crate::core::promote::{Casting, can_cast, promote_types};
use crate::core::value::{Flag, Value, ulp};
use crate::numpy::linalg::matmul::{matmul, matmul_bound};
use crate::numpy::statistics::Bounded;
use crate::table::{Argument, Arguments, CallResult, counterparts};

/// The signature: the number of core axes of the operands, and whether the first is conjugated.
#[derive(Clone, Copy)]
struct Signature {
    first: usize,
    second: usize,
    conjugates: bool,
}

impl Signature {
    /// Returns the number of core axes of the result: the rows of the first operand, and the columns of the second.
    fn result(self) -> usize {
        self.first - 1 + self.second - 1
    }
}

/// Reads the core axes of each array from `axes` or `axis`.
fn core_axes(t: &Arguments, signature: Signature, keepdims: bool) -> CallResult<Option<[Vec<isize>; 3]>> {
    let given: Option<Argument> = t.get("axes")?;
    let axis: Option<isize> = t.get("axis")?;
    let list = |argument: &Argument| -> Vec<isize> {
        match argument {
            Argument::Integers(all) => all.clone(),
            Argument::Scalar(v) => vec![v.int() as isize],
            Argument::List(all) => all
                .iter()
                .filter_map(|one| if let Argument::Scalar(v) = one { Some(v.int() as isize) } else { None })
                .collect(),
            _ => vec![],
        }
    };
    let mut all: Vec<Vec<isize>> = match (given, axis) {
        (None, None) => return Ok(None),
        (None, Some(axis)) => vec![vec![axis]; 2],
        (Some(Argument::List(entries)), _) => entries.iter().map(list).collect(),
        (Some(other), _) => list(&other).into_iter().map(|axis| vec![axis]).collect(),
    };
    let of_result = if keepdims { 1 } else { signature.result() };
    // The result of `vecdot` has no core axes: its entry can be left out.
    if all.len() == 2 && signature.first + signature.second == 2 && signature.conjugates {
        all.push(if keepdims { all[0].clone() } else { vec![] });
    }
    let [one, two, three] = <[Vec<isize>; 3]>::try_from(all)
        .or_else(|_| fail(ErrorKind::Value, "axes should be a list with an entry for all inputs and outputs"))?;
    if [one.len(), two.len(), three.len()] != [signature.first, signature.second, of_result] {
        return Ok(fail(ErrorKind::Axis, "an entry of axes has another number of core dimensions")?);
    }
    Ok(Some([one, two, three]))
}

fn last(count: usize) -> Vec<isize> {
    (0..count).map(|k| k as isize - count as isize).collect()
}

/// Returns the axes of a new result from the outermost: the batch axes in the requested order, followed by the core
/// axes; all reversed for Fortran order.
fn laid_out(stack: &[usize], core: usize, order: Order, operands: [&NdArray; 2], fronts: [&NdArray; 2]) -> Vec<usize> {
    let c: Vec<usize> = (0..stack.len() + core).collect();
    match order {
        Order::F => c.into_iter().rev().collect(),
        Order::A if operands.iter().all(|a| a.is_f_contiguous()) => c.into_iter().rev().collect(),
        Order::K => {
            let strides = fronts.map(|a| {
                let front = a.ndim() - 2;
                let own = a.shape()[..front].iter().zip(a.strides()).map(|(n, s)| if *n == 1 { 0 } else { *s });
                std::iter::repeat_n(0, stack.len() - front).chain(own).collect::<Vec<isize>>()
            });
            let front = walk_order(stack.len(), &strides);
            front.into_iter().chain(stack.len()..stack.len() + core).collect()
        }
        _ => c,
    }
}

fn generalised(t: &Arguments, signature: Signature) -> CallResult<Bounded> {
    let (x1, x2): (&NdArray, &NdArray) = (t.get("x1")?, t.get("x2")?);
    let out: Option<&NdArray> = t.get("out")?;
    let casting = t.or("casting", Casting::SameKind)?;
    let order = t.or("order", Order::K)?;
    let dtype = t.get::<Option<DType>>("dtype")?.unwrap_or_else(|| promote_types(x1.dtype(), x2.dtype()));
    let keepdims = t.or("keepdims", false)?;
    if matches!(t.get::<Option<Argument>>("axes")?, Some(Argument::Scalar(_))) {
        return Ok(fail(ErrorKind::Type, "axes should be a list")?);
    }
    if t.get::<Option<Argument>>("axes")?.is_some() && t.get::<Option<isize>>("axis")?.is_some() {
        return Ok(fail(ErrorKind::Type, "cannot specify both 'axis' and 'axes'")?);
    }
    // Casts are rejected before axes and shapes are checked.
    if ![x1.dtype(), x2.dtype()].iter().all(|own| can_cast(*own, dtype, casting)) {
        return Ok(fail(ErrorKind::Type, "an operand is not cast to the dtype of the products")?);
    }
    if out.is_some_and(|out| !can_cast(dtype, out.dtype(), casting)) {
        return Ok(fail(ErrorKind::Type, "the result is not cast to the dtype of out")?);
    }
    if x1.ndim() < signature.first || x2.ndim() < signature.second {
        return Ok(fail(ErrorKind::Value, "an operand does not have enough dimensions")?);
    }
    let axes = core_axes(t, signature, keepdims)?;
    Ok(computed(x1, x2, signature, out, (order, dtype), axes, keepdims)?)
}

fn computed(
    x1: &NdArray,
    x2: &NdArray,
    signature: Signature,
    out: Option<&NdArray>,
    (order, dtype): (Order, DType),
    axes: Option<[Vec<isize>; 3]>,
    keepdims: bool,
) -> Result<Bounded> {
    let moved = |x: &NdArray, k: usize, count: usize| match &axes {
        Some(axes) => x.moveaxis(&axes[k], &last(count)),
        None => Ok(x.clone()),
    };
    let (a, b) = (moved(x1, 0, signature.first)?, moved(x2, 1, signature.second)?);
    let (a, b) = (a.astype(dtype, Order::K), b.astype(dtype, Order::K));
    let a = if signature.conjugates { conjugated(&a)? } else { a };
    let a = if signature.first == 1 { a.expand_dims(&[-2])? } else { a };
    let b = if signature.second == 1 { b.expand_dims(&[-1])? } else { b };
    let product = matmul(&a, &b)?;
    let bounds = matmul_bound(&a, &b)?;
    let (stack, core) = product.shape().split_at(product.ndim() - 2);
    let mut own: Vec<usize> = vec![];
    own.extend((signature.first == 2).then_some(core[0]));
    own.extend((signature.second == 2).then_some(core[1]));
    if keepdims {
        own = vec![1];
    }
    let shape = [stack, &own].concat();
    // The bounds are laid out like the result.
    let bounds = NdArray::from_values(DType::F64, &shape, bounds.into_iter().map(Value::Float))?;
    let product = NdArray::from_values(dtype, &shape, product.values())?;
    let placed = |x: &NdArray| match &axes {
        Some(axes) if !own.is_empty() => x.moveaxis(&last(own.len()), &axes[2]),
        _ => Ok(x.clone()),
    };
    let numbers = |x: &NdArray| x.values().into_iter().map(Value::float).collect::<Vec<f64>>();
    let Some(out) = out else {
        let (one, two) = (moved(x1, 0, signature.first)?, moved(x2, 1, signature.second)?);
        let fronts = [
            if signature.first == 1 { one.expand_dims(&[-2])? } else { one },
            if signature.second == 1 { two.expand_dims(&[-1])? } else { two },
        ];
        let axes = laid_out(stack, own.len(), order, [x1, x2], [&fronts[0], &fronts[1]]);
        let result = NdArray::from_order(dtype, &shape, &axes, &product.values());
        return Ok(Bounded { result: placed(&result)?, bounds: numbers(&placed(&bounds)?) });
    };
    out.check_writable()?;
    if out.ndim() < own.len() {
        return fail(ErrorKind::Value, "out has too few axes");
    }
    let target = moved(out, 2, own.len())?;
    let front = &target.shape()[..target.ndim() - own.len()];
    let extra = stack.len().saturating_sub(front.len());
    let kept = &stack[extra..];
    let fits = stack[..extra].iter().all(|n| *n == 1)
        && broadcast_shapes(&[kept, front]).is_ok_and(|both| both == front)
        && target.shape()[front.len()..] == own[..];
    if !fits {
        return fail(ErrorKind::Value, "the result does not fit in out");
    }
    let spread = |x: &NdArray| {
        let shape: Vec<isize> = kept.iter().chain(&own).map(|n| *n as isize).collect();
        placed(&x.reshape(&shape, Order::C)?.broadcast_to(target.shape())?)
    };
    let elements: Vec<_> = spread(&product)?.values().into_iter().map(|v| Some((v, Flag::Exact))).collect();
    let result = out.with_elements(&elements);
    // A result that is rounded once more may round to the next number.
    let once_more = |v: &Value| {
        if out.dtype() == dtype || out.dtype().is_integer() { 0.0 } else { ulp(v.complex().norm(), out.dtype()) }
    };
    let bounds = numbers(&spread(&bounds)?).iter().zip(result.values()).map(|(b, v)| b + once_more(&v)).collect();
    Ok(Bounded { result, bounds })
}

fn of_matrices(t: &Arguments) -> CallResult<Bounded> {
    let (x1, x2): (&NdArray, &NdArray) = (t.get("x1")?, t.get("x2")?);
    if x1.ndim() == 0 || x2.ndim() == 0 {
        return Ok(fail(ErrorKind::Value, "matmul does not take 0-d operands")?);
    }
    generalised(t, Signature { first: x1.ndim().min(2), second: x2.ndim().min(2), conjugates: false })
}

counterparts! {
    "numpy.matmul" = |t| of_matrices(t)?;
    "numpy.vecdot" = |t| generalised(t, Signature { first: 1, second: 1, conjugates: true })?;
    "numpy.matvec" = |t| generalised(t, Signature { first: 2, second: 1, conjugates: false })?;
    "numpy.vecmat" = |t| generalised(t, Signature { first: 1, second: 2, conjugates: true })?;
}
