//! Error messages of array creation and shapes.

use cuprum::{
    Array, Block, ConcatenateOptions, DType, DiagonalOptions, Order, PadMode, PadOptions, Rot90Options, Sides, add,
    arange, arange_of, array, array_split, block, broadcast_arrays, concatenate, delete, dot, empty, flip, fliplr,
    full, full_like, hsplit, insert, matmul, matrix_transpose, ones, pad, repeat, roll, rollaxis, rot90, s,
    sliding_window_view, split, stack, sum, unstack, zeros,
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
            => "add: operands could not be broadcast together with shapes (2, 3) and (2,)",
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
            => "moveaxis: 2 source axes are moved to 1 destination axes",
            "Pass one destination for each axis.";
        ones([2, 3], ())?.moveaxis((), 0)
            => "moveaxis: an axis is needed: none is named",
            "Name the axes that move.";
        ones([2, 3], ())?.expand_dims(())
            => "expand_dims: an axis is needed: none is named",
            "Say where the new axis is to be.";
        ones([2, 3], ())?.expand_dims(5)
            => "expand_dims: axis 5 is out of bounds for an array of 3 axes",
            "Destinations are axes of the result.";
        ones([2, 3], ())?.squeeze(0)
            => "squeeze: axis 0 of an array of shape (2, 3) is of size 2, not 1",
            "Only axes of size 1 go away; `index` picks a part of others.";
        ones([2, 3], ())?.broadcast_to([3, 3])
            => "broadcast_to: shape (2, 3) cannot be broadcast to (3, 3)",
            "Only axes of size 1 are broadcast.";
        concatenate([ones([2, 3], ())?, ones([3, 2], ())?], ())
            => "concatenate: arrays of shapes (2, 3) and (3, 2) cannot be joined along axis 0",
            "The other axes must be of one size: transpose one, or pad it.";
        concatenate([ones((), ())?], ())
            => "concatenate: an array without axes cannot be concatenated: use stack, or atleast_1d",
            "`stack` makes the axis.";
        concatenate(Vec::<Array>::new(), ())
            => "concatenate: there is no array: at least one is needed",
            "Of nothing no dtype is known: `empty`.";
        concatenate([ones(2, ())?], ConcatenateOptions::new().dtype(DType::I32))
            => "concatenate: float64 is not cast to int32 under the rule SameKind: use Casting::Unsafe, or another dtype",
            "Say `Casting::Unsafe`, or cast with `astype`.";
        concatenate([ones(2, ())?], ConcatenateOptions::new().out(&ones(2, ())?).dtype(DType::F64))
            => "concatenate: out and dtype are both given: out has a dtype, leave one of them away",
            "Leave the dtype away.";
        concatenate([ones(2, ())?], ConcatenateOptions::new().out(&ones(3, ())?))
            => "concatenate: out has the shape (3,), the result (2,)",
            "An `out` has the result's shape.";
        stack([ones(2, ())?, ones(3, ())?], ())
            => "stack: arrays of shapes (2,) and (3,) are not of one shape",
            "`concatenate` joins along an axis that is there.";
        block(vec![Block::from(&ones(2, ())?), Block::from([&ones(2, ())?])])
            => "block: blocks are nested to different depths: 1 and 2 lists deep",
            "A single block is in a list, too.";
        split(ones(5, ())?, 2, ())
            => "split: axis 0, of size 5, is not divided by 2: use array_split",
            "`array_split` cuts into parts that are nearly equal.";
        array_split(ones(5, ())?, 0, ())
            => "array_split: an axis cannot be cut into 0 parts: one is needed",
            "Count from 1.";
        hsplit(ones((), ())?, 1)
            => "hsplit: an array of shape () has too few axes: 1 are needed",
            "`atleast_1d` gives one.";
        unstack(ones((), ())?, ())
            => "unstack: an array without axes has no parts: one axis is needed",
            "`atleast_1d` gives one.";
        matrix_transpose(ones(3, ())?)
            => "matrix_transpose: an array of 1 axes is no matrix: two are needed",
            "`atleast_2d` gives two.";
        fliplr(ones(3, ())?)
            => "fliplr: an array of shape (3,) has too few axes: 2 are needed",
            "`flip` turns any axis.";
        rot90(ones([2, 3], ())?, Rot90Options::new().axes((0, 0)))
            => "rot90: a plane has two axes of the array: [0, 0] are one",
            "Name two axes.";
        rollaxis(ones([2, 3], ())?, 0, 5)
            => "rollaxis: start is 5: for an array of 2 axes it is -2 to 2",
            "`moveaxis` says where the axis goes to.";
        roll(ones([2, 3, 4], ())?, (1, 2), (0, 1, 2))
            => "roll: 2 shifts do not go with 3 axes: one of each, or one for all",
            "A shift for each axis, or one for all.";
        repeat(ones(3, ())?, -1, ())
            => "repeat: an element cannot be repeated -1 times: use 0 or more",
            "Count from 0.";
        repeat(ones(3, ())?, array([1, 2])?, ())
            => "repeat: 2 numbers of repetitions do not go with axis 0 of an array of shape (3,)",
            "One number for each element of the axis, or one for all.";
        repeat(ones(3, ())?, array([1.0, 2.0, 0.0])?, ())
            => "repeat: numbers of repetitions are integers: float64 is not cast to int64",
            "`astype(DType::I64)`.";
        pad(ones(3, ())?, -1, ())
            => "pad: the width is -1: it must be 0 or more",
            "`index` takes elements away.";
        pad(ones(3, ())?, [(1, 2), (3, 4)], ())
            => "pad: the width is given for 2 axes, the array has 1: give two numbers of each",
            "A pair for each axis, one pair or one number for all.";
        pad(ones(3, ())?, Sides::axes([(1, (1, 2))]), ())
            => "pad: the width: axis 1 is out of bounds for an array of 1 axes",
            "Axes are numbered from 0.";
        sliding_window_view(ones(3, ())?, -1, ())
            => "sliding_window_view: a window is -1 long: its sizes are 0 or more",
            "Give sizes of 0 or more.";
        sliding_window_view(ones(3, ())?, [1, 2], ())
            => "sliding_window_view: a window of 2 sizes does not slide along 1 axes: give one for each",
            "Name the axes.";
        sliding_window_view(ones(3, ())?, 4, ())
            => "sliding_window_view: a window of 4 along axis 0 is larger than an array of shape (3,)",
            "`pad` makes the array longer.";
        ones([3, 2], ())?.t().part(s![..;2]).resize([2, 2], ())
            => "resize: the elements are not contiguous: resize a copy",
            "The result of `copy` is contiguous.";
        ones([3, 2], ())?.part(s![1]).resize(4, ())
            => "resize: the array is a part of the memory of another: resize a copy, or use the function of this name",
            "`copy` has memory of its own.";
        {
            let one = ones(3, ())?;
            one.clone().resize(4, ())
        }
            => "resize: there are other arrays of this memory: drop them, or say `refcheck` is false and they keep it",
            "`ResizeOptions::new().refcheck(false)`.";
        pad(ones([0, 3], ())?, 1, PadMode::Edge)
            => "pad: axis 0 has no elements to pad with in the mode Edge: use Constant or Empty",
            "`PadMode::Constant` needs none.";
        pad(ones(3, ())?, 1, PadOptions::new().mode(PadMode::Edge).constant_values(1))
            => "pad: constant_values is no option of the mode Edge: it is one of [Constant]",
            "Leave it away, or choose the mode.";
        pad(ones(3, ())?, 1, PadOptions::new().mode(PadMode::Maximum).stat_length(0))
            => "pad: of no elements there is no Maximum: a length of 1 is the least",
            "A length of 1 is the element at the edge.";
        insert(ones(3, ())?, 9, 0, ())
            => "insert: index 9 is out of bounds for an axis of 3 elements",
            "Indices are 0 to the size, or negative from the end.";
        delete(ones(3, ())?, 9, ())
            => "delete: index 9 is out of bounds for an axis of 3 elements",
            "Indices are 0 up to the size, or negative from the end.";
        delete(ones(3, ())?, &array([true, false])?, ())
            => "delete: a mask of shape (2,) does not say of 3 elements which are deleted",
            "A mask has one truth for each element of the axis.";
        broadcast_arrays([ones(2, ())?, ones(3, ())?])
            => "broadcast_arrays: operands could not be broadcast together with shapes (2,) and (3,)",
            "Only axes of size 1 are broadcast.";
        ones(3, ())?.diagonal(())
            => "diagonal: an array of shape (3,) has no diagonal: that needs two axes",
            "Reshape to rows and columns first.";
        ones([3, 3], ())?.diagonal(DiagonalOptions::new().axis2(0))
            => "diagonal: axis1 and axis2 are both axis 0: a diagonal needs two",
            "Name two axes.";
        ones(3, ())?.as_strided(4, &[8])
            => "as_strided: shape (4,) with strides [8] leaves the memory of an array of shape (3,)",
            "Strides are bytes; the last element must be in the array's memory.";
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
