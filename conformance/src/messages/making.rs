//! Arrays and their shapes.

use cuprum::{
    Array, DType, DiagonalOptions, Order, add, arange, arange_of, array, broadcast_arrays, dot, empty, flip, full,
    full_like, matmul, ones, sum, zeros,
};

use super::messages;

messages! {
    "Making arrays" {
        zeros([2, -1], ())
            => "zeros: negative dimensions are not allowed: -1 in shape (2, -1)",
            "A size is 0 or more; only `reshape` takes -1.";
        ones([1u64 << 40, 1 << 40], ())
            => "ones: an array of shape (1099511627776, 1099511627776) is too large to be addressed",
            "Work on parts that fit in memory.";
        empty(vec![1; 65], ())
            => "empty: 65 axes are more than the 64 that an array can have",
            "Merge axes with `reshape`: 64 are the most.";
        array(vec![vec![1, 2], vec![3]])
            => "array: nested rows must have the same shape: the first ones give (2, 2), others differ",
            "Rows have one length: fill the short ones.";
        Array::from_slice(&[1, 2, 3], [2, 2])
            => "from_slice: 3 elements do not fill shape (2, 2), which has 4",
            "The sizes of the shape, multiplied, are the number of elements.";
        Array::from_bytes(&[0; 6], [2], DType::F32)
            => "from_bytes: 6 bytes are given, shape (2,) of float32 needs 8",
            "A shape needs its elements times the bytes of one.";
        full(2, 300, DType::U8)
            => "full: integer 300 is out of bounds for uint8, which holds 0 to 255",
            "Take a dtype that holds the number.";
        full_like(zeros(2, DType::I8)?, 200, ())
            => "full_like: integer 200 is out of bounds for int8, which holds -128 to 127",
            "Take a dtype that holds the number.";
        arange(0, 5, 0)
            => "arange: from 0 to 5 by 0: the step cannot be 0",
            "A range needs a step.";
        arange(0.0, f64::NAN, 1.0)
            => "arange: from 0 to NaN by 1: NaN is no number of elements",
            "Start, stop and step are finite.";
        arange(0, i64::MAX, 1)
            => "arange: an array of shape (9223372036854775807,) is too large to be addressed",
            "Work on parts that fit in memory.";
        arange_of(0, 3, 1, DType::Bool)
            => "arange: 3 booleans are more than the two that there are",
            "Make integers and compare them.";
        arange_of(-1, 3, 1, DType::U8)
            => "arange: integer -1 is out of bounds for uint8, which holds 0 to 255",
            "Take a dtype that holds the first two elements.";
    }
    "Shapes and axes" {
        add(ones([2, 3], ())?, ones([2], ())?)
            => "add: operands of shapes (2, 3) and (2,) cannot be broadcast together",
            "Sizes are compared from the last axis on: they are equal, or one of them is 1. `expand_dims` adds an axis.";
        ones([2, 3], ())?.reshape([4, 2])
            => "reshape: an array of shape (2, 3), of 6 elements, cannot be given the shape (4, 2)",
            "The sizes, multiplied, are the number of elements.";
        ones([2, 3], ())?.reshape([-1, -1])
            => "reshape: an array of shape (2, 3), of 6 elements, cannot be given the shape (-1, -1)",
            "One size at most is -1.";
        ones([2, 3], ())?.reshape_in(6, Order::K)
            => "reshape: elements are counted in order C, F or A, not K",
            "Say C or F.";
        sum(ones([2, 3], ())?, 2)
            => "sum: axis 2 is out of bounds for an array of 2 axes",
            "Axes are counted from 0, or from -1 at the end.";
        sum(ones([2, 3], ())?, (0, -2))
            => "sum: axis -2 is named twice",
            "Name each axis once.";
        ones([2, 3], ())?.transpose(0)
            => "transpose: 1 axes are given, an array of shape (2, 3) has 2",
            "Name every axis, or none.";
        ones([2, 3], ())?.transpose((0, 2))
            => "transpose: axis 2 is out of bounds for an array of 2 axes",
            "Axes are counted from 0, or from -1 at the end.";
        ones([2, 3], ())?.swapaxes(0, 5)
            => "swapaxes: axis 5 is out of bounds for an array of 2 axes",
            "Axes are counted from 0, or from -1 at the end.";
        ones([2, 3], ())?.moveaxis((0, 1), 0)
            => "moveaxis: 2 axes are moved to 1 places",
            "Each axis has one place to go to.";
        ones([2, 3], ())?.moveaxis((), 0)
            => "moveaxis: an axis is needed: none is named",
            "Name the axes that move.";
        ones([2, 3], ())?.expand_dims(())
            => "expand_dims: an axis is needed: none is named",
            "Say where the new axis is to be.";
        ones([2, 3], ())?.expand_dims(5)
            => "expand_dims: axis 5 is out of bounds for an array of 3 axes",
            "Places are those of the result.";
        ones([2, 3], ())?.squeeze(0)
            => "squeeze: axis 0 of an array of shape (2, 3) is of size 2, not 1",
            "Only axes of size 1 go away; `index` picks a part of others.";
        ones([2, 3], ())?.broadcast_to([3, 3])
            => "broadcast_to: shape (2, 3) cannot be broadcast to (3, 3)",
            "Only axes of size 1 are stretched.";
        broadcast_arrays([ones(2, ())?, ones(3, ())?])
            => "broadcast_arrays: operands of shapes (2,) and (3,) cannot be broadcast together",
            "Only axes of size 1 are stretched.";
        ones(3, ())?.diagonal(())
            => "diagonal: an array of shape (3,) has no diagonal: that needs two axes",
            "Reshape to rows and columns first.";
        ones([3, 3], ())?.diagonal(DiagonalOptions::new().axis2(0))
            => "diagonal: axis1 and axis2 are both axis 0: a diagonal needs two",
            "Name two axes.";
        ones(3, ())?.as_strided(4, &[8])
            => "as_strided: shape (4,) with strides [8] leaves the memory of an array of shape (3,)",
            "Strides are bytes; the last element must lie in the array's memory.";
        flip(ones([2, 3], ())?, 2)
            => "flip: axis 2 is out of bounds for an array of 2 axes",
            "Axes are counted from 0, or from -1 at the end.";
        matmul(ones([2, 3], ())?, ones([2, 3], ())?)
            => "matmul: operands of shapes (2, 3) and (2, 3) do not go together: rows of 3 elements meet columns of 2",
            "Transpose one: `b.t()`.";
        dot(ones([2, 3], ())?, ones([2, 3], ())?)
            => "dot: operands of shapes (2, 3) and (2, 3) do not go together: 3 elements meet 2",
            "Transpose one: `b.t()`.";
        matmul(ones([2, 3], ())?, ones((), ())?)
            => "matmul: operands of shapes (2, 3) and (): each needs an axis; multiply takes numbers",
            "Multiply by numbers with `*`.";
    }
}
