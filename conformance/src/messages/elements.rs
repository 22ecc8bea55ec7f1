//! Error messages of indexing, assignment, casts and reads of elements.

use cuprum::cuda::Device;
use cuprum::num_complex::Complex64;
use cuprum::{
    Casting, DType, Ellipsis, Scalar, ScanOptions, SearchOptions, TakeOptions, UfuncOptions, add, array, bitwise_and,
    common_type, compress, copyto, cumulative_sum, extract, finfo, floor, iinfo, invert, isposinf, min_scalar_type,
    nonzero, ones, power, put, putmask, result_type, s, searchsorted, subtract, take, take_along_axis, ufunc, zeros,
};

use super::messages;

messages! {
    "Picking elements" {
        array([1, 2, 3])?.index(s![3])
            => "index: 3 is out of bounds for axis 0 with size 3",
            "Indices go from 0 to the size less one, or from -1 back.";
        array([1, 2, 3])?.index(s![0, 0])
            => "index: too many indices: an array of shape (3,) has 1 axes, 2 were indexed",
            "As many indices as axes.";
        array([1, 2, 3])?.index(s![..;0])
            => "index: the step of a slice cannot be zero",
            "Say a step of 1 or -1.";
        array([1, 2, 3])?.index(s![Ellipsis, Ellipsis])
            => "index: an index can have only one ellipsis",
            "One ellipsis represents all remaining axes.";
        array([1, 2, 3])?.index(s![array([0, 7])?])?.to_vec::<i32>()
            => "index: index 7 at position 1 is out of bounds for axis 0 with size 3",
            "The next synchronising call reports it; with `CUPRUM_CHECK=now` the call itself does.";
        array([1, 2, 3])?.index(s![array([0.5])?])
            => "index: arrays of indices are of integers or booleans, not of float64",
            "Round and cast: `.rint()?.astype(DType::I64)?`.";
        ones([2, 3], ())?.index(s![array([0, 1])?, array([0, 1, 2])?])
            => "index: operands could not be broadcast together with shapes (2,) and (3,)",
            "Arrays of indices have one shape, or axes of size 1.";
        ones([2, 3], ())?.index(s![array([true, false, true])?])
            => "index: a mask of shape (3,) does not fit axes 0..1 of shape (2, 3)",
            "A mask has the axes that it indexes.";
        zeros([0, 3], ())?.index(s![array([0])?])
            => "index: there is nothing to index along axis 0 of shape (0, 3)",
            "Ask `is_empty` first.";
        array([1, 2, 3])?.set(s![array([true, false, true])?], array([1, 2, 3])?)
            => "set: 3 elements are given to the 2 that the mask picks",
            "As many elements as the mask picks, or one.";
        array([1, 2, 3])?.set(s![array([true, false, true])?], array([[1, 2]])?)
            => "set: the elements that a mask picks are given in one axis, not as shape (1, 2)",
            "`ravel` gives them one axis.";
        take(array([1, 2, 3])?, array([5])?, ())?.to_vec::<i32>()
            => "take: index 5 at position 0 is out of bounds for axis 0 with size 3",
            "`TakeOptions::new().mode(IndexMode::Clip)` takes the nearest instead.";
        take(array([1, 2, 3])?, array([0.5])?, ())
            => "take: indices are integers: float64 cannot be cast to int64",
            "Round and cast: `.rint()?.astype(DType::I64)?`.";
        take(array([1, 2, 3])?, array([1])?, TakeOptions::new().out(&zeros([2], DType::I32)?))
            => "take: an out of shape (2,) does not take results of shape (1,)",
            "The out has the shape of the result.";
        take(array([1, 2, 3])?, array([1])?, TakeOptions::new().out(&zeros([1], DType::F32)?))
            => "take: an out of float32 cannot be cast safely to int32",
            "An out of the array's own dtype.";
        put(zeros([0], ())?, array([0])?, 1, ())
            => "put: an empty array has no elements to put values at",
            "Ask `is_empty` first.";
        putmask(zeros([3], ())?, array([true])?, 1)
            => "putmask: a mask of 1 elements does not go with 3",
            "A mask has as many elements as the array.";
        take_along_axis(ones([2, 3], ())?, array([1])?, 1)
            => "take_along_axis: the indices have 1 axes, and what they pick from has 2",
            "`expand_dims` gives them more.";
        take(zeros([0, 2], ())?, array([0])?, 0)
            => "take: there is nothing to take along axis 0 of shape (0, 2)",
            "Ask `is_empty` first.";
        array([1, 2, 3])?.mask(array([1, 0, 1])?)
            => "mask: a mask is boolean, not int32",
            "Compare: `mask.not_equal(0)?`.";
        array([1, 2, 3])?.mask(array([true, false])?)
            => "mask: a mask of shape (2,) does not go with an array of shape (3,)",
            "A mask has the first axes of the array.";
        compress(array([[true]])?, array([1, 2])?, ())
            => "compress: the condition, of shape (1, 1), must have one axis",
            "The condition is a line.";
        compress(array([false, false, true])?, array([1, 2])?, ())
            => "compress: the condition, of length 3, holds beyond the end of an axis of size 2",
            "The condition is no longer than the axis.";
        extract(array([0, 0, 1])?, array([1, 2])?)
            => "extract: the condition, of length 3, holds beyond the end of an axis of size 2",
            "The condition is no longer than the array.";
        isposinf(array([Complex64::new(0.0, 1.0)])?, None)
            => "isposinf: infinities of complex128 have no sign: ask the real or the imaginary parts",
            "`real()` and `imag()`.";
        nonzero(ones((), ())?)
            => "nonzero: an array of shape () has no axis to index: reshape(1) gives it one",
            "`reshape(1)` makes it a line.";
        ufunc("add")?.at(zeros(3, ())?, [array([3])?], 1).and_then(|()| Device::current()?.synchronize())
            => "add.at: index 3 at position 0 is out of bounds for axis 0 with size 3",
            "Indices go from 0 to the size less one, or from -1 back.";
        ufunc("add")?.at(zeros(3, ())?, [array([0.5])?], 1)
            => "add.at: arrays of indices are of integers or booleans, not of float64",
            "Cast the indices with `astype`.";
        ufunc("add")?.at(zeros(3, ())?, [array([0])?, array([0])?], 1)
            => "add.at: too many indices: an array of shape (3,) has 1 axes, 2 were indexed",
            "One array of indices for each axis.";
        ufunc("add")?.at(zeros(3, ())?, [array([true])?], 1)
            => "add.at: a mask of shape (1,) does not fit axes 0..1 of shape (3,)",
            "A mask has the first axes of the array.";
        ufunc("add")?.at(zeros(3, ())?, [array([0])?], ())
            => "add.at: the function needs a second operand",
            "Say what is added.";
        ufunc("negative")?.at(zeros(3, ())?, [array([0])?], 1)
            => "negative.at: the function has no second operand",
            "A function of one operand takes `()`.";
        ufunc("divmod")?.at(zeros(3, ())?, [array([0])?], 1)
            => "divmod.at: only functions of one or two operands with one result have `at`",
            "Call the function and `set` what comes out.";
        searchsorted(ones([2, 2], ())?, 1, ())
            => "searchsorted: an array of shape (2, 2) is searched: it must have one axis",
            "Take one row, or `ravel`.";
        searchsorted(array([1, 2])?, 1, SearchOptions::new().sorter(&array([0.0, 1.0])?))
            => "searchsorted: the sorter must only contain integers, not float64",
            "`argsort` gives a sorter.";
        searchsorted(array([1, 2])?, 1, SearchOptions::new().sorter(&array([0])?))
            => "searchsorted: the sorter, of shape (1,), must have an index for each of 2 elements",
            "`argsort` gives a sorter.";
        searchsorted(array([1, 2])?, 1, SearchOptions::new().sorter(&array([0, 2])?))
            => "searchsorted: the index 2 of the sorter is out of bounds for an array of size 2",
            "`argsort` gives a sorter.";
    }
    "Writing to arrays" {
        zeros([2, 3], ())?.assign(ones(2, ())?)
            => "assign: an array of shape (2,) cannot be broadcast into shape (2, 3)",
            "`expand_dims(1)` makes it a column.";
        zeros(3, ())?.set(s![0], ones(2, ())?)
            => "set: one element cannot be an array of shape (2,)",
            "Pick a part: `s![0..2]`.";
        zeros(3, ())?.broadcast_to([2, 3])?.fill(1)
            => "fill: the destination, of shape (2, 3) and strides [0, 8], is read-only: several of its elements share memory. Write to a copy of it",
            "Write to a copy: `.copy(())?`.";
        zeros(3, ())?.read_only().fill(1)
            => "fill: the destination is a read-only view, as those of `diagonal` and `broadcast_to` are in NumPy. Write to a copy of it",
            "Write to a copy: `.copy(())?`.";
        zeros(3, DType::U8)?.fill(-1)
            => "fill: integer -1 is out of bounds for uint8, which holds 0 to 255",
            "Take a dtype that holds the number.";
        zeros(3, DType::U8)?.fill(f64::NAN)
            => "fill: NaN cannot become uint8, which holds integers",
            "Integers know no NaN: use a float dtype.";
        zeros(3, DType::U8)?.fill(f64::INFINITY)
            => "fill: inf cannot become uint8, which holds integers",
            "Integers know no infinity: use a float dtype.";
        zeros(3, ())?.fill(Complex64::I)
            => "fill: the complex number 0+1i cannot become float64: take its real part",
            "Take `z.re`, or a complex dtype.";
        copyto(zeros(3, DType::I32)?, array([1.5, 2.5, 3.5])?, ())
            => "copyto: float64 is not cast to int32 under the rule SameKind: use Casting::Unsafe, or astype",
            "`Casting::Unsafe` as the third argument cuts them.";
        ufunc("add")?.call((array([1, 2])?, 1), UfuncOptions::new().out(&zeros(3, DType::I32)?))
            => "add: a result of shape (2,) does not fit in out of shape (3,)",
            "`out` has the shape of the result.";
        ufunc("add")?.call((array([1.5])?, 1), UfuncOptions::new().out(&zeros(1, DType::I32)?))
            => "add: a result of float64 cannot be cast to int32 under Casting::SameKind: cast with astype, or say Casting::Unsafe",
            "Give an `out` of the result's dtype, or `casting(Casting::Unsafe)`.";
        cumulative_sum(ones(3, ())?, ScanOptions::new().include_initial(true).out(&zeros([2, 2], ())?))
            => "cumulative_sum: out has the shape (2, 2), the operand (3,)",
            "`out` has as many axes.";
    }
    "Dtypes" {
        ufunc("bitwise_and")?.call((array([1.5])?, array([1])?), ())
            => "bitwise_and: operands of float64 and int32 are not taken: it takes booleans and integers",
            "Bits are those of integers: `astype(DType::I64)`.";
        bitwise_and(array([1i64])?, array([1u64])?)
            => "bitwise_and: operands of int64 and uint64 are not taken together: cast one with astype",
            "Cast one of them.";
        subtract(array([true])?, array([false])?)
            => "subtract: booleans have no difference and no sign: use not_equal, bitwise_xor or logical_not",
            "`logical_xor` and `not_equal` are for booleans.";
        invert(array([1.5])?)
            => "invert: an operand of float64 is not taken: it takes booleans and integers",
            "Cast to integers.";
        floor(array([Complex64::I])?)
            => "floor: an operand of complex128 is not taken: it takes booleans, integers and floats",
            "Take `real()` or `imag()?` first.";
        add(zeros(1, DType::U8)?, 300)
            => "add: integer 300 is out of bounds for uint8, which holds 0 to 255",
            "Cast the array: scalars take its dtype.";
        power(array([2, 3])?, array([-1, 1])?)
            => "power: an integer to a negative power is no integer: cast the base to a float with astype",
            "`astype(DType::F64)?` first.";
        ufunc("add")?.call((array([1.5])?, 1), UfuncOptions::new().dtype(DType::I32))
            => "add: an operand of float64 cannot be cast to int32 under Casting::SameKind: cast with astype, or say Casting::Unsafe",
            "`casting(Casting::Unsafe)` as well.";
        ufunc("add")?.call((array([1])?, 1.5), UfuncOptions::new().casting(Casting::No))
            => "add: an operand of int32 cannot be cast to float64 under Casting::No: cast with astype, or say Casting::Unsafe",
            "Leave `casting` out.";
        array([1.0f32])?.view(DType::C128)
            => "view: float32 elements of shape (1,) cannot be viewed as complex128: the bytes of the last axis are no multiple of the element's",
            "`astype` casts the elements; `view` reads their bytes anew.";
        array([[1.0f32, 2.0], [3.0, 4.0]])?.t().view(DType::F64)
            => "view: float32 elements of shape (2, 2) cannot be viewed as float64: the last axis must be dense: view a copy",
            "`copy(Order::C)` first.";
        ones((), DType::F64)?.view(DType::F32)
            => "view: float64 elements of shape () cannot be viewed as float32: without axes the size of an element must stay: reshape to one axis first",
            "`reshape(1)` first.";
        "float23".parse::<DType>()
            => "no dtype is called \"float23\": they are float32 or f4, int64 or i8, bool, complex64 or c8, and their like",
            "Names are NumPy's.";
        finfo(DType::I32)
            => "finfo: int32 is no floating-point dtype",
            "`iinfo` is for integers.";
        iinfo(DType::F32)
            => "iinfo: float32 is no integer dtype",
            "`finfo` is for floats.";
        common_type([array([true])?])
            => "common_type: bool is no numeric dtype",
            "Cast with `astype`.";
        min_scalar_type(Scalar::Int(i128::MAX))
            => "min_scalar_type: no dtype holds 170141183460469231731687303715884105727",
            "Numbers are those of int64 and uint64.";
        result_type(&[])
            => "result_type: at least one operand is needed",
            "Name at least one.";
    }
    "Reading elements" {
        array([1.5])?.item::<i32>()
            => "item: the elements are float64, not int32: read f64, or cast with astype first, or take to_scalar, which reads any dtype",
            "Name the dtype's own type, or cast.";
        array([1, 2])?.item::<i32>()
            => "item: an array of shape (2,) has 2 elements, not one: pick one by index first",
            "Reduce, or pick one by `index`.";
        array([1.5])?.to_vec::<f32>()
            => "to_vec: the elements are float64, not float32: read f64, or cast with astype first, or take to_scalar, which reads any dtype",
            "Name the dtype's own type, or cast.";
        array([1.5])?.item::<usize>()
            => "item: the elements are float64, which are not read as usize: cast them to integers with astype first",
            "Cast to integers first.";
        array([-1])?.item::<usize>()
            => "item: the element -1 is out of the range of usize",
            "`isize` has room for it.";
        array([1, 2])?.to_scalar()
            => "to_scalar: an array of shape (2,) has 2 elements, not one: pick one by index first",
            "Reduce, or pick one by `index`.";
        array([1.5])?.typed::<f32>()
            => "typed: the elements are float64, not float32: read f64, or cast with astype first, or take to_scalar, which reads any dtype",
            "Name the dtype's own type, or cast.";
    }
}
